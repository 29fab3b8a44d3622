// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

func (b *bench) inject(f Fault) (remove func()) {
	b.t.Helper()
	remove, err := b.proxy.Inject(f)
	if err != nil {
		b.t.Fatal(err)
	}
	return remove
}

func TestFail(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	id := b.create("main")
	b.inject(Fault{Method: "StopContainer", Fail: status.Error(codes.Internal, "no"), Times: 2})
	for range 2 {
		if err := b.stop(t.Context(), id, 5); status.Code(err) != codes.Internal || status.Convert(err).Message() != "no" {
			t.Errorf("got %v", err)
		}
	}
	if n := b.runtime.stopped(); n != 0 {
		t.Errorf("%d calls reached the runtime", n)
	}
	if err := b.stop(t.Context(), id, 5); err != nil {
		t.Errorf("the third call: %v", err)
	}
	if e := b.wait("the first call", isCall("StopContainer")); e.Reason != "fault: fail" {
		t.Errorf("the record does not name the fault: %+v", e)
	}
	if e := b.wait("the first return", isReturn("StopContainer")); e.Error != "Internal" || e.Message != "no" {
		t.Errorf("recorded %+v", e)
	}
}

func TestFailWithAPlainError(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	remove := b.inject(Fault{Method: "StopContainer", Fail: errors.New("broken")})
	if err := b.stop(t.Context(), "any", 5); status.Code(err) != codes.Unknown {
		t.Errorf("got %v", err)
	}
	remove()
	remove()
	if err := b.stop(t.Context(), "any", 5); err != nil {
		t.Errorf("after removal: %v", err)
	}
}

func TestFaultChoosesItsCalls(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	main, sidecar := b.create("main"), b.create("sidecar")
	fail := status.Error(codes.Aborted, "chosen")
	b.inject(Fault{
		Method: "StopContainer", Pod: "p", Container: "main", Fail: fail,
		Match: func(request proto.Message) bool { return request.(*runtimev1.StopContainerRequest).GetTimeout() < 10 },
	})
	b.inject(Fault{Method: "StopContainer", Pod: "another", Fail: fail})
	for _, tt := range []struct {
		id      string
		timeout int64
		want    codes.Code
	}{
		{main, 5, codes.Aborted},
		{main, 60, codes.OK},
		{sidecar, 5, codes.OK},
		{"unheard-of", 5, codes.OK},
	} {
		if err := b.stop(t.Context(), tt.id, tt.timeout); status.Code(err) != tt.want {
			t.Errorf("stop %s with timeout %d: got %v, expected %v", tt.id, tt.timeout, err, tt.want)
		}
	}
	if _, err := b.client.StopPodSandbox(t.Context(), &runtimev1.StopPodSandboxRequest{PodSandboxId: "sandbox-p"}); err != nil {
		t.Errorf("another method: %v", err)
	}
}

func TestHangUntilTheCallerGivesUp(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	id := b.create("main")
	b.inject(Fault{Method: "StopContainer", Hang: true, Times: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.stop(ctx, id, 60) }()
	b.wait("the hanging stop", isCall("StopContainer"))
	// A second stop passes meanwhile.
	if err := b.stop(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	e := b.wait("the end of the hanging stop", func(e history.Event) bool { return isReturn("StopContainer")(e) && *e.Grace == 60 })
	if e.Error != "Canceled" {
		t.Errorf("recorded %+v", e)
	}
	if n := b.runtime.stopped(); n != 1 {
		t.Errorf("%d stops reached the runtime, expected the second one only", n)
	}
}

func TestHangUntilRemoved(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	remove := b.inject(Fault{Method: "StopContainer", Hang: true})
	ended := make(chan error, 1)
	id := b.create("main")
	go func() { ended <- b.stop(t.Context(), id, 60) }()
	b.wait("the hanging stop", isCall("StopContainer"))
	if n := b.runtime.stopped(); n != 0 {
		t.Errorf("%d stops reached the runtime", n)
	}
	remove()
	if err := <-ended; err != nil {
		t.Errorf("the released call returned %v", err)
	}
	if n := b.runtime.stopped(); n != 1 {
		t.Errorf("%d stops reached the runtime", n)
	}
}

func TestDelay(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	id := b.create("main")
	const delay = 50 * time.Millisecond
	remove := b.inject(Fault{Method: "StopContainer", Delay: delay})
	if err := b.stop(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	call, back := b.wait("call", isCall("StopContainer")), b.wait("return", isReturn("StopContainer"))
	if d := back.At.Sub(call.At); d < delay {
		t.Errorf("returned after %s, before the delay was over", d)
	}
	remove()

	b.inject(Fault{Method: "StopContainer", Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.stop(ctx, id, 2) }()
	b.wait("the delayed stop", func(e history.Event) bool { return isCall("StopContainer")(e) && *e.Grace == 2 })
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	b.wait("its end", func(e history.Event) bool {
		return isReturn("StopContainer")(e) && *e.Grace == 2 && e.Error == "Canceled"
	})
}

func TestTimesIsExactUnderConcurrency(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	id := b.create("main")
	const strikes, calls = 7, 64
	// All calls have checked the fault once before any is counted.
	var here sync.WaitGroup
	here.Add(calls)
	b.inject(Fault{
		Method: "StopContainer", Container: "main", Fail: status.Error(codes.Aborted, "x"), Times: strikes,
		Match: func(proto.Message) bool {
			here.Done()
			here.Wait()
			return true
		},
	})
	var failed atomic.Int32
	var wait sync.WaitGroup
	for range calls {
		wait.Go(func() {
			if b.stop(t.Context(), id, 1) != nil {
				failed.Add(1)
			}
		})
		wait.Go(func() { // faults are added and removed meanwhile
			b.inject(Fault{Method: "ExecSync", Hang: true})()
		})
	}
	wait.Wait()
	if n := failed.Load(); n != strikes {
		t.Errorf("%d calls failed, expected %d", n, strikes)
	}
	if n := b.runtime.stopped(); n != calls-strikes {
		t.Errorf("%d calls reached the runtime, expected %d", n, calls-strikes)
	}
}

func TestFirstFaultStrikesFirst(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	for i := range 2 {
		b.inject(Fault{Method: "StopContainer", Fail: status.Error(codes.Aborted, fmt.Sprint(i)), Times: 1})
	}
	for i := range 2 {
		if err := b.stop(t.Context(), "x", 1); status.Convert(err).Message() != fmt.Sprint(i) {
			t.Errorf("call %d: got %v", i, err)
		}
	}
}

func TestReadsStruckByAFaultAreRecorded(t *testing.T) {
	log, err := history.NewRecorder().Open(history.Header{Scenario: "s", Pod: "p"})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, &fakeRuntime{}, func(o *Options) { o.Record = log }) // records everything, for all pods
	b.inject(Fault{Method: "Version", Fail: errors.New("down"), Times: 1})
	if _, err := b.client.Version(t.Context(), &runtimev1.VersionRequest{}); err == nil {
		t.Error("no error")
	}
	if _, err := log.Wait(t.Context(), "the return", isReturn("Version")); err != nil {
		t.Error(err)
	}
}

func TestSenselessFaultsAreRefused(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	for _, f := range []Fault{
		{Hang: true},
		{Method: "StopContainr", Hang: true},
		{Method: "/runtime.v1.RuntimeService/StopContainer", Hang: true},
		{Method: "StopContainer"},
		{Method: "StopContainer", Hang: true, Times: -1},
		{Method: "StopContainer", Delay: -1},
	} {
		if _, err := b.proxy.Inject(f); err == nil {
			t.Errorf("taken: %+v", f)
		}
	}
}
