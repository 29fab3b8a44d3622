// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package regress runs scenarios on real nodes and on kind clusters: one node or cluster per arm, several scenarios of an
// arm concurrently, and the arms at the same time if this machine is fast enough, otherwise one after the other. Package
// player carries out the steps; regress schedules them, records the histories, has them judged and stores them.
//
// A node is as real as package localnode describes. criproxy sits between kubelet and containerd; unless a scenario injects
// a fault, it records and changes nothing. The harness talks to the API server as kubectl does.
//
// A scenario is first armed: its pod runs and every container has logged START. Then its first request is sent, never at
// the same time as that of another scenario. The number of scenarios under way at once, and of pods that start at once,
// depends on the number of cores and on how long the first pod took to start (pace.go): twenty simultaneous kills would
// measure this machine and not the kubelet. The longest scenarios begin first. A scenario is observed until all its
// containers have ended, its sandbox is stopped and its pod has left the API, and a little longer; on stock that is well
// after the API has removed the pod.
//
// A control runs beside the kubelet (package control). Its records go into the history of every scenario of that time, and
// the judges compare the kubelet with them. A scenario without a decision is run once more, alone on its node (second.go).
//
// Scenarios that disturb the whole node (the kubelet or containerd killed, the API server's watches lost) run after the
// others, one by one. The proxy injects runtime faults, for one pod at a time. On a node there is no taint manager and no
// kubectl: the harness taints the node and sends the delete that the manager would send. A cluster has both, and
// controllers that create pods.
package regress
