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

import "github.com/kgrace/kgrace/internal/scenario"

// oneTermRule judges R6: no container's main process receives a second TERM, except after a restart of the runtime.
func oneTermRule(f *facts) Finding {
	seen := 0
	for _, c := range f.containers {
		if _, over := f.done(scenario.RestartRuntime{}); len(c.terms) > 1 && !over {
			return broken(c.terms[1], "container %s received %d TERMs, the second at %s",
				c.Name, len(c.terms), f.when(c.terms[1]))
		}
		seen += len(c.terms)
	}
	if seen == 0 {
		return invalid("no container reported a TERM, so none could have been repeated")
	}
	for _, c := range f.containers {
		if c.exit == nil {
			return invalid("the observation ended with container %s alive, so a second TERM could still come", c.Name)
		}
	}
	return held("one TERM")
}
