// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

// restarts is the family of losses during a termination: the kubelet, the runtime, an update.
func restarts() []Scenario {
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "orphan",
		Source: "the flow of a container that no configuration names",
		Fixed:  "torn down with grace 1, its hook not run",
		Stock:  "the same",
		Pod:    Pod{Grace: 60, Containers: []Container{{Name: "main", Stubborn: true, Hook: &Hook{Kind: HookExec}}}},
		Steps:  []Step{at(0, KillKubelet{}), force(1), at(2, StartKubelet{})},
		Alone:  true,
		Expect: keeps(Kept),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}, {
		ID:     "lost-zero-update",
		Source: "derived: a relist shows only that the pod is gone",
		Fixed:  "killed at 20 s, neither later nor earlier",
		Stock:  "the same",
		Pod:    Pod{Grace: 20, Containers: stubborn},
		Steps:  []Step{del(0, 20), at(2, CutWatch{}), force(3), at(4, Relist{})},
		Alone:  true,
		Expect: keeps(LostUpdate),
		Levels: []Level{LevelSim, LevelNode},
		Not:    map[Level]string{LevelKind: "the kubelet of a kind node relists only if the API server stops, which other scenarios use"},
	}, {
		ID:     "kubelet-killed",
		Source: "derived",
		Fixed:  "killed within 2 s of the force",
		Stock:  "the whole grace again from the kubelet's start",
		Pod:    Pod{Grace: 20, Containers: stubborn},
		Steps:  []Step{del(0, 20), at(5, KillKubelet{}), at(5.1, StartKubelet{}), force(7)},
		// A real kubelet needs seconds to start; the force must find it at the stop call.
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), at(2, KillKubelet{}), at(2.1, StartKubelet{}), force(10)}}},
		Alone:  true,
		Expect: repairs(Ends),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}, {
		ID:     "containerd-restarted",
		Source: "derived",
		Fixed:  "killed within 2 s of the force; no container remains",
		// The running stop call fails with the runtime, so the force reaches the worker between two attempts and not in a wait.
		// The scenario list expected stock to hold the container to the old deadline; v1.37.2 does not.
		Stock:  "the same",
		Pod:    Pod{Grace: 20, Containers: stubborn},
		Steps:  []Step{del(0, 20), at(5, RestartRuntime{}), force(7)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), at(3, RestartRuntime{}), force(7)}}},
		Alone:  true,
		Apart:  "a retry after the restart comes at another moment on each arm; the rule asks only that the pod ends",
		Expect: until("v1.31", "zero was taken for unset, so the first kill after the restart had the spec's grace (#124063)", Broken, keeps(Ends)),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}, {
		ID:     "restart-then-shorter",
		Source: "containerd/cri#1098",
		Fixed:  "the kubelet's start is a new beginning: killed 12 s after it",
		Stock:  "killed 40 s after it",
		Pod:    Pod{Grace: 40, Containers: stubborn},
		Steps:  []Step{del(0, 40), at(2, KillKubelet{}), at(4, StartKubelet{}), del(8, 12)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), at(2, KillKubelet{}), at(2.1, StartKubelet{}), del(10, 12)}}},
		Alone:  true,
		Expect: repairs(Deadline, Ends),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}}
}
