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

// Package report shows the results of runs as one HTML page with both arms' timelines, and the matrix of patches as another.
//
// Nothing here decides anything: a drawing shows the recorded history, and the deadline in it is the one that the judges work
// out (judge.Trace). What is drawn as a fault is a life that a judge found at fault.
//
// The page is one file without scripts that asks the network for nothing. A timeline
// is a history in lanes, points and spans; an axis puts time on the width; a drawing is a timeline as SVG whose places
// are in percent and whose sizes are in pixels, so that it fits a phone without getting smaller. Labels are placed for the
// narrowest width. The tests look at the page in a real browser where one is installed (hack/verify-report.sh demands it).
package report
