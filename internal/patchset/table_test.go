/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
