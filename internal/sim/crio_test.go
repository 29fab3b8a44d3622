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

package sim

import (
	"context"
	"testing"
	"time"

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
		s.stop(id, 0).returned(20*time.Second+crioKillDelay, "OK") // ends the other call too
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

func TestCRIONoExecDuringStop(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.stop(id, 20)
		s.exec(id, 0, "mark").returned(0, "Unknown")
		s.said("main", "START@0s", "TERM@0s")
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

func TestCRIOSandboxStop(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		a, b := s.start("a", "--stubborn"), s.start("b", "--exit-after-term", "1s")
		if err := s.StopPodSandbox(s.t.Context(), s.sandbox); err != nil {
			s.t.Error(err)
		}
		s.died(a, crioSandboxTimeout*time.Second, 137) // one timeout for both
		s.died(b, time.Second, 0)
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

func TestCRIORemovesARunningContainerWithinTenSeconds(t *testing.T) {
	play(t, asCRIO, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.send(func(ctx context.Context) error { return s.RemoveContainer(ctx, id) }).returned(crioSandboxTimeout*time.Second, "OK")
		if err := s.RemovePodSandbox(s.t.Context(), s.sandbox); err != nil {
			s.t.Error(err)
		}
		s.said("main", "START@0s", "TERM@0s", "EOF@10s")
	})
}
