// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/history"
)

// lateness is the delay of a timer above which a difference between two traces may be the machine's. On an idle machine timers
// fire about a millisecond late.
const lateness = 30 * time.Millisecond

// machine watches how late this machine is while sequences are played in real time.
type machine struct {
	mu   sync.Mutex
	most time.Duration
}

func watchMachine(t *testing.T) *machine {
	m := &machine{}
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() { control.DetectStalls(ctx, m) })
	t.Cleanup(func() {
		cancel()
		wait.Wait()
		t.Logf("timers of this machine were late by at most %s", m.most)
	})
	return m
}

// Add implements history.Sink.
func (m *machine) Add(e history.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.most = max(m.most, time.Duration(e.Late*float64(time.Second)))
}

// differs reports a difference: as a failure, unless the machine was late and may explain it.
func (m *machine) differs(t *testing.T, format string, args ...any) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.most < lateness {
		t.Errorf(format, args...)
		return
	}
	t.Logf(format, args...)
	t.Skipf("invalid: a timer of this machine was late by %s, which may explain a difference; run it again on an idle machine", m.most)
}

func TestDifferenceOfALateMachine(t *testing.T) {
	for late, want := range map[time.Duration]bool{0: false, lateness: true} {
		m := &machine{}
		m.Add(history.Event{Late: late.Seconds()})
		t.Run(late.String(), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Skipped() != want {
					t.Errorf("skipped is %v", t.Skipped())
				}
			})
			if want {
				m.differs(t, "a difference")
			}
		})
	}
}
