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

// Package check asks a cluster's nodes whether their kubelets have the fault: a pod that is already terminating cannot be
// hurried. It needs a kubeconfig and the right to make pods, and looks at nothing but what pods show.
//
// On each node it starts a few small pods whose process ignores TERM and prints a word five times a second, deletes them in the
// ways that users do, and listens. A log that was opened before the delete goes on after the API object is gone, until the
// container is: so the process itself says how long it lives, whatever the network of the cluster. A pod that nobody touches
// (the witness) shows that silence is the end of a process and not of the connection; a pod that is deleted once (the control)
// shows what the node and the API server take. What is late on their side is "could not tell", never "affected".
//
// Real: everything. Not seen: the kubelet and its runtime themselves; the runtime's part in an affected node is inferred.
package check
