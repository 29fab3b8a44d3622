// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"strings"
	"testing"
)

func TestSizeCountsCodeTestsAndGeneratedApart(t *testing.T) {
	u := newUpstream(t)
	u.edit("pkg/kubelet/kubelet.go", "// line 20\n", "// line twenty\nvar twenty = 20\n\n/*\n20\n*/\n")
	u.write("pkg/kubelet/kubelet_test.go", boilerplate+"package kubelet\n")
	u.commit("kubelet: count from the start of termination\n\nThe body says why.\n" + trailers)
	u.edit("pkg/kubelet/kubelet.go", "var twenty = 20\n", "")
	u.edit("pkg/kubelet/worker.go", "// worker 7\n", "var seven int\n")
	u.write("pkg/kubelet/container/testing/fake.go", "package testing\n")
	u.write("pkg/apis/zz_generated.deepcopy.go", "package apis\n\n")
	u.commit("kuberuntime: return when the context ends\n\nThe body says why.\n" + trailers)
	dir := t.TempDir()
	if _, err := Extract(t.Context(), u.dir, u.base, dir); err != nil {
		t.Fatal(err)
	}
	size := load(t, dir).Size("v1.99")
	first, second := size.Patches[0], size.Patches[1]
	if first.Files != 1 || first.Code != (Lines{Added: 6, Removed: 1, Text: 5}) || first.Tests != (Lines{Added: 17, Text: 16}) || first.Generated != (Lines{}) {
		t.Errorf("the first patch: %+v", first)
	}
	if second.Files != 2 || second.Code != (Lines{Added: 1, Removed: 2}) || second.Tests != (Lines{Added: 1}) || second.Generated != (Lines{Added: 2, Text: 1}) {
		t.Errorf("the second patch: %+v", second)
	}
	if all := size.Total; all.Files != 2 || all.Code != (Lines{Added: 7, Removed: 3, Text: 5}) || all.Tests.Added != 18 {
		t.Errorf("together: %+v", all)
	}
	for _, row := range []string{"| 1 kubelet: count from the start of termination | 1 | +6 −1 | 5 | +17 −0 | +0 −0 |\n", "| all | 2 | +7 −3 | 5 | +18 −0 | +2 −0 |\n"} {
		if !strings.Contains(size.Markdown(), row) {
			t.Errorf("no row %q in\n%s", row, size.Markdown())
		}
	}
}

func TestReplaceBlock(t *testing.T) {
	const text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
	if got, err := ReplaceBlock(text, "x", "new\n"); err != nil || got != "a\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, broken := range []string{"a\n", "<!-- begin x -->\nold\n", "<!-- end x -->\n<!-- begin x -->\n"} {
		if _, err := ReplaceBlock(broken, "x", ""); err == nil || !strings.Contains(err.Error(), "x -->") {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
