// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package e2enode runs Kubernetes' own node e2e suite (test/e2e_node) on both arms, against a node of package localnode. It
// runs the specs that a series adds, which must fail on stock for the reason that patches/<minor>/intree.yaml names, and
// upstream's neighbouring specs, whose results must not change.
//
// Real are the suite, compiled from the fixed tree and run by the ginkgo of the tree's version, as the same binary on both
// arms; kubelet, kube-apiserver, etcd, containerd, runc and a pod network of CNI plugins (internal/localnode); and
// Kubernetes' own namespace controller, which runs in this process. The suite runs inside the node, so that paths, sockets
// and pod addresses are as it expects, but starts no services of its own.
//
// The images are not real. They have the names in the tree but contain static programs: busybox of this machine, agnhost of
// the tree, and a small tool (fetch). A spec that needs more of such an image fails, and neighbours.yaml contains the
// reason.
package e2enode
