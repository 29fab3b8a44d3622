// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package result is the model of a run's results: every scenario on every arm, the files that store them, and the table that
// prints them.
//
// A result is the judges' findings in a history with their verdicts from the catalogue. The package makes no decisions, renders
// no page and depends on no engine; the suites of all levels write results, and all readers of results read them here.
package result
