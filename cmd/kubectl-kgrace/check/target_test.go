// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
)

func TestTargets(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*fakeAPI, *Config)
		want   string // names that are chosen
		left   string
		err    string
	}{
		"all":              {nil, "a b", "", ""},
		"one not Ready":    {func(f *fakeAPI, _ *Config) { f.nodes["b"].Status.Conditions = nil }, "a", "b: is not Ready", ""},
		"Windows":          {func(f *fakeAPI, _ *Config) { f.nodes["b"].Status.NodeInfo.OperatingSystem = "windows" }, "a", "b: runs windows", ""},
		"a taint":          {func(f *fakeAPI, _ *Config) { f.taint("b", "x") }, "a", "1 with taints (--tainted includes them)", ""},
		"a taint, wanted":  {func(f *fakeAPI, c *Config) { f.taint("b", "x"); c.Tainted = true }, "a b", "", ""},
		"cordoned":         {func(f *fakeAPI, _ *Config) { f.taint("b", corev1.TaintNodeUnschedulable) }, "a b", "", ""},
		"by name":          {func(_ *fakeAPI, c *Config) { c.Nodes = []string{"b", "b"} }, "b", "", ""},
		"no such":          {func(_ *fakeAPI, c *Config) { c.Nodes = []string{"c"} }, "", "", "node c: c not found"},
		"none that is fit": {func(f *fakeAPI, _ *Config) { f.nodes["a"].Status.Conditions, f.nodes["b"].Status.Conditions = nil, nil }, "", "", "no node to check: a: is not Ready; b"},
		"too many": {func(f *fakeAPI, _ *Config) {
			for i := range 50 {
				f.nodes[fmt.Sprint(i)] = f.nodes["a"]
			}
		}, "", "", "use --all"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeAPI(map[string]*kubelet{"a": {}, "b": {}})
				c := Config{Client: f.client(t)}
				if tc.change != nil {
					tc.change(f, &c)
				}
				chosen, left, err := (&run{Config: c, rights: granted{true, true, true}}).targets(t.Context())
				var names []string
				for _, n := range chosen {
					names = append(names, n.name)
				}
				if got := strings.Join(names, " "); got != tc.want || strings.Join(left, "; ") != tc.left {
					t.Errorf("%s, left out %s", got, left)
				}
				if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want %q", err, tc.err)
				}
				if errors.Is(err, ErrTooMany) != (name == "too many") {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func (f *fakeAPI) taint(node, key string) {
	f.nodes[node].Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
}

// TestNamedUnfit: a node that was named and cannot be checked is not green.
func TestNamedUnfit(t *testing.T) {
	o := try(t, map[string]*kubelet{"n": {}}, func(f *fakeAPI, c *Config) {
		c.Nodes = []string{"n"}
		f.nodes["n"].Status.Conditions = nil
	})
	o.want(t, "n", Unknown)
	if !strings.Contains(o.reasons(), "is not Ready") {
		t.Error(o.reasons())
	}
}

func TestRuntimeHint(t *testing.T) {
	for runtime, want := range map[string]string{
		"containerd://2.3.4": "", "cri-o://1.37.0": "", "cri-o://1.34.9": "", "cri-o://1.35.3": "", "cri-o://nonsense": "", "": "",
		"cri-o://1.36.0-dev": "", "cri-o://1.21.6": "", "cri-o://1.20.0": "",
		"cri-o://1.34.8": "cri-o#9799", "cri-o://1.35.2": "cri-o#9799", "cri-o://1.31.0": "cri-o#9799", "cri-o://1.28.9": "cri-o#9799",
		"cri-o://1.28.8": "cri-o#8030", "cri-o://1.25.5": "cri-o#8030", "cri-o://1.27.2": "cri-o#8030", "cri-o://1.30.3": "cri-o#8030", "cri-o://1.29.6": "cri-o#8030",
		"cri-o://1.27.1": "do not combine", "cri-o://1.24.0": "do not combine", "cri-o://1.21.7": "do not combine", "cri-o://1.22.5": "do not combine",
	} {
		if got := runtimeHint(runtime); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", runtime, got, want)
		}
	}
}
