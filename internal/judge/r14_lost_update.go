// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import "slices"

// lostUpdateRule judges R14, in scenarios where the kubelet did not receive the grace-0 update: the deadline is that of the
// requests above 0, no longer and no shorter.
func lostUpdateRule(f *facts) Finding {
	known := slices.DeleteFunc(slices.Clone(f.requests), func(r request) bool { return r.grace == 0 })
	if len(known) == 0 || len(known) == len(f.requests) {
		return invalid("no grace-0 update of a pod that already had a grace could be lost")
	}
	without := *f
	without.requests = known
	return without.killedInTime(len(known))
}
