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

package simbuild

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// An interrupt is not a suite that left no results, and keeps only logs.
func TestRunThatIsInterrupted(t *testing.T) {
	why := errors.New("interrupted by a test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	c := simkubelet.Config{Minor: "v1.37", Arm: verdict.Fixed, Behaviour: sim.Containerd, Artifacts: t.TempDir()}
	if _, _, err := Run(ctx, "/bin/false", c); err != why {
		t.Errorf("got %v, want the cause", err)
	}
	left, err := os.ReadDir(c.Artifacts)
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0].Name(), ".log") {
		t.Errorf("left %v, %v", left, err)
	}
	if _, _, err := Run(t.Context(), "/bin/false", c); err == nil || !strings.Contains(err.Error(), "left no results; see ") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("a suite that failed: %v", err)
	}
}
