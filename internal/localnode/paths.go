// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

const (
	// runDirPrefix is short, because a socket's path may have at most 107 bytes, and on a file system that every Debian
	// machine has.
	runDirPrefix = "/run/kgrace-"
	cgroupPrefix = "kgrace-"

	// nodeIP is the address of the node inside its network namespace. It must not be loopback (the kubelet refuses that); it
	// is from one of RFC 5737's documentation networks, which nobody uses.
	nodeIP = "192.0.2.1"
	// The API server requires a service range; the first address is that of the service `kubernetes`.
	serviceCIDR = "10.96.0.0/24"
	serviceIP   = "10.96.0.1"

	// The ports are fixed because the node has its own network namespace.
	apiServerAddr = "127.0.0.1:6443"
	// kubeletLinkAddr is where the kubelet reaches the API server: a forwarder in pid 1 that can be cut.
	kubeletLinkAddr = "127.0.0.1:6444"
	etcdURL         = "http://127.0.0.1:2379"
	etcdPeerURL     = "http://127.0.0.1:2380"
)

// Data directories of the programs inside the node; bind mounts of directories in data/.
const (
	etcdDir       = "/var/lib/etcd"
	containerdDir = "/var/lib/containerd"
	kubeletDir    = "/var/lib/kubelet"
	podLogsDir    = "/var/log/pods"
	overlayDir    = "/var/lib/overlay-probe"
)

func (p paths) binds() map[string]string {
	return map[string]string{
		etcdDir: p.data("etcd"), containerdDir: p.data("containerd"), kubeletDir: p.data("kubelet"), podLogsDir: p.data("pod-logs"), overlayDir: p.data("overlay"),
	}
}

// paths are the files of one node.
type paths struct{ dir, runDir string }

func (p paths) logs() string           { return filepath.Join(p.dir, "logs") }
func (p paths) log(name string) string { return filepath.Join(p.logs(), name+".log") }
func (p paths) data(elem ...string) string {
	return filepath.Join(append([]string{p.dir, "data"}, elem...)...)
}
func (p paths) bin(name string) string  { return p.data("bin", name) }
func (p paths) cert(name string) string { return p.data("pki", name+".crt") }
func (p paths) key(name string) string  { return p.data("pki", name+".key") }
func (p paths) etc(name string) string  { return p.data("etc", name) }

// manifests is the kubelet's directory for static pods.
func (p paths) manifests() string { return p.data("manifests") }

func (p paths) kubeconfig() string { return filepath.Join(p.dir, "admin.kubeconfig") }
func (p paths) lines() string      { return filepath.Join(p.runDir, "lines") }
func (p paths) components() string { return filepath.Join(p.runDir, "components.json") }

func containerdSocket(runDir string) string { return filepath.Join(runDir, "containerd.sock") }

// makeDirs creates the directories of a node that is about to start and removes the logs of its last run.
func (p paths) makeDirs() error {
	if err := os.RemoveAll(p.logs()); err != nil {
		return err
	}
	dirs := []string{p.logs(), p.data("bin"), p.data("pki"), p.data("etc", "cni"), p.data("sysctl"), filepath.Dir(p.beside()), p.manifests(), p.lines()}
	for _, dir := range append(dirs, slices.Collect(maps.Values(p.binds()))...) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}
