// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/sim"
)

const pulled = "kgrace.test/shell:v1"

// nodes are the images that the simulator has from the beginning.
var nodes = []string{"image " + sim.ActorImage, "image " + sim.PauseImage}

func connect(t *testing.T, s *served) *Remote {
	t.Helper()
	r, err := Connect(t.Context(), s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

func played(t *testing.T, s *served, against sim.Behaviour, names ...string) Report {
	t.Helper()
	sequences, err := Pick(names)
	if err != nil {
		t.Fatal(err)
	}
	report, err := connect(t, s).Play(t.Context(), Plan{Sequences: sequences, Image: pulled, Against: against, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nodes, s.left(t)); diff != "" {
		t.Errorf("left on the runtime (-want +got):\n%s", diff)
	}
	return report
}

// TestServed plays in real time, so it runs with TestRealContainerd only: the sequences take seconds, and a machine that is late
// changes their traces; then a difference is invalid.
func TestServed(t *testing.T) {
	if os.Getenv(askedVar) == "" {
		t.Skipf("%s is not set: `make conformance` sets it", askedVar)
	}
	m := watchMachine(t)
	for _, behaviour := range sim.Behaviours() {
		t.Run(string(behaviour), func(t *testing.T) {
			t.Parallel()
			report := played(t, serve(t, behaviour, nil), behaviour)
			for _, result := range report.Results {
				restarts := strings.HasPrefix(result.Sequence, "restart-")
				if result.Outcome != Same && !restarts || restarts && result.Outcome != NotPlayed {
					m.differs(t, "%s: %s %s\n%s", result.Sequence, result.Outcome, result.Reason, strings.Join(result.Diff, "\n"))
				}
			}
		})
	}
	t.Run("no events", func(t *testing.T) {
		t.Parallel()
		s := serve(t, sim.CRIO, func(s *served) { s.event = func(*runtimev1.ContainerEventResponse) bool { return false } })
		report := played(t, s, sim.CRIO, "stop", "client-deadline")
		if report.Events || report.Count(Same) != 2 {
			m.differs(t, "%+v", report)
		}
	})
	for name, one := range map[string]struct {
		sequence string
		change   func(*served)
	}{
		"a stop is late": {"stop", func(s *served) {
			s.before = func(ctx context.Context, request any) error {
				if _, ok := request.(*runtimev1.StopContainerRequest); ok {
					return until(ctx, time.Now().Add(time.Second))
				}
				return nil
			}
		}},
		"stopping an exited container fails": {"stop-ended", func(s *served) {
			s.before = func(ctx context.Context, request any) error {
				r, ok := request.(*runtimev1.StopContainerRequest)
				if !ok || r.GetTimeout() == 0 {
					return nil
				}
				return status.Error(codes.NotFound, "no such container")
			}
		}},
		"another exit code": {"failed", func(s *served) {
			s.after = func(_, reply any) {
				if r, ok := reply.(*runtimev1.ContainerStatusResponse); ok {
					r.Status.ExitCode++
				}
			}
		}},
		"another state": {"cancel", func(s *served) {
			s.after = func(_, reply any) {
				if r, ok := reply.(*runtimev1.ContainerStatusResponse); ok && r.GetStatus().GetState() == runtimev1.ContainerState_CONTAINER_EXITED {
					r.Status.Reason = "OOMKilled"
				}
			}
		}},
		"TERM twice":   {"second-shorter", func(s *served) { s.line = twice("TERM") }},
		"TERM unheard": {"stop", func(s *served) { s.line = func(word string) int { return map[bool]int{true: 1}[word != "TERM"] } }},
		"a hook twice": {"exec", func(s *served) { s.line = twice("HOOK-START") }},
		"an event is lost": {"stop", func(s *served) {
			s.event = func(e *runtimev1.ContainerEventResponse) bool {
				return e.GetContainerEventType() != runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Another sequence shows that there are events.
			report := played(t, serve(t, sim.Containerd, one.change), sim.Containerd, one.sequence, "sandbox-start")
			if report.Results[0].Outcome != Differs {
				t.Errorf("%s: %s %s\n%s", one.sequence, report.Results[0].Outcome, report.Results[0].Reason, strings.Join(report.Results[0].Trace, "\n"))
			}
		})
	}
}

func twice(which string) func(string) int {
	return func(word string) int { return map[bool]int{true: 2, false: 1}[word == which] }
}

// TestInterrupted interrupts a run while its containers start.
func TestInterrupted(t *testing.T) {
	for _, behaviour := range sim.Behaviours() {
		t.Run(string(behaviour), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("Ctrl-C")
			started := make(chan struct{}, 64)
			s := serve(t, behaviour, func(s *served) {
				s.after = func(_, reply any) {
					if _, ok := reply.(*runtimev1.StartContainerResponse); ok {
						started <- struct{}{}
						if len(started) == 5 {
							cancel(stop)
						}
					}
				}
			})
			_, err := connect(t, s).Play(ctx, Plan{Sequences: Sequences(), Image: pulled, Against: behaviour, Log: t.Output()})
			if !errors.Is(err, stop) {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(nodes, s.left(t)); diff != "" {
				t.Errorf("left on the runtime (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLeftovers: what a killed run left is removed, and nothing else.
func TestLeftovers(t *testing.T) {
	s := serve(t, sim.CRIO, nil)
	run := func(name string, labels map[string]string) {
		config := &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: name, Uid: name, Namespace: "n"}, Labels: labels}
		id, err := s.rt.RunPodSandbox(t.Context(), config, "")
		if err != nil {
			t.Fatal(err)
		}
		container, err := s.rt.CreateContainer(t.Context(), id, &runtimev1.ContainerConfig{
			Metadata: &runtimev1.ContainerMetadata{Name: "main-" + name}, Image: &runtimev1.ImageSpec{Image: sim.PauseImage},
		}, config)
		if err == nil {
			err = s.rt.StartContainer(t.Context(), container)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run("old", map[string]string{RunLabel: "1"})
	run("other", nil)
	if n, err := connect(t, s).sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if diff := cmp.Diff(append([]string{"container main-other"}, append(nodes, "sandbox other")...), s.left(t)); diff != "" {
		t.Errorf("left on the runtime (-want +got):\n%s", diff)
	}
}

func TestNoImage(t *testing.T) {
	s := serve(t, sim.Containerd, func(s *served) {
		s.before = func(_ context.Context, request any) error {
			if _, ok := request.(*runtimev1.PullImageRequest); ok {
				return status.Error(codes.NotFound, "no such image")
			}
			return nil
		}
	})
	_, err := connect(t, s).Play(t.Context(), Plan{Sequences: Sequences(), Image: pulled, Against: sim.Containerd, Log: t.Output()})
	if err == nil || !strings.Contains(err.Error(), pulled) || !strings.Contains(err.Error(), "--image") {
		t.Errorf("%v", err)
	}
}
