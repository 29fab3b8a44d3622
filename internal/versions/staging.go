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

package versions

import (
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// StagingModules lists, sorted, the modules that Kubernetes' own go.mod takes from its staging folders.
func StagingModules(kubernetes *modfile.File) []string {
	var found []string
	for _, r := range kubernetes.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/src/") {
			found = append(found, r.Old.Path)
		}
	}
	slices.Sort(found)
	return found
}
