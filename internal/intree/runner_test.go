// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestStockGivesEachTestItsVerdict(t *testing.T) {
	type want struct {
		verdict verdict.Verdict
		why     string
	}
	cases := []struct {
		declared Declared
		want     want
	}{
		{Declared{Test: "TestGrace", Reason: "have 1, want 0"}, want{verdict.Reproduced, "have 1, want 0"}},
		{Declared{Test: "TestGrace/x", Reason: "have 1, want 0"}, want{verdict.Reproduced, "have 1, want 0"}},
		{Declared{Test: "TestGrace/iiiiiiix", Reason: "have 1, want 0"}, want{verdict.NotReproduced, "no longer detects it"}},
		{Declared{Test: "TestPanics", Reason: "raised to one"}, want{verdict.Reproduced, "raised to one"}},
		{Declared{Test: "TestOutside", Reason: "zero is not carried"}, want{verdict.Reproduced, "zero is not carried"}},
		// It uses a package that stock does not have, and fails because of stock's behaviour.
		{Declared{Test: "TestUsesNewPackage", Reason: "have 1, want 0"}, want{verdict.Reproduced, "have 1, want 0"}},
		// An assertion about what stock does not have is removed; the rest of the test fails.
		{Declared{Test: "TestSettled", Reason: "have 1, want 0"}, want{verdict.Reproduced, "have 1, want 0"}},
		// Compiler error: a removed method, with its own cause.
		{Declared{Test: "TestStarted", Reason: "undefined: newWorker"}, want{verdict.Reproduced, "compiler: undefined: newWorker"}},
		// Compiler error: a helper with a new function, a new package.
		{Declared{Test: "TestDeadline", Reason: "undefined: newWorker"}, want{verdict.Reproduced, "undefined: newWorker"}},
		{Declared{Package: "pkg/kubelet/graceperiod", Test: "TestDeadline", Reason: "undefined: Deadline"}, want{verdict.Reproduced, "undefined: Deadline"}},
		{Declared{Package: "pkg/kubelet/graceperiod", Test: "TestImports", Reason: "undefined: graceperiod.Deadline"}, want{verdict.Reproduced, "compiler: "}},
		// Because of stock's behaviour: its helper has a stock variant.
		{Declared{Test: "TestThroughHelper", Reason: "have 3, want 5"}, want{verdict.Reproduced, "have 3, want 5"}},
		// Kept: one that stock compiles, and one with stock's own form.
		{Declared{Test: "TestNewButKept", Kept: "was right before"}, want{verdict.Kept, ""}},
		{Declared{Test: "TestWait", Kept: "another argument, nothing else"}, want{verdict.Kept, "stock's own form"}},
		// Unchanged tests with helpers of another interface: a type with another method, a method as a function.
		{Declared{Test: "TestFetch", Kept: "another method, nothing else"}, want{verdict.Kept, ""}},
		{Declared{Test: "TestRun", Kept: "another argument, nothing else"}, want{verdict.Kept, ""}},
		// Cases that prove nothing.
		{Declared{Test: "TestOutside", Reason: "another reason"}, want{verdict.Invalid, "does not match the reason"}},
		{Declared{Test: "TestDeadline", Reason: "undefined: somethingElse"}, want{verdict.Invalid, "no compiler error matches"}},
		{Declared{Test: "TestDeadline/sub", Kept: "no"}, want{verdict.Invalid, "does not compile on stock"}},
		{Declared{Test: "TestGone", Reason: "have 1"}, want{verdict.Invalid, "did not run"}},
		{Declared{Test: "TestSkips", Reason: "have 1"}, want{verdict.Invalid, "skipped"}},
		{Declared{Test: "TestGrace/y", Kept: "no such subtest"}, want{verdict.Invalid, "did not run"}},
		{Declared{Test: "TestUntouched", Reason: "have 1"}, want{verdict.NotReproduced, ""}},
		{Declared{Test: "TestOutside", Kept: "no"}, want{verdict.Regressed, "fails on stock"}},
	}
	var declared []Declared
	var wants []want
	for _, c := range cases {
		declared, wants = append(declared, c.declared), append(wants, c.want)
	}
	r := newRunner(t, declared...)
	r.OnStock = []StockForm{{Package: "pkg/kubelet", Code: "func (h *harness) wait(a int) int { return Wait(a) }\n"}}
	results, err := r.Do(t.Context(), StepStock)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(declared) {
		t.Fatalf("%d results for %d tests", len(results), len(declared))
	}
	for _, res := range results {
		// Results are sorted by package, then in the order of the declaration.
		i := 0
		for ; i < len(declared); i++ {
			if wants[i].verdict != "" && declared[i].Package == res.Package && declared[i].Test == res.Test {
				break
			}
		}
		if res.Verdict != wants[i].verdict || !strings.Contains(res.Why, wants[i].why) {
			t.Errorf("%s (%s%s): got %s, %q; want %s, %q\n%s", res.Name(), declared[i].Reason, declared[i].Kept, res.Verdict, res.Why, wants[i].verdict, wants[i].why, res.Output)
		}
		wants[i].verdict = "" // the next result with this name is another case
	}
}

func TestStockTreeStaysAsItIs(t *testing.T) {
	r := newRunner(t, Declared{Test: "TestGrace", Reason: "have 1, want 0"})
	if _, err := r.Do(t.Context(), StepStock); err != nil {
		t.Fatal(err)
	}
	for name, text := range stockTree {
		if data, err := os.ReadFile(filepath.Join(r.Stock, name)); err != nil || string(data) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Stock, "pkg/kubelet/graceperiod")); err == nil {
		t.Error("a directory of the fixed tree was created in the stock tree")
	}
}

func TestStockSaysWhenItIsNotATestThatDoesNotCompile(t *testing.T) {
	r := newRunner(t, Declared{Test: "TestGrace", Reason: "have 1, want 0"})
	write(t, filepath.Join(r.Stock, "pkg/kubelet/broken.go"), "package kubelet\n\nvar x int = \"no\"\n")
	if _, err := r.Do(t.Context(), StepStock); err == nil || !strings.Contains(err.Error(), "a reason outside of the tests") {
		t.Errorf("got %v", err)
	}
}

func TestFixed(t *testing.T) {
	declared := []Declared{{Test: "TestGrace", Reason: "have 1, want 0"}, {Test: "TestGone", Reason: "have 1, want 0"}, {Test: "TestNewButKept", Kept: "yes"}}
	r := newRunner(t, declared...)
	expect := func(what string, want map[string]verdict.Verdict) {
		t.Helper()
		results, err := r.Do(t.Context(), StepFixed)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]verdict.Verdict{}
		for _, res := range results {
			got[res.Name()] = res.Verdict
			if res.Verdict == verdict.Regressed && res.Output == "" {
				t.Errorf("%s: no output of the failure", res.Name())
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	expect("all well", map[string]verdict.Verdict{"pkg/kubelet": verdict.Kept, "pkg/kubelet/graceperiod": verdict.Kept,
		"pkg/kubelet.TestGrace": verdict.Repaired, "pkg/kubelet.TestGone": verdict.Invalid, "pkg/kubelet.TestNewButKept": verdict.Kept, "go vet linux": verdict.Kept})

	write(t, filepath.Join(r.Fixed, "pkg/kubelet/kubelet.go"), strings.Replace(fixedTree["pkg/kubelet/kubelet.go"], "{ return g }", "{ return max(g, 1) }", 1))
	expect("zero raised again", map[string]verdict.Verdict{"pkg/kubelet": verdict.Regressed, "pkg/kubelet/graceperiod": verdict.Kept,
		"pkg/kubelet.TestGrace": verdict.StillBroken, "pkg/kubelet.TestGone": verdict.Invalid, "pkg/kubelet.TestNewButKept": verdict.Kept, "go vet linux": verdict.Kept})

	write(t, filepath.Join(r.Fixed, "pkg/kubelet/kubelet.go"), "package kubelet\n\nvar x int = \"no\"\n")
	expect("does not compile", map[string]verdict.Verdict{"pkg/kubelet": verdict.Invalid, "pkg/kubelet/graceperiod": verdict.Kept,
		"pkg/kubelet.TestGrace": verdict.Invalid, "pkg/kubelet.TestGone": verdict.Invalid, "pkg/kubelet.TestNewButKept": verdict.Invalid, "go vet linux": verdict.Regressed})
}

func TestVet(t *testing.T) {
	r := newRunner(t)
	results, err := r.Do(t.Context(), StepWindows)
	if err != nil || len(results) != 1 || results[0].Verdict != verdict.Kept {
		t.Fatalf("got %v, %v", results, err)
	}
	write(t, filepath.Join(r.Fixed, "pkg/kubelet/kubelet_windows.go"), "package kubelet\n\nvar x int = \"no\"\n")
	results, err = r.Do(t.Context(), StepWindows)
	if err != nil || len(results) != 1 || results[0].Verdict != verdict.Regressed || !strings.Contains(results[0].Output, "kubelet_windows.go") {
		t.Fatalf("got %v, %v", results, err)
	}
}
