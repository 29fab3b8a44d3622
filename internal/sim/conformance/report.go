// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/sim"
)

// format is the version of the trace file's format.
const format = 1

// Header is the first line of a trace file.
type Header struct {
	Format  int       `json:"conformance"`
	Runtime string    `json:"runtime"`
	Version string    `json:"version"`
	Image   string    `json:"image"`
	Kernel  string    `json:"kernel,omitempty"`
	CPUs    int       `json:"cpus"`
	Arch    string    `json:"arch"`
	Date    time.Time `json:"date"`
	// Events: the runtime sends container events.
	Events bool `json:"events"`
	// Against is the behaviour that was expected.
	Against sim.Behaviour `json:"against"`
	// Sequences is the number of lines that follow, which detects a file that was cut.
	Sequences int `json:"sequences"`
}

// Outcome is what became of a sequence.
type Outcome string

// Outcomes.
const (
	Same      Outcome = "same"
	Differs   Outcome = "differs"
	Failed    Outcome = "failed" // it could not be played
	NotPlayed Outcome = "not played"
)

// Result is another line of a trace file: one sequence.
type Result struct {
	Sequence string  `json:"sequence"`
	Why      string  `json:"why"`
	Outcome  Outcome `json:"outcome"`
	// Reason is why the sequence failed or was not played.
	Reason string `json:"reason,omitempty"`
	// Diff holds the lines that were expected and did not come (-) and those that came and were not expected (+).
	Diff    []string        `json:"diff,omitempty"`
	Trace   []string        `json:"trace,omitempty"`
	History []history.Event `json:"history,omitempty"`
}

// Report is a run, or a trace file.
type Report struct {
	Header
	Results []Result
}

// Judge compares the traces with those of a behaviour.
func (r *Report) Judge(against sim.Behaviour) error {
	r.Against, r.Sequences = against, len(r.Results)
	for i := range r.Results {
		result := &r.Results[i]
		if result.Outcome == Failed || result.Outcome == NotPlayed {
			continue
		}
		expected, err := Expected(against, result.Sequence)
		if err != nil {
			return err
		}
		result.Outcome, result.Diff = Same, diff(seen(expected.Lines, r.Events), seen(result.Trace, r.Events))
		if len(result.Diff) > 0 {
			result.Outcome = Differs
		}
	}
	return nil
}

// Count returns the number of results with an outcome.
func (r *Report) Count(outcome Outcome) (n int) {
	for _, result := range r.Results {
		if result.Outcome == outcome {
			n++
		}
	}
	return n
}

// diff returns the lines that only one of two traces has, in the order of their times.
func diff(expected, got []string) []string {
	count := map[string]int{}
	for _, line := range expected {
		count[line]++
	}
	var all []string
	for _, line := range got {
		if count[line]--; count[line] < 0 {
			all = append(all, "+"+line)
		}
	}
	for _, line := range slices.Backward(expected) {
		if count[line] > 0 {
			count[line]--
			all = append(all, "-"+line)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	return all
}

// Write writes a trace file: JSON lines.
func (r *Report) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	err := encoder.Encode(r.Header)
	for _, result := range r.Results {
		err = errors.Join(err, encoder.Encode(result))
	}
	return err
}

// maxLine is the maximum length of a line in bytes; a longer one is corrupt.
const maxLine = 4 << 20

// Read reads a trace file. name is for errors.
func Read(in io.Reader, name string) (*Report, error) {
	var r Report
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	corrupt := func(line int, err error) (*Report, error) {
		return nil, fmt.Errorf("%s:%d: not a trace file of kgrace conformance: %w", name, line, err)
	}
	line := 0
	for scanner.Scan() {
		line++
		if line == 1 {
			if err := json.Unmarshal(scanner.Bytes(), &r.Header); err != nil {
				return corrupt(line, err)
			}
			if r.Format != format {
				return corrupt(line, fmt.Errorf(`"conformance": %d; this program reads format %d`, r.Format, format))
			}
			continue
		}
		var result Result
		if err := json.Unmarshal(scanner.Bytes(), &result); err != nil {
			return corrupt(line, err)
		}
		r.Results = append(r.Results, result)
	}
	switch err := scanner.Err(); {
	case err != nil:
		return corrupt(line+1, err)
	case line == 0:
		return corrupt(1, errors.New("the file is empty"))
	case len(r.Results) != r.Sequences:
		return corrupt(line, fmt.Errorf("the header expects %d sequences, the file has %d: it was cut short", r.Sequences, len(r.Results)))
	}
	return &r, nil
}
