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
	"github.com/kgrace/kgrace/internal/verdict"
)

// PageFile is the name of the HTML report in the artifacts folder.
const PageFile = "report.html"

// ResultsFile is the name of the results of a level in the artifacts folder.
func ResultsFile(level scenario.Level) string { return "results-" + string(level) + ".json" }

// Results are those of one run: every scenario on every arm that was asked for.
type Results struct {
	Minor string         `json:"minor"`
	Level scenario.Level `json:"level"`
	// Arms and Scenarios are what was asked for; a result may be missing only if the run was cut short.
	Arms      []verdict.Arm `json:"arms"`
	Scenarios []string      `json:"scenarios"`
	// Skipped are the scenarios that were not asked for because the minor cannot carry them.
	Skipped []Skip `json:"lacking,omitempty"`
	// Seconds is how long the run took.
	Seconds float64  `json:"seconds"`
	Results []Result `json:"results"`
}

// Skip is a scenario that a minor cannot carry.
type Skip struct {
	Scenario string `json:"scenario"`
	Why      string `json:"why"`
}

// SkippedIn lists scenarios that a minor cannot carry, each with the reason.
func SkippedIn(minor string, rows []scenario.Scenario) []Skip {
	var all []Skip
	for _, s := range rows {
		all = append(all, Skip{s.ID, s.SkipReason(minor)})
	}
	return all
}

// Result is one scenario on one arm.
type Result struct {
	Scenario string      `json:"scenario"`
	Arm      verdict.Arm `json:"arm"`
	// Rules in the order in which the catalogue names them.
	Rules []Rule `json:"rules"`
	// Second says that the scenario was run a second time, alone on its node, and why the first run decided nothing.
	Second string `json:"SecondRun,omitempty"`
	judge.Figures
	// History is the file of the history, relative to the results.
	History string `json:"history,omitempty"`
}

// Rule is one rule of a result.
type Rule struct {
	judge.Finding
	// Want is what the catalogue expects the judge to find.
	Want    scenario.Outcome `json:"want"`
	Verdict verdict.Verdict  `json:"verdict"`
}

// Good reports whether every rule has the verdict that the catalogue expects.
func (r Result) Good() bool {
	return len(r.Rules) > 0 && !slices.ContainsFunc(r.Rules, func(one Rule) bool { return !one.Verdict.Good() })
}

// Red reports whether a judge saw something else than the catalogue expects.
func (r Result) Red() bool {
	return slices.ContainsFunc(r.Rules, func(one Rule) bool { return one.Verdict.Red() })
}

// Invalid says why the first rule that could not be judged could not be; "" if all could be.
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

// Status of the whole run. A run without a single scenario is invalid.
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

// Forced returns the median, in seconds, from the force delete of a terminating pod to its last container's end, and over
// how many scenarios of the arm it is taken; 0, 0 if there is none.
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

// Write writes the results as JSON, whole or not at all.
func (r Results) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Read reads results back. A file that holds none is refused by name and line. The error for a run that left none satisfies
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

// lineOf is the line, from 1, at which data is not JSON or not of the right shape.
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
