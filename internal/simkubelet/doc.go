// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simkubelet plays scenarios at the sim level: the arm's own kubelet, compiled from its tree, against a container
// runtime and an API in memory, in virtual time. A scenario is one testing/synctest bubble; a grace period of an hour takes
// milliseconds. It compiles only through internal/simbuild (build tag kgrace_sim).
//
// # Real
//
// The kubelet is the one that NewMainKubelet builds and wires: pod workers with SyncPod, SyncTerminatingPod and
// SyncTerminatedPod, the work queue and the sync loop with housekeeping, pod config with its API source (a reflector) and the
// decoding of static pods' manifests, pod manager and mirror pods, status manager, kuberuntime with hooks, ordering and image
// pulls, pod cache and generic PLEG, prober, allocation and admission, container garbage collection, and the kill function that
// eviction, preemption and shutdown call. Deletes go through the API server's own pod strategy, see internal/simapi.
//
// # Not real
//
// The runtime and its processes: internal/sim. In the kubelet: cAdvisor, the container manager (so cgroups), volumes, mounts
// and subpaths, the operating system's files behind kuberuntime's logs, the OOM watcher (its file in the tree is replaced),
// tracing, and the HTTP client of lifecycle hooks, which uses a network in memory. Not run: node status and lease, the eviction
// manager's watch for pressure, image garbage collection, log rotation, plugins, servers. Events go straight to the history
// instead of through client-go's broadcaster, so they are neither delayed nor dropped. The feature PodCertificateRequest is
// off: it cannot be set up twice in a process. The configuration is the default, except that QOS cgroups, service watching of
// secrets and serial image pulls are off.
//
// # The seam
//
// The build overlays the files in seam/ onto the tree, the same for both arms: they call NewMainKubelet, do what Kubelet.Run
// does, end the goroutines that no kubelet ever ends, so that none outlives its bubble, and report when the first terminating
// sync of a pod starts. They are in no patch. seam/common holds what all minors share; seam/MINOR holds the few calls that
// differ in this minor, and files that replace the common one of the same path. Most of v1.22's do: it uses no contexts, and
// its CRI is v1alpha2, which is converted here, message by message. Its suite runs without Ginkgo and without random scenarios,
// see internal/simbuild.
//
// # Virtual time
//
// Time does not advance while anything runs, so the kubelet's work takes no time; only waits do. A request takes a millisecond
// to the API, so that sending and effect get separate timestamps. The kubelet starts on a whole second, and so its periods tick
// on whole seconds; requests come in between.
package simkubelet
