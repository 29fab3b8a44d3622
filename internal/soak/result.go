// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Files of a run in the artifacts directory. Histories of pods with a broken rule are below HistoriesDir.
const (
	ResultsFile  = "soak.json"
	JUnitFile    = "junit-soak.xml"
	HistoriesDir = "histories/soak"
)

// Tally counts the findings of one rule. Excused are those that a disturbance put aside or explained; Invalid are those of pods
// about which the rule says nothing, disturbed or not.
type Tally struct {
	Held    int `json:"held"`
	Broken  int `json:"broken"`
	Excused int `json:"excused"`
	Invalid int `json:"invalid"`
}

// Fault is a broken rule of one pod.
type Fault struct {
	Pod  string        `json:"pod"`
	Rule scenario.Rule `json:"rule"`
	Why  string        `json:"why"`
	// Scenario describes the pod and its requests in one line, Disturbed what hit it, History is its file in the artifacts directory.
	Scenario  string `json:"scenario"`
	Disturbed string `json:"disturbed,omitempty"`
	History   string `json:"history,omitempty"`
}

// Check is one of the checks at the end.
type Check struct {
	Name    string           `json:"name"`
	Outcome scenario.Outcome `json:"outcome"`
	Why     string           `json:"why"`
}

// KindTally counts the disturbances of one kind.
type KindTally struct {
	Kind   Kind `json:"kind"`
	Times  int  `json:"times"`
	Failed int  `json:"failed"`
	// Pods is how many pods they hit while these were being ended, Seconds how long they took.
	Pods    int     `json:"pods"`
	Seconds float64 `json:"seconds"`
}

// Results are the results of one run.
type Results struct {
	Minor    string            `json:"minor"`
	Arm      verdict.Arm       `json:"arm"`
	Versions map[string]string `json:"versions"`
	Date     time.Time         `json:"date"`
	Seed     uint64            `json:"seed"`
	Cores    int               `json:"cores"`
	Lanes    int               `json:"lanes"`
	Seconds  float64           `json:"seconds"`
	// Pods ended; NotBegun never ran with all their containers, Undisturbed were hit by nothing while they were being ended.
	Pods        int `json:"pods"`
	NotBegun    int `json:"notBegun"`
	Undisturbed int `json:"undisturbed"`
	// Requests were accepted by the API server, Shortenings of them asked for less than all before.
	Requests    int                     `json:"requests"`
	Shortenings int                     `json:"shortenings"`
	Rules       map[scenario.Rule]Tally `json:"rules"`
	Kinds       []KindTally             `json:"disturbances"`
	Ledger      []Disturbance           `json:"ledger"`
	Broken      []Fault                 `json:"broken"`
	Checks      []Check                 `json:"checks"`
	Memory      Slope                   `json:"memory"`
	Resident    Slope                   `json:"resident"`
	// MoreGoroutines are the stacks that the kubelet has more at the end than in its first minute.
	MoreGoroutines []string `json:"moreGoroutines"`
	Samples        []Sample `json:"samples"`
	Why            []string `json:"notBegunWhy,omitempty"`
}

// Status returns the status of the run.
func (r Results) Status() verdict.Status {
	status := verdict.StatusGood
	if r.Pods == 0 || r.Disturbances() == 0 {
		status = verdict.StatusInvalid
	}
	for _, c := range r.Checks {
		switch c.Outcome {
		case scenario.Broken:
			return verdict.StatusRed
		case scenario.Invalid:
			status = verdict.StatusInvalid
		}
	}
	if len(r.Broken) > 0 {
		return verdict.StatusRed
	}
	return status
}

// Disturbances returns how many there were.
func (r Results) Disturbances() (n int) {
	for _, k := range r.Kinds {
		n += k.Times
	}
	return n
}

// Table prints the results.
func (r Results) Table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "soak of %s (%s), seed %d: %.0f s, %d cores, %d pods at once\n", r.Arm, r.Versions["kubelet"], r.Seed, r.Seconds, r.Cores, r.Lanes)
	fmt.Fprintf(w, "%d pods ended, %d of them undisturbed, %d never ran; %d requests, %d shortenings; %d disturbances\n\n", r.Pods, r.Undisturbed, r.NotBegun,
		r.Requests, r.Shortenings, r.Disturbances())
	fmt.Fprintln(w, "RULE\tHELD\tBROKEN\tEXCUSED\tNOT APPLYING")
	for _, rule := range scenario.Rules() {
		if t, ok := r.Rules[rule]; ok {
			fmt.Fprintf(w, "%s %s\t%d\t%d\t%d\t%d\n", rule, rule.Title(), t.Held, t.Broken, t.Excused, t.Invalid)
		}
	}
	fmt.Fprintln(w, "\nDISTURBANCE\tTIMES\tFAILED\tPODS HIT\tSECONDS")
	for _, k := range r.Kinds {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\n", k.Kind, k.Times, k.Failed, k.Pods, k.Seconds)
	}
	fmt.Fprintln(w, "\nCHECK\tOUTCOME\tWHY")
	for _, c := range r.Checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Outcome, c.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range r.Broken {
		fmt.Fprintf(out, "\n%s %s: %s\n  %s\n", f.Pod, f.Rule, f.Why, f.Scenario)
		if f.Disturbed != "" {
			fmt.Fprintf(out, "  disturbed: %s\n", f.Disturbed)
		}
	}
	return nil
}

// Write writes results and JUnit into the artifacts directory.
func (r Results) Write(dir string) error {
	var cases []junit.Case
	for _, rule := range scenario.Rules() {
		t, ok := r.Rules[rule]
		if !ok {
			continue
		}
		c := junit.Case{Arm: r.Arm, Name: fmt.Sprintf("%s %s", rule, rule.Title()), Verdict: verdict.Kept,
			Why: fmt.Sprintf("%d held, %d broken, %d excused", t.Held, t.Broken, t.Excused)}
		switch {
		case t.Broken > 0:
			c.Verdict = verdict.Regressed
			for _, f := range r.Broken {
				if f.Rule == rule {
					c.Message += f.Pod + ": " + f.Why + "\n"
				}
			}
		case t.Held == 0:
			c.Verdict = verdict.Invalid
		}
		cases = append(cases, c)
	}
	for _, check := range r.Checks {
		c := junit.Case{Arm: r.Arm, Name: check.Name, Why: check.Why, Message: check.Why, Verdict: verdict.Kept}
		switch check.Outcome {
		case scenario.Broken:
			c.Verdict = verdict.Regressed
		case scenario.Invalid:
			c.Verdict = verdict.Invalid
		}
		cases = append(cases, c)
	}
	return junit.Write(dir, ResultsFile, r, JUnitFile, junit.Suites("soak", []verdict.Arm{r.Arm}, cases))
}

// kindsOf returns a disturbance's kind for each, in order, as one line.
func kindsOf(all []Disturbance) string {
	var words []string
	for _, d := range all {
		word := string(d.Kind)
		if d.Call != "" {
			word += " (" + d.Call + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
