// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rootfs builds the Debian root filesystem of a node image with mmdebstrap, and extracts from it the files that an
// image inside the node needs (kube-proxy needs iptables and its libraries).
//
// One bootstrap is kept for each list of packages and architecture; building it takes a minute or two and needs the
// network, or a mirror that apt is configured for. Debian's packages change over time; the filesystem itself shows which
// versions it contains.
//
// The release is always Bookworm, regardless of the machine: its systemd (252) still boots with cgroup v1, later ones
// refuse.
package rootfs
