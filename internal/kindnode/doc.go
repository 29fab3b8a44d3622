// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kindnode builds kind node images with the kubelet of an arm, stock or fixed.
//
// There are three sources. From a kind node image (a kindest/node by digest, or one of ours), only the kubelet is replaced,
// which takes seconds. From Kubernetes' official server tarball, whose checksum is verified, the kubelet is replaced and
// `kind build node-image --type file` does the rest. From modules, everything is built here: the control plane from the
// stock tree; etcd, CoreDNS, containerd, runc and the CNI plugins from their modules; the root filesystem from Debian
// packages; kind's own files from kind's module. No image is pulled, and the resulting tarball is processed like the
// official one.
//
// A manifest and an SPDX 2.3 document, beside the image and inside it, list what it contains; labels summarize them. Two
// builds with equal inputs contain the same kubelet byte for byte; the images themselves differ in dates.
//
// Everything that a node runs is real, with these exceptions in images from modules: kindcni replaces kindnetd; volumes
// come from kube-controller-manager's host-path provisioner, not from the local-path provisioner; Kubernetes' signatures are
// missing.
package kindnode
