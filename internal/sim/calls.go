// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// patience is the time that the kubelet's client allows for a call on top of the call's own timeout (the default of
// runtimeRequestTimeout).
const patience = 2 * time.Minute

// method describes one call.
type method struct {
	name string
	// read marks calls that only read; they are recorded if Options.Reads is set, or if a fault affects them.
	read bool
	// image marks calls of the image service; the messages of their errors are not recorded.
	image bool
	// limit is the client's deadline; 0 for none.
	limit time.Duration
}

// call runs both sides of the connection for one call: the client's deadline and cancellation, the fault, the record, and the
// handler, which keeps running after the client has gone, with its context cancelled.
func call[T any](ctx context.Context, rt *Runtime, m method, request proto.Message, handle func(context.Context) (T, error)) (T, error) {
	var none T
	if m.limit != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, m.limit)
		defer cancel()
	}
	if ctx.Err() != nil {
		return none, status.FromContextError(ctx.Err()).Err() // never sent
	}
	entered, life := rt.enter(m, request)
	if life == nil {
		return none, entered.leave(none, errUnavailable())
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	started := rt.spawn(func() {
		// The context ends with the client and with the daemon.
		inside, cancel := context.WithCancel(context.WithValue(ctx, lifeKey{}, life))
		defer cancel()
		defer context.AfterFunc(life.ctx, cancel)()
		var a answer
		if entered.fault != nil {
			a.err = entered.fault.CarryOut(inside)
		}
		if a.err == nil {
			a.value, a.err = handle(inside)
		}
		answers <- a
	})
	if !started {
		return none, entered.leave(none, errUnavailable())
	}
	finish := func(a answer) (T, error) {
		if a.err = wireError(a.err); life.ctx.Err() != nil {
			a.err = errUnavailable() // the response was never sent
		}
		if a.err != nil {
			a.value = none
		}
		return a.value, entered.leave(a.value, a.err)
	}
	select {
	case a := <-answers:
		return finish(a)
	case <-life.ctx.Done():
		return none, entered.leave(none, errUnavailable())
	case <-ctx.Done():
		select {
		case a := <-answers:
			return finish(a)
		default:
			return none, entered.leave(none, status.FromContextError(ctx.Err()).Err())
		}
	}
}

// look runs a read-only call: it waits only for a fault, so it needs no goroutine.
func look[T any](ctx context.Context, rt *Runtime, m method, request proto.Message, handle func(context.Context) (T, error)) (T, error) {
	var none T
	m.read = true
	if ctx.Err() != nil {
		return none, status.FromContextError(ctx.Err()).Err()
	}
	entered, life := rt.enter(m, request)
	if life == nil {
		return none, entered.leave(none, errUnavailable())
	}
	if entered.fault != nil {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		defer context.AfterFunc(life.ctx, cancel)()
		if err := entered.fault.CarryOut(limited); err != nil {
			return none, entered.leave(none, wireError(err))
		}
	}
	value, err := handle(ctx)
	if err != nil {
		value = none
	}
	return value, entered.leave(value, wireError(err))
}

// lifeKey is the context key for the life of the daemon that runs a handler.
type lifeKey struct{}

// dead reports whether the daemon that ran a handler is gone, so that the handler must have no further effect.
func dead(ctx context.Context) bool {
	life, ok := ctx.Value(lifeKey{}).(*serving)
	return ok && life.ctx.Err() != nil
}

// entry is a call in progress.
type entry struct {
	rt      *Runtime
	method  method
	event   history.Event // without kind and time
	fault   strike
	silent  bool
	request proto.Message
}

// strike is the fault that applies to a call; nil if there is none.
type strike interface {
	Name() string
	CarryOut(ctx context.Context) error
}

func (rt *Runtime) enter(m method, request proto.Message) (*entry, *serving) {
	rt.mu.Lock()
	e := rt.factsOf(request)
	life := rt.serving
	rt.mu.Unlock()
	e.Call, e.CallID = m.name, rt.calls.Add(1)
	in := &entry{rt: rt, method: m, event: e, request: request}
	if struck := rt.faults.Strike(m.name, e.Pod, e.Container, request); struck != nil {
		in.fault = struck
	}
	in.silent = m.read && !rt.options.Reads && in.fault == nil
	if !in.silent {
		e.Kind, e.At = history.CRICall, time.Now()
		if in.fault != nil {
			e.Reason = in.fault.Name()
		}
		rt.record(e)
	}
	return in, life
}

// leave records the return and returns the error.
func (in *entry) leave(value any, err error) error {
	if in.silent {
		return err
	}
	e := in.event
	e.Kind, e.At = history.CRIReturn, time.Now()
	switch v := value.(type) {
	case *runtimev1.ExecSyncResponse:
		if err == nil && v != nil {
			code := v.GetExitCode()
			e.ExitCode = &code
		}
	case string:
		switch in.request.(type) {
		case *runtimev1.CreateContainerRequest:
			e.ContainerID = v
		case *runtimev1.RunPodSandboxRequest:
			if v != "" {
				e.Message = "sandbox " + v
			}
		}
	}
	if err != nil {
		s := status.Convert(err)
		e.Error = s.Code().String()
		if !in.method.image {
			e.Message = strings.TrimSpace(s.Message())
		}
	}
	in.rt.record(e)
	return err
}

// factsOf extracts what a history needs from a request, as the CRI proxy of a real node does. mu is held.
func (rt *Runtime) factsOf(request proto.Message) history.Event {
	about := func(id string) history.Event {
		o := rt.owners[id]
		return history.Event{ContainerID: id, Pod: o.pod, Container: o.container}
	}
	switch r := request.(type) {
	case *runtimev1.RunPodSandboxRequest:
		return history.Event{Pod: r.GetConfig().GetMetadata().GetName()}
	case *runtimev1.CreateContainerRequest:
		o := ownerOf(r.GetConfig(), r.GetSandboxConfig())
		return history.Event{Pod: o.pod, Container: o.container}
	case *runtimev1.StopContainerRequest:
		e := about(r.GetContainerId())
		e.Grace = history.Seconds(r.GetTimeout())
		return e
	case *runtimev1.ExecSyncRequest:
		e := about(r.GetContainerId())
		e.Message = strings.Join(r.GetCmd(), " ")
		return e
	case *runtimev1.PullImageRequest:
		return history.Event{Pod: r.GetSandboxConfig().GetMetadata().GetName(), Message: r.GetImage().GetImage()}
	case interface{ GetContainerId() string }:
		return about(r.GetContainerId())
	case interface{ GetPodSandboxId() string }:
		return history.Event{Pod: rt.pods[r.GetPodSandboxId()], Message: "sandbox " + r.GetPodSandboxId()}
	default:
		return history.Event{}
	}
}

// wireError converts a handler's error into the gRPC status that the client receives.
func wireError(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.OK {
		return err
	}
	code := codes.Unknown
	switch {
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		code = codes.DeadlineExceeded
	case errors.Is(err, errNotFound):
		code = codes.NotFound
	}
	return status.Error(code, err.Error())
}

var errNotFound = errors.New("not found")

func errUnavailable() error {
	return status.Error(codes.Unavailable, "connection error: desc = \"transport: the runtime is down\"")
}

// pause waits for d; it returns the context's error if the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
