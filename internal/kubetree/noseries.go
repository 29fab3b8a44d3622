// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
