// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
)

// A seed always gives the same pods, another one others; each has something to be judged by, every request comes while the pod still
// has time, and all that the soak is to try comes often.
func TestPods(t *testing.T) {
	const pods = 2000
	seen := map[string]int{}
	for n := range pods {
		s := Pod("soak-0", 7, n%4, n)
		if again := Pod("soak-0", 7, n%4, n); !cmp.Equal(s, again) {
			t.Fatalf("pod %d: two pods of one seed: %s", n, cmp.Diff(s, again))
		}
		if other := Pod("soak-0", 8, n%4, n); cmp.Equal(s, other) {
			seen["the same with another seed"]++
		}
		if len(property.Rules(s)) < 8 || len(s.Steps) == 0 {
			t.Errorf("pod %d, %s, is judged by %v", n, property.Words(s), property.Rules(s))
		}
		least, at := int64(-1), time.Duration(0)
		for i, step := range s.Steps {
			grace, ok := scenario.Asked(step.Do, s.Pod.Grace)
			if !ok || step.After < at {
				t.Errorf("pod %d: step %v", n, step)
			}
			if left := time.Duration(grace)*time.Second - step.After; i > 0 && left > 0 && left < near {
				t.Errorf("pod %d: %v asks for a deadline %v away", n, step, left)
			}
			if least == 0 {
				t.Errorf("pod %d: %v comes after a force", n, step)
			}
			if least >= 0 && step.After > time.Duration(least)*time.Second {
				t.Errorf("pod %d: %v comes after the deadline of %d s", n, step, least)
			}
			if at = step.After; least < 0 || grace < least {
				least = grace
			}
			switch step.Do.(type) {
			case scenario.Force:
				seen["force"]++
			case scenario.DeletePlainly:
				seen["plain"]++
			}
		}
		seen["shortening"] += Shortenings(s)
		for i, c := range s.Pod.All() {
			if c.Stubborn {
				seen["stubborn"]++
			}
			if c.Ends > 0 {
				seen["ends"]++
			}
			if i < len(s.Pod.Sidecars) {
				seen["sidecar"]++
			}
			if h := c.Hook; h != nil {
				seen[string(h.Kind)]++
				if h.Kind == scenario.HookExec && h.Takes == 0 {
					seen["endless hook"]++
				}
				if h.Fails {
					seen["failing hook"]++
				}
				if h.Kind == scenario.HookHTTP && n%4 != 0 {
					t.Errorf("pod %d has an HTTP hook in lane %d: two of them need one port", n, n%4)
				}
			}
		}
	}
	for what, least := range map[string]int{"force": 200, "plain": 40, "stubborn": 800, "ends": 100, "sidecar": 400, "exec": 300, "sleep": 100, "http": 50,
		"endless hook": 100, "failing hook": 100, "shortening": 4 * pods} {
		if seen[what] < least {
			t.Errorf("only %d × %s in %d pods, want %d", seen[what], what, pods, least)
		}
	}
	if seen["the same with another seed"] > pods/100 {
		t.Errorf("%d pods are the same with another seed", seen["the same with another seed"])
	}
}
