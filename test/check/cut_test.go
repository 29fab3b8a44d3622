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
