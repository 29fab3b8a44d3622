// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// restricted returns the reason why Pod Security would refuse a pod.
func restricted(t *testing.T, p *corev1.Pod) string {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := policy.AggregateCheckResults(evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &p.ObjectMeta, &p.Spec))
	return r.ForbiddenDetail()
}

// TestPodsAreRestricted uses Pod Security's own evaluator.
func TestPodsAreRestricted(t *testing.T) {
	c := Config{Image: DefaultImage, User: 65532, Grace: DefaultGrace, Hooks: true, Tainted: true}
	for _, p := range append(c.plans(), plan{name: witnessName}) {
		if why := restricted(t, c.pod(podSpec{name: p.name, hook: p.hook})); why != "" {
			t.Errorf("%s: %s", p.name, why)
		}
	}
	c.HostNetwork = true
	if why := restricted(t, c.pod(podSpec{})); !strings.Contains(why, "hostNetwork=true") {
		t.Errorf("the host's network is not refused: %s", why)
	}
	if level := c.namespace("n", "r", time.Now()).Labels["pod-security.kubernetes.io/enforce"]; level != "privileged" {
		t.Errorf("the namespace takes %s pods", level)
	}
	c.HostNetwork, c.User = false, 0
	if why := restricted(t, c.pod(podSpec{})); !strings.Contains(why, "runAsUser=0") {
		t.Errorf("root is not refused: %s", why)
	}
}

func TestTolerations(t *testing.T) {
	c := Config{User: -1}
	if p := c.pod(podSpec{}); len(p.Spec.Tolerations) != 0 || p.Spec.SecurityContext.RunAsUser != nil {
		t.Errorf("%+v", p.Spec)
	}
	c.Tainted = true
	if p := c.pod(podSpec{}); len(p.Spec.Tolerations) != 1 || p.Spec.Tolerations[0].Operator != corev1.TolerationOpExists || p.Spec.Tolerations[0].Key != "" {
		t.Errorf("%+v", p.Spec)
	}
}

// TestDryRun parses the output strictly, as an API server would.
func TestDryRun(t *testing.T) {
	for _, space := range []string{"", "ci"} {
		c := Config{Namespace: space, Image: "shell:1", Grace: 30, Hooks: true, Parallel: 1, StartTimeout: time.Minute, Nodes: []string{"worker"}}
		var out bytes.Buffer
		if err := DryRun(c, &out); err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, doc := range strings.Split(out.String(), "---\n")[1:] {
			var kind struct{ Kind string }
			if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
				t.Fatal(err)
			}
			kinds[kind.Kind]++
			into := map[string]any{"Pod": &corev1.Pod{}, "Namespace": &corev1.Namespace{}, "Role": &rbacv1.Role{}, "ClusterRole": &rbacv1.ClusterRole{}}[kind.Kind]
			if err := yaml.UnmarshalStrict([]byte(doc), into); err != nil {
				t.Errorf("%s: %v", kind.Kind, err)
			}
			if p, ok := into.(*corev1.Pod); ok && (p.Spec.NodeName != "worker" || p.Spec.Containers[0].Image != "shell:1" ||
				*p.Spec.TerminationGracePeriodSeconds != 30 || (p.Spec.Containers[0].Lifecycle != nil) != strings.Contains(p.Name, "-hook-")) {
				t.Errorf("%+v", p)
			}
		}
		want := map[string]int{"Pod": 8, "Namespace": 1, "ClusterRole": 1}
		if space != "" {
			want = map[string]int{"Pod": 8, "Role": 1, "ClusterRole": 1}
		}
		for kind, n := range want {
			if kinds[kind] != n {
				t.Errorf("%q: %v, want %v", space, kinds, want)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	good := Config{Grace: 45, Image: "i", Parallel: 1, StartTimeout: time.Second}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Config){
		"grace period of 19 s":    func(c *Config) { c.Grace = 19 },
		"grace period of 601 s":   func(c *Config) { c.Grace = 601 },
		"no image":                func(c *Config) { c.Image = "" },
		"0 nodes at a time":       func(c *Config) { c.Parallel = 0 },
		"start timeout":           func(c *Config) { c.StartTimeout = 0 },
		"by name and by selector": func(c *Config) { c.Nodes, c.Selector = []string{"n"}, "a=b" },
	} {
		c := good
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
