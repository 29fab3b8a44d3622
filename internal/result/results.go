// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// PageFile is the name of the HTML report in the artifacts directory.
const PageFile = "report.html"

// ResultsFile returns the name of a level's results file in the artifacts directory.
func ResultsFile(level scenario.Level) string { return "results-" + string(level) + ".json" }

// Results are the results of one run: every requested scenario on every requested arm.
type Results struct {
	Minor string         `json:"minor"`
	Level scenario.Level `json:"level"`
	// Arms and Scenarios are what was requested; a result may be missing only if the run was cut short.
	Arms      []verdict.Arm `json:"arms"`
	Scenarios []string      `json:"scenarios"`
	// Skipped are the scenarios that were skipped because the minor cannot run them.
	Skipped []Skip `json:"lacking,omitempty"`
	// Seconds is the duration of the run.
	Seconds float64 `json:"seconds"`
	// Origin is nil if it is not known, as for histories that were judged again.
	Origin  *Origin  `json:"origin,omitempty"`
	Results []Result `json:"results"`
}

// Skip is a scenario that a minor cannot run.
type Skip struct {
	Scenario string `json:"scenario"`
	Why      string `json:"why"`
}

// SkippedIn returns scenarios that a minor cannot run, each with the reason.
func SkippedIn(minor string, rows []scenario.Scenario) []Skip {
	var all []Skip
	for _, s := range rows {
		all = append(all, Skip{s.ID, s.SkipReason(minor)})
	}
	return all
}

// Result is the result of one scenario on one arm.
type Result struct {
	Scenario string      `json:"scenario"`
	Arm      verdict.Arm `json:"arm"`
	// Rules are in the order of the catalogue.
	Rules []Rule `json:"rules"`
	// Second is the reason why the first run was inconclusive, if the scenario ran a second time, alone on its node.
	Second string `json:"SecondRun,omitempty"`
	judge.Figures
	// History is the file of the history, relative to the results.
	History string `json:"history,omitempty"`
}

// Rule is one rule of a result.
type Rule struct {
	judge.Finding
	// Want is the outcome that the catalogue expects.
	Want    scenario.Outcome `json:"want"`
	Verdict verdict.Verdict  `json:"verdict"`
}

// Leftover is testing/synctest's text for goroutines that outlive a scenario.
const Leftover = "blocked goroutines remain"

// Good reports whether every rule has the verdict that the catalogue expects.
func (r Result) Good() bool {
	return len(r.Rules) > 0 && !slices.ContainsFunc(r.Rules, func(one Rule) bool { return !one.Verdict.Good() })
}

// Red reports whether a judge found something other than the catalogue expects.
func (r Result) Red() bool {
	return slices.ContainsFunc(r.Rules, func(one Rule) bool { return one.Verdict.Red() })
}

// Invalid returns the reason why the first invalid rule could not be judged; "" if there is none.
func (r Result) Invalid() string {
	for _, one := range r.Rules {
		if one.Verdict == verdict.Invalid {
			return fmt.Sprintf("%s: %s", one.Rule, one.Why)
		}
	}
	return ""
}

// Find returns the result of a scenario on an arm.
func (r Results) Find(id string, arm verdict.Arm) (Result, bool) {
	for _, one := range r.Results {
		if one.Scenario == id && one.Arm == arm {
			return one, true
		}
	}
	return Result{}, false
}

// Status returns the status of the whole run. A run without a scenario is invalid.
func (r Results) Status() verdict.Status {
	status := verdict.StatusGood
	if len(r.Scenarios) == 0 || len(r.Arms) == 0 {
		status = verdict.StatusInvalid
	}
	for _, id := range r.Scenarios {
		for _, arm := range r.Arms {
			one, ok := r.Find(id, arm)
			switch {
			case ok && one.Red():
				return verdict.StatusRed
			case !ok || !one.Good():
				status = verdict.StatusInvalid
			}
		}
	}
	return status
}

// Forced returns the median time, in seconds, from the force delete of a terminating pod to the end of its last container, and
// the number of the arm's scenarios in it; 0, 0 if there is none.
func (r Results) Forced(arm verdict.Arm) (median float64, n int) {
	var all []float64
	for _, one := range r.Results {
		if one.Arm == arm && one.Forced != nil {
			all = append(all, *one.Forced)
		}
	}
	n = len(all)
	if n == 0 {
		return 0, 0
	}
	slices.Sort(all)
	if n%2 == 1 {
		return all[n/2], n
	}
	return (all[n/2-1] + all[n/2]) / 2, n
}

// Write writes the results as JSON, atomically.
func (r Results) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return tool.WriteFile(path, append(data, '\n'), 0o644)
}

// Read reads results. The error for a malformed file names the file and the line. The error for a missing file satisfies
// errors.Is(err, os.ErrNotExist).
func Read(path string) (Results, error) {
	var r Results
	data, err := os.ReadFile(path)
	if err != nil {
		return r, fmt.Errorf("results: %w", err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s:%d: not a results file: %w", path, lineOf(data, err), err)
	}
	if _, err := scenario.ParseLevel(string(r.Level)); err != nil {
		return r, fmt.Errorf("%s: not a results file: %w", path, err)
	}
	for _, arm := range r.Arms {
		if _, err := verdict.ParseArm(string(arm)); err != nil {
			return r, fmt.Errorf("%s: not a results file: %w", path, err)
		}
	}
	return r, nil
}

// lineOf returns the line, from 1, at which data is not valid.
func lineOf(data []byte, err error) int {
	offset := int64(len(data))
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &shape):
		offset = shape.Offset
	}
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}
