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

// Package localnode brings up a real Kubernetes node on this machine: etcd, kube-apiserver, containerd and one arm's
// kubelet, as child processes, without Docker and without a network.
//
// Real: every program above, runc and its cgroups, the API server's own delete strategy, watch and authorisation, TLS
// between all of them with a certificate authority of the node's own. Not there: scheduler and controller manager (a pod
// names its node), ServiceAccount admission, CNI plugins (a pod uses hostNetwork, which is the node's network namespace),
// kube-proxy, image pulls (the two images are imported).
//
// # Isolation
//
// The whole node lives in its own mount, pid, network, ipc and uts namespaces. Its pid 1 is this very program, executed
// again (see MaybeInit): it prepares the mounts and the loopback device, starts the programs that the caller names, reaps
// what dies and carries connections from a port on the host's 127.0.0.1 to the API server. Ending that one process makes
// the kernel end every process of the node and, with the last of them, its mounts and interfaces; so nothing that runs
// inside can be left behind. What remains are cgroups, one folder under /run and the node's data; all of them are named in
// the state file before they are made, and Down removes them from that file alone, whoever crashed when.
//
// # What the host sees
//
// Cgroups named kgrace-NAME-ID in every hierarchy, a folder /run/kgrace-ID with sockets, Config.Dir, one listening port
// on 127.0.0.1. No interface, no mount, no iptables rule, no sysctl: the kernel settings that a kubelet writes are shadowed by
// plain files in the node's mount namespace. On cgroup v2 the controllers that a kubelet needs are enabled in the root cgroup's
// cgroup.subtree_control where they are not; that stays, as it does with systemd.
//
// # cgroup v1 and v2
//
// Every hierarchy below /sys/fs/cgroup is used as it is: v1, hybrid, or unified. Nothing needs CAP_SYS_RESOURCE: no OOM score is
// lowered (the kubelet's and the containers' settings say so), and the kubelet's complaint about its file limit is harmless.
//
// # Minors
//
// Kubelets from 1.22 on and containerd from 1.6 on. What an older one must be told in another way is read off the programs'
// own versions (dialect.go). A kubelet up to 1.22 speaks CRI v1alpha2, which containerd 2 does not serve: it needs the
// containerd of a Debian package.
//
// # Disturbing a node
//
// Whoever called Up may kill and start the kubelet, restart containerd, and cut the kubelet off from the API server, which it
// reaches through a forwarder in pid 1 for that purpose (restart.go). The restarted programs are the same binaries with the same
// folders. Static pods have a folder (ManifestsDir). The kubelet syncs pods anew every 30 to 45 s instead of every 60 to 90.
//
// # Folder of a node (Config.Dir)
//
//	state.json        what exists outside of the folder; written first, removed last
//	admin.kubeconfig  works from the host
//	logs/             one file per program; kept by Down, emptied by Up
//	data/             PKI, configuration and what the programs store; removed by Down
package localnode
