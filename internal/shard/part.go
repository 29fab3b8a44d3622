// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Part is one part of a split run. The zero value is the whole run.
type Part struct {
	// Index counts from 0, as in a Kubernetes Indexed Job.
	Index int `json:"index"`
	Total int `json:"total"`
}

// Split reports whether the run is split at all.
func (p Part) Split() bool { return p.Total > 0 }

// String returns the part as on the command line.
func (p Part) String() string {
	if !p.Split() {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.Index, p.Total)
}

// Set parses "i/n", i from 0 to n-1; it makes *Part a flag.
func (p *Part) Set(text string) error {
	index, total, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(total)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return fmt.Errorf("%q: want i/n, with i from 0 to n-1: 0/4, 1/4, 2/4 and 3/4 are the parts of four", text)
	}
	p.Index, p.Total = i, n
	return nil
}

// Type returns the type for a flag's help.
func (p *Part) Type() string { return "i/n" }

// Take returns the part's share of all: every n-th element, so that long and short neighbours are distributed. For the
// whole run it returns everything. The parts are disjoint and together complete.
func Take[T any](p Part, all []T) []T {
	if !p.Split() {
		return all
	}
	var mine []T
	for i := p.Index; i < len(all); i += p.Total {
		mine = append(mine, all[i])
	}
	return mine
}

// RunVar is the environment variable that identifies the run that a part belongs to. It must be equal in all parts of a run, and
// different in any other run: an Indexed Job sets it to its UID.
const RunVar = "KGRACE_RUN"

var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// CheckRun refuses what cannot identify a run. The id is also the name of a directory.
func CheckRun(id string) error {
	if id != "" && !runID.MatchString(id) {
		return fmt.Errorf("%q cannot identify a run: want letters, digits, dots, dashes and underscores, such as the UID of a Job", id)
	}
	return nil
}

// Process returns which share of how many the i-th of n processes of the part plays.
func (p Part) Process(i, n int) (share, shares int) {
	if !p.Split() {
		return i, n
	}
	return p.Index + p.Total*i, p.Total * n
}

// Of returns how many of n things belong to the part.
func (p Part) Of(n int) int {
	if !p.Split() {
		return n
	}
	return max(n-p.Index+p.Total-1, 0) / p.Total
}
