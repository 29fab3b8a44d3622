// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

var asCRIO = Options{Behaviour: CRIO}

// The tests below are the rows of the table in the project's notes on runtimes, and the figures observed on a real CRI-O.

func TestCRIOTimeoutZeroIsTermThenKill(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 0).returned(10*time.Millisecond, "OK")
		s.died(id, 10*time.Millisecond, 137)
		s.said("main", "START@0s", "TERM@0s", "EOF@10ms")
	})
}

func TestCRIOShorterCutsIn(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		first := s.stop(id, 60)
		s.at(3 * time.Second)
		s.stop(id, 0).returned(3*time.Second, "OK")
		first.returned(3*time.Second, "OK")
		s.said("main", "START@0s", "TERM@0s", "EOF@3s")
	})
}

func TestCRIOThreeShorteningsSendOneTerm(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		var calls []*pending
		for i, timeout := range []int64{60, 28, 6, 0} {
			s.at(time.Duration(2*i) * time.Second)
			calls = append(calls, s.stop(id, timeout))
		}
		for _, call := range calls {
			call.returned(6*time.Second, "OK")
		}
		s.died(id, 6*time.Second, 137)
		if n := s.terms("main"); n != 1 {
			s.t.Errorf("%d TERMs", n)
		}
	})
}

func TestCRIOLongerIsIgnored(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		first := s.stop(id, 5)
		s.at(2 * time.Second)
		s.stop(id, 60).returned(5*time.Second, "OK")
		first.returned(5*time.Second, "OK")
	})
}

func TestCRIOCancelledStopGoesOn(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		call := s.stop(id, 20)
		s.at(5 * time.Second)
		if s.unmounted(id) {
			s.t.Error("unmounted before the cancel")
		}
		call.cancel()
		call.returned(5*time.Second, "Canceled")
		s.at(6 * time.Second)
		s.alive(id)
		if !s.unmounted(id) {
			s.t.Error("the root filesystem is still there")
		}
		s.at(21 * time.Second)
		s.died(id, 20*time.Second, 137)
	})
}

func (s *stage) unmounted(id string) bool {
	reply, err := s.ContainerStatus(s.t.Context(), id, true)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.GetInfo()["unmounted"] == "true"
}

func TestCRIOExecIgnoresItsClient(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		call := s.exec(id, 0, "hook", "--for", "10s")
		forever := s.exec(id, 0, "hook", "--for", "forever")
		s.at(time.Second)
		call.cancel()
		forever.cancel()
		call.returned(time.Second, "Canceled")
		forever.returned(time.Second, "Canceled")
		s.at(20 * time.Second)
		s.said("main", "START@0s", "HOOK-START@0s", "HOOK-START@0s", "HOOK-END@10s")
		s.stop(id, 0).returned(20*time.Second+crioTermTakes, "OK") // ends the other call too
	})
}

func TestCRIOExecTimeout(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		_, stderr, err := s.ExecSync(s.t.Context(), id, []string{"/actor", "hook", "--for", "5s"}, 2*time.Second)
		if err == nil || string(stderr) != "command timed out" || time.Since(s.begin) != 2*time.Second {
			s.t.Errorf("after %s: %q, %v", time.Since(s.begin), stderr, err)
		}
		s.at(time.Minute)
		s.said("main", "START@0s", "HOOK-START@0s")
	})
}

func TestCRIOExecDuringStop(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 20)
		s.at(time.Second)
		s.exec(id, 0, "mark").returned(time.Second, "OK")
		s.exec(id, 0, "hook", "--for", "forever").failed(20*time.Second, 137)
		s.said("main", "START@0s", "TERM@0s", "MARK@1s", "HOOK-START@1s", "EOF@20s")
	})
}

func TestCRIONoExecDuringKill(t *testing.T) {
	latency := 20 * time.Millisecond
	play(t, Options{Behaviour: CRIO, SignalLatency: latency}, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 1)
		s.at(time.Second + latency + time.Millisecond) // KILL is on its way
		s.alive(id)
		s.exec(id, 0, "mark").returned(s.now(), "Unknown")
	})
}

func TestCRIOExecAfterTheEnd(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		created := s.create("created")
		s.exec(created, 0, "mark").returned(0, "Unknown")
		id := s.start("main", "--exit-after", "1s")
		s.at(2 * time.Second)
		s.exec(id, 0, "mark").returned(2*time.Second, "NotFound")
	})
}

func TestCRIOStopHoldsTheLock(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 60)
		s.at(time.Second)
		sandbox := s.send(func(ctx context.Context) error { return s.StopPodSandbox(ctx, s.sandbox) })
		stats := s.send(func(ctx context.Context) error { _, err := s.ContainerStats(ctx, id); return err })
		resources := s.send(func(ctx context.Context) error {
			return s.UpdateContainerResources(ctx, id, &runtimev1.ContainerResources{})
		})
		s.at(30 * time.Second)
		for _, call := range []*pending{sandbox, stats, resources} {
			call.waiting()
		}
		s.alive(id) // read-only calls are not blocked, and StopPodSandbox hurried nothing
		if list, err := s.ListContainerStats(s.t.Context(), nil); err != nil || len(list) != 1 {
			s.t.Errorf("%v, %v", list, err)
		}
		s.stop(id, 5).returned(35*time.Second, "OK") // an explicit shorter stop can
		for _, call := range []*pending{sandbox, stats, resources} {
			call.returned(35*time.Second, "OK")
		}
	})
}

func TestCRIORestartedStartsAfresh(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		call := s.stop(id, 20)
		s.at(5 * time.Second)
		s.Down()
		s.Up()
		call.returned(5*time.Second, "Unavailable")
		s.at(30 * time.Second)
		s.alive(id)
		s.stop(id, 10).returned(40*time.Second, "OK")
		s.said("main", "START@0s", "TERM@0s", "TERM@30s", "EOF@40s")
	})
}

// A removal or a sandbox's stop gives a container what is left of the client's deadline.

func within(limit time.Duration, do func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return do(ctx)
	}
}

func TestCRIOSandboxStop(t *testing.T) {
	for limit, dead := range map[time.Duration]time.Duration{
		patience: 118 * time.Second, time.Hour: 118 * time.Second, // the kubelet's own two minutes are the most there is
		4 * time.Second: 2 * time.Second, 2 * time.Second: 0, time.Second: 0, 1900 * time.Millisecond: 0,
	} {
		t.Run(limit.String(), func(t *testing.T) {
			play(t, asCRIO, func(s *stage) {
				a, b := s.start("a", "--stubborn"), s.start("b", "--exit-after-term", "5ms")
				dead = max(dead, crioTermTakes)
				s.send(within(limit, func(ctx context.Context) error { return s.StopPodSandbox(ctx, s.sandbox) })).returned(dead, "OK")
				s.died(a, dead, 137) // one timeout for both
				s.died(b, 5*time.Millisecond, 0)
			})
		})
	}
}

func TestCRIOSandboxStopWaitsForTheNewestFirst(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		a, b := s.start("a", "--exit-after-term", "1s"), s.start("b", "--stubborn")
		s.stop(b, 5)
		s.send(func(ctx context.Context) error { return s.StopPodSandbox(ctx, s.sandbox) }).returned(6*time.Second, "OK")
		s.died(b, 5*time.Second, 137)
		s.died(a, 6*time.Second, 0)
	})
}

func TestCRIORemovesARunningContainer(t *testing.T) {
	for limit, dead := range map[time.Duration]time.Duration{patience: 119 * time.Second, 4 * time.Second: 3 * time.Second, time.Second: 0} {
		t.Run(limit.String(), func(t *testing.T) {
			dead = max(dead, crioTermTakes)
			play(t, asCRIO, func(s *stage) {
				id := s.start("main", "--stubborn")
				s.send(within(limit, func(ctx context.Context) error { return s.RemoveContainer(ctx, id) })).returned(dead, "OK")
				s.said("main", "START@0s", "TERM@0s", "EOF@"+dead.String())
			})
			play(t, asCRIO, func(s *stage) {
				s.start("main", "--stubborn")
				s.send(within(limit, func(ctx context.Context) error { return s.RemovePodSandbox(ctx, s.sandbox) })).returned(dead, "OK")
				s.said("main", "START@0s", "TERM@0s", "EOF@"+dead.String())
			})
		})
	}
}

func TestCRIORemovalOutlivesItsClient(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--exit-after-term", "10s")
		call := s.send(func(ctx context.Context) error { return s.RemoveContainer(ctx, id) })
		s.at(time.Second)
		call.cancel()
		call.returned(time.Second, "Canceled")
		s.at(11 * time.Second)
		if _, err := s.ContainerStatus(s.t.Context(), id, false); status.Code(err) != codes.NotFound {
			s.t.Errorf("%v", err)
		}
	})
}

func TestCRIOLoserOfTwoRemovals(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--exit-after-term", "1s")
		remove := func(ctx context.Context) error { return s.RemoveContainer(ctx, id) }
		first, second := s.send(remove), s.send(remove)
		first.returned(time.Second, "OK")
		second.returned(time.Second, "Unknown")
		s.send(remove).returned(time.Second, "OK") // it is unknown now
	})
	play(t, asCRIO, func(s *stage) {
		s.start("main", "--exit-after-term", "1s")
		remove := func(ctx context.Context) error { return s.RemovePodSandbox(ctx, s.sandbox) }
		first, second := s.send(remove), s.send(remove)
		first.returned(time.Second, "OK")
		second.returned(time.Second, "Unknown")
		s.send(remove).returned(time.Second, "OK")
	})
}

func TestCRIORemovalInALostSandboxKills(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.LoseSandbox(pod)
		s.send(func(ctx context.Context) error { return s.RemoveContainer(ctx, id) }).returned(0, "OK")
		s.said("main", "START@0s", "EOF@0s")
	})
}

func TestCRIOStopEndsACreatedContainer(t *testing.T) {
	for name, stop := range map[string]func(*stage, string) func(context.Context) error{
		"StopContainer": func(s *stage, id string) func(context.Context) error {
			return func(ctx context.Context) error { return s.StopContainer(ctx, id, 30) }
		},
		"StopPodSandbox": func(s *stage, _ string) func(context.Context) error {
			return func(ctx context.Context) error { return s.StopPodSandbox(ctx, s.sandbox) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, asCRIO, func(s *stage) {
				events := s.events()
				id := s.create("main", "--stubborn")
				s.send(stop(s, id)).returned(0, "OK")
				s.died(id, 0, 2)
				s.send(func(ctx context.Context) error { return s.StartContainer(ctx, id) }).returned(0, "Unknown")
				want := []string{"CONTAINER_CREATED_EVENT of main", "CONTAINER_STOPPED_EVENT of main"}
				if name == "StopPodSandbox" {
					want = append(want, "CONTAINER_STOPPED_EVENT of the sandbox")
				}
				events.want(want...)
			})
		})
	}
}

func TestCRIOStopDuringAStart(t *testing.T) {
	play(t, Options{Behaviour: CRIO, StartLatency: 3 * time.Second}, func(s *stage) {
		id := s.create("main", "--exit-on-term")
		start := s.send(func(ctx context.Context) error { return s.StartContainer(ctx, id) })
		s.at(time.Second)
		s.stop(id, 5).returned(3*time.Second, "OK")
		start.returned(3*time.Second, "OK")
		s.died(id, 3*time.Second, 0)
	})
}

// CRI-O holds ten timeouts and reads none during its own `runc kill TERM`.
func TestCRIODropsTheEleventhTimeout(t *testing.T) {
	for before, dead := range map[int]time.Duration{crioPlaces - 1: 2 * time.Second, crioPlaces: 14 * time.Second, 15: 14 * time.Second} {
		t.Run(strconv.Itoa(before), func(t *testing.T) {
			play(t, asCRIO, func(s *stage) {
				id := s.start("main", "--stubborn")
				for range before {
					s.stop(id, 14)
				}
				s.stop(id, 2).returned(dead, "OK")
			})
		})
	}
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		for range 15 {
			s.stop(id, 14)
		}
		s.at(time.Second) // all have been read
		s.stop(id, 2).returned(3*time.Second, "OK")
	})
}

// A shorter timeout waits for a TERM that is delayed.
func TestCRIOReadsTimeoutsAfterTerm(t *testing.T) {
	latency := 1500 * time.Millisecond
	play(t, Options{Behaviour: CRIO, SignalLatency: latency}, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 60)
		s.at(660 * time.Millisecond)
		s.stop(id, 0).returned(2*latency+crioTermTakes, "OK")
	})
}

// RemovePodSandbox announces the containers' ends and nothing else; RemoveContainer the removal, too.
func TestCRIOEventsOfRemovals(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		s.start("main")
		events := s.events()
		s.send(func(ctx context.Context) error { return s.RemovePodSandbox(ctx, s.sandbox) }).returned(0, "OK")
		events.want("CONTAINER_STOPPED_EVENT of main")
	})
	play(t, asCRIO, func(s *stage) {
		id := s.start("main")
		events := s.events()
		s.send(func(ctx context.Context) error { return s.RemoveContainer(ctx, id) }).returned(0, "OK")
		events.want("CONTAINER_STOPPED_EVENT of main", "CONTAINER_DELETED_EVENT of main")
	})
}
