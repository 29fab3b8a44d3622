//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/property/draw"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// TestProperties plays random scenarios on the arm whose kubelet the suite was compiled with. Each has a seed of its own, so
// that it can be played again alone. Findings go to the results file; the test fails only if it cannot play or write.
func TestProperties(t *testing.T) {
	path, asked := os.LookupEnv(property.ConfigVar)
	if !asked {
		t.Skipf("%s is not set: this is run by `kgrace properties`", property.ConfigVar)
	}
	c, err := property.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	// Nobody reads the kubelet's log of thousands of scenarios, and most allocations live as long as one scenario.
	klog.SetLogger(logr.Discard())
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
	if c.Kind == property.Unhurried {
		stream(t, c)
		return
	}
	p := properties{t: t, c: c, results: property.Results{Kind: c.Kind, Minor: c.Minor, Arm: c.Arm, Seed: c.Seed, Rules: map[scenario.Rule]property.Tally{}}}
	first := map[scenario.Rule]int{}
	begin := time.Now()
	for _, seed := range c.Seeds() {
		p.one(seed, first)
		if len(p.results.Unplayed) == unplayedLimit {
			break // not the scenarios' fault; their histories would only fill the disk
		}
	}
	p.results.Seconds = time.Since(begin).Seconds()
	for _, rule := range scenario.Rules() {
		if seed, ok := first[rule]; ok {
			p.results.Broken = append(p.results.Broken, p.explain(rule, seed))
		}
	}
	if err := p.results.Write(filepath.Join(c.Artifacts, c.File("results", "json"))); err != nil {
		t.Fatal(err)
	}
}

// unplayedLimit is the number of unplayable scenarios after which the rest is skipped.
const unplayedLimit = 10

type properties struct {
	t       *testing.T
	c       property.Config
	results property.Results
}

func id(seed int) string { return "random-" + strconv.Itoa(seed) }

func (p *properties) play(s scenario.Scenario) (history.History, result.Result) {
	s = property.On(p.c.Behaviour, s)
	h := simkubelet.Play{Minor: p.c.Minor, Arm: p.c.Arm, Behaviour: p.c.Behaviour, Scenario: s}.Run(p.t)
	return h, result.Of(h, s)
}

// abandoned returns why a play was abandoned, or "".
func abandoned(h history.History) string {
	for _, e := range h.Events {
		if e.Kind == history.Abandoned {
			return e.Message
		}
	}
	return ""
}

func (p *properties) one(seed int, first map[scenario.Rule]int) {
	s := draw.Scenarios(id(seed)).Example(seed)
	if err := scenario.Check([]scenario.Scenario{s}); err != nil {
		p.t.Fatalf("seed %d: %v", seed, err)
	}
	h, result := p.play(s)
	p.results.Histories++
	if why := abandoned(h); why != "" {
		p.results.Unplayed = append(p.results.Unplayed, p.keep(property.Found{Seed: seed, Why: why}, s, h))
		return
	}
	for _, r := range result.Rules {
		t := p.results.Rules[r.Rule]
		switch r.Outcome {
		case scenario.Held:
			t.Held++
		case scenario.Broken:
			t.Broken++
			if _, ok := first[r.Rule]; !ok {
				first[r.Rule] = seed
			}
		default:
			t.Invalid++
		}
		p.results.Rules[r.Rule] = t
	}
}

// explain plays the scenario of a seed again and shrinks it.
func (p *properties) explain(rule scenario.Rule, seed int) property.Found {
	name := fmt.Sprintf("random-%s-%d", strings.ToLower(string(rule)), seed)
	found := property.Found{Rule: rule, Seed: seed}
	var smallest scenario.Scenario
	var happened history.History
	broken := func(s scenario.Scenario) bool {
		h, result := p.play(s)
		for _, r := range result.Rules {
			if r.Rule == rule && r.Outcome == scenario.Broken {
				smallest, happened, found.Why = s, h, r.Why
				return true
			}
		}
		return false
	}
	if !broken(draw.Scenarios(name).Example(seed)) {
		found.Why = "not broken when played again"
		return found
	}
	if p.c.Shrink {
		for flagName, value := range map[string]string{"rapid.seed": strconv.Itoa(seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": "1500ms"} {
			if err := flag.Set(flagName, value); err != nil {
				p.t.Fatal(err)
			}
		}
		quietly(func(tb rapid.TB) {
			rapid.Check(tb, func(t *rapid.T) {
				if broken(draw.Scenarios(name).Draw(t, "scenario")) {
					t.Fatalf("%s broken", rule)
				}
			})
		})
		found.Shrunk = true
	}
	return p.keep(found, smallest, happened)
}

// keep writes the row and the history to files.
func (p *properties) keep(found property.Found, s scenario.Scenario, h history.History) property.Found {
	found.Scenario = property.Words(s)
	found.Row = filepath.Join("properties", string(p.c.Arm), s.ID+".go.txt")
	found.History = filepath.Join("properties", string(p.c.Arm), s.ID+".jsonl")
	if err := os.MkdirAll(filepath.Join(p.c.Artifacts, filepath.Dir(found.Row)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.c.Artifacts, found.Row), []byte(property.Row(s, found.Rule, found.Why)), 0o644); err != nil {
		p.t.Fatal(err)
	}
	if err := history.WriteFile(filepath.Join(p.c.Artifacts, found.History), h); err != nil {
		p.t.Fatal(err)
	}
	return found
}

// quietly runs a rapid check whose failure does not fail the test, since stock is meant to fail.
func quietly(check func(rapid.TB)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(&silent{})
	}()
	<-done
}

// silent is a rapid.TB that prints nothing.
type silent struct{ failed atomic.Bool }

func (*silent) Helper()                 {}
func (*silent) Name() string            { return "properties" }
func (*silent) Logf(string, ...any)     {}
func (*silent) Log(...any)              {}
func (s *silent) Skipf(string, ...any)  { s.SkipNow() }
func (s *silent) Skip(...any)           { s.SkipNow() }
func (*silent) SkipNow()                { runtime.Goexit() }
func (s *silent) Errorf(string, ...any) { s.Fail() }
func (s *silent) Error(...any)          { s.Fail() }
func (s *silent) Fatalf(string, ...any) { s.FailNow() }
func (s *silent) Fatal(...any)          { s.FailNow() }
func (s *silent) FailNow() {
	s.Fail()
	runtime.Goexit()
}
func (s *silent) Fail()        { s.failed.Store(true) }
func (s *silent) Failed() bool { return s.failed.Load() }
