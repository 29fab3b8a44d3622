// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// statics is the family of static pods. They are not compared with stock call by call, because on either arm it is a race how
// soon the kubelet reads a manifest and creates the mirror pod.
func statics() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	pod := Pod{Grace: 20, Static: true, Containers: []Container{{Name: "main", Stubborn: true}}}
	fixedUID := pod
	fixedUID.UID = "5eed5eed-0000-4000-8000-000000000001"
	return []Scenario{{
		ID:     "static-removed",
		Source: "#97722",
		Fixed:  "lives its full 20 s",
		Stock:  "the same",
		Pod:    pod,
		Steps:  []Step{at(0, RemoveManifest{})},
		Expect: keeps(Kept),
		Levels: everywhere,
	}, {
		ID:     "static-replaced",
		Source: "#104743",
		Fixed:  "the old one lives its full 20 s, then the new one starts",
		Stock:  "the same",
		Pod:    pod,
		Steps:  []Step{at(0, ChangeManifest{})},
		Expect: keeps(Kept),
		Levels: everywhere,
	}, {
		ID:     "mirror-only",
		Source: "#90999",
		Fixed:  "the container keeps running, the mirror pod comes back",
		Stock:  "the same",
		Pod:    pod,
		Steps:  []Step{at(0, ForceMirror{})},
		// The mirror pod comes back when the kubelet next syncs the pod, by default once in 60 to 90 s.
		Watch:  map[Level]time.Duration{LevelSim: 100 * time.Second, LevelNode: 55 * time.Second, LevelKind: 55 * time.Second},
		Expect: keeps(Kept),
		Levels: everywhere,
	}, {
		ID:     "same-uid-restart",
		Source: "the flow of a static pod with a fixed UID",
		Fixed:  "starts again after it has ended",
		Stock:  "the same",
		Pod:    fixedUID,
		Steps:  []Step{at(0, RemoveManifest{}), at(3, AddManifest{})},
		Expect: keeps(Kept),
		Levels: everywhere,
	}}
}
