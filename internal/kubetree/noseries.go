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

package kubetree

import "fmt"

// NoSeriesError reports a minor without patches. Its fixed arm cannot exist: a copy of stock under the name of the fix would
// pass for one.
type NoSeriesError struct {
	// File is the missing list of patches, Stock the tree that a series starts from.
	Minor, File, Stock string
}

func (e *NoSeriesError) Error() string {
	return fmt.Sprintf("Kubernetes %s has no patches, so it has no fixed arm: %s is missing. To begin a series, clone %s, commit the patches there, "+
		"and run `kgrace patch extract --kubernetes %s --from CLONE --base origin/main`", e.Minor, e.File, e.Stock, e.Minor)
}
