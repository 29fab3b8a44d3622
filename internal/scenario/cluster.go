// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// cluster is the family that needs a whole cluster: controllers that replace or judge a pod, kubectl drain, a port that the
// scheduler assigns to the next pod.
func cluster() []Scenario {
	only := []Level{LevelKind}
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "statefulset-force",
		Source: "#113717; the promise of at most one pod of a name",
		Fixed:  "killed at 3 s, the successor starts within 5 s and never beside it",
		Stock:  "the successor starts beside the first pod, which lives until 30 s",
		Pod:    Pod{Grace: 30, Owner: OwnerStatefulSet, Containers: stubborn},
		Steps:  []Step{del(0, 30), force(3)},
		Expect: repairs(ShorterActs, Zero, Prompt),
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "statefulset-force-direct",
		Source: "#115819; the promise of at most one pod of a name",
		Fixed:  "killed at once, the successor starts within 5 s and never beside it",
		Stock:  "killed at 2 s",
		Pod:    Pod{Grace: 60, Owner: OwnerStatefulSet, Containers: stubborn},
		Steps:  []Step{force(0)},
		Expect: repairs(Zero),
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "daemonset-force",
		Source: "#113717",
		Fixed:  "killed at 3 s, the node's next pod starts within 5 s and never beside it",
		Stock:  "the next pod starts beside the first one, which lives until 30 s",
		Pod:    Pod{Grace: 30, Owner: OwnerDaemonSet, Containers: stubborn},
		Steps:  []Step{del(0, 30), force(3)},
		Expect: repairs(ShorterActs, Zero, Prompt),
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "job-failure-policy",
		Source: "derived: the Job controller waits for the pod's final phase",
		Fixed:  "killed at 3 s, and the Job fails by its policy soon after",
		Stock:  "killed at 30 s, the Job waits until then",
		Pod:    Pod{Grace: 30, Owner: OwnerJob, Containers: stubborn},
		Steps:  []Step{del(0, 30), force(3)},
		Expect: append(repairs(ShorterActs, Zero), keeps(Kept)...),
		// Until the Job must be finished, not only the container.
		Watch:  map[Level]time.Duration{LevelKind: 50 * time.Second},
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "drain-force",
		Source: "kubectl drain --force --grace-period=0",
		Fixed:  "killed at the eviction with grace 0",
		Stock:  "killed at 30 s, long after kubectl drain succeeds",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{del(0, 30), at(3, Drain{})},
		Alone:  true, // the node is cordoned
		Expect: repairs(ShorterActs, Zero, Prompt),
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "hostport-reuse",
		Source: "derived: the scheduler frees a port as soon as the API object is gone",
		Fixed:  "killed at 3 s, the next pod with its port starts within 5 s",
		Stock:  "the next pod fails: the port is in use until 30 s",
		Pod:    Pod{Grace: 30, Containers: []Container{{Name: "main", Stubborn: true, Port: ReusedPort}}},
		Steps:  []Step{del(0, 30), force(3), at(3.05, Recreate{})},
		Expect: repairs(ShorterActs, Zero, Prompt),
		Levels: only,
		Not:    notWithoutControllers,
	}, {
		ID:     "spec-zero-hostport",
		Source: "ingress-nginx's manifest for kind",
		Fixed:  "killed at once, the next pod with its port starts within 5 s",
		Stock:  "a hook of 3 s starts, and the next pod fails: the port is still in use",
		Pod: Pod{Grace: 0, Containers: []Container{
			{Name: "main", ExitAfter: time.Second, Port: FreedPort, Hook: &Hook{Kind: HookExec, Takes: 3 * time.Second}}}},
		Steps:  []Step{at(0, DeletePlainly{}), at(.05, Recreate{})},
		Expect: repairs(Zero),
		Levels: only,
		Not:    notWithoutControllers,
	}}
}

// notWithoutControllers gives the reason why levels without a control plane of their own cannot run a scenario.
var notWithoutControllers = map[Level]string{
	LevelSim:  "controllers, scheduler and kubectl are not simulated",
	LevelNode: "the node has no controller manager and no scheduler",
}
