// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// runtimes is the family about the kubelet's runtime calls, and its events about them, while a grace is shortened.
func runtimes() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "sandbox-order",
		Source: "derived: a cancelled kill continues with the sandbox",
		Fixed:  "no StopPodSandbox before the container is down",
		Stock:  "the same; a plain cancel would break it",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(3, 20)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), del(3, 10)}}},
		Apart:  shorterOnFixed,
		Expect: keeps(RuntimeCalls),
		Levels: everywhere,
	}, {
		ID:     "quiet-cancel",
		Source: "derived: a plain cancel is reported as a failed kill",
		Fixed:  "no FailedKillPod, one Killing event",
		Stock:  "the same: stock cancels nothing",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(3, 5)}}},
		Apart:  shorterOnFixed,
		Expect: keeps(Quiet),
		Levels: everywhere,
	}, {
		ID:       "readiness-during-stop",
		Source:   "#140881",
		Fixed:    "the probe still runs after the shortening",
		Stock:    "the same",
		Pod:      Pod{Grace: 60, Containers: []Container{{Name: "main", Stubborn: true, Probe: time.Second}}},
		Steps:    []Step{del(0, 60), del(3, 20)},
		Scaled:   map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), del(3, 12)}}},
		Apart:    shorterOnFixed,
		Expect:   keeps(Kept),
		Levels:   everywhere,
		BrokenIn: map[string]string{"v1.35": probesCut, "v1.36": probesCut},
	}, {
		ID:     "stop-errors",
		Source: "#113145",
		Fixed:  "retried until it succeeds; the deadline does not move",
		Stock:  "the same, if the retry comes before the sandbox is stopped, which kills the container (up to 1.26 never)",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Faults: []Fault{{Call: "StopContainer", Fails: true, For: 5 * time.Second}},
		Steps:  []Step{force(0)},
		Apart:  "the runtime refuses stop calls for 5 s: the container dies before that with its sandbox, or after it by a retry; the rules leave open which",
		Expect: keeps(OnlyShorter, Ends),
		Levels: []Level{LevelSim, LevelNode},
		Not:    notByFault,
	}, {
		ID:     "stop-hangs",
		Source: "#113606",
		Fixed:  "a second stop call is sent at once",
		Stock:  "no call until the first one's own deadline, two minutes past the grace; then the sandbox is stopped under the container",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Faults: []Fault{{Call: "StopContainer", Hangs: true, Times: 1}},
		Steps:  []Step{del(0, 60), force(3)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), force(3)}}},
		// A real node is not watched for the two minutes after which stock stops the sandbox.
		Expect: append(repairs(Prompt, Ends), Expectation{Rule: RuntimeCalls, Stock: Held, Fixed: Held, Levels: []Level{LevelSim}}),
		Watch:  map[Level]time.Duration{LevelSim: 320 * time.Second},
		Levels: []Level{LevelSim, LevelNode},
		Not:    notByFault,
	}, {
		ID:     "stop-errors-graceful",
		Source: "containerd/containerd#10755, #8847",
		Fixed:  "retried, killed at the deadline; the sandbox is not stopped before",
		Stock:  "the sandbox is stopped at once, and all grace is lost",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Faults: []Fault{{Call: "StopContainer", Fails: true, For: 15 * time.Second}},
		Steps:  []Step{del(0, 60)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Faults: []Fault{{Call: "StopContainer", Fails: true, For: 5 * time.Second}}, Steps: []Step{del(0, 24)}}},
		Expect: append(repairs(Deadline, RuntimeCalls), keeps(Ends)...),
		Levels: []Level{LevelSim, LevelNode},
		Not:    notByFault,
	}, {
		ID:     "stop-fails-after-hook",
		Source: "derived: a retry of the kill",
		Fixed:  "the retry repeats neither the hook, which succeeded, nor the Killing event",
		Stock:  "the sandbox is stopped at once, so there is no second kill",
		Pod:    Pod{Grace: 60, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec, Takes: 2 * time.Second}}}},
		Faults: []Fault{{Call: "StopContainer", Fails: true, Times: 1}},
		Steps:  []Step{del(0, 60)},
		Expect: keeps(HookOnce, Quiet, Ends),
		Levels: []Level{LevelSim},
		Not:    map[Level]string{LevelNode: "stop-errors-graceful retries there; this row is about the kubelet's code alone", LevelKind: "as on a node"},
	}, {
		ID:     "stop-fails-always",
		Source: "derived",
		Fixed:  "killed with its sandbox, after 7 s and a retry",
		Stock:  "killed with its sandbox at once",
		Pod:    Pod{Grace: 5, Containers: stubborn},
		Faults: []Fault{{Call: "StopContainer", Fails: true}},
		Steps:  []Step{del(0, 5)},
		Expect: append(repairs(RuntimeCalls), keeps(Ends)...),
		Levels: []Level{LevelSim, LevelNode},
		Not:    notByFault,
	}, {
		ID:      "runtime-away",
		Source:  "derived: the worker waits without a limit for a newer status of the pod",
		Fixed:   "the termination begins when the runtime is back, and the grace counts from then",
		Stock:   "the same",
		Pod:     Pod{Grace: 5, Containers: stubborn},
		Steps:   []Step{at(0, Touch{}), at(.02, StopRuntime{}), del(1, 5), at(12, StartRuntime{})},
		Alone:   true,
		AsStock: true,
		Unlike:  map[string]string{"v1.22": downAgain},
		Expect:  keeps(Deadline, Kept),
		Levels:  []Level{LevelSim},
		Not:     notWithoutRuntime,
	}, {
		ID:     "runtime-down",
		Source: "derived",
		Fixed:  "the retry that reaches the runtime grants the window, not the grace again",
		Stock:  "the retry grants the whole grace again",
		Pod:    Pod{Grace: 8, Containers: stubborn},
		Steps:  []Step{at(0, StopRuntime{}), del(1, 8), at(12, StartRuntime{})},
		Alone:  true,
		Expect: append(repairs(OnlyShorter), keeps(Ends)...),
		Levels: []Level{LevelSim},
		Not:    notWithoutRuntime,
	}, {
		ID:     "status-fails-after-kill",
		Source: "derived: an error of a terminating sync after the kill",
		Fixed:  "neither a second run of the hook nor a second Killing event",
		Stock:  "the same",
		Pod:    Pod{Grace: 30, Containers: []Container{{Name: "main", Hook: &Hook{Kind: HookExec, Takes: time.Second}}}},
		Faults: []Fault{{Call: "ContainerStatus", Fails: true, From: 900 * time.Millisecond, For: 1100 * time.Millisecond}},
		// The change of the pod makes the worker retry before the kubelet has queried the runtime again.
		Steps: []Step{del(0, 30), at(1.3, Touch{})},
		// In real time the harness controls neither when a status is queried nor how long that takes.
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  append(until("v1.28", "a retry announces the kill again and asks a container that is down to stop", Broken, keeps(Quiet, NoLeftovers)), keeps(HookOnce, Kept)...),
		Levels:  []Level{LevelSim},
		Not:     map[Level]string{LevelNode: "which runtime calls coincide with the end is a matter of milliseconds there", LevelKind: "as on a node"},
	}}
}

// notWithoutRuntime gives the reason why real nodes cannot run scenarios in which the runtime is down for a while.
var notWithoutRuntime = map[Level]string{LevelNode: "the node restarts its runtime at once and cannot be without one", LevelKind: "as on a node"}

// Faults of stock up to 1.27, and the contract does not have them.
const (
	graceAgain = "after a hook the stop call gets the whole grace again (#115835)"
	downAgain  = "a container that is down is asked to stop again"
)

// probesCut is the fault of two minors, stock included: the first delete ends the probes.
const probesCut = "probes run with the pod worker's context and end with it at the first delete (#140881, fixed in v1.37 by #140882)"

// notByFault gives the reason why a level cannot run scenarios with a fault of the runtime.
var notByFault = map[Level]string{LevelKind: "the proxy between the kubelet and the runtime of a kind node only records calls; it cannot make them fail"}
