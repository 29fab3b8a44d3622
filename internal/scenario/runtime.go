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

// runtimes is the family of what the kubelet asks of the runtime, and reports about it, while a grace is shortened.
func runtimes() []Scenario {
	everywhere := []Level{LevelSim, LevelNode, LevelKind}
	stubborn := []Container{{Name: "main", Stubborn: true}}
	return []Scenario{{
		ID:     "sandbox-order",
		Source: "derived: a cancelled kill goes on to the sandbox",
		Fixed:  "no StopPodSandbox before the container is down",
		Stock:  "the same; a plain cancel would break it",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(3, 20)},
		Scaled: map[Level]Times{LevelNode: {Grace: 24, Steps: []Step{del(0, 24), del(3, 10)}}},
		Expect: keeps(RuntimeCalls),
		Levels: everywhere,
	}, {
		ID:     "quiet-cancel",
		Source: "derived: a plain cancel is reported as a failed kill",
		Fixed:  "no FailedKillPod, one Killing event",
		Stock:  "the same: stock cancels nothing",
		Pod:    Pod{Grace: 60, Containers: stubborn},
		Steps:  []Step{del(0, 60), del(3, 5)},
		Scaled: map[Level]Times{LevelNode: {Grace: 20, Steps: []Step{del(0, 20), del(3, 5)}}},
		Expect: keeps(Quiet),
		Levels: everywhere,
	}}
}
