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

package criproxy

import "github.com/kgrace/kgrace/internal/fault"

// Fault is a fault to inject into chosen calls before they reach the runtime.
type Fault = fault.Fault

// Inject adds a fault to the proxy. Of several faults that match a call, the one injected first applies. remove removes the
// fault and releases the calls that hang in it; it is idempotent and safe for concurrent use.
func (p *Proxy) Inject(f Fault) (remove func(), err error) { return p.faults.Inject(f) }
