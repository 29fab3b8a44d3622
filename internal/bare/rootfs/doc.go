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
