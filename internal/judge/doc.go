// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package judge checks the rules of the termination contract. A judge is a pure function from a history to a finding; each rule
// has its own file. Only judges turn a scenario red.
//
// Judges use only the history, the scenario and the contract. The package imports nothing from the fix, so that a bug in the
// fix's arithmetic cannot hide itself.
//
// Judges bound what they cannot observe. The contract counts from the start of the pod's first terminating sync, from the
// moments at which the worker was told, and from the first sight of the deletionTimestamp, all on the kubelet's clock. A
// history records when the harness sent a request and when a watch showed its effect: the worker was told no earlier than the
// first and, apart from the level's slack, no later than the second. The sim level records the start of the terminating sync;
// elsewhere begin.go bounds it. "Not before" therefore counts from the earliest possible moment, and "not after" from the
// latest plus slack. The value of the deletionTimestamp has a resolution of one second and is never used.
//
// A request is anything that asks for the pod's end: a delete that the API server accepted, a kill inside the kubelet, the
// removal of a static pod's manifest. Steps that only disturb (a restart, a cut connection) are not requests, but if one is
// missing or failed, the run is Invalid. A delete sent after the pod had left the API does not count as missing. Actions on the
// pod before the first request are not part of the termination.
//
// On a real node a judge holds the kubelet responsible only for its own actions. A kill requested in time and with the right
// timeout counts as correct, however late the runtime carried it out (runtime_late.go). If the kubelet acted too late, the
// judge compares the delay with that of a control that waits in the same way, and with the delays of the runtime: if they
// explain it, the finding is Invalid; if not, the rule is broken (machine_late.go).
//
// A rule that never applied, because no pod ran, a request was refused or the observation ended too soon, is Invalid: neither
// green nor red.
//
// A history does not show the following, so this package does not judge it: goroutines, contexts and timers inside the kubelet
// (R13), the identity of a returned error (R8), error metrics and back-off (R10), volumes and cgroups (R12). The unit and sim
// levels check these.
package judge
