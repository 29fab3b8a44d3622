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

package judge

// runtimeCallsRule judges R9: no stop call is cancelled while its container lives, and the sandbox is not stopped before
// every container of the pod is down.
func runtimeCallsRule(f *facts) Finding {
	calls := 0
	for _, c := range f.containers {
		for _, s := range c.stops {
			calls++
			if s.canceled() && c.aliveAtReturn(s) {
				return broken(s.back, "the stop call of %s (timeout %d) for container %s was cancelled at %s while the container lived",
					f.when(s.at), s.timeout, c.Name, f.when(s.back))
			}
		}
		for _, s := range f.sandboxStops {
			if c.aliveAtCall(s) {
				return broken(s.at, "StopPodSandbox was called at %s while container %s lived", f.when(s.at), c.Name)
			}
		}
		if c.exit == nil {
			return invalid("the observation ended with container %s alive", c.Name)
		}
	}
	switch {
	case calls == 0:
		return invalid("no stop call was recorded")
	case len(f.sandboxStops) == 0:
		return invalid("the sandbox was not stopped before the observation ended")
	}
	return held("%d stop calls, none cancelled under a live container; the sandbox stopped last", calls)
}
