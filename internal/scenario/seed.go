// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// seed is the family of flows that work on stock and must keep working.
func seed() []Scenario {
	return []Scenario{{
		ID:     "graceful-two-phase",
		Source: "the graceful flow",
		Fixed:  "the API object is marked first and removed only after the containers are gone",
		Stock:  "the same",
		Pod:    Pod{Grace: 30, Containers: []Container{{Name: "main", ExitAfter: time.Second}}},
		Steps:  []Step{del(0, 30)},
		Expect: keeps(Kept),
		Levels: []Level{LevelSim, LevelNode, LevelKind},
	}}
}
