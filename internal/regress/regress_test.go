// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// recorded contains histories of real nodes.
const recorded = "../judge/testdata/histories"

func catalogue(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func row(t *testing.T, id string) scenario.Scenario {
	t.Helper()
	all, err := scenario.Pick(catalogue(t), scenario.LevelNode, id)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestOptionsAreChecked(t *testing.T) {
	node, err := scenario.Pick(catalogue(t), scenario.LevelNode)
	if err != nil {
		t.Fatal(err)
	}
	good := Options{Level: scenario.LevelNode, Scenarios: node, Arms: verdict.Arms(),
		Bin: map[verdict.Arm]map[string]string{verdict.Stock: {}, verdict.Fixed: {}}}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Options){
		"no scenario":       func(o *Options) { o.Scenarios = nil },
		"no arm":            func(o *Options) { o.Arms = nil },
		"no programs given": func(o *Options) { o.Bin = nil },
		"does not run at level": func(o *Options) {
			o.Scenarios = []scenario.Scenario{{ID: "x", Levels: []scenario.Level{scenario.LevelSim}}}
		},
		"cannot carry out +0s <nil>": func(o *Options) {
			o.Scenarios = []scenario.Scenario{{ID: "x", Levels: []scenario.Level{scenario.LevelNode}, Steps: []scenario.Step{{}}}}
		},
	} {
		o := good
		change(&o)
		if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Without programs no node comes up; every scenario must end up invalid with the reason, none red.
func TestNoNodeIsInvalidNeverRed(t *testing.T) {
	var progress bytes.Buffer
	node, err := scenario.Pick(catalogue(t), scenario.LevelNode)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Minor: "v1.37", Scenarios: node, Arms: verdict.Arms(), Nodes: t.TempDir(), Artifacts: t.TempDir(),
		Bin: map[verdict.Arm]map[string]string{verdict.Stock: {}, verdict.Fixed: {}}, Progress: &progress}
	run, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	results, err := run.Wait()
	if err == nil || !strings.Contains(err.Error(), "no node") {
		t.Errorf("got %v", err)
	}
	if results.Status() != verdict.StatusInvalid {
		t.Errorf("status %s, want invalid", results.Status())
	}
	if len(results.Results) != 2*len(o.Scenarios) {
		t.Errorf("%d results", len(results.Results))
	}
	for _, one := range results.Results {
		if one.Red() || one.Good() || !strings.Contains(one.Rules[0].Why, "no node") {
			t.Errorf("%+v", one)
		}
	}
	written, err := result.Read(filepath.Join(o.Artifacts, result.ResultsFile(scenario.LevelNode)))
	if err != nil || written.Status() != verdict.StatusInvalid {
		t.Errorf("written: %s, %v", written.Status(), err)
	}
	one, err := run.Result(t.Context(), verdict.Stock, "now")
	if err != nil || one.Rules[0].Verdict != verdict.Invalid {
		t.Errorf("result: %+v, %v", one, err)
	}
	if _, err := run.Result(t.Context(), verdict.Stock, "other"); err == nil {
		t.Error("a scenario that is not part of the run has a result")
	}
	if want := fmt.Sprintf("stock %d/%[1]d", len(node)); !strings.Contains(progress.String(), want) {
		t.Errorf("progress:\n%s", progress.String())
	}
}

func TestConfigComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "suite.json")
	config := Config{Minor: "v1.37", Arms: []verdict.Arm{verdict.Stock}, Scenarios: []string{"now"},
		Bin: map[verdict.Arm]map[string]string{verdict.Stock: {"kubelet": "/k"}}, Nodes: "/n", Artifacts: "/a", Lifeline: true}
	if err := config.Write(path); err != nil {
		t.Fatal(err)
	}
	got, lifeline, err := ReadConfig(path, nil)
	if err != nil || !lifeline || len(got.Scenarios) != 1 || got.Scenarios[0].ID != "now" || got.Bin[verdict.Stock]["kubelet"] != "/k" {
		t.Errorf("%+v, %v", got, err)
	}
	for want, change := range map[string]func(*Config){
		"lists no scenario":  func(c *Config) { c.Scenarios = nil },
		`unknown arm "left"`: func(c *Config) { c.Arms = []verdict.Arm{"left"} },
		"unknown scenario":   func(c *Config) { c.Scenarios = []string{"then"} },
		"no arm to run on":   func(c *Config) { c.Arms = nil },
	} {
		bad := config
		change(&bad)
		if err := bad.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadConfig(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The catalogue omits from a level the steps that it cannot carry out, and regress refuses them.
func TestNodeCarriesItsRows(t *testing.T) {
	for _, s := range catalogue(t) {
		for _, step := range s.Steps {
			if s.Runs(scenario.LevelNode) && !carries(scenario.LevelNode, step.Do) {
				t.Errorf("%s: %v cannot be carried out", s.ID, step)
			}
		}
	}
	if carries(scenario.LevelNode, scenario.Evict{Hard: true}) {
		t.Error("a real kubelet must not carry out an eviction")
	}
}
