// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"testing"
	"time"
)

// TestCutOff: a fixed kubelet that gets no updates for a while, starting before, between or after the deletes, is never
// reported as affected.
func TestCutOff(t *testing.T) {
	bin := program(t)
	n := up(t, "fixed")
	c := newChecker(t, bin, n.Kubeconfig(), "--namespace", "default", "--tainted", "--host-network", "--grace", "20")
	for _, after := range []time.Duration{7 * time.Second, 10 * time.Second} {
		timer := time.AfterFunc(after, func() {
			if err := n.CutKubeletOff(context.Background()); err != nil {
				t.Error(err)
			}
		})
		o := c.run(t.Context(), t, nil)
		timer.Stop()
		if o.code != 3 && o.code != 0 {
			t.Errorf("cut off after %v: code %d", after, o.code)
		}
		if err := n.LetKubeletList(t.Context()); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, client(t, n))
	}
}
