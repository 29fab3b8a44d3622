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

// evictions is the family of ends that nobody asked the API for.
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
		Expect: keeps(Window),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "evict-soft-max",
		Source: "#122890",
		Fixed:  "killed at the spec's 5 s, not at the maximum",
		Stock:  "the same",
		Pod:    Pod{Grace: 5, Containers: stubborn},
		Steps:  []Step{at(0, Evict{Max: 60})},
		Expect: keeps(Deadline),
		Levels: []Level{LevelSim},
		Not:    notByEviction,
	}, {
		ID:     "evict-then-delete",
		Source: "mutant forget-only-shorter",
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
	}}
}

// notByEviction says why levels with a real kubelet cannot carry scenarios with an eviction.
var notByEviction = map[Level]string{
	LevelNode: "a kubelet looks for pressure every 10 s (a constant), chooses the pod itself and evicts one at a time, waiting for its end: neither moment nor order can be asked for",
	LevelKind: "as on a node; and the pressure would be the whole machine's",
}
