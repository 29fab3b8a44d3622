// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"testing"
	"time"
)

// Package conformance checks the behaviour of a real containerd. These tests cover what a script there cannot show.

func TestContainerdLosesTermCancelledInBetween(t *testing.T) {
	play(t, Options{SignalLatency: 20 * time.Millisecond}, func(s *stage) {
		id := s.start("main", "--exit-on-term")
		first := s.stop(id, 5)
		s.at(10 * time.Millisecond)
		first.cancel()
		first.returned(10*time.Millisecond, "Canceled")
		// The mark is set, so no call sends TERM any more, and the container, which would exit on TERM, is killed.
		second := s.stop(id, 2)
		second.returned(10*time.Millisecond+2*time.Second+20*time.Millisecond, "OK")
		s.died(id, 2030*time.Millisecond, 137)
		s.said("main", "START@0s", "EOF@2.03s")
	})
}

func TestContainerdCancelledKillIsNotSent(t *testing.T) {
	play(t, Options{SignalLatency: 20 * time.Millisecond}, func(s *stage) {
		id := s.start("main", "--stubborn")
		call := s.stop(id, 0)
		call.cancel()
		call.returned(0, "Canceled")
		s.at(time.Minute)
		s.alive(id)
	})
}

func TestContainerdRestarted(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		id := s.start("main", "--stubborn")
		stop, exec := s.stop(id, 20), s.exec(id, 0, "hook", "--for", "10s")
		s.at(5 * time.Second)
		s.Down()
		stop.returned(5*time.Second, "Unavailable")
		exec.returned(5*time.Second, "Unavailable")
		if _, err := s.ListContainers(s.t.Context(), nil); err == nil {
			s.t.Error("a runtime that is down answered")
		}
		s.at(6 * time.Second)
		s.Up()
		s.at(30 * time.Second)
		s.alive(id) // the timer went with the daemon
		s.stop(id, 2).returned(32*time.Second, "OK")
		// The mark went too; the exec's process did not.
		s.said("main", "START@0s", "TERM@0s", "HOOK-START@0s", "HOOK-END@10s", "TERM@30s", "EOF@32s")
	})
}

func TestSecondTermPutsNothingOff(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--exit-after-term", "5s", "--exit-after", "1m")
		s.stop(id, 20)
		s.at(3 * time.Second)
		s.Down()
		s.Up()
		s.stop(id, 20).returned(5*time.Second, "OK")
		s.said("main", "START@0s", "TERM@0s", "TERM@3s", "EXIT@5s", "EOF@5s")
	})
}

func TestContainerdSandboxStopIsInOrderOfCreation(t *testing.T) {
	play(t, Options{SignalLatency: time.Second}, func(s *stage) {
		a, b := s.start("a", "--stubborn"), s.start("b", "--stubborn")
		if err := s.StopPodSandbox(s.t.Context(), s.sandbox); err != nil {
			s.t.Error(err)
		}
		s.died(a, time.Second, 137)
		s.died(b, 2*time.Second, 137)
	})
}

// A timeout of more nanoseconds than an int64 holds: the client's own deadline has passed before the call is sent.
func TestClientGivesUpAtOnceWhereItsDeadlineOverflows(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 9223372037).returned(0, "DeadlineExceeded")
		s.alive(id)
		for _, e := range s.log.History().Events {
			if e.Call == "StopContainer" {
				s.t.Errorf("the runtime was asked: %+v", e)
			}
		}
		s.stop(id, 9223372036-120).waiting()
	})
}

func TestClientGivesUpTwoMinutesAfterTheTimeout(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		if _, err := s.Inject(Fault{Method: "StopContainer", Hang: true}); err != nil {
			s.t.Fatal(err)
		}
		s.stop(id, 30).returned(30*time.Second+patience, "DeadlineExceeded")
		s.alive(id)
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		if _, _, err := s.ExecSync(ctx, id, []string{"/actor", "hook", "--for", "forever"}, 0); err == nil {
			s.t.Error("an exec outlived its client's deadline")
		}
	})
}
