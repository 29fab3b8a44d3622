// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

// checkCaches returns the faults of the caches of a workflow. The store of a repository holds 10 GB, and evicts what was not read for
// the longest time; Go's modules and build results take 1 to 3 GB.
func checkCaches(w *actionlint.Workflow) (faults []string) {
	var ofGo []string
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		j := w.Jobs[name]
		refuse := func(i int, what string) { faults = append(faults, fmt.Sprintf("job %s: step %d: %s", name, i+1, what)) }
		for i, s := range j.Steps {
			e, ok := s.Exec.(*actionlint.ExecAction)
			if !ok || !strings.HasPrefix(text(e.Uses), "actions/cache") {
				continue
			}
			saves := strings.HasPrefix(text(e.Uses), "actions/cache/save@")
			if !saves && !strings.HasPrefix(text(e.Uses), "actions/cache/restore@") {
				refuse(i, "it saves a cache for each pull request, which no other one can read: want actions/cache/restore, and actions/cache/save on main")
			}
			if !strings.Contains(input(e, "key"), "hashFiles('versions.yaml')") {
				refuse(i, "the cache's key does not depend on versions.yaml")
			}
			if saves && !strings.Contains(text(s.If), "github.ref == 'refs/heads/main'") {
				refuse(i, "it saves a cache for each branch: want if: github.ref == 'refs/heads/main'")
			}
			if saves && strings.Contains(input(e, "path"), "~/") {
				ofGo = append(ofGo, name)
				if j.Strategy != nil {
					ofGo = append(ofGo, name+" again, for each row of its matrix")
				}
			}
		}
	}
	if len(ofGo) > 1 {
		faults = append(faults, fmt.Sprintf("more than one cache of Go's modules and build results exceeds the store: jobs %s", strings.Join(ofGo, ", ")))
	}
	return faults
}
