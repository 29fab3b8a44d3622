// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podworkers is the kubelet's pod worker with the fix, outside a kubelet: one goroutine per pod, which syncs and
// terminates the pod and then forgets it.
//
// pod_workers.go and errors.go are the kubelet's own files from the fixed tree of the default minor, copied by `kgrace
// update` and compared with the tree by `kgrace verify`. The pod cache and the work queue are Kubernetes' packages. Driver
// calls them as the kubelet's loops do and at their intervals: a relist and a check of the work queue every second,
// housekeeping every two seconds.
//
// There is no kubelet around it, so no API server, no status manager and no container runtime. The user of a Driver
// provides a Syncer, which defines what syncing and terminating a pod mean, and what the runtime reports about it.
package podworkers
