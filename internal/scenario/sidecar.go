// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// sidecars is the family of restartable init containers, which wait for their turn when the pod is stopped.
func sidecars() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	main := []Container{{Name: "main", Stubborn: true}}
	since := Since{"v1.29", "init containers that run beside the others and are stopped after them, in order (KEP-753, #120620)"}
	return []Scenario{{
		ID:     "sidecar-shorten",
		Source: "derived: waitForTurn has no context",
		Fixed:  "both dead by 7 s, order kept as far as time allows",
		Stock:  "held to the old deadline",
		Pod:    Pod{Grace: 120, Sidecars: []Container{{Name: "sidecar", Stubborn: true}}, Containers: main},
		Steps:  []Step{del(0, 120), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(3, 5)}}},
		Expect: append(repairs(ShorterActs, Prompt), keeps(Kept)...),
		Levels: everywhere,
		Since:  since,
	}, {
		ID:     "sidecar-force",
		Source: "derived: waitForTurn has no context",
		Fixed:  "all dead at 3 s",
		Stock:  "held to the old deadline",
		Pod: Pod{Grace: 120, Containers: main, Sidecars: []Container{
			{Name: "sidecar-1", Stubborn: true}, {Name: "sidecar-2", Stubborn: true}}},
		Steps:  []Step{del(0, 120), force(3)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), force(3)}}},
		Expect: repairs(Zero, Prompt),
		Levels: everywhere,
		Since:  since,
	}, {
		ID:     "stop-fails-before-sidecar",
		Source: "derived: a sidecar whose turn comes after a container that could not be stopped",
		Fixed:  "the sidecar does not hold the retry up and does not end before its container, which a shorter grace then ends in time",
		Stock:  "killed with the sandbox once the sidecar has waited for the whole grace",
		Pod:    Pod{Grace: 60, Sidecars: []Container{{Name: "sidecar"}}, Containers: main},
		Faults: []Fault{{Call: "StopContainer", Container: "main", Fails: true, Times: 1}},
		Steps:  []Step{del(0, 60), del(20, 40)},
		Expect: append(repairs(Deadline, ShorterActs), keeps(Ends, Kept)...),
		Levels: []Level{LevelSim},
		Not:    map[Level]string{LevelNode: "the retry comes after up to 15 s, and the row needs time after it", LevelKind: "as on a node"},
		Since:  since,
	}, {
		ID:     "sidecar-order",
		Source: "#120620",
		Fixed:  "main ends first, then the sidecars in reverse order",
		Stock:  "the same",
		Pod: Pod{Grace: 60, Containers: []Container{{Name: "main", ExitAfter: 2 * time.Second}},
			Sidecars: []Container{{Name: "sidecar-1"}, {Name: "sidecar-2"}}},
		Steps:  []Step{del(0, 60)},
		Expect: keeps(Kept),
		Levels: everywhere,
		Since:  since,
	}, {
		ID:     "sidecar-with-hook",
		Source: "istio#60649",
		Fixed:  "the sidecar's hook runs once, at 0; main is killed at 8 s, the sidecar is gone by 10 s",
		Stock:  "held to the old deadline",
		Pod: Pod{Grace: 60, Containers: main, Sidecars: []Container{
			{Name: "sidecar", Hook: &Hook{Kind: HookExec, Takes: time.Second}}}},
		Steps:  []Step{del(0, 60), del(3, 8)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Hook: time.Second, Steps: []Step{del(0, 20), del(3, 8)}}},
		Expect: append(repairs(ShorterActs, Prompt), keeps(HookOnce, Kept)...),
		Levels: everywhere,
		Since:  since,
	}, {
		ID:     "sidecar-of-a-finished-main",
		Source: "#125880",
		Fixed:  "killed at 5 s",
		Stock:  "killed at 600 s",
		Pod: Pod{Grace: 600, Restarts: true, Containers: []Container{{Name: "main", Fails: true}},
			Sidecars: []Container{{Name: "sidecar", Stubborn: true}}},
		Steps:  []Step{del(0, 600), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), del(3, 5)}}},
		Expect: repairs(Deadline, ShorterActs),
		Levels: everywhere,
		Since:  since,
	}}
}
