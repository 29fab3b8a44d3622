// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Kindcni gives the pods of a kind cluster a network, in node images that are built without pulling any image. It replaces
// kindnetd, whose source is not available as a Go module, under the name and with the DaemonSet that kind uses.
//
// On each node it watches the cluster's nodes, writes the CNI configuration for the node's own range of pod addresses (ptp,
// host-local, portmap), keeps a route to the range of every other node, and masquerades what pods send out of the cluster. It
// ends on TERM and leaves all of that in place, so that a restart disturbs nothing.
//
// Routes, addresses and the CNI plugins are real. The network policies and DNS caching of kindnetd are missing.
//
// Environment, as kind's manifest sets it: HOST_IP, the node's address; POD_SUBNET, the cluster's pod addresses. Linux only,
// standard library only; it runs the programs ip, iptables and ip6tables.
package main
