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

// Package regress runs scenarios on real nodes and on kind clusters: one for each arm, several scenarios of an arm side by
// side, both arms at once if this machine is fit for that, or one after the other. Package player carries the steps out;
// regress schedules, records, has the histories judged and keeps them.
//
// Real: everything that localnode says is real. Between kubelet and containerd sits criproxy, which records and changes
// nothing. The harness talks to the API server as kubectl does.
//
// A scenario is first armed: its pod runs and every container said START. Then its first request is sent, not together with
// that of another. How many scenarios are under way at once, and how many pods start at once, follows from the cores and from
// how long the first pod took to start (pace.go): twenty kills in the same instant would measure this machine and not the
// kubelet. The longest scenarios begin first. A scenario is observed until all its containers ended, its sandbox was stopped
// and its pod left the API, and a little longer; on stock that is well after the API forgot the pod.
//
// Beside the kubelet runs a control (package control). What it recorded goes into the history of each scenario of that time,
// and the judges hold the kubelet against it. A scenario that decided nothing is played once more, alone on its node
// (second.go).
//
// Scenarios that disturb the whole node (the kubelet or containerd killed, the API server's watches lost) come after the
// others, one by one. Faults of the runtime are the proxy's, for one pod. On a node no taint manager and no kubectl run: the
// harness taints the node and sends the delete that the manager would send. A cluster has both, and controllers that make pods.
package regress
