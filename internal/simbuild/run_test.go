// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
