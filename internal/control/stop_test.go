// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// stubborn is a runtime whose containers are down only when their time is over.
type stubborn struct {
	runtimeapi.RuntimeServiceClient
	begin time.Time

	mu    sync.Mutex
	calls []string
	due   map[string]time.Time
	fails map[string]int // how often a call for it fails
}

func (r *stubborn) called(format, id string, args ...any) error {
	r.calls = append(r.calls, fmt.Sprintf("%.0f s: ", time.Since(r.begin).Seconds())+fmt.Sprintf(format, append([]any{id}, args...)...))
	if r.fails[id]--; r.fails[id] >= 0 {
		return errors.New("busy")
	}
	return nil
}

func (r *stubborn) ListContainers(context.Context, *runtimeapi.ListContainersRequest, ...grpc.CallOption) (*runtimeapi.ListContainersResponse, error) {
	var list []*runtimeapi.Container
	for _, c := range [][2]string{{"a", "a1"}, {"a", "a2"}, {"b", "b1"}, {"other", "o1"}} {
		list = append(list, &runtimeapi.Container{Id: c[1], PodSandboxId: "sandbox-" + c[0], Labels: map[string]string{"io.kubernetes.pod.name": c[0]}})
	}
	return &runtimeapi.ListContainersResponse{Containers: list}, nil
}

func (r *stubborn) StopContainer(ctx context.Context, q *runtimeapi.StopContainerRequest, _ ...grpc.CallOption) (*runtimeapi.StopContainerResponse, error) {
	r.mu.Lock()
	if err := r.called("stop %s %d", q.ContainerId, q.Timeout); err != nil {
		r.mu.Unlock()
		return nil, err
	}
	due := time.Now().Add(time.Duration(q.Timeout) * time.Second)
	if at, ok := r.due[q.ContainerId]; !ok || due.Before(at) {
		r.due[q.ContainerId] = due
	}
	r.mu.Unlock()
	for {
		r.mu.Lock()
		left := time.Until(r.due[q.ContainerId])
		r.mu.Unlock()
		if left <= 0 {
			return &runtimeapi.StopContainerResponse{}, nil
		}
		select {
		case <-time.After(min(left, time.Second)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (r *stubborn) StopPodSandbox(_ context.Context, q *runtimeapi.StopPodSandboxRequest, _ ...grpc.CallOption) (*runtimeapi.StopPodSandboxResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &runtimeapi.StopPodSandboxResponse{}, r.called("stop %s", q.PodSandboxId)
}

// Stop makes one call for each grace period that is shorter, with what is left of it, and stops a sandbox once. A call that fails
// is repeated, unless there is one for a shorter grace period.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		client := fake.NewClientset()
		pods := client.CoreV1().Pods("space")
		a := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "space"}}
		for _, pod := range []*corev1.Pod{a, {ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "space"}}, {ObjectMeta: metav1.ObjectMeta{Name: "unknown", Namespace: "space"}}} {
			if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		runtime := &stubborn{due: map[string]time.Time{}, fails: map[string]int{"a1": 2, "a2": 6, "b1": 1, "sandbox-a": 1, "sandbox-b": 1000}}
		ready, ended := make(chan struct{}), make(chan error)
		go func() { ended <- Stop(ctx, client, "node", runtime, func() { close(ready) }) }()
		<-ready
		runtime.begin = time.Now()
		ask := func(grace int64, message string) {
			now := metav1.Now()
			a.DeletionTimestamp, a.DeletionGracePeriodSeconds, a.Status.Message = &now, history.Seconds(grace), message
			if _, err := pods.Update(ctx, a, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		ask(30, "")
		time.Sleep(5200 * time.Millisecond) // virtual time (synctest): until the shorter request
		ask(30, "nothing new")
		ask(8, "")
		for _, name := range []string{"b", "unknown"} {
			if err := pods.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(9500 * time.Millisecond) // virtual time (synctest): until both pods are down
		cancel()
		if err := <-ended; err == nil || err.Error() != "stop sandbox-b: busy" {
			t.Errorf("got error %v, want that of b's sandbox", err)
		}
		want := map[string]int{"0 s: stop a1 30": 1, "0 s: stop a2 30": 1, "1 s: stop a1 29": 1, "2 s: stop a1 28": 1,
			"5 s: stop a1 3": 1, "5 s: stop a2 3": 1, "8 s: stop sandbox-a": 1, "9 s: stop sandbox-a": 1,
			"5 s: stop b1 0": 1, "6 s: stop b1 0": 1}
		for at := 1; at <= 5; at++ {
			want[fmt.Sprintf("%d s: stop a2 %d", at, 30-at)] = 1
		}
		for at := 6; at <= 14; at++ {
			want[fmt.Sprintf("%d s: stop sandbox-b", at)] = 1
		}
		got := map[string]int{}
		for _, call := range runtime.calls {
			got[call]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-want +got)\n%s", diff)
		}
	})
}
