// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// pending is the family of pods that are deleted before they run.
func pending() []Scenario {
	return []Scenario{{
		ID:     "pending-fast-delete",
		Source: "#113547",
		Fixed:  "no container fails with a cancelled context, and none that fails is reported as succeeded",
		Stock:  "the same; the first attempt to pass the context down broke it",
		Pod:    Pod{Grace: 1, Containers: []Container{{Name: "main", Fails: true}}},
		Steps:  []Step{at(0, Burst{Pods: 20, Over: 2 * time.Second, Grace: 1})},
		Alone:  true, // so many starts at once would affect the times of others
		Expect: keeps(Quiet, Kept),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}, {
		ID:     "deleted-during-pull",
		Source: "#125050",
		Fixed:  "the pod ends, its container never starts",
		Stock:  "the same",
		Pod:    Pod{Grace: 30, Containers: []Container{{Name: "main", Stubborn: true, Pull: true}}},
		Faults: []Fault{{Call: "PullImage", Delay: 20 * time.Second}},
		Steps:  []Step{del(0, 1)},
		Scaled: map[Level]Times{LevelNode: {Grace: 30, Faults: []Fault{{Call: "PullImage", Delay: 8 * time.Second}}, Steps: []Step{del(0, 1)}}},
		Expect: keeps(Kept),
		Levels: []Level{LevelSim, LevelNode},
		Not:    notByFault,
	}, {
		ID:     "pull-beside",
		Source: "measured on the first series: a delete counted from before a SyncPod that pulled",
		Fixed:  "after the pull, a's hook, then a stop call with the rest of the 30 s, and a exits by itself",
		Stock:  "the same",
		Pod: Pod{Grace: 30, Containers: []Container{
			{Name: "a", ExitAfter: 8 * time.Second, Hook: &Hook{Kind: HookExec, Takes: 2 * time.Second}},
			{Name: "b", Stubborn: true, Pull: true}}},
		Faults: []Fault{{Call: "PullImage", Delay: 40 * time.Second}},
		Steps:  []Step{del(0, 30)},
		Scaled: map[Level]Times{LevelNode: {Grace: 12, Hook: 2 * time.Second, Faults: []Fault{{Call: "PullImage", Delay: 16 * time.Second}},
			Steps: []Step{del(0, 12)}}},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect:  keeps(Deadline, HookOnce, Kept),
		Levels:  []Level{LevelSim, LevelNode},
		Not:     notByFault,
	}}
}
