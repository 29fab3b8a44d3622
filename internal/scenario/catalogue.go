// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/kgrace/kgrace/internal/tool"
)

// Catalogue returns every scenario after checking it. The error names each invalid row; no scenario may run then.
func Catalogue() ([]Scenario, error) {
	var all []Scenario
	for _, family := range []struct {
		name string
		rows []Scenario
	}{
		{"grace", grace()},
		{"hook", hooks()},
		{"sidecar", sidecars()},
		{"runtime", runtimes()},
		{"evict", evictions()},
		{"pending", pending()},
		{"static", statics()},
		{"restart", restarts()},
		{"unhurried", unhurried()},
		{"seed", seed()},
		{"cluster", cluster()},
	} {
		for _, row := range family.rows {
			row.Family = family.name
			all = append(all, row)
		}
	}
	return all, Check(all)
}

// Check returns the errors of all rows of a catalogue, not only the first.
func Check(all []Scenario) error {
	var errs []error
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.ID] {
			errs = append(errs, fmt.Errorf("scenario %q is in the catalogue twice", s.ID))
		}
		seen[s.ID] = true
		for _, level := range append([]Level{""}, Levels()...) {
			if level == "" || s.hasTimes(level) {
				errs = append(errs, s.At(level).check(level)...)
			}
		}
	}
	return errors.Join(errs...)
}

func (s Scenario) hasTimes(level Level) bool { _, ok := s.Scaled[level]; return ok }

var label = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func (s Scenario) check(level Level) []error {
	var errs []error
	refuse := func(format string, args ...any) {
		where := ""
		if level != "" {
			where = fmt.Sprintf(" at level %s", level)
		}
		errs = append(errs, fmt.Errorf("scenario %q%s: %s", s.ID, where, fmt.Sprintf(format, args...)))
	}
	if !label.MatchString(s.ID) {
		refuse("the id is also the pod's name, so it must be a DNS label")
	}
	if len(s.Levels) == 0 {
		refuse("no level runs it; name at least one of %s", joined(Levels()))
	}
	for _, l := range s.Levels {
		if !slices.Contains(Levels(), l) {
			refuse("unknown level %q; known: %s", l, joined(Levels()))
		}
	}
	for l := range s.Not {
		if s.Runs(l) {
			refuse("it runs at level %s, but Not gives a reason why it cannot", l)
		}
	}
	for _, l := range Levels() {
		if !s.Runs(l) && s.Not[l] == "" {
			refuse("say why level %s cannot run it", l)
		}
	}
	if err := s.Since.check(); err != nil {
		refuse("the minor it needs: %v", err)
	}
	if err := s.checkBrokenIn(); err != nil {
		refuse("a minor where it is broken: %v", err)
	}
	for _, l := range s.Levels {
		if len(s.Expect) > 0 && len(s.At(l).Expect) == 0 {
			refuse("level %s can check none of its expectations", l)
		}
	}
	for _, l := range s.Levels {
		if s.Stays() && s.Watch[l] <= 0 {
			refuse("no step requests the pod's end, so say how long level %s watches", l)
		}
	}
	for _, f := range s.Faults {
		if err := f.check(); err != nil {
			refuse("%v", err)
		}
	}
	if len(s.Expect) == 0 {
		refuse("it has no expectation, so it cannot turn red; name at least one rule")
	}
	rules := map[Rule]bool{}
	for _, e := range s.Expect {
		switch {
		case !e.Rule.Known():
			refuse("unknown rule %q; known: %s", e.Rule, joined(Rules()))
		case rules[e.Rule]:
			refuse("rule %s is expected twice", e.Rule)
		case e.Fixed != Held:
			refuse("rule %s: the fixed arm must hold every rule, the row says %q", e.Rule, e.Fixed)
		case e.Stock != Held && e.Stock != Broken:
			refuse("rule %s: stock either holds or breaks it, the row says %q", e.Rule, e.Stock)
		}
		if err := e.Earlier.check(); err != nil {
			refuse("rule %s, stock of older minors: %v", e.Rule, err)
		} else if e.Earlier.Minor != "" && (e.Earlier.Stock == e.Stock || e.Earlier.Stock != Held && e.Earlier.Stock != Broken) {
			refuse("rule %s: stock of minors before %s must have the other outcome of %s and %s, the row says %q", e.Rule, e.Earlier.Minor, Held, Broken, e.Earlier.Stock)
		}
		rules[e.Rule] = true
	}
	if s.AsStock && !rules[Kept] {
		refuse("it must behave as on stock, so it must expect rule %s", Kept)
	}
	if s.Pod.Grace < 0 {
		refuse("the spec's grace is %d s; the API allows none below 0", s.Pod.Grace)
	}
	if len(s.Pod.Containers) == 0 {
		refuse("its pod has no container")
	}
	if s.Pod.Owner != "" {
		switch {
		case !slices.Contains(Owners(), s.Pod.Owner):
			refuse("unknown owner %q; known: %s", s.Pod.Owner, joined(Owners()))
		case s.Runs(LevelSim) || s.Runs(LevelNode):
			refuse("its pod belongs to a %s, which needs level %s", s.Pod.Owner, LevelKind)
		case s.Pod.Static:
			refuse("its pod belongs to a %s, so it cannot be static", s.Pod.Owner)
		}
	}
	for _, c := range s.Pod.All() {
		if c.Hook != nil && c.Hook.Kind == HookSleep && (c.Hook.Takes <= 0 || c.Hook.Takes.Seconds() > float64(s.Pod.Grace)) {
			refuse("container %s sleeps %v in its hook; the API allows 1 s to the spec's grace", c.Name, c.Hook.Takes)
		}
	}
	for _, c := range s.Pod.All() {
		if err := c.check(); err != nil {
			refuse("container %s: %v", c.Name, err)
		}
	}
	if len(s.Steps) == 0 {
		refuse("no step, so nothing happens")
	}
	for i, step := range s.Steps {
		if i == 0 && step.After != 0 {
			refuse("times count from the first step, which is at %v", step.After)
		}
		if i > 0 && step.After <= s.Steps[i-1].After {
			refuse("step %v does not come after %v", step, s.Steps[i-1])
		}
	}
	return errs
}

// IDs returns the ids of scenarios.
func IDs(all []Scenario) (ids []string) {
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids
}

// Pick returns the scenarios with these ids that run at the level, in the catalogue's order, or all of them if no id is given. An
// id may be a pattern as of path.Match. If an id is unknown or does not run at the level, or a pattern matches none, the error
// lists the known ones.
func Pick(all []Scenario, level Level, ids ...string) ([]Scenario, error) {
	var known []string
	for _, s := range all {
		if s.Runs(level) {
			known = append(known, s.ID)
		}
	}
	matches := func(s string) bool {
		return len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return match(id, s) })
	}
	for _, id := range ids {
		if _, err := path.Match(id, ""); err != nil {
			return nil, fmt.Errorf("scenario %q: %w: want a name, or a pattern such as hook-*", id, err)
		}
		if !slices.ContainsFunc(known, func(k string) bool { return match(id, k) }) {
			return nil, tool.NewUnknown("scenario", id, "at level "+string(level), known)
		}
	}
	var picked []Scenario
	for _, s := range all {
		if s.Runs(level) && matches(s.ID) {
			picked = append(picked, s)
		}
	}
	return picked, nil
}

// match reports whether an id is that name, or a pattern that matches it.
func match(id, name string) bool {
	ok, err := path.Match(id, name)
	return ok && err == nil
}
