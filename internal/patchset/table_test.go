// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	s := newUpstream(t).series()
	const text = "# Patches\n\n<!-- begin v1.99 -->\nold\n<!-- end v1.99 -->\n\nThe rest.\n"
	got, err := s.Table(t.Context(), text, "v1.99")
	if err != nil {
		t.Fatal(err)
	}
	want := "| [2](v1.99/0002-kuberuntime-return-when-the-context-ends.patch) kuberuntime: return when the context ends | R1, R3 | shorten-once | Pending | upstream carries it |\n<!-- end v1.99 -->\n\nThe rest.\n"
	if !strings.HasPrefix(got, "# Patches\n\n<!-- begin v1.99 -->\n| patch |") || !strings.HasSuffix(got, want) || strings.Contains(got, "old") {
		t.Errorf("got\n%s", got)
	}
	if again, err := s.Table(t.Context(), got, "v1.99"); err != nil || again != got {
		t.Errorf("a second time gives another text, or %v", err)
	}
	if _, err := s.Table(t.Context(), text, "v2"); err == nil || !strings.Contains(err.Error(), "begin v2") {
		t.Errorf("got %v", err)
	}
}
