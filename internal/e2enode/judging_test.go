// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// options returns the options of a run with a series that has one spec that fails on stock, and one that is kept.
func options(t *testing.T) Options {
	t.Helper()
	o := Options{Repo: &kubetree.Repo{Root: t.TempDir(), Versions: &versions.File{}}, Minor: "v1.37", Own: true}
	text := "tests:\n- package: pkg/kubelet\n  test: TestX\n  kept: yes\nspecs:\n- package: test/e2e_node\n  spec: pods should go\n  reason: still there\n" +
		"- package: test/e2e_node\n  spec: pods should stay\n  kept: nothing changes\n"
	dir := o.Repo.SeriesDir(o.Minor)
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, intree.DeclaredFile), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestChoose(t *testing.T) {
	goes, stays := pattern("pods should go"), pattern("pods should stay")
	for _, c := range []struct {
		own, neighbours bool
		focus           string
		want            []string
		err             error
	}{
		{true, false, "", []string{goes, stays}, nil},
		{true, false, "stay$", []string{stays}, nil},
		{true, true, "stay$", []string{stays, "stay$"}, nil},
		{true, true, "Hooks", []string{"Hooks"}, nil},
		{false, true, "stay$", []string{"stay$"}, nil},
		{true, false, "Hooks", nil, ErrNoSpec},
	} {
		o := options(t)
		o.Own, o.Neighbours, o.Focus = c.own, c.neighbours, c.focus
		specs, err := o.choose()
		if focus, skip := specs.patterns(); !errors.Is(err, c.err) || !slices.Equal(focus, c.want) || (len(skip) > 0) != c.neighbours {
			t.Errorf("%+v: focus %q, skip %q, %v", c, focus, skip, err)
		}
	}
}

func TestJudge(t *testing.T) {
	neighbours, err := parseNeighbours([]byte("focus: [x]\natLeast: 1\nknown:\n- spec: cannot\n  reason: no device\n  why: there is none\n- spec: will not\n  skipped: true\n  reason: not here\n  why: it says so\n"))
	if err != nil {
		t.Fatal(err)
	}
	const passed, failed, skipped = "passed", "failed", "skipped"
	specs, err := options(t).choose()
	if err != nil {
		t.Fatal(err)
	}
	specs.neighbours = neighbours
	for name, tc := range map[string]struct {
		spec, state, message string
		stock, fixed         verdict.Verdict
	}{
		"fails for its reason":      {"pods should go", failed, "the pod is still there", verdict.Reproduced, verdict.StillBroken},
		"fails for another":         {"pods should go", failed, "no such image", verdict.Invalid, verdict.StillBroken},
		"passes":                    {"pods should go", passed, "", verdict.NotReproduced, verdict.Repaired},
		"skips itself":              {"pods should go", skipped, "still there", verdict.Invalid, verdict.Invalid},
		"timed out":                 {"pods should go", "timedout", "", verdict.Invalid, verdict.StillBroken},
		"kept, passes":              {"pods should stay", passed, "", verdict.Kept, verdict.Kept},
		"kept, fails":               {"pods should stay", failed, "gone", verdict.Regressed, verdict.Regressed},
		"upstream's passes":         {"other", passed, "", verdict.Kept, verdict.Kept},
		"upstream's fails":          {"other", failed, "no", verdict.Invalid, verdict.Regressed},
		"upstream's skips":          {"other", skipped, "no", verdict.Invalid, verdict.Invalid},
		"known, fails as known":     {"cannot", failed, "there is no device", verdict.Kept, verdict.Kept},
		"known, fails otherwise":    {"cannot", failed, "the pod hangs", verdict.Invalid, verdict.Invalid},
		"known, passes":             {"cannot", passed, "", verdict.Invalid, verdict.Invalid},
		"known, skips":              {"cannot", skipped, "no device", verdict.Invalid, verdict.Invalid},
		"known to skip, skips":      {"will not", skipped, "not here", verdict.Kept, verdict.Kept},
		"known to skip, but failed": {"will not", failed, "not here", verdict.Invalid, verdict.Invalid},
	} {
		for arm, want := range map[verdict.Arm]verdict.Verdict{verdict.Stock: tc.stock, verdict.Fixed: tc.fixed} {
			found := false
			for _, r := range judge(arm, specs, []Outcome{{Text: tc.spec, State: tc.state, Message: tc.message}}) {
				switch {
				case r.Spec == tc.spec:
					found = true
					if r.Verdict != want {
						t.Errorf("%s: on %s it is %s, want %s: %s", name, arm, r.Verdict, want, r.Why)
					}
				case r.Verdict != verdict.Invalid || r.Why != "the spec did not run":
					t.Errorf("%s: %s, which did not run, is %s: %s", name, r.Spec, r.Verdict, r.Why)
				}
			}
			if !found {
				t.Errorf("%s: no verdict on %s", name, arm)
			}
		}
	}
	if got := judge(verdict.Stock, selection{}, []Outcome{{Text: "other", State: passed}}); len(got) > 0 {
		t.Errorf("unexpected result %+v", got)
	}
}

func TestCheckCount(t *testing.T) {
	n := &Neighbours{AtLeast: 2}
	results := []Result{{Arm: verdict.Stock, Verdict: verdict.Kept}, {Arm: verdict.Stock, Verdict: verdict.Regressed}}
	if err := n.checkCount(results); err != nil {
		t.Error(err)
	}
	for name, few := range map[string][]Result{
		"one":            results[:1],
		"one is own":     {results[0], {Own: true, Arm: verdict.Stock, Verdict: verdict.Repaired}},
		"one is invalid": {results[0], {Arm: verdict.Stock, Verdict: verdict.Invalid}},
		"none":           nil,
		"few on one arm": append(results[:2:2], Result{Arm: verdict.Fixed, Verdict: verdict.Kept}),
	} {
		if err := n.checkCount(few); err == nil || !strings.Contains(err.Error(), "want at least 2") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestNeighbours(t *testing.T) {
	own, err := loadNeighbours()
	if err != nil {
		t.Fatal(err)
	}
	own.narrow(regexp.MustCompile("^$"))
	if len(own.Known) != 0 || len(own.Focus) != 1 {
		t.Errorf("narrowed to %+v", own)
	}
	const good = "focus: [a]\natLeast: 1\nskip:\n- {specs: b, why: c}\nknown:\n- {spec: d, reason: e, why: f}\n"
	if _, err := parseNeighbours([]byte(good)); err != nil {
		t.Error(err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no focus":          {"atLeast: 1\n", "want a focus"},
		"no number":         {"focus: [a]\n", "minimum number of specs"},
		"a bad focus":       {"focus: ['(']\natLeast: 1\n", "focus: error parsing"},
		"a skip, no why":    {"focus: [a]\natLeast: 1\nskip:\n- {specs: b}\n", "a reason (why)"},
		"known, no why":     {"focus: [a]\natLeast: 1\nknown:\n- {spec: d, reason: e}\n", "a reason (why)"},
		"known, no message": {"focus: [a]\natLeast: 1\nknown:\n- {spec: d, why: e}\n", "for its message"},
		"known, a label":    {good + "- {spec: 'g [Slow]', reason: e, why: f}\n", "without labels"},
		"known twice":       {good + "- {spec: d, reason: e, why: f}\n", "is listed twice"},
		"another word":      {good + "more: x\n", "unknown field"},
	} {
		if _, err := parseNeighbours([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

// TestSkip checks that the neighbours' skip leaves out theirs alone, not the serial specs of a series.
func TestSkip(t *testing.T) {
	n, err := loadNeighbours()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"[sig-node] [Serial] Containers Lifecycle should restart the containers":                                                                                       true,
		"[sig-node] MirrorPodWithGracePeriod when create a mirror pod and the container runtime is temporarily down [Serial] [Disruptive] the mirror pod should end":   true,
		"[sig-node] Containers Lifecycle should call PreStop hooks":                                                                                                    false,
		"[sig-node] Pod Termination Grace Period when a terminating pod is evicted [Serial] [Feature:Eviction] should kill its containers with the eviction's seconds": false,
	} {
		skipped := slices.ContainsFunc(n.Skip, func(s Skip) bool { return regexp.MustCompile(s.Specs).MatchString(text) })
		if skipped != want {
			t.Errorf("%q: skipped is %v", text, skipped)
		}
	}
}

func TestPattern(t *testing.T) {
	re := regexp.MustCompile(pattern("Pods (all) when deleted should go"))
	for text, want := range map[string]bool{
		"[sig-node] Pods (all) [NodeConformance] when deleted should go":                    true,
		"[sig-node] Pods (all) [NodeConformance] [Feature:X] when deleted should go [Slow]": true,
		"Pods (all) when deleted should not go":                                             false,
		"Pods all when deleted should go":                                                   false,
	} {
		if re.MatchString(text) != want {
			t.Errorf("%q: got %v", text, !want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	results := []Result{
		{Spec: "a", Own: true, Arm: verdict.Stock, Verdict: verdict.Reproduced}, {Spec: "a", Own: true, Arm: verdict.Fixed, Verdict: verdict.StillBroken, Message: "no"},
		{Spec: "b", Arm: verdict.Fixed, Verdict: verdict.Invalid},
	}
	if err := write(dir, results); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, JUnitFile))
	if err != nil {
		t.Fatal(err)
	}
	var got reporters.JUnitTestSuites
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 3 || got.Failures != 1 || got.Errors != 1 || len(got.TestSuites) != 2 {
		t.Errorf("got %+v", got)
	}
	if s := Summary(results); s != "2 verdicts on specs of the series, 1 on upstream's; 1 as expected, 1 red, 1 invalid" {
		t.Errorf("got %q", s)
	}
}
