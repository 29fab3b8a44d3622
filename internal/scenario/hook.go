// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// hooks is the family of preStop hooks.
func hooks() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	with := func(kind HookKind, takes time.Duration) []Container {
		return []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: kind, Takes: takes}}}
	}
	return []Scenario{{
		ID:     "hook-exec-shorten",
		Source: "#127339",
		Fixed:  "hook cut at 5 s, killed by 7 s",
		Stock:  "hook and container live until the old deadline",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, 0)},
		Steps:  []Step{del(0, 60), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(3, 5)}}},
		Expect: repairs(ShorterActs, HookOnce, Prompt),
		Levels: everywhere,
	}, {
		ID:     "hook-exec-force",
		Source: "#127339",
		Fixed:  "hook cut and container killed at 3 s",
		Stock:  "hook and container live until the old deadline",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, 0)},
		Steps:  []Step{del(0, 60), force(3)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), force(3)}}},
		Expect: repairs(Zero, HookOnce, Prompt),
		Levels: everywhere,
	}, {
		ID:     "hook-force-direct",
		Source: "#49449",
		Fixed:  "the hook is not started",
		Stock:  "the hook starts",
		Pod:    Pod{Grace: 30, Containers: with(HookExec, 100*time.Millisecond)},
		Steps:  []Step{force(0)},
		Expect: repairs(Zero),
		Levels: everywhere,
	}, {
		ID:     "hook-sleep-shorten",
		Source: "KEP-3960",
		Fixed:  "sleep cut at 5 s, killed by 7 s",
		Stock:  "the container lives until the old deadline",
		Pod:    Pod{Grace: 60, Containers: with(HookSleep, 50*time.Second)},
		Steps:  []Step{del(0, 60), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Hook: 17 * time.Second, Steps: []Step{del(0, 20), del(3, 5)}}},
		Expect: repairs(HookOnce, Prompt),
		Levels: everywhere,
		Since:  Since{"v1.30", "the sleep action of hooks, without a feature gate to set (KEP-3960)"},
	}, {
		ID:     "hook-http-shorten",
		Source: "derived: HTTP hook requests are built without a context",
		Fixed:  "the request is cancelled, without leftovers",
		Stock:  "held to the old deadline, the request never cancelled",
		Pod:    Pod{Grace: 60, Containers: with(HookHTTP, 0)},
		Steps:  []Step{del(0, 60), del(3, 2)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(3, 2)}}},
		Expect: repairs(HookOnce, Prompt, NoLeftovers),
		Watch:  map[Level]time.Duration{LevelSim: 135 * time.Second}, // twice the grace, as up to 1.27
		Levels: everywhere,
	}, {
		ID:     "hook-done-not-repeated",
		Source: "#127580",
		Fixed:  "the hook runs once",
		Stock:  "the hook runs once; a plain cancel and retry would run it twice",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, time.Second)},
		Steps:  []Step{del(0, 60), del(5, 10)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(4, 10)}}},
		Apart:  shorterOnFixed,
		Expect: keeps(HookOnce),
		Levels: everywhere,
	}, {
		ID:     "hook-running-not-restarted",
		Source: "derived",
		Fixed:  "one start, one end, at 8 s",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, 8*time.Second)},
		Steps:  []Step{del(0, 60), del(3, 20)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), del(3, 16)}}},
		Apart:  shorterOnFixed,
		Expect: keeps(HookOnce),
		Levels: everywhere,
	}, {
		ID:     "hook-hangs",
		Source: "#115817",
		Fixed:  "asked to stop at the deadline, killed 2 s later, and the hook with it",
		Stock:  "the same (up to 1.27: twice the grace)",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, 0)},
		Steps:  []Step{del(0, 60)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20)}}},
		Expect: append(until("v1.28", "the stop call got the whole grace again after the hook had used it up (#115835)", Broken, keeps(Window)), keeps(HookOnce)...),
		Watch:  map[Level]time.Duration{LevelSim: 135 * time.Second, LevelNode: 55 * time.Second}, // twice the grace, and more
		Levels: everywhere,
	}, {
		ID:     "hook-slow",
		Source: "#117373",
		Fixed:  "killed at the deadline, which includes the hook's time",
		Stock:  "the same",
		Pod:    Pod{Grace: 120, Containers: with(HookExec, 100*time.Second)},
		Steps:  []Step{del(0, 120)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Hook: 16 * time.Second, Steps: []Step{del(0, 24)}}},
		Expect: until("v1.28", "the stop call got the whole grace again after the hook had used it up (#115835)", Broken, keeps(Deadline)),
		Levels: everywhere,
	}, {
		ID:     "hook-override",
		Source: "#92432",
		Fixed:  "asked to stop at 5 s and killed by 7 s, whatever the hook does",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: with(HookExec, 30*time.Second)},
		Steps:  []Step{at(0, Evict{Max: 5})},
		Expect: until("v1.28", "an override by the kubelet took effect only after the hook ended (seen in v1.22; the release with the fix was not looked up)", Broken, keeps(Window, HookOnce)),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}}
}
