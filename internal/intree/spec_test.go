// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgrace/kgrace/internal/patchset"
)

const suiteOfSpecs = `package e2enode

var _ = SIGDescribe("Termination", framework.WithNodeConformance(), func() {
	ginkgo.BeforeEach(func() {})
	ginkgo.When("a pod is deleted", func() {
		ginkgo.It("should go [LinuxOnly]", func() { expect("nothing") })
		f.It("should not stay", f.WithSerial(), func() {})
	})
	f.Context(label, "and back", func() {
		framework.ConformanceIt("should return", func() {})
	})
})
`

func TestSpecs(t *testing.T) {
	want := []Spec{
		{Package: "test/e2e_node", Text: "Termination when a pod is deleted should go"},
		{Package: "test/e2e_node", Text: "Termination when a pod is deleted should not stay"},
		{Package: "test/e2e_node", Text: "Termination and back should return"},
	}
	fixed := t.TempDir()
	series := &patchset.Series{Patches: []*patchset.Patch{{Files: []patchset.File{
		{Path: "test/e2e_node/a_test.go", New: true}, {Path: "test/e2e_node/old_test.go"}, {Path: "pkg/kubelet/b_test.go", New: true}, {Path: "test/e2e_node/a.go", New: true},
	}}}}
	read := func(text string) ([]Spec, error) {
		t.Helper()
		write(t, filepath.Join(fixed, "test/e2e_node/a_test.go"), text)
		return Specs(fixed, series, []string{"test/e2e_node"})
	}
	got, err := read(suiteOfSpecs)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Spec{})); d != "" {
		t.Error(d)
	}
	for name, tc := range map[string]struct{ old, now, want string }{
		"a table":        {`f.Context(label, "and back"`, `ginkgo.DescribeTable("and back"`, "write the specs out"},
		"a made-up text": {`"should return"`, `name`, `inside "Termination and back" has no literal text`},
	} {
		if _, err := read(strings.Replace(suiteOfSpecs, tc.old, tc.now, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCompareSpecs(t *testing.T) {
	a, b, c := Spec{Package: "test/x", Text: "a"}, Spec{Package: "test/x", Text: "b"}, Spec{Package: "test/y", Text: "a"}
	faults := CompareSpecs([]Spec{a, b}, []Spec{a, c})
	if len(faults) != 2 || !strings.Contains(faults[0], `adds the spec "a" of test/y`) || !strings.Contains(faults[1], `declares the spec "b" of test/x`) {
		t.Errorf("got %q", faults)
	}
}

func TestLoadDeclarationOfSpecs(t *testing.T) {
	const tests = "tests:\n- package: pkg/kubelet\n  test: TestX\n  kept: it was right before\nspecs:\n- package: test/e2e_node\n"
	for name, tc := range map[string]struct{ text, want string }{
		"good":                   {"  spec: a pod should go\n  reason: is still there\n", ""},
		"kept":                   {"  spec: a pod should go\n  kept: it was right before\n", ""},
		"a label":                {"  spec: a pod [Serial] should go\n  reason: is still there\n", "without its labels"},
		"neither":                {"  spec: a pod should go\n", "give one of"},
		"a reason for anything":  {"  spec: a pod should go\n  reason: Timed out\n", "any failure"},
		"a timeout as reason":    {"  spec: a pod should go\n  reason: Interrupted\n", "any failure"},
		"the same twice":         {"  spec: a\n  kept: b\n- package: test/e2e_node\n  spec: a\n  kept: b\n", "declared twice"},
		"a patch without reason": {"  spec: a\n  kept: b\nleavesOff:\n- subject: x\n  why: y\n", "unknown field"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, DeclaredFile), tests+tc.text)
		got, err := LoadDeclaration(dir)
		if tc.want == "" && (err != nil || len(got.Specs) != 1) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %+v, %v", name, got.Specs, err)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, DeclaredFile), tests+"  spec: a\n  reason: still (here|there)\n")
	got, err := LoadDeclaration(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Specs[0]; !s.FailsWith("it is still there") || s.FailsWith("it is gone") {
		t.Errorf("the reason does not distinguish the messages")
	}
	if (Spec{Kept: "it was right"}).FailsWith("anything") {
		t.Error("a kept spec has a reason to fail")
	}
}
