// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var example = Report{
	Nodes: []NodeReport{
		{Node: "a", Kubelet: "v1.37.2", Runtime: "containerd://2.3.4", Verdict: Affected, Cause: CauseKubelet, TookSeconds: 55,
			Results: []Result{{Shortened, Affected, 45.13, "it lived for its old grace period"}, {Forced, Affected, 45, "x"}, {Zero, Affected, 2, "y"}}},
		{Node: "b", Verdict: Unknown, Why: "is not Ready",
			Results: []Result{{Shortened, Unknown, -1, "is not Ready"}, {Forced, Unknown, -1, "is not Ready"}, {Zero, Unknown, -1, "is not Ready"}}},
		{Node: "c", Kubelet: "v1.37.2+grace.2", Runtime: "cri-o://1.30.2", Verdict: Affected, Cause: CauseRuntime, Why: "the runtime", Hint: "upgrade it",
			Results: []Result{{Shortened, Affected, 45, "x"}, {Forced, Unknown, 7.31, "the log"}, {Zero, Fixed, 0, ""}}},
	},
	LeftOut: []string{"2 with taints"},
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := example.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	want := `NODE  KUBELET          RUNTIME             SHORTENED      FORCED         ZERO          VERDICT
a     v1.37.2          containerd://2.3.4  affected 45.1  affected 45.0  affected 2.0  affected
b     ?                ?                   ?              ?              ?             could not tell
c     v1.37.2+grace.2  cri-o://1.30.2      affected 45.0  ? 7.3          fixed 0.0     affected (by its runtime)

b: is not Ready
c: the runtime
c, forced: the log
c: upgrade it
left out: 2 with taints

Seconds are from the moment a process was first asked to end to its end.
Nodes: 2 affected, 0 fixed, 1 could not tell.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := example.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 9 || got.Failures != 4 || got.Errors != 4 || len(got.Suites) != 3 {
		t.Errorf("%+v", got)
	}
	if s := got.Suites[2]; s.Tests != 3 || s.Failures != 1 || s.Errors != 1 || s.Cases[2].Failure != nil || s.Cases[2].Error != nil ||
		s.Cases[1].Error.Message != "? 7.3: the log" || s.Properties[1].Value != "cri-o://1.30.2" {
		t.Errorf("%+v", s)
	}
}

func TestVerdicts(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes []Verdict
		want  Verdict
	}{
		"none":          {nil, Unknown},
		"fixed":         {[]Verdict{Fixed, Fixed}, Fixed},
		"one not told":  {[]Verdict{Fixed, Unknown, Fixed}, Unknown},
		"one affected":  {[]Verdict{Fixed, Unknown, Affected}, Affected},
		"never checked": {[]Verdict{""}, Fixed},
	} {
		r := Report{}
		for _, v := range tc.nodes {
			r.Nodes = append(r.Nodes, NodeReport{Verdict: v})
		}
		if name == "never checked" {
			// A node without probes is "could not tell".
			r.Nodes[0].conclude()
			tc.want = Unknown
		}
		if got := r.Verdict(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
