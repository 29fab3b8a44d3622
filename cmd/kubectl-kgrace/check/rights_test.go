// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// TestRightsOneByOne removes each right: the run names it before it creates anything, or goes on without it.
func TestRightsOneByOne(t *testing.T) {
	for _, space := range []string{"", "default"} {
		for _, taken := range (&Config{Namespace: space}).Rights() {
			t.Run(space+" "+taken.String(), func(t *testing.T) {
				var f *fakeAPI
				o := try(t, map[string]*kubelet{"stock": {}, "fixed": {fixed: true}}, func(api *fakeAPI, c *Config) {
					f, c.Namespace = api, space
					f.denied[taken.String()] = true
				})
				if taken.without == "" {
					if o.err == nil || !strings.Contains(o.err.Error(), taken.String()) || !strings.Contains(o.err.Error(), "--dry-run") {
						t.Errorf("got %v", o.err)
					}
					for _, r := range f.requests {
						if strings.HasPrefix(r, "POST /api/v1/") {
							t.Errorf("made something: %s", r)
						}
					}
					return
				}
				if len(o.Missing) != 1 || !strings.Contains(o.Missing[0], taken.without) {
					t.Errorf("missing %q", o.Missing)
				}
				if taken.resource != "pods/log" {
					o.want(t, "stock", Affected, "shortened=affected", "forced=affected", "zero=affected")
					o.want(t, "fixed", Fixed)
					return
				}
				// The kubelet's own count shows forced, but not zero.
				o.want(t, "stock", Affected, "shortened=affected", "forced=affected", "zero=could not tell")
				o.want(t, "fixed", Unknown, "shortened=fixed", "forced=fixed", "zero=could not tell")
			})
		}
	}
}

// TestHalfFixedWithoutLogs: the count of orphans goes on after all other probes are done.
func TestHalfFixedWithoutLogs(t *testing.T) {
	o := try(t, map[string]*kubelet{"n": {fixed: true, half: true}}, func(f *fakeAPI, _ *Config) { f.denied["get pods/log"] = true })
	o.want(t, "n", Affected, "shortened=fixed", "forced=affected", "zero=could not tell")
}

func TestWithoutLogsAndMetrics(t *testing.T) {
	o := try(t, map[string]*kubelet{"stock": {}, "fixed": {fixed: true}}, func(f *fakeAPI, _ *Config) {
		f.denied["get pods/log"], f.denied["get nodes/proxy"] = true, true
	})
	o.want(t, "stock", Affected, "shortened=affected", "forced=could not tell", "zero=could not tell")
	o.want(t, "fixed", Unknown, "shortened=fixed", "forced=could not tell", "zero=could not tell")
	if !strings.Contains(o.reasons(), "the right to get pods/log is missing") {
		t.Error(o.reasons())
	}
}

// TestRightsNotTold removes rights that an access review does not show: the refusal is reported where it happens.
func TestRightsNotTold(t *testing.T) {
	for taken, want := range map[string]string{
		"create namespaces": "create namespace kgrace-check-",
		"create pods":       "create the witness pod",
		"delete pods":       "delete: pods is forbidden",
		"delete namespaces": "delete namespace kgrace-check-",
		"list pods":         "the witness pod: pods is forbidden",
		"watch pods":        "it lived for its old grace period", // then pods are listed once a second
		"list nodes":        "name the nodes (--node)",
		"get pods/log":      "its log could not be read: the witness pod: pods/log is forbidden",
	} {
		t.Run(taken, func(t *testing.T) {
			o := try(t, map[string]*kubelet{"n": {}}, func(f *fakeAPI, c *Config) {
				f.mute, f.denied[taken] = true, true
				if taken == "delete pods" {
					c.Namespace = "default"
				}
			})
			said := o.reasons()
			if o.err != nil {
				said += o.err.Error()
			}
			if !strings.Contains(said, want) {
				t.Errorf("got %s want %q", said, want)
			}
			if o.Verdict() == Fixed || o.Verdict() == Affected && taken != "get pods/log" && taken != "watch pods" && taken != "delete namespaces" {
				t.Error(o.Verdict())
			}
		})
	}
}

// TestRoles: the printed roles grant the rights that a run uses, and no others.
func TestRoles(t *testing.T) {
	for _, space := range []string{"", "ci"} {
		c := Config{Namespace: space}
		want, got := sets.New[string](), sets.New[string]()
		for _, r := range c.Rights() {
			want.Insert(r.String())
		}
		for _, role := range c.Roles() {
			for _, rule := range rulesOf(role) {
				for _, verb := range rule.Verbs {
					got.Insert(verb + " " + strings.Join(rule.Resources, ","))
				}
			}
		}
		if !want.Equal(got) {
			t.Errorf("%q: want %v, got %v", space, want, got)
		}
		if space == "ci" && got.HasAny("create namespaces", "delete namespaces") {
			t.Error("rights on namespaces for a run in one that is there")
		}
	}
}

func rulesOf(role any) []rbacv1.PolicyRule {
	switch r := role.(type) {
	case *rbacv1.ClusterRole:
		return r.Rules
	case *rbacv1.Role:
		return r.Rules
	}
	return nil
}

// TestDeafWithoutLogs: the control shows that the kubelet saw no deletes any more when the second one came.
func TestDeafWithoutLogs(t *testing.T) {
	o := try(t, map[string]*kubelet{"n": {fixed: true, deaf: settle + 1500*time.Millisecond}}, func(f *fakeAPI, _ *Config) {
		f.denied["get pods/log"], f.denied["get nodes/proxy"] = true, true
	})
	o.want(t, "n", Unknown, "shortened=could not tell")
}
