// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localnode runs a real Kubernetes node on this machine: etcd, kube-apiserver, containerd and one arm's kubelet, as
// child processes, without Docker and without a network.
//
// Real are all of these programs, runc and its cgroups, the API server's own delete strategy, watch and authorization, and
// TLS between all of them under the node's own certificate authority. Missing are the scheduler and the controller manager
// (a pod sets its nodeName), ServiceAccount admission, CNI plugins (a pod uses hostNetwork, that is the node's network
// namespace), kube-proxy, and image pulls (the two images are imported).
//
// # Isolation
//
// The whole node lives in its own mount, pid, network, ipc and uts namespaces. Its pid 1 is the calling program, executed
// again (see MaybeInit): it prepares the mounts and the loopback device, starts the programs that the caller names, reaps
// children and forwards connections from a port on the host's 127.0.0.1 to the API server. When pid 1 ends, the kernel ends
// every process of the node and, with the last of them, removes its mounts and interfaces; so nothing that runs inside can
// be left behind. Cgroups, one directory under /run and the node's data remain. The state file names all of them before they
// are created, and Down needs nothing but that file to remove them, no matter which process crashed or when.
//
// Etcd, the API server and pid 1, which forwards the connections to it, have ten times the CPU weight of the kubelet and
// containerd: in a cluster they run on another machine, where many pods that end at once do not delay them.
//
// # Effects on the host
//
// Cgroups named kgrace-NAME-ID in every hierarchy, a directory /run/kgrace-ID with sockets, Config.Dir, and one listening port
// on 127.0.0.1. No interface, no mount, no iptables rule, no sysctl: plain files in the node's mount namespace shadow the
// kernel settings that a kubelet writes. On cgroup v2, missing controllers that a kubelet needs are enabled in the root
// cgroup's cgroup.subtree_control; as with systemd, they stay enabled.
//
// # cgroup v1 and v2
//
// Every hierarchy below /sys/fs/cgroup is used as it is: v1, hybrid, or unified. Nothing needs CAP_SYS_RESOURCE: the
// kubelet and the containers are configured not to lower OOM scores, and the kubelet's warning about its file limit is
// harmless.
//
// # Minors
//
// Kubelets from 1.22 on and containerd from 1.6 on. The configuration depends on the versions that the programs report
// (dialect.go). A kubelet up to 1.22 speaks CRI v1alpha2, which containerd 2 does not serve: it needs the containerd from a
// Debian package.
//
// # Disturbing a node
//
// The process that called Up may kill and start the kubelet, restart containerd, and cut the kubelet off from the API
// server; for that, the kubelet connects through a forwarder in pid 1 (restart.go). It may also stop and continue the
// kubelet, restart the API server, and fill the disk of the kubelet's directory, if that has one of its own, in memory
// (disturb.go). Restarted programs are the same binaries with the same directories. Static pods have a directory (ManifestsDir). The kubelet syncs each pod every 30 to 45 s
// instead of every 60 to 90.
//
// # Directory of a node (Config.Dir)
//
//	state.json        everything that exists outside of the directory; written first, removed last
//	admin.kubeconfig  works from the host
//	logs/             one file per program; kept by Down, emptied by Up
//	data/             PKI, configuration and the programs' data; removed by Down
package localnode
