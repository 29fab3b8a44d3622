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

package shard

import (
	"fmt"
	"strconv"
	"strings"
)

// Part is one of the parts of a split run. The zero value is the whole run.
type Part struct {
	// Index counts from 0, as a Kubernetes Indexed Job does.
	Index int `json:"index"`
	Total int `json:"total"`
}

// Split reports whether the run is split at all.
func (p Part) Split() bool { return p.Total > 0 }

// String is the part as the command line has it.
func (p Part) String() string {
	if !p.Split() {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.Index, p.Total)
}

// Set reads "i/n", i from 0 to n-1; it makes *Part a flag.
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

// Type is for a flag's help.
func (p *Part) Type() string { return "i/n" }

// Take returns what falls to the part: every n-th, so that long and short neighbours are spread. All of it for the whole
// run. The parts are disjoint, and together they are everything.
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

// Process says which of how many shares of all seeds the i-th of n processes of the part plays.
func (p Part) Process(i, n int) (share, shares int) {
	if !p.Split() {
		return i, n
	}
	return p.Index + p.Total*i, p.Total * n
}

// Of is how many of n things fall to the part.
func (p Part) Of(n int) int {
	if !p.Split() {
		return n
	}
	return max(n-p.Index+p.Total-1, 0) / p.Total
}
