// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
)

// mainContainer is the name of the container.
const mainContainer = "main"

// unknownID is an id that no runtime assigns.
const unknownID = "00000000000000000000000000000000000000000000000000000000000000ff"

// Stage is the runtime on which a sequence is played.
type Stage struct {
	Runtime internalapi.RuntimeService
	// Log is the history of the pod with the sequence's name: the records of the runtime, or of the proxy in front of it, and
	// the container's lines.
	Log *history.Log
	// Image contains the actor. Lines is a host directory with the line server's lines.sock, which containers mount; "" if
	// there is none. Cgroup is the parent of the pod's cgroup.
	Image, Lines, Cgroup string
	// Logs, if set, is a host directory to which the runtime writes the containers' logs. The image then needs only sh and sleep:
	// a script does what the actor does, and the log holds its lines.
	Logs string
	// Run distinguishes the runs on one runtime; see RunLabel.
	Run string
	// Restart carries out the step of that name.
	Restart func(context.Context) error
}

// player plays one sequence.
type player struct {
	Stage
	sequence  Sequence
	sandboxID string
	main      string // the id of the container
	before    int    // number of events before the first step
	logs      readers

	unsubscribe func()
	arrived     chan struct{} // receives when an event may have come

	mu      sync.Mutex
	second  string // the id of the other container
	results []result
	events  []*runtimev1.ContainerEventResponse
}

// silence is how long Prepare waits for the first event of a runtime that may send none.
const silence = 2 * time.Second

// result is the result of a call.
type result struct {
	step int
	text string
	at   time.Time
}

// Prepare creates the sandbox and the container and waits until the container runs. undo removes them.
func Prepare(ctx context.Context, stage Stage, sequence Sequence) (play func(context.Context) (Trace, error), undo func(context.Context) error, err error) {
	p := &player{Stage: stage, sequence: sequence, unsubscribe: func() {}, arrived: make(chan struct{}, 1)}
	if p.sandboxID, err = p.Runtime.RunPodSandbox(ctx, p.sandboxConfig(), ""); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", sequence.Name, err)
	}
	undo = p.undo
	if err = p.subscribe(ctx); err == nil {
		err = p.prepare(ctx)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", sequence.Name, errors.Join(err, undo(ctx)))
	}
	return p.play, undo, nil
}

func (p *player) prepare(ctx context.Context) (err error) {
	if p.main, err = p.create(ctx, mainContainer, p.sequence.Args); err != nil {
		return err
	}
	// A client cannot see that the runtime has begun to send events. One that was seen shows that none of the steps' is missed.
	events := p.announced(ctx, runtimev1.ContainerEventType_CONTAINER_CREATED_EVENT)
	if p.sequence.Unstarted {
		return nil
	}
	if err := p.start(ctx, p.main, mainContainer); err != nil {
		return err
	}
	if events {
		p.announced(ctx, runtimev1.ContainerEventType_CONTAINER_STARTED_EVENT)
	}
	_, err = p.Log.Wait(ctx, "START", func(e history.Event) bool { return e.Kind == history.Line && e.Reason == lines.Start })
	return err
}

// announced waits for the runtime's event about the container, and reports whether it came within silence.
func (p *player) announced(ctx context.Context, kind runtimev1.ContainerEventType) bool {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	for {
		p.mu.Lock()
		came := slices.ContainsFunc(p.events, func(e *runtimev1.ContainerEventResponse) bool {
			return e.GetContainerId() == p.main && e.GetContainerEventType() == kind
		})
		p.mu.Unlock()
		if came {
			return true
		}
		select {
		case <-p.arrived:
		case <-ctx.Done():
			return false
		}
	}
}

// undo removes the sandbox and its containers. They are killed first: CRI-O would give a running one minutes.
func (p *player) undo(ctx context.Context) error {
	p.unsubscribe()
	p.mu.Lock()
	all := []string{p.main, p.second}
	p.mu.Unlock()
	var errs []error
	for _, id := range all {
		if id != "" {
			errs = append(errs, p.Runtime.StopContainer(ctx, id, 0))
		}
	}
	errs = append(errs, p.Runtime.StopPodSandbox(ctx, p.sandboxID), p.Runtime.RemovePodSandbox(ctx, p.sandboxID))
	p.logs.end()
	return errors.Join(errs...)
}

// play carries out the steps.
func (p *player) play(ctx context.Context) (Trace, error) {
	p.before = len(p.Log.History().Events)
	p.mu.Lock()
	p.events = nil
	p.mu.Unlock()
	begin := time.Now()
	contexts := make([]context.Context, len(p.sequence.Steps))
	cancels := make([]context.CancelFunc, len(p.sequence.Steps))
	for i, step := range p.sequence.Steps {
		contexts[i], cancels[i] = context.WithCancel(ctx)
		if step.Within > 0 {
			contexts[i], cancels[i] = context.WithDeadline(ctx, begin.Add(step.At+step.Within))
		}
		defer cancels[i]()
	}
	var calls sync.WaitGroup
	for i, step := range p.sequence.Steps {
		if err := until(ctx, begin.Add(step.At)); err != nil {
			return Trace{}, err
		}
		switch step.Call {
		case Cancel:
			cancels[step.Of]()
			continue
		case Restart:
			if err := p.Restart(ctx); err != nil {
				return Trace{}, fmt.Errorf("%s: restart: %w", p.sequence.Name, err)
			}
			continue
		}
		sent := make(chan struct{})
		calls.Go(func() {
			close(sent)
			text := p.do(contexts[i], step)
			p.mu.Lock()
			defer p.mu.Unlock()
			p.results = append(p.results, result{i, text, time.Now()})
		})
		<-sent
	}
	calls.Wait()
	if late := time.Since(begin.Add(p.sequence.Until)); late >= time.Second {
		return Trace{}, fmt.Errorf("%s: a call returned after %s; all calls must return within %s", p.sequence.Name, time.Since(begin), p.sequence.Until)
	}
	if err := until(ctx, begin.Add(p.sequence.Until)); err != nil {
		return Trace{}, err
	}
	last := p.status(ctx, p.main)
	p.unsubscribe()
	if err := p.logs.wait(); err != nil {
		return Trace{}, fmt.Errorf("%s: %w", p.sequence.Name, err)
	}
	return p.trace(begin, last), nil
}

// subscribe collects the runtime's events about the sandbox and its containers until unsubscribe is called.
func (p *player) subscribe(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stream := make(chan *runtimev1.ContainerEventResponse)
	established := make(chan struct{})
	failed := make(chan error, 1)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(stream)
		failed <- p.Runtime.GetContainerEvents(ctx, stream, func(runtimev1.RuntimeService_GetContainerEventsClient) { close(established) })
	})
	wait.Go(func() {
		for e := range stream {
			if e.GetPodSandboxStatus().GetId() != p.sandboxID && e.GetContainerId() != p.sandboxID {
				continue
			}
			p.mu.Lock()
			p.events = append(p.events, e)
			p.mu.Unlock()
			select {
			case p.arrived <- struct{}{}:
			default: // announced will look at this one, too
			}
		}
	})
	p.unsubscribe = func() {
		cancel()
		wait.Wait()
	}
	select {
	case <-established:
		return nil
	case err := <-failed:
		return fmt.Errorf("%s: container events: %w", p.sequence.Name, err)
	}
}

// do makes one call and returns its result as text.
func (p *player) do(ctx context.Context, step Step) string {
	id, sandbox := p.main, p.sandboxID
	switch step.On {
	case Second:
		p.mu.Lock()
		id = p.second
		p.mu.Unlock()
	case Unknown:
		id, sandbox = unknownID, unknownID
	}
	switch step.Call {
	case Create:
		id, err := p.create(ctx, string(Second), stubborn)
		p.mu.Lock()
		p.second = id
		p.mu.Unlock()
		return outcome(err)
	case Start:
		return outcome(p.start(ctx, id, cmp.Or(string(step.On), mainContainer)))
	case Stop:
		return outcome(p.Runtime.StopContainer(ctx, id, step.Timeout))
	case Remove:
		return outcome(p.Runtime.RemoveContainer(ctx, id))
	case Exec:
		_, _, err := p.Runtime.ExecSync(ctx, id, p.argv(step.Argv), time.Duration(step.Timeout)*time.Second)
		return outcome(err)
	case StopSandbox:
		return outcome(p.Runtime.StopPodSandbox(ctx, sandbox))
	case RemoveSandbox:
		return outcome(p.Runtime.RemovePodSandbox(ctx, sandbox))
	default:
		return p.status(ctx, id)
	}
}

// status returns a container's state as text.
func (p *player) status(ctx context.Context, id string) string {
	reply, err := p.Runtime.ContainerStatus(ctx, id, false)
	if err != nil {
		return outcome(err)
	}
	s := reply.GetStatus()
	if s.GetState() != runtimev1.ContainerState_CONTAINER_EXITED {
		return s.GetState().String()
	}
	return fmt.Sprintf("%s with %d, %s", s.GetState(), s.GetExitCode(), s.GetReason())
}

// outcome returns an error as text, with the distinctions that the kubelet makes.
func outcome(err error) string {
	var exit utilexec.CodeExitError
	switch {
	case err == nil:
		return codes.OK.String()
	case errors.As(err, &exit):
		return fmt.Sprintf("code %d", exit.Code)
	case errors.Is(err, remote.ErrCommandTimedOut):
		return "command timed out"
	default:
		return status.Code(err).String()
	}
}

// until waits until the given time.
func until(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
