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

// Package regress runs scenarios on real nodes: a node for each arm, all scenarios of an arm side by side on it, both arms
// at once or one after the other. It carries steps out, records what happens, has the histories judged and kept. Other levels
// with a real API server bring a Place of their own (Options.Open) and run by the same rules.
//
// Real: everything that localnode says is real. Between kubelet and containerd sits criproxy, which records and changes
// nothing. The harness talks to the API server as kubectl does.
//
// A scenario is first armed: its pod runs and every container said START. When every scenario of the arm is armed, or
// given up, the first requests go out one by one, a fixed time apart, longest scenario first: twenty kills in the same
// instant would measure this machine and not the kubelet. A scenario is observed until all its containers ended, its
// sandbox was stopped and its pod left the API, and a little longer; on stock that is well after the API forgot the pod.
//
// Scenarios that disturb the whole node (the kubelet or containerd killed, the API server's watches lost) come last, one after
// the other. Faults of the runtime are the proxy's, for one pod. On a node no taint manager and no kubectl run: the harness
// taints the node and sends the delete that the manager would send. A cluster has both, and controllers that make pods.
package regress
