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

package verdict

// Status summarizes a run.
type Status string

const (
	// StatusGood means that every verdict is the expected one.
	StatusGood Status = "good"
	// StatusRed means that at least one verdict is red, whatever else failed.
	StatusRed Status = "red"
	// StatusInvalid means that nothing is red, but something was not judged or is missing.
	StatusInvalid Status = "invalid"
)

// Exit codes of the commands that end with a status. An invalid command line has its own code.
const (
	ExitGood    = 0
	ExitRed     = 1
	ExitUsage   = 2
	ExitInvalid = 3
)
