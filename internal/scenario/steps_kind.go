// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
