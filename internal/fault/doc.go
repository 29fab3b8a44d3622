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

// Package fault injects faults into chosen calls to a container runtime. A Fault has the same effect in the proxy in front of a
// real runtime (internal/criproxy) and in a simulated one (internal/sim).
//
// Real: the waiting, the failing and the counting. Not real: the fault itself; the runtime never sees a call that fails here.
package fault
