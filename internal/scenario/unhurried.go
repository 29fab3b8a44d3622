// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// unhurried is the family of hooks of pods that nobody hurries.
func unhurried() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	return []Scenario{{
		ID:     "hook-failed-retried",
		Source: "derived",
		Fixed:  "the retry of the kill runs the failed hook again",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: []Container{{Name: "main", ExitAfter: time.Second, Hook: &Hook{Kind: HookExec, Takes: time.Second}}}},
		Faults: []Fault{{Call: "ExecSync", Fails: true, Times: 1}, {Call: "StopContainer", Fails: true, Times: 1},
			{Call: "StopPodSandbox", Fails: true, Times: 1}},
		Steps:   []Step{del(0, 60)},
		AsStock: true,
		Expect:  keeps(HookOnce, Kept),
		Levels:  []Level{LevelSim, LevelNode},
		Not:     notByFault,
	}, {
		ID:     "hook-ends-main",
		Source: "#40036, #73993",
		Fixed:  "over at 3 s, when the hook has ended the main process; the shortening finds no pod",
		Stock:  "the same",
		Pod: Pod{Grace: 60, Containers: []Container{
			{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec, Takes: 20 * time.Second, EndsMain: 3 * time.Second}}}},
		Steps:   []Step{del(0, 60), del(8, 10)},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  keeps(HookOnce, Kept, NoLeftovers),
		Levels:  everywhere,
	}, {
		ID:      "hook-that-fails",
		Source:  "derived",
		Fixed:   "the hook fails at 1 s, the container is asked to stop then and ends by itself",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", ExitAfter: time.Second, Hook: &Hook{Kind: HookExec, Takes: time.Second, Fails: true}}}},
		Steps:   []Step{at(0, DeletePlainly{})},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  keeps(HookOnce, Kept),
		Levels:  everywhere,
	}, {
		ID:      "sleep-as-long-as-grace",
		Source:  "KEP-3960",
		Fixed:   "the sleep gets its full time, and no event reports a failure",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookSleep, Takes: 30 * time.Second}}}},
		Steps:   []Step{del(0, 30)},
		Scaled:  map[Level]Times{LevelNode: {Grace: 10, Hook: 10 * time.Second, Steps: []Step{del(0, 10)}}},
		AsStock: true,
		Expect:  keeps(HookOnce, Kept),
		Levels:  everywhere,
		Since:   Since{"v1.30", "the sleep action of hooks, without a feature gate to set (KEP-3960)"},
	}, {
		ID:      "now-after-sync",
		Source:  "derived: the worker first waits for a status that is newer than its last SyncPod",
		Fixed:   "the hook gets its one second, counted from the start of the termination",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", ExitAfter: time.Second / 2, Hook: &Hook{Kind: HookExec, Takes: 5 * time.Second}}}},
		Steps:   []Step{at(0, Touch{}), del(.05, 1)},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  keeps(HookOnce, Kept),
		Levels:  everywhere,
	}, {
		ID:      "sandbox-lost",
		Source:  "derived: a failed kill by SyncPod",
		Fixed:   "a later delete is not affected: the hook runs and the grace is complete",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec, Takes: time.Second}}}},
		Faults:  []Fault{{Call: "StopContainer", Fails: true, Times: 1}, {Call: "StopPodSandbox", Fails: true, Times: 1}},
		Steps:   []Step{at(0, LoseSandbox{}), del(3, 30)},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  keeps(Deadline, HookOnce, Kept),
		Levels:  []Level{LevelSim},
		Not:     notWithPause,
	}, {
		ID:      "liveness-kill",
		Source:  "derived: hooks of kills by SyncPod",
		Fixed:   "the hook keeps running beside the stop call, until its container's end",
		Stock:   "the same",
		Pod:     Pod{Grace: 10, Containers: []Container{{Name: "main", Stubborn: true, Sick: 10 * time.Second, Hook: &Hook{Kind: HookExec}}}},
		Steps:   []Step{at(0, Touch{}), del(30, 10)},
		AsStock: true,
		Expect:  keeps(Kept),
		Levels:  []Level{LevelSim},
		Not:     notWithPause,
	}, {
		ID:     "poststart-hang",
		Source: "#116032",
		Fixed:  "the pod is not killed, not even for zero, while its SyncPod hangs: a limit that remains",
		Stock:  "the same",
		Pod: Pod{Grace: 30, Containers: []Container{
			{Name: "main", Stubborn: true, PostStart: &Hook{Kind: HookExec}}}},
		Steps:   []Step{del(0, 30), force(5)},
		AsStock: true,
		Expect:  keeps(Kept),
		Levels:  []Level{LevelSim},
		Not: map[Level]string{LevelNode: "the container would outlive its scenario and the end of the node",
			LevelKind: "the container would outlive its scenario"},
	}}
}

// notWithPause gives the reason why real nodes cannot run scenarios with events before the first request.
var notWithPause = map[Level]string{
	LevelNode: "SyncPod acts at its own times there, and no step can wait for them",
	LevelKind: "as on a node",
}
