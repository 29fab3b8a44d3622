/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

// Package report renders the results of runs as one HTML page with both arms' timelines, and the matrix of patches as another.
//
// The package decides nothing: a drawing shows the recorded history, and its deadline is the one that the judges derive
// (judge.Trace). A life is drawn as a fault only if a judge found one.
//
// What is not as expected comes first, with links to its row; there are the command that runs it again, its history, the
// kubelet's log and the text of the rule. A verdict that the catalogue expects is never painted like a failure, and signs, words
// and hatches say what colours say. Lists filter the page by style sheet alone.
//
// The page is one file without scripts or network requests. A timeline is a history in lanes, points and spans; an axis maps
// time to the width; a drawing is a timeline as SVG with positions in percent and sizes in pixels, so that it fits a phone
// without shrinking. Labels are placed for the narrowest width. The tests render the page in a real browser if one is installed
// (hack/verify-report.sh requires it).
package report
