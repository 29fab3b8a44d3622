// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

// Cgroup returns the path of the node's cgroup, the same in every hierarchy ("/name"). Cgroups created below it are removed
// with the node.
func (n *Node) Cgroup() string { return "/" + n.state.Cgroup }
