// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

// written returns the id of every row defined in this package's files.
func written(t *testing.T) (ids []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`(?m)^\s*(?:\}, )?\{?\s*ID:\s+"([^"]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range id.FindAllSubmatch(data, -1) {
			ids = append(ids, string(m[1]))
		}
	}
	slices.Sort(ids)
	return ids
}

// A row that no family returns would never run.
func TestCatalogueHoldsEveryRow(t *testing.T) {
	all, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		got = append(got, s.ID)
		if s.Family == "" || s.Source == "" || s.Fixed == "" || s.Stock == "" {
			t.Errorf("%s: family, source and the behaviour of each arm must be filled in", s.ID)
		}
		if !s.Runs(LevelSim) && s.Family != "cluster" {
			t.Errorf("%s: the sim level must run every row except those that need a cluster", s.ID)
		}
	}
	slices.Sort(got)
	if want := written(t); len(want) < 50 || !slices.Equal(got, want) {
		t.Errorf("the catalogue holds\n%v\nthe source files define\n%v", got, want)
	}
}

// A kill that decides a verdict comes seconds apart on the two arms, so that the slack of a real node (1.5 s, and the
// 2 s stop window) never decides.
func TestArmsLieFarApartOnANode(t *testing.T) {
	all, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		level := LevelNode
		if !s.Runs(level) {
			level = LevelKind
		}
		if !s.Runs(level) {
			continue
		}
		s = s.At(level)
		shortens := slices.ContainsFunc(s.Expect, func(e Expectation) bool { return e.Rule == ShorterActs || e.Rule == Prompt })
		if !shortens {
			continue
		}
		first, _ := Asked(s.Steps[0].Do, s.Pod.Grace)
		stock := time.Duration(first) * time.Second
		fixed := stock
		for _, step := range s.Steps {
			g, ok := Asked(step.Do, s.Pod.Grace)
			if !ok {
				continue
			}
			fixed = min(fixed, max(time.Duration(g)*time.Second, step.After))
		}
		if apart := stock - fixed; apart < 8*time.Second {
			t.Errorf("%s: stock kills at %v, fixed at %v: only %v apart", s.ID, stock, fixed, apart)
		}
		if s.Longest() > 33*time.Second {
			t.Errorf("%s takes up to %v on a node; give it scaled times", s.ID, s.Longest())
		}
	}
}

func TestAtReplacesTimes(t *testing.T) {
	s := Scenario{
		Pod:   Pod{Grace: 60, Containers: []Container{{Name: "main", Hook: &Hook{Kind: HookSleep, Takes: 50 * time.Second}}}},
		Steps: []Step{del(0, 60)},
		Scaled: map[Level]Times{
			LevelNode: {Grace: 20, Hook: 17 * time.Second, Steps: []Step{del(0, 20)}},
		},
	}
	n := s.At(LevelNode)
	if n.Pod.Grace != 20 || n.Steps[0].Do != (Delete{Grace: 20}) || n.Pod.Containers[0].Hook.Takes != 17*time.Second {
		t.Errorf("scaled: %+v", n)
	}
	if s.Pod.Containers[0].Hook.Takes != 50*time.Second {
		t.Error("scaling changed the original scenario")
	}
	if kind := s.At(LevelKind); kind.Pod.Grace != 20 {
		t.Errorf("a kind cluster must use the times of a real node: %+v", kind)
	}
	if sim := s.At(LevelSim); sim.Pod.Grace != 60 || sim.Pod.Containers[0].Hook.Takes != 50*time.Second {
		t.Errorf("a level without times of its own must keep the original: %+v", sim)
	}
}

func TestCheckRefuses(t *testing.T) {
	good := func() Scenario {
		return Scenario{ID: "good", Pod: Pod{Grace: 5, Containers: []Container{{Name: "main"}}}, Steps: []Step{del(0, 5)},
			Expect: keeps(Deadline), Levels: Levels()}
	}
	if err := Check([]Scenario{good()}); err != nil {
		t.Fatalf("a good row was refused: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*Scenario)
		want   string
	}{
		"unknown rule":         {func(s *Scenario) { s.Expect = keeps("R15") }, `unknown rule "R15"; known: R1, R2`},
		"no expectation":       {func(s *Scenario) { s.Expect = nil }, "has no expectation"},
		"rule twice":           {func(s *Scenario) { s.Expect = keeps(Zero, Zero) }, "R4 is expected twice"},
		"fixed breaks":         {func(s *Scenario) { s.Expect[0].Fixed = Broken }, "fixed arm must hold"},
		"stock says nothing":   {func(s *Scenario) { s.Expect[0].Stock = "" }, "stock either holds or breaks"},
		"no level":             {func(s *Scenario) { s.Levels = nil }, "no level runs it"},
		"unknown level":        {func(s *Scenario) { s.Levels = []Level{"moon"} }, `unknown level "moon"; known: sim, node, kind`},
		"no reason":            {func(s *Scenario) { s.Levels = []Level{LevelNode} }, "say why level sim cannot run it"},
		"needless reason":      {func(s *Scenario) { s.Not = map[Level]string{LevelSim: "no"} }, "a reason why it cannot"},
		"nothing shows":        {func(s *Scenario) { s.Expect[0].Levels = []Level{LevelSim} }, "level node can check none of its expectations"},
		"no such minor":        {func(s *Scenario) { s.Since = Since{"v1.29.3", "sidecars"} }, `"v1.29.3" is not a Kubernetes minor`},
		"minor, no reason":     {func(s *Scenario) { s.Since = Since{Minor: "v1.29"} }, "say what came with v1.29"},
		"broken in, no reason": {func(s *Scenario) { s.BrokenIn = map[string]string{"v1.36": ""} }, "say what came with v1.36"},
		"broken in, too old":   {func(s *Scenario) { s.Since, s.BrokenIn = Since{"v1.29", "x"}, map[string]string{"v1.22": "y"} }, "already excludes it"},
		"unlike without like":  {func(s *Scenario) { s.Unlike = map[string]string{"v1.22": "x"} }, "needs AsStock"},
		"older is the same":    {func(s *Scenario) { s.Expect = until("v1.29", "a repair", Held, keeps(Zero)) }, "must have the other outcome"},
		"older, no reason":     {func(s *Scenario) { s.Expect = until("v1.29", "", Broken, keeps(Zero)) }, "stock of older minors: say what came with v1.29"},
		"idle fault":           {func(s *Scenario) { s.Faults = []Fault{{Call: "StopContainer"}} }, "either fails, or hangs"},
		"no step":              {func(s *Scenario) { s.Steps = nil }, "nothing happens"},
		"late first step":      {func(s *Scenario) { s.Steps = []Step{del(1, 5)} }, "count from the first step"},
		"steps out of order":   {func(s *Scenario) { s.Steps = []Step{del(0, 5), del(0, 3)} }, "does not come after"},
		"no container":         {func(s *Scenario) { s.Pod.Containers = nil }, "no container"},
		"unknown owner":        {func(s *Scenario) { s.Pod.Owner = "Crew" }, `unknown owner "Crew"; known: StatefulSet, DaemonSet, Job`},
		"owner on a node":      {func(s *Scenario) { s.Pod.Owner = OwnerJob }, "belongs to a Job, which needs level kind"},
		"bad id":               {func(s *Scenario) { s.ID = "Not a label" }, "DNS label"},
		"sleeps too long": {func(s *Scenario) { s.Pod.Containers[0].Hook = &Hook{Kind: HookSleep, Takes: time.Minute} },
			"the API allows"},
		"a grace below 0":         {func(s *Scenario) { s.Pod.Grace = -1 }, "none below 0"},
		"a hook that cannot":      {func(s *Scenario) { s.Pod.Containers[0].Hook = &Hook{Kind: HookHTTP, Fails: true} }, "use an exec hook"},
		"a postStart that cannot": {func(s *Scenario) { s.Pod.Containers[0].PostStart = &Hook{Kind: HookSleep, Takes: time.Second} }, "postStart hook of kind sleep is not supported"},
		"fails and ends":          {func(s *Scenario) { s.Pod.Containers[0].Fails, s.Pod.Containers[0].Ends = true, time.Second }, "either fails at once"},
		"a fault from before":     {func(s *Scenario) { s.Faults = []Fault{{Call: "ExecSync", Fails: true, From: -1}} }, "must not be negative"},
		"bad scaled times":        {func(s *Scenario) { s.Scaled = map[Level]Times{LevelNode: {Grace: 5}} }, "at level node: no step"},
	} {
		t.Run(name, func(t *testing.T) {
			s := good()
			c.change(&s)
			err := Check([]Scenario{s})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	if err := Check([]Scenario{good(), good()}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same id twice: %v", err)
	}
}

func TestPickListsTheKnown(t *testing.T) {
	all, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Pick(all, LevelNode, "forse-direct"); err == nil || !strings.Contains(err.Error(), "force-while-terminating") {
		t.Errorf("got %v", err)
	}
	two, err := Pick(all, LevelNode, "now", "force-direct")
	if err != nil || len(two) != 2 || two[0].ID != "force-direct" {
		t.Errorf("got %v, %v", two, err)
	}
	if _, err := verdict.ParseArm("left"); err == nil || !strings.Contains(err.Error(), "stock, fixed") {
		t.Errorf("got %v", err)
	}
	if _, err := ParseLevel("moon"); err == nil || !strings.Contains(err.Error(), "sim, node, kind") {
		t.Errorf("got %v", err)
	}
}
