// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kindcluster creates a kind cluster of one control plane and one worker from a node image, records what its worker
// does, disturbs it, and deletes it.
//
// Everything is real: kubeadm, the control plane with its controllers and scheduler, kube-proxy, kubelets, containerd and
// runc are those of the image; kind's own packages create the cluster, with Docker. Mounts add to the worker what the image
// does not contain: a recorder between its kubelet and its containerd (cmd/crirecord, the runtime endpoint that kubeadm
// gets), a directory for the lines of containers, and one for the manifests of static pods. Two kubelet settings differ from
// kubeadm's: the kubelets sync pods every 30 s and log more. kindnode adds those without which they would not start on some
// machines.
//
// A Plain cluster has none of these additions; programs that bring their own tests use it.
//
// A cluster's name belongs to this package: it first deletes what a killed run left under the name. Two runs with one name
// exclude each other.
package kindcluster
