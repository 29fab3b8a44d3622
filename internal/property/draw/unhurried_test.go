// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
)

// hurries reports whether a request asks for an earlier end than the first one, by R1: a delete counts from the first delete,
// an eviction from when it is made. It repeats the computation, so that a bug in the generator does not hide itself.
func hurries(s scenario.Scenario) bool {
	var first, deleted time.Duration
	any, gone := false, false
	if !s.Pod.Restarts && s.Pod.Containers[0].EndsByItself() {
		// The pod may end by itself, at once, with the spec's grace.
		first, any = time.Duration(s.Pod.Grace)*time.Second, true
	}
	for _, step := range s.Steps {
		grace, ok := scenario.Asked(step.Do, s.Pod.Grace)
		if !ok {
			continue
		}
		from := step.After
		switch step.Do.(type) {
		case scenario.Evict, scenario.Shutdown:
		default:
			if !gone {
				deleted, gone = step.After, true
			}
			from = deleted
		}
		deadline := from + time.Duration(grace)*time.Second
		if any && deadline < first {
			return true
		}
		if !any {
			first, any = deadline, true
		}
	}
	return false
}

// Every scenario passes the catalogue's checks, a seed always gives the same one, and nobody hurries.
func TestUnhurriedAreWhole(t *testing.T) {
	seen := map[string]int{}
	seeds := []int{215323} // once a delete, after a delete, after a shutdown, was drawn as if it counted from now
	for seed := 1; seed <= 2000; seed++ {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		s := Unhurried("random").Example(seed)
		if err := scenario.Check([]scenario.Scenario{s}); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, property.Words(s), err)
		}
		if again := Unhurried("random").Example(seed); !cmp.Equal(s, again) {
			t.Fatalf("seed %d gives two scenarios: %s", seed, cmp.Diff(s, again))
		}
		if hurries(s) {
			t.Errorf("seed %d hurries: %s", seed, property.Words(s))
		}
		for _, word := range features(s) {
			seen[word]++
		}
	}
	for _, word := range []string{"1 container", "2 containers", "3 containers", "4 containers", "sidecar", "exec hook", "sleep hook",
		"http hook", "sleeps for the whole grace", "probe", "pull", "StopContainer fails", "StopContainer hangs", "StopContainer takes",
		"StopPodSandbox fails", "StopPodSandbox hangs", "ExecSync fails", "ExecSync hangs", "ContainerStatus fails", "PodSandboxStatus takes",
		"delete", "plain delete", "evict", "shutdown", "taint", "zero", "postStart", "ends by itself", "falls sick", "started again", "hook fails",
		"hook ends main", "sandbox lost", "touched",
		"another request", "kubelet restarted", "runtime restarted"} {
		if seen[word] < 20 {
			t.Errorf("only %d of 2000 scenarios have: %s", seen[word], word)
		}
	}
}

// features lists the features of the kind that a scenario uses.
func features(s scenario.Scenario) (words []string) {
	add := func(word string, ok bool) {
		if ok && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	add("1 container", len(s.Pod.Containers) == 1)
	add("2 containers", len(s.Pod.Containers) == 2)
	add("3 containers", len(s.Pod.Containers) == 3)
	add("4 containers", len(s.Pod.Containers) == 4)
	add("sidecar", len(s.Pod.Sidecars) > 0)
	add("pull", s.Pulls())
	add("started again", s.Pod.Restarts)
	for _, c := range s.Pod.All() {
		add("probe", c.Probe > 0)
		add("postStart", c.PostStart != nil)
		add("ends by itself", c.Ends > 0)
		add("falls sick", c.Sick > 0)
		if c.Hook != nil {
			add("hook fails", c.Hook.Fails)
			add("hook ends main", c.Hook.EndsMain > 0)
			add(string(c.Hook.Kind)+" hook", true)
			add("sleeps for the whole grace", c.Hook.Kind == scenario.HookSleep && c.Hook.Takes == time.Duration(s.Pod.Grace)*time.Second)
		}
	}
	for _, f := range s.Faults {
		add(f.Call+" fails", f.Fails)
		add(f.Call+" hangs", f.Hangs)
		add(f.Call+" takes", f.Delay > 0)
	}
	for i, step := range s.Steps {
		grace, asked := scenario.Asked(step.Do, s.Pod.Grace)
		add("zero", asked && grace == 0)
		add("another request", asked && i > 0)
		switch step.Do.(type) {
		case scenario.Delete:
			add("delete", true)
		case scenario.DeletePlainly:
			add("plain delete", true)
		case scenario.Evict:
			add("evict", true)
		case scenario.Shutdown:
			add("shutdown", true)
		case scenario.LoseSandbox:
			add("sandbox lost", true)
		case scenario.Touch:
			add("touched", true)
		case scenario.Taint:
			add("taint", true)
		case scenario.StartKubelet:
			add("kubelet restarted", true)
		case scenario.RestartRuntime:
			add("runtime restarted", true)
		}
	}
	return words
}
