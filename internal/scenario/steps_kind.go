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

package scenario

// Drain is `kubectl drain --force --grace-period=0` of the pod's node, limited to the pod: kubectl cordons the node and sends
// an eviction with grace 0. The node is uncordoned after the scenario.
type Drain struct{}

// Recreate creates the pod again under the same name, as `kubectl replace --force` does. The first one must have left the API.
type Recreate struct{}

func (Drain) action()    {}
func (Recreate) action() {}

func (Drain) String() string    { return "drain(force, 0)" }
func (Recreate) String() string { return "pod created again" }
