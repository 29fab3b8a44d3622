// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import "github.com/kgrace/kgrace/internal/fault"

// Fault is a fault to inject into chosen calls before they reach the runtime.
type Fault = fault.Fault

// Inject adds a fault to the proxy. Of several faults that match a call, the one injected first applies. remove removes the
// fault and releases the calls that hang in it; it is idempotent and safe for concurrent use.
func (p *Proxy) Inject(f Fault) (remove func(), err error) { return p.faults.Inject(f) }
