// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podworkers

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"
	"k8s.io/utils/clock"

	"github.com/kgrace/kgrace/pkg/graceperiod"
)

// The kubelet's intervals: of its PLEG's relists, of its sync loop's checks of the work queue, of housekeeping's search for
// orphans, and the back-off after a failed sync (kubelet.go, and genericPlegRelistPeriod in it).
const (
	relistPeriod       = time.Second
	queuePeriod        = time.Second
	housekeepingPeriod = 2 * time.Second
	resyncInterval     = time.Minute
	backOffPeriod      = 10 * time.Second
)

// Attempt is one attempt to terminate a pod.
type Attempt struct {
	Pod    *v1.Pod
	Status *kubecontainer.PodStatus
	// GracePeriod is the grace period of the update in seconds, or nil if nobody requested one.
	GracePeriod *int64
	// Termination holds the deadline, which can move closer; it is the same for all attempts.
	Termination *graceperiod.Termination
}

// Syncer defines what the workers do with a pod. One goroutine per pod calls its methods, with the worker's context. After
// an error the worker tries again, after a back-off unless it is the context's own error.
type Syncer interface {
	// Sync makes the pod run. It returns true once the pod has ended by itself.
	Sync(ctx context.Context, pod *v1.Pod) (ended bool, err error)
	// Terminate stops the containers of the pod. It is called until it returns nil.
	Terminate(ctx context.Context, attempt Attempt) error
	// TerminateOrphan does the same for a pod that only the runtime knows.
	TerminateOrphan(ctx context.Context, pod *kubecontainer.Pod, termination *graceperiod.Termination) error
	// Terminated cleans up after the pod.
	Terminated(ctx context.Context, pod *v1.Pod) error
	// Status returns what the runtime reports about the pod; nil means a pod without containers.
	Status(uid types.UID) *kubecontainer.PodStatus
}

// Driver runs pod workers as a kubelet does. It is safe for concurrent use.
type Driver struct {
	workers   *podWorkers
	workQueue queue.WorkQueue
	cache     kubecontainer.Cache
	syncer    Syncer

	// lock serializes what the kubelet does in its sync loop: updates and removals, retries and housekeeping.
	lock sync.Mutex
	pods map[types.UID]*v1.Pod
}

// NewDriver returns a Driver without pods. Events about pods go to the recorder.
func NewDriver(ctx context.Context, syncer Syncer, recorder record.EventRecorder) *Driver {
	d := &Driver{
		workQueue: queue.NewBasicWorkQueue(clock.RealClock{}),
		cache:     kubecontainer.NewCache(),
		syncer:    syncer,
		pods:      map[types.UID]*v1.Pod{},
	}
	allocations := allocation.NewInMemoryManager(klog.FromContext(ctx), nil, nil, nil, nil, nil, nil)
	workers := newPodWorkers(d.podSyncer(), recorder, d.workQueue, resyncInterval, backOffPeriod, d.cache, allocations)
	d.workers = workers.(*podWorkers)
	return d
}

func (d *Driver) podSyncer() podSyncer {
	return podSyncerFuncs{
		syncPod: func(ctx context.Context, _ kubetypes.SyncPodType, pod, _ *v1.Pod, _ *kubecontainer.PodStatus) (bool, func(), error) {
			ended, err := d.syncer.Sync(ctx, pod)
			return ended, nil, err
		},
		syncTerminatingPod: func(ctx context.Context, pod *v1.Pod, status *kubecontainer.PodStatus, gracePeriod *int64, termination *graceperiod.Termination, _ func(*v1.PodStatus)) error {
			return d.syncer.Terminate(ctx, Attempt{Pod: pod, Status: status, GracePeriod: gracePeriod, Termination: termination})
		},
		syncTerminatingRuntimePod: d.syncer.TerminateOrphan,
		syncTerminatedPod: func(ctx context.Context, pod *v1.Pod, _ *kubecontainer.PodStatus) error {
			return d.syncer.Terminated(ctx, pod)
		},
	}
}

// Run runs the kubelet's loops around the workers until ctx is done.
func (d *Driver) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { every(ctx, relistPeriod, d.relist) })
	loops.Go(func() { every(ctx, queuePeriod, d.retry) })
	loops.Go(func() { every(ctx, housekeepingPeriod, d.housekeep) })
	loops.Wait()
}

func every(ctx context.Context, period time.Duration, step func(context.Context)) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			step(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// relist updates the pod cache, as the kubelet's PLEG does, for every pod that has a worker.
func (d *Driver) relist(context.Context) {
	d.workers.podLock.Lock()
	uids := slices.Collect(maps.Keys(d.workers.podSyncStatuses))
	d.workers.podLock.Unlock()
	now := time.Now()
	for _, uid := range uids {
		status := d.syncer.Status(uid)
		if status == nil {
			status = &kubecontainer.PodStatus{ID: uid}
		}
		d.cache.Set(uid, status, nil, now)
	}
	d.cache.UpdateTime(now)
}

// retry passes pods whose back-off or resync interval is over to their workers again.
func (d *Driver) retry(ctx context.Context) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for _, uid := range d.workQueue.GetWork() {
		if pod, ok := d.pods[uid]; ok {
			d.workers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, UpdateType: kubetypes.SyncPodSync, StartTime: time.Now()})
		}
	}
}

// housekeep tells the workers which pods are wanted; they handle the others by themselves.
func (d *Driver) housekeep(ctx context.Context) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.workers.SyncKnownPods(klog.FromContext(ctx), slices.Collect(maps.Values(d.pods)))
}
