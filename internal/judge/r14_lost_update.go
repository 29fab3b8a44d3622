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
