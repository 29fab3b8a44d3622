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

// Package e2enode runs Kubernetes' own node e2e suite (test/e2e_node) on both arms, against a node of package localnode: the
// specs that a series brings, which must fail on stock for the reason that patches/<minor>/intree.yaml names, and upstream's
// specs beside them, which must not change.
//
// What is real: the suite, compiled from the fixed tree and run by the ginkgo of the tree's version, the same binary on both
// arms; kubelet, kube-apiserver, etcd, containerd, runc and a pod network of CNI plugins (internal/localnode); the namespace
// controller, which is Kubernetes' own and runs in this process. The suite runs inside the node, so that paths, sockets and pod
// addresses are what it expects, but starts no services of its own.
//
// What is not: the images. They bear the names that the tree asks for and hold static programs: busybox of this machine,
// agnhost of the tree, and two small tools (guest). What such an image cannot do, a spec that needs it says by failing, and
// neighbours.yaml says why.
package e2enode
