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

// Package kindnode builds kind node images with the kubelet of an arm, stock or fixed.
//
// There are three sources. From a kind node image (a kindest/node by digest, or one of ours), only the kubelet is replaced:
// seconds. From Kubernetes' official server tarball, whose checksum is checked, the kubelet is swapped and `kind build
// node-image --type file` does the rest. From modules, everything is made here: the control plane from the stock tree, etcd,
// CoreDNS, containerd, runc and the CNI plugins from their modules, the root filesystem from Debian packages, kind's own files
// out of kind's module; no image is pulled, and the tarball that comes out of it goes the way of the official one.
//
// What an image is made of is written down in a manifest and an SPDX 2.3 document, beside the image and inside of it, and in
// labels. Two builds of equal inputs hold the same kubelet byte for byte; the images themselves differ in dates.
//
// What is real: everything a node runs. What is not, from modules: kindnetd, for which kindcni stands in; the local-path
// storage provisioner (the storage class is there, nobody provides volumes for it); Kubernetes' signatures.
package kindnode
