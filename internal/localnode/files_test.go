// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/kgrace/kgrace/internal/actor"
)

func testPaths(t *testing.T) paths {
	t.Helper()
	p := paths{dir: t.TempDir(), runDir: t.TempDir()}
	if err := p.makeDirs(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPKI(t *testing.T) {
	p := testPaths(t)
	now := time.Now()
	if err := writePKI(p, "stock", now); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	ca, err := os.ReadFile(p.cert(certCA))
	if err != nil || !roots.AppendCertsFromPEM(ca) {
		t.Fatalf("CA: %v", err)
	}
	for name, want := range map[string]struct {
		usage x509.ExtKeyUsage
		cn    string
		org   []string
		hosts []string
	}{
		certAPIServer:     {x509.ExtKeyUsageServerAuth, "kube-apiserver", nil, []string{"127.0.0.1", nodeIP, serviceIP, "kubernetes.default.svc"}},
		certKubelet:       {x509.ExtKeyUsageServerAuth, "system:node:stock", nil, []string{nodeIP, "stock"}},
		certAdmin:         {x509.ExtKeyUsageClientAuth, "kgrace", []string{"system:masters"}, nil},
		certNode:          {x509.ExtKeyUsageClientAuth, "system:node:stock", []string{"system:nodes"}, nil},
		certKubeletClient: {x509.ExtKeyUsageClientAuth, "kube-apiserver-kubelet-client", []string{"system:masters"}, nil},
	} {
		pair, err := tls.LoadX509KeyPair(p.cert(name), p.key(name)) // also checks that key and certificate match
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		leaf := pair.Leaf
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{want.usage}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		other := x509.ExtKeyUsageClientAuth + x509.ExtKeyUsageServerAuth - want.usage
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{other}}); err == nil {
			t.Errorf("%s is good for the other purpose too", name)
		}
		if leaf.Subject.CommonName != want.cn || !slices.Equal(leaf.Subject.Organization, want.org) {
			t.Errorf("%s: subject %s", name, leaf.Subject)
		}
		for _, host := range want.hosts {
			if err := leaf.VerifyHostname(host); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if info, err := os.Stat(p.key(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: key has mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestKubeconfig(t *testing.T) {
	p := testPaths(t)
	if err := writePKI(p, "stock", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := writeKubeconfig(p, p.kubeconfig(), certAdmin, "https://127.0.0.1:1234", "stock"); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	cert, _ := os.ReadFile(p.cert(certAdmin))
	if config.Host != "https://127.0.0.1:1234" || config.Insecure || !bytes.Equal(config.CertData, cert) {
		t.Errorf("the kubeconfig yields %+v", config)
	}
}

// The number of pods is the kubelet's default unless the caller needs more.
func TestMaxPods(t *testing.T) {
	for _, n := range []int{0, 510} {
		p := paths{dir: t.TempDir(), runDir: t.TempDir()}
		if err := p.makeDirs(); err != nil {
			t.Fatal(err)
		}
		if _, err := writeConfigs(p, today, "kgrace-stock-1", "/run/proxy/cri.sock", "overlayfs", n); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(p.etc("kubelet.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var c kubeletv1beta1.KubeletConfiguration
		if err := yaml.UnmarshalStrict(data, &c); err != nil || c.MaxPods != int32(n) {
			t.Errorf("maxPods is %d, want %d (%v)", c.MaxPods, n, err)
		}
	}
}

func TestKubeletConfig(t *testing.T) {
	p := paths{dir: "/d", runDir: "/run/kgrace-1"}
	data, flags, err := today.kubeletFile(kubeletConfig(p, "kgrace-stock-1", "/run/proxy/cri.sock"))
	if err != nil || len(flags) > 0 {
		t.Fatal(flags, err)
	}
	var c kubeletv1beta1.KubeletConfiguration
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		t.Fatal(err)
	}
	if c.ContainerRuntimeEndpoint != "unix:///run/proxy/cri.sock" || c.CgroupRoot != "/kgrace-stock-1" || *c.FailCgroupV1 || *c.OOMScoreAdj != 0 || *c.EventRecordQPS != 0 {
		t.Errorf("kubelet configuration:\n%s", data)
	}
	// Every setting that affects how fast a kubelet notices and acts keeps its default, except for SyncFrequency. It must not
	// be shorter than the back-off after an error, or it would cut that short.
	if c.SyncFrequency.Duration != 30*time.Second {
		t.Errorf("syncFrequency is %v, want 30s", c.SyncFrequency.Duration)
	}
	var zero kubeletv1beta1.KubeletConfiguration
	for name, d := range map[string][2]any{
		"nodeStatusUpdateFrequency":   {c.NodeStatusUpdateFrequency, zero.NodeStatusUpdateFrequency},
		"runtimeRequestTimeout":       {c.RuntimeRequestTimeout, zero.RuntimeRequestTimeout},
		"volumeStatsAggPeriod":        {c.VolumeStatsAggPeriod, zero.VolumeStatsAggPeriod},
		"shutdownGracePeriod":         {c.ShutdownGracePeriod, zero.ShutdownGracePeriod},
		"evictionMaxPodGracePeriod":   {c.EvictionMaxPodGracePeriod, zero.EvictionMaxPodGracePeriod},
		"kubeAPIQPS":                  {c.KubeAPIQPS, zero.KubeAPIQPS},
		"featureGates":                {c.FeatureGates, zero.FeatureGates},
		"configMapAndSecretChange...": {c.ConfigMapAndSecretChangeDetectionStrategy, zero.ConfigMapAndSecretChangeDetectionStrategy},
	} {
		if diff := cmp.Diff(d[1], d[0]); diff != "" {
			t.Errorf("%s is set: %s", name, diff)
		}
	}
}

func TestContainerdConfig(t *testing.T) {
	for _, c := range []struct {
		d    dialect
		want []string
	}{
		{today, []string{"version = 3\n", `    sandbox = "kgrace.test/pause:v1"`}},
		{yesterday, []string{"version = 2\n", `  sandbox_image = "kgrace.test/pause:v1"`}},
	} {
		data, err := containerdConfig(paths{dir: `/a "quoted" directory`, runDir: "/run/kgrace-1"}, c.d, "overlayfs")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(c.want,
			`address = "/run/kgrace-1/containerd.sock"`, `snapshotter = "overlayfs"`,
			`BinaryName = "/a \"quoted\" directory/data/bin/runc"`, "restrict_oom_score_adj = true", "SystemdCgroup = false",
		) {
			if !strings.Contains(string(data), want) {
				t.Errorf("the configuration of containerd %v does not contain %s:\n%s", c.d.containerd, want, data)
			}
		}
	}
}

func TestCNIConfig(t *testing.T) {
	p := paths{dir: t.TempDir()}
	if err := os.MkdirAll(p.data("bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	plugin := func() string {
		t.Helper()
		data, err := cniConfig(p)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Name    string
			Plugins []struct{ Type string }
		}
		if err := json.Unmarshal(data, &c); err != nil || c.Name == "" || len(c.Plugins) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		return c.Plugins[0].Type
	}
	if got := plugin(); !strings.Contains(got, "only-hostNetwork") {
		t.Errorf("without plugins it names %s", got)
	}
	if err := os.Symlink("/elsewhere/ptp", p.bin(ProgramPTP)); err != nil {
		t.Fatal(err)
	}
	if got := plugin(); got != ProgramPTP {
		t.Errorf("with plugins it names %s", got)
	}
}

func TestTokens(t *testing.T) {
	p := paths{dir: t.TempDir()}
	if err := os.MkdirAll(p.data("pki"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeTokens(p, ""); err != nil || tokenFlags(p) != nil {
		t.Errorf("without a token: %v, %v", err, tokenFlags(p))
	}
	if err := writeTokens(p, "abc"); err != nil || len(tokenFlags(p)) != 1 {
		t.Fatalf("with a token: %v, %v", err, tokenFlags(p))
	}
	data, err := os.ReadFile(p.tokens())
	if err != nil || string(data) != "abc,kgrace,kgrace,system:masters\n" {
		t.Errorf("got %q, %v", data, err)
	}
	for name, c := range map[string]Config{
		"token file": {Token: "a,b"},
		"CNI plugin": {Bin: map[string]string{ProgramPTP: "/ptp"}},
	} {
		c.Name, c.Dir = "node", t.TempDir()
		if err := c.complete(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPrograms(t *testing.T) {
	p := paths{dir: "/d", runDir: "/run/kgrace-1"}
	for _, name := range []string{ProgramEtcd, ProgramAPIServer, ProgramContainerd, ProgramCtr, ProgramKubelet} {
		c, err := program(p, name, "stock", "overlayfs")
		if err != nil || c.Argv[0] != "/d/data/bin/"+name || c.Log != "/d/logs/"+name+".log" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	if _, err := program(p, "dockerd", "stock", ""); err == nil {
		t.Error("an unknown program has a command line")
	}
}

func TestImages(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "actor-program")
	if err := os.WriteFile(program, []byte("static program"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "images.tar")
	if err := WriteImages(file, program); err != nil {
		t.Fatal(err)
	}
	entries := readTar(t, file)
	var manifests []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(entries["manifest.json"], &manifests); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, m := range manifests {
		var config struct {
			Config struct{ Entrypoint []string }
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		if err := json.Unmarshal(entries[m.Config], &config); err != nil {
			t.Fatal(err)
		}
		if len(m.RepoTags) != 1 || len(m.Layers) != 1 {
			t.Fatalf("manifest %+v", m)
		}
		got[m.RepoTags[0]] = config.Config.Entrypoint
		layer := entries[m.Layers[0]]
		sum := sha256.Sum256(layer)
		if want := []string{"sha256:" + hex.EncodeToString(sum[:])}; !slices.Equal(config.RootFS.DiffIDs, want) {
			t.Errorf("diff_ids %v, want %v", config.RootFS.DiffIDs, want)
		}
		reader := tar.NewReader(bytes.NewReader(layer))
		header, err := reader.Next()
		if err != nil || header.Name != "actor" || header.Mode != 0o755 {
			t.Errorf("layer entry %+v, %v", header, err)
		}
		if data, _ := io.ReadAll(reader); string(data) != "static program" {
			t.Errorf("layer contains %q", data)
		}
	}
	want := map[string][]string{actor.Image: {"/actor"}, actor.PauseImage: {"/actor", "pause"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}

	again := filepath.Join(dir, "again.tar")
	if err := WriteImages(again, program); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(file)
	b, _ := os.ReadFile(again)
	if !bytes.Equal(a, b) {
		t.Error("the same program yields another archive")
	}
}

func readTar(t *testing.T, file string) map[string][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if entries[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
