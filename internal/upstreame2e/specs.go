// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed specs.yaml
var data []byte

// Selection is the content of specs.yaml.
type Selection struct {
	// Minor is the minor whose specs the lists were made from.
	Minor string `json:"minor"`
	// Concerns matches the text of every spec that must be in one of the lists.
	Concerns string  `json:"concerns"`
	Run      []Group `json:"run"`
	Not      []Group `json:"not"`
	// Images maps the last part of an image's name to its content here.
	Images map[string]string `json:"images"`

	concerns *regexp.Regexp
}

// Group is a set of specs that are run, or not run, for one reason.
type Group struct {
	Why   string   `json:"why"`
	Specs []string `json:"specs"`
	// Seconds is the approximate duration of one spec, for an even distribution.
	Seconds int `json:"seconds,omitempty"`
}

// has reports whether the group contains the spec with a text, and returns the matching entry.
func (g Group) has(text string) (string, bool) {
	i := slices.IndexFunc(g.Specs, func(part string) bool { return strings.Contains(text, part) })
	if i < 0 {
		return "", false
	}
	return g.Specs[i], true
}

// load returns the lists embedded in this program.
func load() (Selection, error) { return parse(data) }

func parse(data []byte) (s Selection, err error) {
	if err := yaml.UnmarshalStrict(data, &s); err != nil {
		return s, fmt.Errorf("specs.yaml: %w", err)
	}
	if s.concerns, err = regexp.Compile(s.Concerns); err != nil || s.Concerns == "" {
		return s, fmt.Errorf("specs.yaml: concerns: want a regular expression: %w", err)
	}
	if len(s.Run) == 0 || s.Minor == "" {
		return s, errors.New("specs.yaml: it lists no specs, or no minor")
	}
	for _, g := range slices.Concat(s.Run, s.Not) {
		if g.Why == "" || len(g.Specs) == 0 || slices.Contains(g.Specs, "") {
			return s, fmt.Errorf("specs.yaml: %v: want specs, and a reason (why)", g)
		}
	}
	for name, made := range s.Images {
		if made == "" {
			return s, fmt.Errorf("specs.yaml: image %s: describe its content", name)
		}
	}
	return s, nil
}

// Listed returns the entries of the lists, as specs whose text is a part of the name, that contain the text only. A minor's own
// specs, of which an entry may match several or none, are known only to its e2e.test; see choose.
func Listed(only string) (run, not []Spec, err error) {
	s, err := load()
	list := func(groups []Group) (all []Spec) {
		for _, g := range groups {
			for _, text := range g.Specs {
				if strings.Contains(text, only) {
					all = append(all, Spec{Text: text, Why: g.Why})
				}
			}
		}
		return all
	}
	return list(s.Run), list(s.Not), err
}

// Spec is one of upstream's specs.
type Spec struct {
	// Text is its full text, including labels: a name for people and for Ginkgo's focus.
	Text string `json:"text"`
	// Why is the reason why it is run or not run.
	Why string `json:"why"`
	// Serial specs must be alone on their cluster.
	Serial bool `json:"serial,omitempty"`

	seconds int
}

// choose divides all specs of a release into those to run and those about the end of a pod that are not run. If the lists
// do not match, the error names every entry without a spec (only for a release of the lists' own minor) and every spec that
// should be listed but is not. only, if not empty, keeps the specs whose text contains it.
func (s Selection) choose(minor string, all []Spec, only string) (run, not []Spec, err error) {
	var faults []string
	used := map[string]bool{}
	for _, spec := range all {
		chosen := false
		for _, list := range []struct {
			groups []Group
			to     *[]Spec
		}{{s.Not, &not}, {s.Run, &run}} {
			for _, g := range list.groups {
				entry, ok := g.has(spec.Text)
				if !ok {
					continue
				}
				used[entry] = true
				if !chosen {
					chosen = true
					if list.to == &not && !s.concerns.MatchString(spec.Text) {
						continue // the entry is meant for its neighbours
					}
					spec.Why, spec.seconds = g.Why, g.Seconds
					*list.to = append(*list.to, spec)
				}
			}
		}
		if !chosen && s.concerns.MatchString(spec.Text) {
			faults = append(faults, fmt.Sprintf("in neither list: %q", spec.Text))
		}
	}
	for _, g := range slices.Concat(s.Run, s.Not) {
		for _, entry := range g.Specs {
			if !used[entry] && minor == s.Minor {
				faults = append(faults, fmt.Sprintf("no spec contains %q", entry))
			}
		}
	}
	if len(faults) > 0 && minor == s.Minor {
		return nil, nil, fmt.Errorf("specs.yaml does not match the specs of this release:\n  %s", strings.Join(faults, "\n  "))
	}
	if only != "" {
		run = slices.DeleteFunc(run, func(spec Spec) bool { return !strings.Contains(spec.Text, only) })
		not = slices.DeleteFunc(not, func(spec Spec) bool { return !strings.Contains(spec.Text, only) })
	}
	if len(run) == 0 {
		return nil, nil, fmt.Errorf("no spec to run: none of %d contains %q", len(all), only)
	}
	return run, not, nil
}

// parallelOnly moves the specs that need a cluster for themselves to those that are not run.
func parallelOnly(run, not []Spec) (parallel, left []Spec) {
	for _, s := range run {
		if !s.Serial {
			parallel = append(parallel, s)
			continue
		}
		s.Why = "left out by --no-serial; covers: " + s.Why
		not = append(not, s)
	}
	return parallel, not
}

// batches distributes specs over at most n processes, the longest first, each to the one with the least work. Serial specs
// are a separate batch, nil if there are none.
func batches(specs []Spec, n int) (parallel [][]Spec, serial []Spec) {
	var rest []Spec
	for _, s := range specs {
		if s.Serial {
			serial = append(serial, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b Spec) int { return b.seconds - a.seconds })
	parallel = make([][]Spec, min(n, len(rest)))
	load := make([]int, len(parallel))
	for _, s := range rest {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		parallel[least] = append(parallel[least], s)
		load[least] += max(s.seconds, 1)
	}
	return parallel, serial
}
