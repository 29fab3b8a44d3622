// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestChangedAndCompare(t *testing.T) {
	r := newRunner(t)
	changed, err := Changed(r.Stock, r.Fixed, r.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{
		{"pkg/kubelet", "TestThroughHelper", true}, {"pkg/kubelet", "TestSettled", true}, {"pkg/kubelet", "TestStarted", true},
		{"pkg/kubelet", "TestGrace", false}, {"pkg/kubelet", "TestWait", false}, {"pkg/kubelet", "TestDeadline", true},
		{"pkg/kubelet", "TestUsesNewPackage", true}, {"pkg/kubelet", "TestNewButKept", true}, {"pkg/kubelet", "TestPanics", true},
		{"pkg/kubelet", "TestSkips", true}, {"pkg/kubelet", "TestOutside", true}, {"pkg/kubelet/graceperiod", "TestDeadline", true},
		{"pkg/kubelet/graceperiod", "TestImports", true},
	}
	if d := cmp.Diff(want, changed); d != "" {
		t.Error(d)
	}
	var declared []Declared
	for _, test := range want {
		if test.Name == "TestGrace" {
			continue
		}
		declared = append(declared, Declared{Package: test.Package, Test: test.Name + "/sub"})
	}
	declared = append(declared, Declared{Package: "pkg/kubelet", Test: "TestUntouched"})
	faults := Compare(declared, changed)
	if len(faults) != 2 || !strings.Contains(faults[0], "changes pkg/kubelet.TestGrace") || !strings.Contains(faults[1], "declares pkg/kubelet.TestUntouched") {
		t.Errorf("got %q", faults)
	}
}

func TestLoadDeclaration(t *testing.T) {
	const good = "tests:\n- package: pkg/kubelet\n  test: TestX/a_b\n  reason: want 0\n- package: pkg/kubelet\n  test: TestY\n  kept: it was right before\n"
	for name, tc := range map[string]struct{ text, want string }{
		"good":                  {good, ""},
		"nothing":               {"tests: []\n", "declares no test"},
		"an unknown field":      {good + "  why: no\n", "unknown field"},
		"twice":                 {good + good[7:], "declared twice"},
		"reason and kept":       {good + "  reason: x\n", "give one of"},
		"neither":               {"tests:\n- package: a\n  test: TestX\n", "give one of"},
		"a reason for anything": {"tests:\n- package: a\n  test: TestX\n  reason: FAIL\n", "any failure"},
		"a reason for nothing":  {"tests:\n- package: a\n  test: TestX\n  reason: 'x*'\n", "any failure"},
		"a timeout as reason":   {"tests:\n- package: a\n  test: TestX\n  reason: timed out\n", "any failure"},
		"a bad pattern":         {"tests:\n- package: a\n  test: TestX\n  reason: '('\n", "missing closing"},
		"no test function":      {"tests:\n- package: a\n  test: helper\n  reason: x\n", "name of a test function"},
		"a form for stock":      {good + "onStock:\n- package: pkg/kubelet\n  code: |\n    func f() {}\n", ""},
		"a form that is not Go": {good + "onStock:\n- package: pkg/kubelet\n  code: |\n    func f( {}\n", "onStock of \"pkg/kubelet\""},
		"a form of no package":  {good + "onStock:\n- code: |\n    func f() {}\n", "want package and code"},
		"a path of the machine": {"tests:\n- package: /a\n  test: TestX\n  reason: x\n", "directory of the tree"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, DeclaredFile), tc.text)
			_, err := LoadDeclaration(dir)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	if _, err := LoadDeclaration(t.TempDir()); err == nil || !strings.Contains(err.Error(), "list every test") {
		t.Errorf("no file: got %v", err)
	}
}

func TestWrite(t *testing.T) {
	results := []Result{
		{Package: "pkg/kubelet", Test: "TestX", Arm: "stock", Verdict: verdict.Reproduced, Seconds: 1},
		{Package: "pkg/kubelet", Test: "TestY", Arm: "stock", Verdict: verdict.NotReproduced, Why: "passes"},
		{Package: "pkg/kubelet", Arm: "fixed", Verdict: verdict.Invalid, Why: "does not compile", Passed: 3},
	}
	dir := filepath.Join(t.TempDir(), "artifacts")
	if err := Write(dir, results); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "junit-intree.xml"))
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
	if s := Summary(results); s != "1 as expected, 1 red, 1 invalid; 3 upstream tests pass on fixed" {
		t.Errorf("got %q", s)
	}
}
