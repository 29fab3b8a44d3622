//go:build kgrace_sim

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

package simkubelet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/cast"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	// runtimeDown is how long the runtime is away when it is restarted.
	runtimeDown = 800 * time.Millisecond
	// patience bounds the wait for the kubelet to have listed anew.
	patience = time.Minute
)

// do carries one step out. A delete and its answer, and an eviction and its, are events of their own; what else is done, and
// whether it could be, is one event when it is done.
func (st *stage) do(ctx context.Context, do scenario.Action) {
	switch do := do.(type) {
	case scenario.Delete:
		st.delete(st.target, &do.Grace)
		return
	case scenario.DeletePlainly:
		st.delete(st.target, nil)
		return
	case scenario.Force:
		st.delete(st.target, new(int64))
		return
	case scenario.Evict:
		st.kill(ctx, do.String(), true, do.Override(st.s.Pod.Grace), func(status *corev1.PodStatus) {
			status.Phase, status.Reason, status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
		})
		return
	case scenario.Shutdown:
		st.kill(ctx, do.String(), false, do.Override(st.s.Pod.Grace), func(status *corev1.PodStatus) {
			if status.Phase != corev1.PodSucceeded {
				status.Phase = corev1.PodFailed
			}
			status.Reason, status.Message = "Terminated", "Pod was terminated in response to imminent node shutdown."
		})
		return
	case scenario.Burst:
		st.burst(do)
		return
	}
	step := history.Event{Kind: history.Step, Reason: do.String()}
	if err := st.disturb(ctx, do); err != nil {
		step.Error = err.Error()
	}
	st.log.Add(step)
}

func (st *stage) disturb(ctx context.Context, do scenario.Action) error {
	switch do.(type) {
	case scenario.Taint:
		// There is no taint manager here: the harness sends what that would send.
		st.delete(st.target, nil)
	case scenario.RemoveManifest:
		st.log.Add(history.Event{Kind: history.Manifest, Reason: "REMOVED"})
		return st.SetManifest(ctx, st.s.ID, nil)
	case scenario.ChangeManifest:
		st.log.Add(history.Event{Kind: history.Manifest, Reason: "CHANGED"})
		return st.writeManifest(ctx, true)
	case scenario.AddManifest:
		st.log.Add(history.Event{Kind: history.Manifest, Reason: "ADDED"})
		return st.writeManifest(ctx, false)
	case scenario.Touch:
		return st.API.Annotate(cast.Namespace, st.target, cast.Touched, "once")
	case scenario.RemoveFinalizer:
		return st.API.RemoveFinalizers(cast.Namespace, st.target)
	case scenario.ForceMirror:
		st.delete(st.target, new(int64))
	case scenario.KillKubelet:
		st.StopKubelet()
	case scenario.StartKubelet:
		return st.StartKubelet(ctx)
	case scenario.RestartRuntime:
		st.Runtime.Down()
		time.Sleep(runtimeDown)
		st.Runtime.Up()
	case scenario.LoseSandbox:
		st.Runtime.LoseSandbox(st.target)
	case scenario.StopRuntime:
		st.Runtime.Down()
	case scenario.StartRuntime:
		st.Runtime.Up()
	case scenario.CutWatch:
		st.API.Cut()
	case scenario.Relist:
		st.API.Restore()
		return st.forgotten()
	default:
		return fmt.Errorf("level %s cannot carry this out", scenario.LevelSim)
	}
	return nil
}

// delete sends one delete; nil asks for no grace. What the API server refuses is part of the history.
func (st *stage) delete(pod string, grace *int64) {
	st.log.Add(history.Event{Kind: history.APIDelete, Pod: pod, Grace: grace})
	time.Sleep(way)
	answer := history.Event{Kind: history.APIDeleted, Pod: pod, Grace: grace}
	if _, err := st.API.Delete(cast.Namespace, pod, metav1.DeleteOptions{GracePeriodSeconds: grace}); err != nil {
		answer.Error = err.Error()
	}
	st.log.Add(answer)
}

// kill calls the kubelet's kill function as its eviction manager and its manager of node shutdowns do, and waits for the answer
// in a goroutine.
func (st *stage) kill(ctx context.Context, why string, evicted bool, grace int64, change func(*corev1.PodStatus)) {
	call := history.Event{Kind: history.KubeletKill, CallID: st.calls.Add(1), Grace: &grace, Reason: why}
	st.log.Add(call)
	kubelet := st.Kubelet
	st.callers.Go(func() {
		err := kubelet.KillPod(ctx, cast.Namespace, st.target, evicted, &grace, change)
		answer := call
		answer.Kind = history.KubeletKilled
		if err != nil {
			answer.Error = err.Error()
		}
		st.log.Add(answer)
	})
}

// burst creates the pods of a burst and deletes each in its time.
func (st *stage) burst(burst scenario.Burst) {
	st.log.Add(history.Event{Kind: history.Step, Reason: burst.String()})
	for n := range burst.Pods {
		st.callers.Go(func() {
			one := st.s
			one.ID = burst.Name(st.s.ID, n)
			if _, err := st.API.Create(cast.Pod(one, nodeName, "")); err != nil {
				st.log.Add(history.Event{Kind: history.Step, Reason: "create pod " + one.ID, Error: err.Error()})
				return
			}
			time.Sleep(burst.Delay(n))
			st.delete(one.ID, &burst.Grace)
		})
	}
	st.callers.Wait()
}

// forgotten waits until the kubelet's own list of pods no longer has the scenario's.
func (st *stage) forgotten() error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !st.Kubelet.Knows(cast.Namespace, st.target) {
			return nil
		}
	}
	return fmt.Errorf("the kubelet still has the pod after %v", patience)
}
