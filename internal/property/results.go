// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package property

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// ConfigVar is the environment variable with the path of the Config file; it makes the suite play random scenarios.
const ConfigVar = "KGRACE_PROPERTIES"

// Config describes the work of one process of the suite: every Shards-th of Count seeds, counted from Seed.
type Config struct {
	Kind      Kind          `json:"kind"`
	Minor     string        `json:"minor"`
	Arm       verdict.Arm   `json:"arm"`
	Behaviour sim.Behaviour `json:"personality"`
	Seed      int           `json:"seed"`
	Count     int           `json:"count"`
	Shard     int           `json:"shard"`
	Shards    int           `json:"shards"`
	// Shrink enables shrinking of broken rules, one scenario for each.
	Shrink    bool   `json:"shrink"`
	Artifacts string `json:"artifacts"`
}

// Seeds returns the seeds of this process.
func (c Config) Seeds() (seeds []int) {
	for i := c.Shard; i < c.Count; i += max(c.Shards, 1) {
		seeds = append(seeds, c.Seed+i)
	}
	return seeds
}

// File names a file of this process in the artifacts directory.
func (c Config) File(kind, ext string) string {
	return fmt.Sprintf("properties-%s-%s-%s-%d.%s", c.Kind, kind, c.Arm, c.Shard, ext)
}

// Write writes the file.
func (c Config) Write(path string) error { return write(path, c) }

// ReadConfig reads the file.
func ReadConfig(path string) (c Config, err error) {
	if err = read(path, &c); err != nil {
		return c, fmt.Errorf("%s: %w", ConfigVar, err)
	}
	if _, err := verdict.ParseArm(string(c.Arm)); err != nil {
		return c, fmt.Errorf("%s=%s: %w", ConfigVar, path, err)
	}
	if len(c.Seeds()) == 0 {
		return c, fmt.Errorf("%s=%s: no seeds to play; check count, shard and shards", ConfigVar, path)
	}
	return c, nil
}

// Results are the results of one arm.
type Results struct {
	Kind      Kind                    `json:"kind"`
	Minor     string                  `json:"minor"`
	Arm       verdict.Arm             `json:"arm"`
	Seed      int                     `json:"seed"`
	Histories int                     `json:"histories"`
	Rules     map[scenario.Rule]Tally `json:"rules"`
	// May counts, for kind Unhurried, the scenarios that were compared only up to an exception.
	May map[string]int `json:"may,omitempty"`
	// Unsteady counts, for kind Unhurried, the scenarios in which the arms differed but, played again, did not: one of the two
	// histories changed. Time is virtual, but the order of events due at one time is not always under our control.
	Unsteady int `json:"unsteady,omitempty"`
	// Unplayed are scenarios that could not be played to their end.
	Unplayed []Found `json:"unplayed,omitempty"`
	// Broken has one scenario for each broken rule.
	Broken  []Found `json:"broken,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Tally counts the outcomes of one rule.
type Tally struct {
	Held, Broken, Invalid int
}

// Found is a scenario that broke a rule.
type Found struct {
	Rule scenario.Rule `json:"rule,omitempty"`
	Seed int           `json:"seed"`
	Why  string        `json:"why"`
	// Scenario is the scenario as text, after shrinking if Shrunk is set.
	Scenario string `json:"scenario"`
	Shrunk   bool   `json:"shrunk"`
	// Row is the file with the row for the catalogue, History that with the history; both relative to the artifacts directory.
	Row     string `json:"row,omitempty"`
	History string `json:"history,omitempty"`
	// Against is, for kind Unhurried, the history that it was compared with.
	Against string `json:"against,omitempty"`
}

// Files returns the names of the files that were kept.
func (f Found) Files() (names []string) {
	for _, name := range []string{f.Row, f.History, f.Against} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// before reports whether f represents a rule rather than other: the one with the smaller seed or, if nothing is shrunk, the one
// with the shorter text.
func (f Found) before(other Found, k Kind) bool {
	if k == Unhurried && len(f.Scenario) != len(other.Scenario) {
		return len(f.Scenario) < len(other.Scenario)
	}
	return f.Seed < other.Seed
}

// Write writes the file.
func (r Results) Write(path string) error { return write(path, r) }

// ReadResults reads the file.
func ReadResults(path string) (r Results, err error) { return r, read(path, &r) }

// unsteadyLimit: one scenario in that many may be unsteady, plus one.
const unsteadyLimit = 500

// Merge adds up the results of one arm's processes. Seconds is the longest of all. The representative of a broken rule does not
// depend on how the seeds were split.
func Merge(parts ...Results) Results {
	all := parts[0]
	all.Rules, all.May = map[scenario.Rule]Tally{}, nil
	all.Histories, all.Unsteady, all.Unplayed, all.Broken, all.Seconds = 0, 0, nil, nil, 0
	for _, part := range parts {
		all.Unsteady += part.Unsteady
		all.Histories += part.Histories
		all.Seconds = max(all.Seconds, part.Seconds)
		all.Unplayed = append(all.Unplayed, part.Unplayed...)
		for rule, t := range part.Rules {
			sum := all.Rules[rule]
			all.Rules[rule] = Tally{sum.Held + t.Held, sum.Broken + t.Broken, sum.Invalid + t.Invalid}
		}
		for name, n := range part.May {
			if all.May == nil {
				all.May = map[string]int{}
			}
			all.May[name] += n
		}
		for _, found := range part.Broken {
			i := slices.IndexFunc(all.Broken, func(f Found) bool { return f.Rule == found.Rule })
			switch {
			case i < 0:
				all.Broken = append(all.Broken, found)
			case found.before(all.Broken[i], all.Kind):
				all.Broken[i] = found
			}
		}
	}
	slices.SortFunc(all.Unplayed, func(a, b Found) int { return a.Seed - b.Seed })
	order := scenario.Rules()
	slices.SortFunc(all.Broken, func(a, b Found) int { return slices.Index(order, a.Rule) - slices.Index(order, b.Rule) })
	return all
}

// Good returns an error unless the arm did what it must: fixed held every rule in every scenario, stock broke at least one, and
// both were judged.
func (r Results) Good() error {
	judged := 0
	for _, t := range r.Rules {
		judged += t.Held + t.Broken
	}
	switch {
	case len(r.Unplayed) > 0:
		return fmt.Errorf("%s: %d scenarios could not be played; the first is seed %d: %s", r.Arm, len(r.Unplayed), r.Unplayed[0].Seed, r.Unplayed[0].Why)
	case r.Histories == 0 || judged == 0:
		return fmt.Errorf("%s: nothing was judged", r.Arm)
	case r.Kind == Unhurried && len(r.Broken) > 0:
		return fmt.Errorf("%s is not as stock in %d of %d histories; of %s the simplest is seed %d (%s): %s", r.Arm, r.Rules[scenario.Kept].Broken,
			r.Histories, r.Broken[0].Rule, r.Broken[0].Seed, r.Broken[0].Scenario, r.Broken[0].Why)
	case r.Kind == Unhurried && r.Unsteady > 1+r.Histories/unsteadyLimit:
		return fmt.Errorf("%s: %d of %d scenarios differed when they were played again, more than 1 in %d: something races", r.Arm, r.Unsteady, r.Histories, unsteadyLimit)
	case r.Kind == Unhurried:
		return nil
	case r.Arm == verdict.Stock && len(r.Broken) == 0:
		return fmt.Errorf("stock broke no rule in %d histories: the scenarios or the judges detect nothing", r.Histories)
	case r.Arm == verdict.Fixed && len(r.Broken) > 0:
		return fmt.Errorf("fixed broke %s with seed %d: %s", r.Broken[0].Rule, r.Broken[0].Seed, r.Broken[0].Why)
	}
	return nil
}

func write(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return tool.WriteJSON(path, value)
}

func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
