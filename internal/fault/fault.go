// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	_ "k8s.io/cri-api/pkg/apis/runtime/v1" // registers its services
)

// Fault is the treatment of chosen calls before they reach the runtime. At least one of Fail, Delay and Hang is set. If several
// are, the call hangs, then is delayed, then fails.
type Fault struct {
	// Method is the bare method name: StopContainer. Required.
	Method string
	// Pod and Container restrict the fault to calls about one pod or one container, by name; empty means any. A call about a
	// container that the proxy does not know matches no fault with a container.
	Pod, Container string
	// Match, if set, gets the decoded request (a *runtimev1.StopContainerRequest, say) and decides. It may be called from
	// several goroutines at once and must not keep or change the request.
	Match func(request proto.Message) bool

	// Fail is the error that the caller gets instead of the runtime's response; an error without a gRPC status becomes Unknown.
	Fail error
	// Delay is how long the call waits before it continues; it ends early, with the call, if the caller gives up.
	Delay time.Duration
	// Hang holds the call until the caller gives up, by cancelling or by its deadline (the call then ends with Canceled or
	// DeadlineExceeded and never reaches the runtime), or until the fault is removed (the call then continues). A caller at its
	// deadline also cancels; the record has whichever arrived first.
	Hang bool

	// Times is how many calls the fault affects; 0 means all until it is removed. After that many calls the fault is used up;
	// calls that hang in it stay until it is removed.
	Times int
}

// check returns an error if the fault is invalid.
func (f *Fault) check() error {
	switch {
	case f.Method == "":
		return errors.New("a fault needs a method, such as StopContainer")
	case !known(f.Method):
		return fmt.Errorf("fault for %q: no such CRI method; write the bare name, such as StopContainer", f.Method)
	case f.Fail == nil && f.Delay <= 0 && !f.Hang:
		return fmt.Errorf("fault for %s does nothing: set Fail, Delay or Hang", f.Method)
	case f.Times < 0:
		return fmt.Errorf("fault for %s: Times is %d, expected 0 (always) or more", f.Method, f.Times)
	}
	return nil
}

// injected is an active fault.
type injected struct {
	Fault
	left    int // of Times; -1 for always
	removed chan struct{}
}

// Set holds the active faults. The zero value is empty. It is safe for concurrent use.
type Set struct {
	mu  sync.Mutex
	set []*injected
}

// Inject adds a fault to the set. If several match a call, the one injected first applies. remove removes it and releases the
// calls that hang in it; it may be called more than once, from anywhere.
func (s *Set) Inject(fault Fault) (remove func(), err error) {
	if err := fault.check(); err != nil {
		return nil, err
	}
	in := &injected{Fault: fault, left: fault.Times, removed: make(chan struct{})}
	if fault.Times == 0 {
		in.left = -1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = append(s.set, in)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.set = slices.DeleteFunc(s.set, func(other *injected) bool { return other == in })
		close(in.removed)
	}), nil
}

// Strike returns the fault for a call about a pod's container, and counts it; nil if there is none. The request may be nil.
func (s *Set) Strike(method, pod, container string, request proto.Message) *Strike {
	for _, in := range s.candidates(method, pod, container) {
		// Match is the caller's code: run it without the lock, and count afterwards.
		if in.Match != nil && (request == nil || !in.Match(request)) {
			continue
		}
		if s.take(in) {
			return &Strike{in}
		}
	}
	return nil
}

func (s *Set) candidates(method, pod, container string) []*injected {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*injected
	for _, in := range s.set {
		if in.left == 0 || in.Method != method {
			continue
		}
		if in.Pod != "" && in.Pod != pod || in.Container != "" && in.Container != container {
			continue
		}
		list = append(list, in)
	}
	return list
}

func (s *Set) take(in *injected) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-in.removed:
		return false
	default:
	}
	if in.left == 0 {
		return false
	}
	if in.left > 0 {
		in.left--
	}
	return true
}

// Strike is a fault that applies to one call.
type Strike struct{ in *injected }

// Name names the fault for the record.
func (s *Strike) Name() string {
	in := s.in
	switch {
	case in.Hang:
		return "fault: hang"
	case in.Fail != nil:
		return "fault: fail"
	default:
		return "fault: delay"
	}
}

// CarryOut delays or fails the call; nil lets it continue. An error is a gRPC status.
func (s *Strike) CarryOut(ctx context.Context) error {
	in := s.in
	if in.Hang {
		select {
		case <-in.removed:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if in.Delay > 0 {
		timer := time.NewTimer(in.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if in.Fail == nil {
		return nil
	}
	if s, ok := status.FromError(in.Fail); ok && s.Code() != codes.OK {
		return s.Err()
	}
	return status.Error(codes.Unknown, in.Fail.Error())
}

// known reports whether the CRI has a method of this bare name.
func known(name string) bool {
	for _, service := range []protoreflect.FullName{"runtime.v1.RuntimeService", "runtime.v1.ImageService"} {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(service)
		if err != nil {
			panic("fault: the CRI package does not register its own service: " + err.Error())
		}
		if d.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(name)) != nil {
			return true
		}
	}
	return false
}
