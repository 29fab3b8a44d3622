// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
