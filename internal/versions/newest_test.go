// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import "testing"

func TestNewest(t *testing.T) {
	tags := []string{"v1.36.0", "v1.36.10", "v1.36.9", "v1.37.0-rc.1", "v1.37.2", "v1.38.0-alpha.3", "v1.38.0-beta.1", "v1.38.0-beta.0", "nonsense", "v1.36.99+x"}
	for _, c := range []struct {
		pinned, want string
		newer        bool
	}{
		{"v1.36.4", "v1.36.10", true},
		{"v1.36.10", "v1.36.10", false},
		{"v1.36.11", "v1.36.10", false}, // the proxy may not list the pinned version
		{"v1.37.2", "v1.37.2", false},
		{"v1.38.0-beta.0", "v1.38.0-beta.1", true},
		{"v1.37.0-alpha.1", "v1.37.2", true},
		{"v1.22.17", "", false},
	} {
		if tag, newer := (Minor{Kubernetes: c.pinned}).Newest(tags); tag != c.want || newer != c.newer {
			t.Errorf("%s: %q, %v; want %q, %v", c.pinned, tag, newer, c.want, c.newer)
		}
	}
	if tag, newer := (Minor{Kubernetes: "v1.38.0-beta.1"}).Newest([]string{"v1.38.0"}); tag != "v1.38.0" || !newer {
		t.Errorf("a release after a pre-release: %q, %v", tag, newer)
	}
}
