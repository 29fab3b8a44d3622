// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// evictions is the family of kills by the kubelet itself and by the taint manager.
func evictions() []Scenario {
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "evict-hard-over-soft",
		Source: "#123872",
		Fixed:  "killed within 1 to 3 s of the second eviction, each caller answered once",
		Stock:  "held to the soft eviction's grace, the second caller gives up after 10 s",
		Pod:    Pod{Grace: 3600, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Max: 3600}), at(3, Evict{Hard: true})},
		Expect: repairs(ShorterActs, Kept),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "evict-hard-direct",
		Source: "#124405",
		Fixed:  "killed within 1 to 3 s",
		Stock:  "the same (up to 1.30: the full grace)",
		Pod:    Pod{Grace: 3600, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Hard: true})},
		// An evicted pod stays in the API, and so does the kubelet's state about it.
		Expect: keeps(Window, NoLeftovers),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "evict-soft-max",
		Source: "#122890",
		Fixed:  "killed at the spec's 5 s, not at the maximum",
		Stock:  "the same",
		Pod:    Pod{Grace: 5, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Max: 60})},
		Expect: keeps(Deadline, NoLeftovers),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "evict-then-delete",
		Source: "mutant longest-counts",
		Fixed:  "killed at the eviction's 10 s: neither delete is shorter, though the second is shorter than the first",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Max: 10}), del(2, 60), del(4, 20)},
		Expect: keeps(Deadline, OnlyShorter),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "taint-evict",
		Source: "the taint manager's delete",
		Fixed:  "killed at 3 s",
		Stock:  "killed at 30 s",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{at(0, Taint{}), force(3)},
		Expect: repairs(ShorterActs, Zero),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}, {
		ID:     "override-late",
		Source: "#122297, #124448",
		Fixed:  "killed at 420 s: an override counts from the moment it is made",
		Stock:  "killed at 600 s, the eviction gives up after 180 s",
		Pod:    Pod{Grace: 600, Containers: stubborn},
		Steps:  []Step{del(0, 600), at(300, Evict{Max: 120})},
		Expect: repairs(Deadline, ShorterActs, Kept),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "shutdown-late",
		Source: "KEP-2000",
		Fixed:  "killed at 420 s: an override counts from the moment it is made",
		Stock:  "killed at 600 s, the shutdown gives up after 180 s",
		Pod:    Pod{Grace: 600, Containers: stubborn},
		Steps:  []Step{del(0, 600), at(300, Shutdown{Grants: 120})},
		Expect: repairs(Deadline, ShorterActs, Kept),
		Levels: []Level{LevelSim},
		Not:    notByShutdown,
	}, {
		ID:     "delete-after-evict",
		Source: "derived",
		Fixed:  "killed at 160 s: a delete counts from the moment the kubelet first saw the deletionTimestamp",
		Stock:  "killed at 300 s",
		Pod:    Pod{Grace: 300, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Max: 300}), del(100, 60)},
		Expect: repairs(Deadline, ShorterActs),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:      "evict-finished",
		Source:  "#118679",
		Fixed:   "no action, and the caller gives up after 10 s",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", Ends: 3 * time.Second}}},
		Steps:   []Step{at(0, Evict{Hard: true})},
		AsStock: true,
		Expect:  keeps(Kept),
		Levels:  []Level{LevelSim},
		Not:     notByEviction,
	}, {
		ID:      "evict-after-sync",
		Source:  "derived: the worker first waits for a status that is newer than its last SyncPod",
		Fixed:   "the hook gets its one second, counted from the start of the termination",
		Stock:   "the same",
		Pod:     Pod{Grace: 30, Containers: []Container{{Name: "main", ExitAfter: time.Second / 2, Hook: &Hook{Kind: HookExec, Takes: 5 * time.Second}}}},
		Steps:   []Step{at(0, Touch{}), at(.05, Evict{Hard: true})},
		AsStock: true,
		Unlike:  map[string]string{"v1.22": graceAgain},
		Expect: append(until("v1.28", "an override by the kubelet took effect only after the hook ended (seen in v1.22; the release with the fix was not looked up)",
			Broken, keeps(HookOnce)), keeps(Kept)...),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}}
}

// notByShutdown gives the reason why levels with a real kubelet cannot run a node shutdown.
var notByShutdown = map[Level]string{
	LevelNode: "the kubelet learns of a shutdown from systemd-logind, which the nodes here do not run",
	LevelKind: "as on a node",
}

// notByEviction gives the reason why levels with a real kubelet cannot run scenarios with an eviction.
var notByEviction = map[Level]string{
	LevelNode: "a kubelet checks for pressure every 10 s (a constant), chooses the pod itself and evicts one at a time, waiting for its end: neither time nor order can be controlled",
	LevelKind: "as on a node; the pressure would also affect the whole machine",
}
