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

// Package kindcluster brings up a kind cluster of one control plane and one worker, made of a given node image, records what
// its worker does, disturbs it, and deletes it.
//
// Real: everything. kubeadm, the control plane with its controllers and scheduler, kube-proxy, kubelets, containerd and runc
// are those of the image; kind's own packages make the cluster, with Docker. What is added to the worker comes by mounts and
// is not in the image: a recorder between its kubelet and its containerd (cmd/crirecord, the runtime endpoint that
// kubeadm is given), a folder for the lines of containers, one for the manifests of static pods. Two settings of the
// kubelets are not kubeadm's: they sync pods every 30 s and log more; and kindnode's, without which they would not start on some
// machines.
//
// A Plain cluster has none of these additions; programs that bring tests of their own use it.
//
// A cluster's name belongs to this package: what an earlier run left under it, because it was killed, is deleted first. Two
// runs with one name exclude each other.
package kindcluster
