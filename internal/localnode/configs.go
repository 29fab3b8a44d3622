// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
)

// writeConfigs writes the configuration files of the node's programs and returns the flags that the kubelet needs in
// addition. maxPods is Config.MaxPods.
func writeConfigs(p paths, d dialect, cgroup, runtimeEndpoint, snapshotter string, maxPods int) (flags []string, err error) {
	config := kubeletConfig(p, cgroup, runtimeEndpoint)
	config.MaxPods = int32(maxPods)
	kubelet, flags, err := d.kubeletFile(config)
	if err != nil {
		return nil, err
	}
	containerd, err := containerdConfig(p, d, snapshotter)
	if err != nil {
		return nil, err
	}
	cni, err := cniConfig(p)
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{
		"kubelet.yaml":    kubelet,
		"containerd.toml": containerd,
		// hostNetwork pods inherit the node's resolver file; this one resolves nothing and replaces the machine's.
		"resolv.conf": []byte("# no name server: this node has no network to the outside\n"),
		filepath.Join("cni", "10-kgrace.conflist"): cni,
	} {
		if err := os.WriteFile(p.etc(name), data, 0o644); err != nil {
			return nil, err
		}
	}
	return flags, nil
}

// kubeletConfig keeps the kubelet's defaults except where this kind of node needs something else; comments give the
// reasons.
func kubeletConfig(p paths, cgroup, runtimeEndpoint string) *kubeletv1beta1.KubeletConfiguration {
	var c kubeletv1beta1.KubeletConfiguration
	c.TypeMeta = metav1.TypeMeta{APIVersion: kubeletv1beta1.SchemeGroupVersion.String(), Kind: "KubeletConfiguration"}

	c.ContainerRuntimeEndpoint = "unix://" + runtimeEndpoint
	// Everything the kubelet writes stays in the node's directory, where its default paths are bound.
	c.PodLogsDir = podLogsDir
	c.StaticPodPath = p.manifests()
	c.VolumePluginDir = filepath.Join(kubeletDir, "volume-plugins")
	resolv := p.etc("resolv.conf")
	c.ResolverConfig = &resolv

	// The node has its own cgroups, created without systemd, on v1 as well (which the kubelet refuses by default since 1.35).
	c.CgroupDriver = "cgroupfs"
	c.CgroupRoot = "/" + cgroup
	c.FailCgroupV1 = ptr(false)
	c.FailSwapOn = ptr(false)
	// Lowering the OOM score needs CAP_SYS_RESOURCE.
	c.OOMScoreAdj = ptr(int32(0))
	c.MakeIPTablesUtilChains = ptr(false)

	c.Address = "0.0.0.0" // of the node's own network namespace
	c.TLSCertFile, c.TLSPrivateKeyFile = p.cert(certKubelet), p.key(certKubelet)
	c.Authentication.X509.ClientCAFile = p.cert(certCA)
	c.Authentication.Webhook.Enabled = ptr(false)
	c.Authentication.Anonymous.Enabled = ptr(false)
	c.Authorization.Mode = kubeletv1beta1.KubeletAuthorizationModeAlwaysAllow

	// Some work, such as recreating a lost mirror pod, happens only on the kubelet's next periodic sync of a pod; it must not
	// take up to 90 s. The period must not be much shorter than 30 s either: a pod deleted right after a sync is stopped up to
	// 2 s late, until the pod cache is newer.
	c.SyncFrequency = metav1.Duration{Duration: 30 * time.Second}

	// Events are evidence: none may be dropped by rate limiting.
	c.EventRecordQPS = ptr(int32(0))
	// The node shares the machine's disk, so its fill level must cause no eviction and no image garbage collection.
	c.EvictionHard = map[string]string{"nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%", "imagefs.inodesFree": "0%"}
	c.ImageGCHighThresholdPercent = ptr(int32(100))
	return &c
}

func ptr[T any](v T) *T { return &v }

// nodePath is the search path of the node's programs after the node's own directory.
const nodePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// program returns the command line of one of the node's programs, followed by the arguments in more.
func program(p paths, name, node, snapshotter string, more ...string) (Program, error) {
	bin := p.bin(name)
	var args []string
	switch name {
	case ProgramEtcd:
		args = []string{
			"--data-dir=" + filepath.Join(etcdDir, "data"), "--unsafe-no-fsync", "--name=node",
			"--listen-client-urls=" + etcdURL, "--advertise-client-urls=" + etcdURL,
			"--listen-peer-urls=" + etcdPeerURL, "--initial-advertise-peer-urls=" + etcdPeerURL, "--initial-cluster=node=" + etcdPeerURL,
		}
	case ProgramAPIServer:
		args = []string{
			"--etcd-servers=" + etcdURL, "--bind-address=127.0.0.1", "--secure-port=6443", "--advertise-address=" + nodeIP,
			"--service-cluster-ip-range=" + serviceCIDR, "--endpoint-reconciler-type=none",
			"--authorization-mode=Node,RBAC", "--disable-admission-plugins=ServiceAccount",
			"--client-ca-file=" + p.cert(certCA), "--tls-cert-file=" + p.cert(certAPIServer), "--tls-private-key-file=" + p.key(certAPIServer),
			"--kubelet-client-certificate=" + p.cert(certKubeletClient), "--kubelet-client-key=" + p.key(certKubeletClient),
			"--kubelet-certificate-authority=" + p.cert(certCA), "--kubelet-preferred-address-types=InternalIP",
			"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + p.key(keyServiceAccount),
			"--service-account-signing-key-file=" + p.key(keyServiceAccount), "--cert-dir=" + p.data("pki"),
		}
	case ProgramContainerd:
		args = []string{"--config=" + p.etc("containerd.toml")}
	case ProgramCtr:
		args = []string{"--address=" + containerdSocket(p.runDir), "--namespace=k8s.io", "images", "import", "--snapshotter=" + snapshotter, p.data("images.tar")}
	case ProgramKubelet:
		args = []string{
			"--config=" + p.etc("kubelet.yaml"), "--kubeconfig=" + p.etc("kubelet.kubeconfig"), "--hostname-override=" + node,
			"--node-ip=" + nodeIP, "--root-dir=" + kubeletDir, "--cert-dir=" + p.data("pki"), "--v=4",
		}
	case ProgramBeside:
		args = []string{"--kubeconfig=" + p.etc("kubelet.kubeconfig"), "--node=" + node, "--record=" + p.beside()}
	case ProgramStopper:
		bin = p.bin(ProgramBeside)
		args = []string{"--kubeconfig=" + p.etc("kubelet.kubeconfig"), "--node=" + node, "--healthz=" + stopperHealthAddress}
	default:
		return Program{}, fmt.Errorf("unknown node program %s", name)
	}
	return Program{
		Name: name,
		Argv: slices.Concat([]string{bin}, args, more),
		// The environment of the machine (proxies, GODEBUG, ...) does not apply to the node.
		Env: []string{"PATH=" + p.data("bin") + ":" + nodePath, "HOME=/root", "TMPDIR=/tmp"},
		Log: p.log(name),
	}, nil
}
