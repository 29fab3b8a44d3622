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

package property

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/verdict"
)

// ConfigVar names the file that tells the suite to play random scenarios.
const ConfigVar = "KGRACE_PROPERTIES"

// Config says what one process of the suite plays: seeds From, From+1, ... of which it takes every Shards-th, Count in all.
type Config struct {
	Kind      Kind          `json:"kind"`
	Minor     string        `json:"minor"`
	Arm       verdict.Arm   `json:"arm"`
	Behaviour sim.Behaviour `json:"personality"`
	Seed      int           `json:"seed"`
	Count     int           `json:"count"`
	Shard     int           `json:"shard"`
	Shards    int           `json:"shards"`
	// Shrink is whether broken rules are shrunk, one scenario for each.
	Shrink    bool   `json:"shrink"`
	Artifacts string `json:"artifacts"`
}

// Seeds are those of this process.
func (c Config) Seeds() (seeds []int) {
	for i := c.Shard; i < c.Count; i += max(c.Shards, 1) {
		seeds = append(seeds, c.Seed+i)
	}
	return seeds
}

// File names a file of this process in the artifacts folder.
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
		return c, fmt.Errorf("%s=%s: nothing to play", ConfigVar, path)
	}
	return c, nil
}

// Results are what was found on one arm.
type Results struct {
	Kind      Kind                    `json:"kind"`
	Minor     string                  `json:"minor"`
	Arm       verdict.Arm             `json:"arm"`
	Seed      int                     `json:"seed"`
	Histories int                     `json:"histories"`
	Rules     map[scenario.Rule]Tally `json:"rules"`
	// May counts, of kind Unhurried, the scenarios that were compared only up to where an exception allows a difference.
	May map[string]int `json:"may,omitempty"`
	// Unsteady counts, of kind Unhurried, the scenarios in which the arms differed and, played again, did not: one of them was not
	// what it had been the first time. Time is virtual, but the order of what is due in one moment is not always in our hands.
	Unsteady int `json:"unsteady,omitempty"`
	// Unplayed are scenarios that could not be played to their end.
	Unplayed []Found `json:"unplayed,omitempty"`
	// Broken has one scenario for each broken rule.
	Broken  []Found `json:"broken,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Tally counts what the judge of one rule found.
type Tally struct {
	Held, Broken, Invalid int
}

// Found is a scenario in which a rule was broken.
type Found struct {
	Rule scenario.Rule `json:"rule,omitempty"`
	Seed int           `json:"seed"`
	Why  string        `json:"why"`
	// Steps and Pod are the scenario in words, after shrinking if it was shrunk.
	Scenario string `json:"scenario"`
	Shrunk   bool   `json:"shrunk"`
	// Row is the file with the row for the catalogue, History that of what happened; relative to the artifacts folder.
	Row     string `json:"row,omitempty"`
	History string `json:"history,omitempty"`
	// Against is, of kind Unhurried, the history that it was held against.
	Against string `json:"against,omitempty"`
}

// Files are those that were kept.
func (f Found) Files() (names []string) {
	for _, name := range []string{f.Row, f.History, f.Against} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// before says which of two findings about a rule stands for it: that of the smaller seed, and where nothing was shrunk that
// which takes fewer words.
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

// unsteadyLimit: one scenario in so many may be unsteady, and one more.
const unsteadyLimit = 500

// Merge adds up what the processes of one arm found. The time is that of the longest. What stands for a broken rule is the same
// scenario over however many processes the seeds were spread.
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

// Good says that the arm did what it must: fixed held every rule in every scenario, stock was caught; and both were judged.
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
		return fmt.Errorf("%s: %d of %d scenarios were not the same when they were played again, more than 1 in %d: something races", r.Arm, r.Unsteady, r.Histories, unsteadyLimit)
	case r.Kind == Unhurried:
		return nil
	case r.Arm == verdict.Stock && len(r.Broken) == 0:
		return fmt.Errorf("stock broke no rule in %d histories: the scenarios or the judges have no teeth", r.Histories)
	case r.Arm == verdict.Fixed && len(r.Broken) > 0:
		return fmt.Errorf("fixed broke %s with seed %d: %s", r.Broken[0].Rule, r.Broken[0].Seed, r.Broken[0].Why)
	}
	return nil
}

func write(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
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
