// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"

	"github.com/kgrace/kgrace/internal/history"
)

// stage is a runtime with one pod, in a bubble.
type stage struct {
	*Runtime
	t       *testing.T
	begin   time.Time
	log     *history.Log
	sandbox string
}

const pod = "p"

// play runs a test in a bubble with a runtime that has a ready sandbox. No goroutine may remain.
func play(t *testing.T, options Options, do func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		recorder := history.NewRecorder()
		log, err := recorder.Open(history.Header{Scenario: t.Name(), Pod: pod})
		if err != nil {
			t.Fatal(err)
		}
		options.Sink = recorder
		s := &stage{Runtime: New(options), t: t, begin: time.Now(), log: log}
		s.sandbox = s.newSandbox(pod, runtimev1.NamespaceMode_NODE)
		do(s)
		s.Stop()
	})
}

// both runs a test with each behaviour.
func both(t *testing.T, do func(*stage)) {
	t.Helper()
	for _, behaviour := range Behaviours() {
		t.Run(string(behaviour), func(t *testing.T) { play(t, Options{Behaviour: behaviour}, do) })
	}
}

func (s *stage) newSandbox(name string, network runtimev1.NamespaceMode) string {
	s.t.Helper()
	id, err := s.RunPodSandbox(s.t.Context(), &runtimev1.PodSandboxConfig{
		Metadata: &runtimev1.PodSandboxMetadata{Name: name, Uid: "uid-" + name, Namespace: "ns"},
		Linux: &runtimev1.LinuxPodSandboxConfig{SecurityContext: &runtimev1.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimev1.NamespaceOption{Network: network}}},
	}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// create creates a container of the stage's pod that runs `actor run` with the arguments.
func (s *stage) create(name string, args ...string) string {
	s.t.Helper()
	id, err := s.createIn(s.sandbox, name, append([]string{"run"}, args...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *stage) createIn(sandbox, name string, args ...string) (string, error) {
	return s.CreateContainer(s.t.Context(), sandbox, &runtimev1.ContainerConfig{
		Metadata: &runtimev1.ContainerMetadata{Name: name}, Image: &runtimev1.ImageSpec{Image: ActorImage},
		Command: []string{"/actor"}, Args: args,
		Envs: []*runtimev1.KeyValue{
			{Key: "KGRACE_POD", Value: []byte(pod)}, {Key: "KGRACE_CONTAINER", Value: []byte(name)}, {Key: "KGRACE_SOCKET", Value: []byte("/s")},
		},
	}, &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: pod}})
}

// start creates and starts a container.
func (s *stage) start(name string, args ...string) string {
	s.t.Helper()
	id := s.create(name, args...)
	if err := s.StartContainer(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// pending is a running call.
type pending struct {
	stage  *stage
	cancel context.CancelFunc
	done   chan struct{}
	err    error
	at     time.Duration
}

// send makes a call on a goroutine and lets it run until it waits.
func (s *stage) send(do func(context.Context) error) *pending {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pending{stage: s, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer cancel()
		p.err = do(ctx)
		p.at = time.Since(s.begin)
		close(p.done)
	}()
	synctest.Wait()
	return p
}

func (s *stage) stop(id string, timeout int64) *pending {
	return s.send(func(ctx context.Context) error { return s.StopContainer(ctx, id, timeout) })
}

func (s *stage) exec(id string, timeout time.Duration, argv ...string) *pending {
	return s.send(func(ctx context.Context) error {
		_, _, err := s.ExecSync(ctx, id, append([]string{"/actor"}, argv...), timeout)
		return err
	})
}

// returned checks when the call returned, and with which gRPC code.
func (p *pending) returned(at time.Duration, code string) {
	p.stage.t.Helper()
	<-p.done
	if got := status.Code(p.err).String(); got != code || p.at != at {
		p.stage.t.Errorf("returned %s at %s (%v), expected %s at %s", got, p.at, p.err, code, at)
	}
}

// failed checks when an exec returned, and with which exit code.
func (p *pending) failed(at time.Duration, code int) {
	p.stage.t.Helper()
	<-p.done
	var exit utilexec.CodeExitError
	if !errors.As(p.err, &exit) || exit.Code != code || p.at != at {
		p.stage.t.Errorf("returned at %s with %v, expected exit code %d at %s", p.at, p.err, code, at)
	}
}

func (p *pending) waiting() {
	p.stage.t.Helper()
	synctest.Wait()
	select {
	case <-p.done:
		p.stage.t.Errorf("returned at %s with %v, expected to wait", p.at, p.err)
	default:
	}
}

func (s *stage) now() time.Duration { return time.Since(s.begin) }

// heard collects the runtime's events from now on.
type heard struct {
	stage *stage
	all   []string
	stop  func()
}

func (s *stage) events() *heard {
	h := &heard{stage: s}
	stream := make(chan *runtimev1.ContainerEventResponse)
	listen := s.send(func(ctx context.Context) error { return s.GetContainerEvents(ctx, stream, nil) })
	over := make(chan struct{})
	go func() {
		for e := range stream {
			s.mu.Lock()
			name := s.owners[e.GetContainerId()].container
			s.mu.Unlock()
			h.all = append(h.all, fmt.Sprintf("%s of %s", e.GetContainerEventType(), cmp.Or(name, "the sandbox")))
		}
		close(over)
	}()
	h.stop = func() {
		synctest.Wait()
		listen.cancel()
		<-listen.done
		close(stream)
		<-over
	}
	return h
}

// want ends the collection and checks it.
func (h *heard) want(all ...string) {
	h.stage.t.Helper()
	h.stop()
	if diff := gocmp.Diff(all, h.all); diff != "" {
		h.stage.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// at lets time pass until the given time.
func (s *stage) at(then time.Duration) {
	time.Sleep(time.Until(s.begin.Add(then)))
	synctest.Wait()
}

func (s *stage) state(id string) *runtimev1.ContainerStatus {
	s.t.Helper()
	reply, err := s.ContainerStatus(s.t.Context(), id, false)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.GetStatus()
}

// died checks when a container ended and how.
func (s *stage) died(id string, at time.Duration, code int32) {
	s.t.Helper()
	synctest.Wait()
	status := s.state(id)
	if status.GetState() != runtimev1.ContainerState_CONTAINER_EXITED {
		s.t.Errorf("the container is %s, expected it to have ended at %s", status.GetState(), at)
		return
	}
	if got := time.Unix(0, status.GetFinishedAt()).Sub(s.begin); got != at || status.GetExitCode() != code {
		s.t.Errorf("ended at %s with %d, expected %s with %d", got, status.GetExitCode(), at, code)
	}
}

func (s *stage) alive(id string) {
	s.t.Helper()
	if state := s.state(id).GetState(); state != runtimev1.ContainerState_CONTAINER_RUNNING {
		s.t.Errorf("at %s the container is %s, expected it to run", time.Since(s.begin), state)
	}
}

// words returns the lines of a container, with their times.
func (s *stage) words(container string) string {
	var words []string
	for _, e := range s.log.History().Select(history.Line) {
		if e.Container == container {
			words = append(words, fmt.Sprintf("%s@%s", e.Reason, e.At.Sub(s.begin)))
		}
	}
	return strings.Join(words, " ")
}

func (s *stage) terms(container string) int {
	return strings.Count(s.words(container), "TERM@")
}

func (s *stage) said(container string, words ...string) {
	s.t.Helper()
	if got := strings.Fields(s.words(container)); !slices.Equal(got, words) {
		s.t.Errorf("%s said %v, expected %v", container, got, words)
	}
}
