// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// grace is the family of plain deletes.
func grace() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "force-direct",
		Source: "#115819",
		Fixed:  "stop timeout 0, killed at once",
		Stock:  "stop timeout 2, killed at 2 s",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{force(0)},
		Expect: repairs(Zero),
		Levels: everywhere,
	}, {
		ID:     "force-while-terminating",
		Source: "#113717",
		Fixed:  "killed at 3 s",
		Stock:  "killed at 30 s, the API object gone at 3 s",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{del(0, 30), force(3)},
		Expect: repairs(ShorterActs, Zero, Prompt),
		Levels: everywhere,
	}, {
		ID:     "shorten-once",
		Source: "#83916",
		Fixed:  "killed at the new deadline, one TERM",
		Stock:  "killed at the old deadline",
		Pod:    Pod{Grace: 900, Containers: stubborn},
		Steps:  []Step{del(0, 120), del(5, 60)},
		Scaled: map[Level]Times{LevelNode: {Grace: 90, Steps: []Step{del(0, 24), del(3, 12)}}},
		Expect: append(repairs(Deadline, ShorterActs), keeps(OneTerm)...),
		Levels: everywhere,
	}, {
		ID:     "shorten-thrice",
		Source: "containerd/containerd#5021, #98507",
		Fixed:  "one TERM, killed at the shortest deadline",
		Stock:  "killed at the first deadline",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(2, 20), del(4, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 60, Steps: []Step{del(0, 24), del(2, 15), del(4, 7)}}},
		Expect: append(repairs(Deadline, ShorterActs), keeps(OneTerm, RuntimeCalls)...),
		Levels: everywhere,
	}, {
		ID:     "shorten-after-sync",
		Source: "derived: the worker first waits for a status that is newer than its last SyncPod",
		Fixed:  "a shorter request meanwhile counts, from the start of the termination",
		Stock:  "the whole first grace",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{at(0, Touch{}), del(.05, 60), del(.3, 10)},
		Expect: repairs(Deadline),
		Levels: []Level{LevelSim},
		Not:    map[Level]string{LevelNode: "how long the worker waits is a matter of tenths of a second there", LevelKind: "as on a node"},
	}, {
		ID:     "shorten-late",
		Source: "derived",
		Fixed:  "killed at 20 s; never 38",
		Stock:  "killed at 30 s",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{del(0, 30), del(18, 20)},
		Expect: append(repairs(Deadline), keeps(OnlyShorter)...),
		Levels: everywhere,
	}, {
		ID:     "shorten-between-seconds",
		Source: "mutant round-down",
		Fixed:  "the remaining 17.5 s become 18 for the runtime: killed at 20.5 s, never before 20",
		Stock:  "killed at 60 s",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(2.5, 20)},
		Scaled: map[Level]Times{LevelNode: {Grace: 60, Steps: []Step{del(0, 24), del(2.5, 12)}}},
		Expect: repairs(Deadline, ShorterActs),
		Levels: everywhere,
	}, {
		ID:     "shorten-past",
		Source: "#87039, #98506",
		Fixed:  "killed at 29 s: the new deadline has passed, and the container was asked to stop at 0",
		Stock:  "killed at 30 s",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{del(0, 30), del(29, 10)},
		Scaled: map[Level]Times{LevelNode: {Grace: 30, Steps: []Step{del(0, 30), del(26, 10)}}},
		Expect: append(repairs(Deadline), keeps(OnlyShorter)...),
		Levels: everywhere,
	}, {
		ID:     "lengthen",
		Source: "#6804",
		Fixed:  "killed at 5 s",
		Stock:  "killed at 5 s",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 5), del(2, 60)},
		Expect: keeps(OnlyShorter),
		Levels: everywhere,
	}, {
		ID:     "negative",
		Source: "#98506",
		Fixed:  "the API server changes it to 1; killed by 1 + 2 s",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, -1)},
		Expect: keeps(Zero, Window),
		Levels: everywhere,
	}, {
		ID:     "now",
		Source: "kubectl --now",
		Fixed:  "one TERM, killed within 1 to 3 s",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 1)},
		Expect: keeps(Window),
		Levels: everywhere,
	}, {
		ID:     "spec-zero",
		Source: "#120671, ingress-nginx's manifest for kind",
		Fixed:  "no hook, stop timeout 0, killed at once",
		Stock:  "the hook starts, then a stop call with timeout 2",
		Pod:    Pod{Grace: 0, Containers: []Container{{Name: "main", ExitAfter: time.Second, Hook: &Hook{Kind: HookExec, Takes: 3 * time.Second}}}},
		Steps:  []Step{at(0, DeletePlainly{})},
		Expect: repairs(Zero),
		Levels: everywhere,
	}, {
		ID:     "redelete-remaining",
		Source: "karpenter#2316: a delete with the claim's remaining time",
		Fixed:  "the API counts from the first delete, so the new deadline has passed: hook cancelled at 200 s, killed by 202 s",
		Stock:  "hook and container live until 3,600 s",
		Pod:    Pod{Grace: 3600, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec}}}},
		Steps:  []Step{at(0, Taint{}), del(200, 100)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{at(0, Taint{}), del(8, 5)}}},
		Expect: repairs(Deadline, ShorterActs, HookOnce),
		Levels: everywhere,
	}, {
		ID:     "huge-grace",
		Source: "#84298",
		Fixed:  "killed at 5 s, not before",
		Stock:  "killed at once: the stop call's own deadline overflows, and after that failure the sandbox is stopped",
		Pod:    Pod{Grace: huge, Containers: stubborn},
		Steps:  []Step{del(0, huge), del(3, 5)},
		Expect: repairs(Deadline, RuntimeCalls),
		Levels: everywhere,
	}, {
		ID:     "finalizer-force",
		Source: "actions-runner-controller#3010: a force delete that does not remove the pod",
		Fixed:  "killed at 5 s, and not again when the object is removed at 30 s",
		Stock:  "killed at 110 s",
		Pod:    Pod{Grace: 110, Finalizer: true, Containers: stubborn},
		Steps:  []Step{del(0, 110), force(5), at(30, RemoveFinalizer{})},
		Scaled: map[Level]Times{LevelNode: {Grace: 30, Steps: []Step{del(0, 30), force(3), at(12, RemoveFinalizer{})}}},
		Expect: append(repairs(ShorterActs, Zero), keeps(NoLeftovers)...),
		Levels: everywhere,
	}, {
		ID:     "shorten-every-100ms",
		Source: "derived",
		Fixed:  "one TERM, killed at the last deadline, 10 s",
		Stock:  "killed at 60 s",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  countdown(60, 10),
		Scaled: map[Level]Times{LevelNode: {Grace: 60, Steps: countdown(24, 10)}},
		Expect: append(repairs(Deadline, ShorterActs), keeps(OneTerm, RuntimeCalls, Quiet)...),
		Levels: everywhere,
	}, {
		ID:     "shorten-every-100ms-in-a-hook",
		Source: "derived",
		Fixed:  "one run of the hook, cancelled at the last deadline, 10 s; killed by 12 s",
		Stock:  "hook and container live until 60 s",
		Pod:    Pod{Grace: 60, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec}}}},
		Steps:  countdown(60, 10),
		Scaled: map[Level]Times{LevelNode: {Grace: 60, Steps: countdown(24, 10)}},
		Expect: append(repairs(Deadline, HookOnce, Prompt), keeps(OneTerm, RuntimeCalls, Quiet)...),
		Watch:  map[Level]time.Duration{LevelSim: 135 * time.Second, LevelNode: 55 * time.Second}, // twice the grace, as up to 1.27
		Levels: everywhere,
	}}
}

// huge is a number of seconds that exceeds time.Duration.
const huge = 9223372037

// countdown returns a delete with grace from, followed every 100 ms by another one with a second less, down to grace to.
func countdown(from, to int64) []Step {
	var steps []Step
	for grace := from; grace >= to; grace-- {
		steps = append(steps, Step{After: time.Duration(from-grace) * 100 * time.Millisecond, Do: Delete{Grace: grace}})
	}
	return steps
}
