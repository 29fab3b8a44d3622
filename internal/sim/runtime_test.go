// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/history"
)

func TestStopLeavesNothing(t *testing.T) {
	both(t, func(s *stage) {
		id, other := s.start("main", "--stubborn"), s.start("other", "--exit-after", "1h")
		calls := []*pending{s.stop(id, 600), s.exec(other, 0, "hook", "--for", "forever")}
		events := s.send(func(ctx context.Context) error {
			return s.GetContainerEvents(ctx, make(chan *runtimev1.ContainerEventResponse), nil)
		})
		if _, err := s.Inject(Fault{Method: "RemoveContainer", Hang: true}); err != nil {
			s.t.Fatal(err)
		}
		calls = append(calls, events, s.send(func(ctx context.Context) error { return s.RemoveContainer(ctx, other) }))
		recorded := len(s.log.History().Events)
		s.Stop()
		for _, call := range calls {
			call.returned(0, "Unavailable")
		}
		if err := s.StopContainer(s.t.Context(), id, 1); status.Code(err) != codes.Unavailable {
			s.t.Errorf("a call after the end: %v", err)
		}
		for _, e := range s.log.History().Events[recorded:] {
			if e.Kind != history.CRIReturn && e.Kind != history.CRICall {
				s.t.Errorf("recorded at the end: %+v", e)
			}
		}
		s.at(2 * time.Hour) // the remaining timers have no effect
	})
}

func TestFaults(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--exit-on-term")
		inject := func(f Fault) func() {
			remove, err := s.Inject(f)
			if err != nil {
				s.t.Fatal(err)
			}
			return remove
		}
		inject(Fault{Method: "StopContainer", Container: "other", Fail: errors.New("never")})
		inject(Fault{Method: "StopContainer", Pod: pod, Container: "main", Fail: status.Error(codes.Internal, "broken"), Times: 1})
		s.stop(id, 1).returned(0, "Internal")
		inject(Fault{Method: "StopContainer", Delay: 3 * time.Second, Times: 1, Match: func(request proto.Message) bool {
			return request.(*runtimev1.StopContainerRequest).GetTimeout() == 7
		}})
		remove := inject(Fault{Method: "ContainerStatus", Hang: true})
		call := s.stop(id, 7)
		look := s.send(func(ctx context.Context) error { _, err := s.ContainerStatus(ctx, id, false); return err })
		s.at(time.Second)
		look.waiting()
		remove()
		look.returned(time.Second, "OK")
		s.alive(id)
		call.returned(3*time.Second, "OK")
		if _, err := s.Inject(Fault{Method: "Nonsense", Hang: true}); err == nil {
			s.t.Error("a fault for a method that is none was taken")
		}
		var struck []string
		for _, e := range s.log.History().Events {
			if e.Kind == history.CRICall && e.Reason != "" {
				struck = append(struck, e.Call+" "+e.Reason)
			}
		}
		if got := strings.Join(struck, ", "); got != "StopContainer fault: fail, StopContainer fault: delay, ContainerStatus fault: hang" {
			s.t.Errorf("recorded %s", got)
		}
	})
}

func TestHangingStopHoldsNothingBack(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		if _, err := s.Inject(Fault{Method: "StopContainer", Hang: true, Times: 1}); err != nil {
			s.t.Fatal(err)
		}
		first := s.stop(id, 60)
		s.at(3 * time.Second)
		second := s.stop(id, 0)
		s.at(4 * time.Second)
		first.waiting()
		if second.err != nil || s.state(id).GetState() != runtimev1.ContainerState_CONTAINER_EXITED {
			s.t.Errorf("%v, %s", second.err, s.state(id).GetState())
		}
		first.cancel()
		first.returned(4*time.Second, "Canceled")
	})
}

func TestHookEndsMain(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.exec(id, 0, "hook", "--for", "20s", "--end-main", "3s", "--word", "BYE")
		s.at(4 * time.Second)
		s.died(id, 3*time.Second, 0)
		s.said("main", "START@0s", "BYE-START@0s", "EXIT@3s", "EOF@3s")
	})
	// A hook that is already over does not end the main process.
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.exec(id, 0, "hook", "--for", "1s", "--end-main", "3s").returned(time.Second, "OK")
		s.at(4 * time.Second)
		s.alive(id)
	})
}

func TestLostSandbox(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn")
		s.LoseSandbox("another")
		for _, want := range []runtimev1.PodSandboxState{runtimev1.PodSandboxState_SANDBOX_READY, runtimev1.PodSandboxState_SANDBOX_NOTREADY} {
			reply, err := s.PodSandboxStatus(s.t.Context(), s.sandbox, false)
			if err != nil || reply.GetStatus().GetState() != want {
				s.t.Errorf("%v, %v, expected %s", reply.GetStatus().GetState(), err, want)
			}
			s.LoseSandbox(pod)
		}
		s.alive(id)
	})
}

func TestProgramOverrides(t *testing.T) {
	both(t, func(s *stage) {
		s.Program(pod, "main", Program{Brief: true, ExitAfter: 2 * time.Second, ExitCode: 4})
		id := s.start("main", "--stubborn")
		s.at(3 * time.Second)
		s.died(id, 2*time.Second, 4)
		s.said("main", "START@0s", "EXIT@2s", "EOF@2s")
	})
}

func TestStartFailures(t *testing.T) {
	both(t, func(s *stage) {
		usage, err := s.createIn(s.sandbox, "usage", "run", "--nonsense")
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.StartContainer(s.t.Context(), usage); err != nil {
			s.t.Error(err) // it starts, and exits with the usage error code
		}
		s.died(usage, 0, actor.ExitUsage)
		hook, err := s.createIn(s.sandbox, "hook", "hook")
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.StartContainer(s.t.Context(), hook); err == nil {
			s.t.Error("a hook ran as a main process")
		}
		// There is no event for it, but a status call shows it, and then it is recorded, once.
		for asked := range 3 {
			told := 0
			for _, e := range s.log.History().Select(history.ContainerExit) {
				if e.ContainerID == hook {
					told++
				}
			}
			if told != min(asked, 1) {
				s.t.Errorf("asked %d times, recorded %d times", asked, told)
			}
			if st := s.state(hook); st.GetReason() != "StartError" || st.GetExitCode() != 128 {
				s.t.Errorf("%v", st)
			}
		}
		if _, err := s.createIn(s.sandbox, "hook"); err == nil {
			s.t.Error("two containers of one name and attempt")
		}
		if _, err := s.createIn("none", "main"); status.Code(err) != codes.NotFound {
			s.t.Errorf("in no sandbox: %v", err)
		}
		s.ForgetImage(ActorImage)
		if _, err := s.createIn(s.sandbox, "main"); status.Code(err) != codes.NotFound {
			s.t.Errorf("of no image: %v", err)
		}
	})
}

func TestSlowPull(t *testing.T) {
	both(t, func(s *stage) {
		s.ForgetImage(ActorImage)
		spec := &runtimev1.ImageSpec{Image: ActorImage}
		there := func() bool {
			reply, err := s.ImageStatus(s.t.Context(), spec, false)
			if err != nil {
				s.t.Fatal(err)
			}
			return reply.GetImage() != nil
		}
		if _, err := s.Inject(Fault{Method: "PullImage", Pod: pod, Delay: 20 * time.Second}); err != nil {
			s.t.Fatal(err)
		}
		pull := func(ctx context.Context) error {
			_, err := s.PullImage(ctx, spec, nil, &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: pod}})
			return err
		}
		given := s.send(pull)
		s.at(5 * time.Second)
		given.cancel()
		given.returned(5*time.Second, "Canceled")
		if there() {
			s.t.Error("a cancelled pull brought the image")
		}
		s.send(pull).returned(25*time.Second, "OK")
		if !there() {
			s.t.Error("the pull brought nothing")
		}
	})
}

func TestLists(t *testing.T) {
	both(t, func(s *stage) {
		a, b := s.start("a", "--stubborn"), s.create("b")
		other := s.newSandbox("q", runtimev1.NamespaceMode_POD)
		c, err := s.createIn(other, "c", "run")
		if err != nil {
			s.t.Fatal(err)
		}
		list := func(filter *runtimev1.ContainerFilter) string {
			all, err := s.ListContainers(s.t.Context(), filter)
			if err != nil {
				s.t.Fatal(err)
			}
			ids := ""
			for _, one := range all {
				ids += map[string]string{a: "a", b: "b", c: "c"}[one.GetId()]
			}
			return ids
		}
		created := &runtimev1.ContainerStateValue{State: runtimev1.ContainerState_CONTAINER_CREATED}
		for want, filter := range map[string]*runtimev1.ContainerFilter{
			"abc": nil, "ab": {PodSandboxId: s.sandbox}, "bc": {State: created}, "c": {Id: c}, "": {LabelSelector: map[string]string{"x": "y"}},
		} {
			if got := list(filter); got != want {
				s.t.Errorf("%v gives %q, expected %q", filter, got, want)
			}
		}
		pods, err := s.ListPodSandbox(s.t.Context(), &runtimev1.PodSandboxFilter{State: &runtimev1.PodSandboxStateValue{State: runtimev1.PodSandboxState_SANDBOX_READY}})
		if err != nil || len(pods) != 2 {
			s.t.Errorf("%v, %v", pods, err)
		}
		for id, want := range map[string]bool{s.sandbox: false, other: true} {
			reply, err := s.PodSandboxStatus(s.t.Context(), id, false)
			if err != nil || (reply.GetStatus().GetNetwork().GetIp() != "") != want {
				s.t.Errorf("%v, %v: an address: expected %t", reply, err, want)
			}
		}
	})
}

func TestReadsAreRecordedOnDemand(t *testing.T) {
	for reads, want := range map[bool]int{false: 0, true: 2} {
		play(t, Options{Reads: reads}, func(s *stage) {
			id := s.start("main")
			s.state(id)
			n := 0
			for _, e := range s.log.History().Events {
				if e.Call == "ContainerStatus" {
					n++
				}
			}
			if n != want {
				s.t.Errorf("reads %t: %d records of a look", reads, n)
			}
		})
	}
}

func TestAbout(t *testing.T) {
	both(t, func(s *stage) {
		ctx := s.t.Context()
		version, err := s.Version(ctx, "")
		if err != nil || version.GetRuntimeName() == "" || version.GetRuntimeVersion() == "" || version.GetRuntimeApiVersion() != "v1" {
			s.t.Errorf("%v, %v", version, err)
		}
		st, err := s.Runtime.Status(ctx, false)
		if err != nil || len(st.GetStatus().GetConditions()) != 2 {
			s.t.Errorf("%v, %v", st, err)
		}
		for _, c := range st.GetStatus().GetConditions() {
			if !c.GetStatus() {
				s.t.Errorf("%v", c)
			}
		}
		if config, err := s.RuntimeConfig(ctx); err != nil || config.GetLinux() == nil {
			s.t.Errorf("%v, %v", config, err)
		}
		if fs, err := s.ImageFsInfo(ctx); err != nil || len(fs.GetImageFilesystems()) != 1 {
			s.t.Errorf("%v, %v", fs, err)
		}
		if err := s.UpdateRuntimeConfig(ctx, nil); err != nil {
			s.t.Error(err)
		}
		if _, err := s.Exec(ctx, nil); status.Code(err) != codes.Unimplemented {
			s.t.Errorf("Exec: %v", err)
		}
		spec := &runtimev1.ImageSpec{Image: PauseImage}
		count := func() int {
			list, err := s.ListImages(ctx, nil)
			if err != nil {
				s.t.Fatal(err)
			}
			return len(list)
		}
		before := count()
		for range 2 {
			if err := s.RemoveImage(ctx, spec); err != nil {
				s.t.Error(err)
			}
		}
		if before != 2 || count() != 1 {
			s.t.Errorf("%d images, then %d", before, count())
		}
	})
}

// A scenario is cheap. (Not with CRI-O's behaviour, whose 10 ms are real outside of a bubble.)
func BenchmarkScenario(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		threeStops(b)
	}
}

// threeStops runs a pod from its start to its removal, with three stops at once.
func threeStops(tb testing.TB) {
	rt := New(Options{})
	defer rt.Stop()
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	config := &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: pod, Uid: "u", Namespace: "ns"}}
	sandbox, err := rt.RunPodSandbox(ctx, config, "")
	must(err)
	id, err := rt.CreateContainer(ctx, sandbox, &runtimev1.ContainerConfig{
		Metadata: &runtimev1.ContainerMetadata{Name: "main"}, Image: &runtimev1.ImageSpec{Image: ActorImage},
		Args: []string{"run", "--stubborn", "--pod", pod, "--container", "main", "--socket", "/s"},
	}, config)
	must(err)
	must(rt.StartContainer(ctx, id))
	back := make(chan error, 3)
	for _, timeout := range []int64{3600, 60, 0} {
		go func() { back <- rt.StopContainer(ctx, id, timeout) }()
	}
	for range 3 {
		must(<-back)
	}
	must(rt.StopPodSandbox(ctx, sandbox))
	must(rt.RemovePodSandbox(ctx, sandbox))
}
