/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
