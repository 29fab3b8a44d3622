// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podworkers

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// attempt is one attempt to terminate the pod, as seen below the worker.
type attempt struct {
	began, returned time.Duration
	err             error
}

// stop is a call that requests the runtime to stop the container.
type stop struct {
	at      time.Duration
	timeout int64 // in seconds
	// kill is the number of the kill that makes the call, from 1; again marks its second and later calls.
	kill  int
	again bool
}

// stubborn is one pod with a container that ignores TERM, on a runtime like containerd: each stop call has its own timer,
// and the first to expire kills the container. As in the kubelet, all attempts share one kill of the pod. Times count from
// the start of the termination.
type stubborn struct {
	start time.Time
	// syncs is how long the pod is still synced regardless of requests, as during the pull of an image.
	syncs time.Duration
	// exits is when the container ends by itself; 0 means never.
	exits time.Duration
	// refusals is the number of kills that the runtime refuses.
	refusals int

	lock     sync.Mutex
	attempts []*attempt
	kills    int
	stops    []stop
	synced   chan struct{} // nil unless Sync must wait for it
	dead     chan struct{}
	diedAt   time.Duration
	cleaned  bool
}

var errRefused = errors.New("the runtime refused")

func (s *stubborn) Sync(context.Context, *v1.Pod) (bool, error) {
	s.lock.Lock()
	synced := s.synced
	s.lock.Unlock()
	if synced != nil {
		<-synced
	}
	return false, nil
}

// sync makes the pod being synced from now on, until s.syncs has passed.
func (s *stubborn) sync(ctx context.Context, driver *Driver) {
	synced := make(chan struct{})
	s.lock.Lock()
	s.synced = synced
	s.lock.Unlock()
	driver.Apply(ctx, newPod())
	time.AfterFunc(s.syncs, func() { close(synced) })
	synctest.Wait()
}

func (s *stubborn) TerminateOrphan(ctx context.Context, _ *kubecontainer.Pod, termination *graceperiod.Termination) error {
	gracePeriod := int64(1)
	return s.Terminate(ctx, Attempt{GracePeriod: &gracePeriod, Termination: termination})
}

func (s *stubborn) Terminated(context.Context, *v1.Pod) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.cleaned = true
	return nil
}

func (s *stubborn) Status(uid types.UID) *kubecontainer.PodStatus {
	s.lock.Lock()
	defer s.lock.Unlock()
	state := kubecontainer.ContainerStateRunning
	if s.diedAt > 0 {
		state = kubecontainer.ContainerStateExited
	}
	return &kubecontainer.PodStatus{ID: uid, ContainerStatuses: []*kubecontainer.Status{{Name: "main", State: state}}}
}

func (s *stubborn) Terminate(ctx context.Context, a Attempt) (err error) {
	this := &attempt{began: time.Since(s.start)}
	s.lock.Lock()
	s.attempts = append(s.attempts, this)
	s.lock.Unlock()
	defer func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		this.returned, this.err = time.Since(s.start), err
	}()
	return a.Termination.Kill(ctx, func(context.Context) error { return s.kill(*a.GracePeriod, a.Termination) })
}

// kill stops the container as killContainer does, and calls again with the remaining time whenever the deadline moves.
func (s *stubborn) kill(gracePeriod int64, termination *graceperiod.Termination) error {
	moved := termination.Moved()
	timeout := termination.Left(gracePeriod)
	if !termination.AtOnce() {
		timeout = max(timeout, 2)
	}
	s.lock.Lock()
	s.kills++
	kill := s.kills
	s.lock.Unlock()
	for again := false; ; again = true {
		s.lock.Lock()
		s.stops = append(s.stops, stop{at: time.Since(s.start), timeout: timeout, kill: kill, again: again})
		s.lock.Unlock()
		if kill <= s.refusals {
			return errRefused
		}
		go s.killAfter(time.Duration(timeout) * time.Second)
		select {
		case <-s.dead:
			return nil
		case <-moved:
		}
		moved = termination.Moved()
		timeout = termination.Seconds()
	}
}

// timeouts returns the timeouts of the stop calls, in seconds.
func (s *stubborn) timeouts() []int64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	var timeouts []int64
	for _, call := range s.stops {
		timeouts = append(timeouts, call.timeout)
	}
	return timeouts
}

// killAfter ends the container after that time, unless it has ended before.
func (s *stubborn) killAfter(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.dead:
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	select {
	case <-s.dead:
	default:
		s.diedAt = time.Since(s.start)
		close(s.dead)
	}
}

// request is a request to the worker at a time after the start of the termination. The first one is the start.
type request struct {
	after time.Duration
	// grace is deletionGracePeriodSeconds, or with evict the kubelet's override; unset is -1.
	grace  int64
	evict  bool
	remove bool
}

const specGrace = int64(60)

// outcome is the result of a play.
type outcome struct {
	*stubborn
	events []string
	// left is the worker's state at the end, after the pod is gone from its source and housekeeping has run.
	left    State
	workers int
}

// play runs the pod for a while, plays the requests and waits until the pod has ended. It runs in virtual time.
func play(t *testing.T, pod *stubborn, requests []request) outcome {
	result := outcome{stubborn: pod}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
		defer cancel()
		recorder := record.NewFakeRecorder(100)
		driver := NewDriver(ctx, pod, recorder)
		go driver.Run(ctx)
		pod.dead = make(chan struct{})
		driver.Apply(ctx, newPod())
		// long enough for the first relist, so that the worker need not wait for a status from here on; no relist coincides with
		// a request
		time.Sleep(3*time.Second + 500*time.Millisecond + 250*time.Microsecond)

		pod.start = time.Now()
		if pod.syncs > 0 {
			pod.sync(ctx, driver)
		}
		if pod.exits > 0 {
			go pod.killAfter(pod.exits)
		}
		for _, r := range requests {
			time.Sleep(r.after - time.Since(pod.start))
			ask(ctx, driver, r)
			synctest.Wait()
		}
		<-pod.dead
		time.Sleep(pod.syncs - time.Since(pod.start))
		// the status manager would remove the pod from the API; then the next housekeeping forgets it
		time.Sleep(backOffPeriod + backOffPeriod/2)
		driver.Remove(ctx, newPod().UID)
		time.Sleep(2 * housekeepingPeriod)
		result.left, result.workers = driver.State(newPod().UID), driver.Workers()
		for len(recorder.Events) > 0 {
			result.events = append(result.events, <-recorder.Events)
		}
		cancel()
		// a goroutine that is left makes the end of the bubble fail
	})
	return result
}

func ask(ctx context.Context, driver *Driver, r request) {
	pod := newPod()
	switch {
	case r.remove:
		driver.Remove(ctx, pod.UID)
	case r.evict && r.grace < 0:
		driver.Kill(ctx, pod, nil)
	case r.evict:
		driver.Kill(ctx, pod, &r.grace)
	default:
		pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		pod.DeletionGracePeriodSeconds = &r.grace
		driver.Apply(ctx, pod)
	}
}

func newPod() *v1.Pod {
	grace := specGrace
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "1", Name: "pod", Namespace: "default"},
		Spec: v1.PodSpec{
			TerminationGracePeriodSeconds: &grace,
			Containers:                    []v1.Container{{Name: "main"}},
		},
	}
}
