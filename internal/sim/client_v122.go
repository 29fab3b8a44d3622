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

// The kubelet of v1.22 uses an older CRI version and another form of client; internal/simkubelet converts between the two. This
// package needs nothing of that client.

type otherCalls struct{}

// eventsClient is the stream of container events; the simulator has none.
type eventsClient any

// errTimedOut is the error of a command that timed out.
var errTimedOut = errors.New("command timed out")

// TimedOut reports whether a command timed out.
func TimedOut(err error) bool { return errors.Is(err, errTimedOut) }
