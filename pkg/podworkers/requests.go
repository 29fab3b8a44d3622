// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podworkers

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// These methods are the kubelet's requests to a pod worker. None of them waits for the worker.

// Apply is an update from the API server or another source: a new pod, or a new version of a known one. A pod with a
// deletionTimestamp is terminated with its deletionGracePeriodSeconds.
func (d *Driver) Apply(ctx context.Context, pod *v1.Pod) {
	d.lock.Lock()
	defer d.lock.Unlock()
	_, known := d.pods[pod.UID]
	d.pods[pod.UID] = pod
	updateType := kubetypes.SyncPodUpdate
	if !known {
		updateType = kubetypes.SyncPodCreate
	}
	d.workers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, UpdateType: updateType, StartTime: time.Now()})
}

// Remove is the removal of the pod from its source. It has no grace period of its own: the worker keeps the one it has.
// Removing an unknown pod has no effect.
func (d *Driver) Remove(ctx context.Context, uid types.UID) {
	d.lock.Lock()
	defer d.lock.Unlock()
	pod, known := d.pods[uid]
	delete(d.pods, uid)
	if known {
		d.workers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, UpdateType: kubetypes.SyncPodKill})
	}
}

// Kill is the kubelet's own request to end a pod, as in an eviction. The grace period is in seconds; nil means the pod's
// own. The returned channel is closed when the containers of the pod have ended.
func (d *Driver) Kill(ctx context.Context, pod *v1.Pod, gracePeriod *int64) <-chan struct{} {
	done := make(chan struct{})
	d.workers.UpdatePod(ctx, UpdatePodOptions{
		Pod:        pod,
		UpdateType: kubetypes.SyncPodKill,
		KillPodOptions: &KillPodOptions{
			Evict:                                    true,
			CompletedCh:                              done,
			PodTerminationGracePeriodSecondsOverride: gracePeriod,
		},
	})
	return done
}

// KillOrphan ends a pod that only the runtime knows, with the grace period of 1 s that housekeeping uses.
func (d *Driver) KillOrphan(ctx context.Context, pod *kubecontainer.Pod) {
	gracePeriod := int64(1)
	d.workers.UpdatePod(ctx, UpdatePodOptions{
		RunningPod:     pod,
		UpdateType:     kubetypes.SyncPodKill,
		KillPodOptions: &KillPodOptions{PodTerminationGracePeriodSecondsOverride: &gracePeriod},
	})
}

// State is a worker's state of a pod.
type State struct {
	// Known is true as long as there is a record of the pod.
	Known bool
	// Terminated is true once no container of the pod can be running.
	Terminated bool
	// Working is true while the worker has something to do.
	Working bool
}

// State returns the state of the pod's worker.
func (d *Driver) State(uid types.UID) State {
	d.workers.podLock.Lock()
	defer d.workers.podLock.Unlock()
	status, ok := d.workers.podSyncStatuses[uid]
	if !ok {
		return State{}
	}
	return State{Known: true, Terminated: status.IsTerminated(), Working: status.IsWorking()}
}

// Workers returns the number of goroutines that serve a pod.
func (d *Driver) Workers() int {
	d.workers.podLock.Lock()
	defer d.workers.podLock.Unlock()
	return len(d.workers.podUpdates)
}
