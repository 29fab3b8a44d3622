// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
