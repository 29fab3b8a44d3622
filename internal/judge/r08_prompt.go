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

// promptRule judges R8 as far as a history shows it: after each shortening the stop call that had to wait for the old
// sync to return is sent in time, whichever wait that sync was in. The old sync may take Returns to return, and the new
// one Acts to send (R3).
func promptRule(f *facts) Finding {
	applied := 0
	for _, n := range f.shortenings() {
		for _, c := range f.containers {
			_, found, applies := f.promptly(c, n, f.Returns+f.Acts)
			if !applies {
				continue
			}
			applied++
			if found.Outcome != "" {
				return found
			}
		}
	}
	if applied == 0 {
		return invalid("no request shortened the grace of a container that still ran")
	}
	return held("each wait was left in time")
}
