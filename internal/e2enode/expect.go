// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kgrace/kgrace/internal/intree"
)

//go:embed neighbours.yaml
var neighboursFile []byte

// Neighbours are upstream's specs that run beside those of a series. All that Focus selects and Skip keeps must pass on
// both arms, except for those that are Known.
type Neighbours struct {
	// Focus and Skip are regular expressions for the full text of specs, including labels.
	Focus []string `json:"focus"`
	Skip  []Skip   `json:"skip"`
	// AtLeast is the minimum number of specs that must run: if fewer do, Focus no longer matches as intended.
	AtLeast int     `json:"atLeast"`
	Known   []Known `json:"known"`
}

// Skip excludes specs.
type Skip struct {
	Specs string `json:"specs"`
	Why   string `json:"why"`
}

// Known is a spec that does not pass on our node, on either arm.
type Known struct {
	// Text of the spec, without labels.
	Text string `json:"spec"`
	// Skipped means that the spec skips itself; otherwise it fails.
	Skipped bool `json:"skipped,omitempty"`
	// Reason matches the spec's message.
	Reason string `json:"reason"`
	Why    string `json:"why"`

	reason *regexp.Regexp
}

// loadNeighbours returns the list embedded in this program.
func loadNeighbours() (*Neighbours, error) { return parseNeighbours(neighboursFile) }

func parseNeighbours(data []byte) (*Neighbours, error) {
	var n Neighbours
	if err := yaml.UnmarshalStrict(data, &n); err != nil {
		return nil, fmt.Errorf("neighbours.yaml: %w", err)
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("neighbours.yaml: "+format, args...)) }
	if len(n.Focus) == 0 || n.AtLeast < 1 {
		bad("want a focus, and the minimum number of specs (atLeast)")
	}
	for _, pattern := range n.Focus {
		if _, err := regexp.Compile(pattern); err != nil {
			bad("focus: %w", err)
		}
	}
	for _, s := range n.Skip {
		if _, err := regexp.Compile(s.Specs); err != nil || s.Why == "" {
			bad("skip %q: want a regular expression, and a reason (why): %v", s.Specs, err)
		}
	}
	for i := range n.Known {
		k := &n.Known[i]
		var err error
		if k.reason, err = regexp.Compile(k.Reason); err != nil || k.Reason == "" || k.Why == "" {
			bad("known spec %q: want a regular expression for its message, and a reason (why): %v", k.Text, err)
		}
		if k.Text != intree.PlainSpec(k.Text) {
			bad("known spec %q: write its text without labels: %q", k.Text, intree.PlainSpec(k.Text))
		}
		if slices.ContainsFunc(n.Known[:i], func(other Known) bool { return other.Text == k.Text }) {
			bad("known spec %q is listed twice", k.Text)
		}
	}
	return &n, errors.Join(errs...)
}

// find returns the known spec with a text.
func (n *Neighbours) find(text string) (Known, bool) {
	i := slices.IndexFunc(n.Known, func(k Known) bool { return k.Text == text })
	if i < 0 {
		return Known{}, false
	}
	return n.Known[i], true
}

// narrow sets the focus, requires at least one spec to run, and drops the known specs that do not match.
func (n *Neighbours) narrow(focus *regexp.Regexp) {
	n.Focus, n.AtLeast = []string{focus.String()}, 1
	n.Known = slices.DeleteFunc(n.Known, func(k Known) bool { return !focus.MatchString(k.Text) })
}

// selection is the specs to run: those of the series, and upstream's, nil if none of those are wanted.
type selection struct {
	own        []intree.Spec
	neighbours *Neighbours
}

// choose selects the specs that the options name.
func (o Options) choose() (s selection, err error) {
	dir := o.Repo.SeriesDir(o.Minor)
	declared, err := intree.LoadDeclaration(dir)
	if err != nil {
		return s, err
	}
	if len(declared.Specs) == 0 {
		return s, fmt.Errorf("the series of %s has no node e2e specs (see %s); that of %s has", o.Minor,
			filepath.Join(dir, intree.DeclaredFile), o.Repo.Versions.Default)
	}
	if o.Own {
		s.own = declared.Specs
	}
	if o.Neighbours {
		if s.neighbours, err = loadNeighbours(); err != nil {
			return s, err
		}
	}
	if o.Focus == "" {
		return s, nil
	}
	focus, err := regexp.Compile(o.Focus)
	if err != nil {
		return s, err
	}
	s.own = slices.DeleteFunc(s.own, func(own intree.Spec) bool { return !focus.MatchString(own.Text) })
	if s.neighbours != nil {
		s.neighbours.narrow(focus)
	} else if len(s.own) == 0 {
		return s, fmt.Errorf("%w %q", ErrNoSpec, o.Focus)
	}
	return s, nil
}

// patterns returns the Ginkgo focus and skip patterns that select the specs.
func (s selection) patterns() (focus, skip []string) {
	for _, own := range s.own {
		focus = append(focus, pattern(own.Text))
	}
	if s.neighbours == nil {
		return focus, nil
	}
	for _, left := range s.neighbours.Skip {
		skip = append(skip, left.Specs)
	}
	return append(focus, s.neighbours.Focus...), skip
}

// pattern returns a regular expression that matches the spec of that text, whatever labels it contains.
func pattern(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return strings.Join(words, `\s(?:\[[^\[\]]*\]\s)*`)
}
