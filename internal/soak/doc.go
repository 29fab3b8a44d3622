// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak lets pods come and go on one real node for a long time, shortens their grace periods at random, and disturbs the
// node at random: the kubelet killed or stopped, the runtime or the API server restarted, the watch cut, runtime calls that fail,
// hang or are slow, a full disk under the kubelet's directory.
//
// Each pod is a scenario that a seed determines (draw.go). Package player plays it, and the catalogue's judges judge its history,
// unchanged. What a disturbance excuses is a list with reasons (excuse.go): most excuse time, which the judges count as they
// count that of a slow machine; some put a rule aside for the pods that they hit. Everything else is red. When the last pod has
// ended, the node must be as it was before the first one (leftover.go), the kubelet's goroutines too, and its memory must not have
// grown with the pods (memory.go).
//
// Real are the node, as package localnode describes it, and every disturbance. Not real: the disk that fills is one in memory,
// of the node's own; the runtime's faults happen in the recorder between kubelet and runtime. Which pods run is decided by the
// seed, when they run by the machine: two runs of one seed have the same pods in each lane and the same disturbances, but not the
// same coincidences. Timers do not show in a profile; the goroutines that wait for them do.
package soak
