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

// Package kindplain brings up a kind cluster of a given node image with nothing added to it: no recorder, no mounts, kubelets
// as kubeadm sets them up. It is for programs that bring tests of their own; internal/kindcluster is for scenarios, which
// record what a node does.
//
// Real: everything; kind's own packages make the cluster, with Docker, from kindnode's configuration.
package kindplain
