// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fault injects faults into chosen calls to a container runtime. A Fault has the same effect in the proxy in front of a
// real runtime (internal/criproxy) and in a simulated one (internal/sim).
//
// Real: the waiting, the failing and the counting. Not real: the fault itself; the runtime never sees a call that fails here.
package fault
