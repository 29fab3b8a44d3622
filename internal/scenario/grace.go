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

// grace is the family of plain deletes: one stubborn container, no hook.
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
		Expect: append(repairs(ShorterActs), keeps(OneTerm, RuntimeCalls)...),
		Levels: everywhere,
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
		Fixed:  "what is left, 17.5 s, is 18 for the runtime: killed at 20.5 s, never before 20",
		Stock:  "killed at 60 s",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(2.5, 20)},
		Scaled: map[Level]Times{LevelNode: {Grace: 60, Steps: []Step{del(0, 24), del(2.5, 12)}}},
		Expect: repairs(Deadline, ShorterActs),
		Levels: everywhere,
	}, {
		ID:     "shorten-past",
		Source: "#87039, #98506",
		Fixed:  "killed by 30 + 2 s at the latest",
		Stock:  "the same",
		Pod:    Pod{Grace: 30, Containers: stubborn},
		Steps:  []Step{del(0, 30), del(29, 10)},
		Expect: keeps(Deadline, OnlyShorter),
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
		Fixed:  "the API makes 1 of it; killed by 1 + 2 s",
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
	}}
}
