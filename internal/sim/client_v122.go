//go:build kgrace_v122

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

package sim

import "errors"

// The kubelet of v1.22 speaks an older version of the CRI to a client of another form; internal/simkubelet turns one into the
// other. Nothing of that client is needed here.

type otherCalls struct{}

// eventsClient is the stream of container events, which there is none of.
type eventsClient any

// errTimedOut is what a command that timed out returns.
var errTimedOut = errors.New("command timed out")

// TimedOut reports whether a command ended because its time was over.
func TimedOut(err error) bool { return errors.Is(err, errTimedOut) }
