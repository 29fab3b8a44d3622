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

// Package rootfs makes the Debian root filesystem of a node image with mmdebstrap, and extracts from it the files that an image
// inside the node needs (kube-proxy wants iptables and the libraries behind it).
//
// One bootstrap is kept for each list of packages and architecture; making it takes a minute or two and the network, or a
// mirror that apt is set up for. Debian's packages move on: which versions are in is read from the filesystem itself.
//
// What is real: everything. Bookworm it is, whatever the machine runs: its systemd (252) still boots where cgroups are of
// version 1, later ones refuse.
package rootfs
