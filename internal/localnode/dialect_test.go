// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	today     = dialect{kubelet: 37, containerd: version{2, 3}}
	yesterday = dialect{kubelet: 22, containerd: version{1, 6}}
)

// The configuration file for a kubelet of 1.22 omits unknown fields; flags replace those that matter.
func TestKubeletFileOfAnOlderMinor(t *testing.T) {
	config := kubeletConfig(paths{dir: "/d", runDir: "/run/kgrace-1"}, "kgrace-stock-1", "/run/proxy/cri.sock")
	keys := func(d dialect) (names, flags []string) {
		file, flags, err := d.kubeletFile(config)
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]any{}
		if err := yaml.Unmarshal(file, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		return names, flags
	}
	all, none := keys(today)
	old, flags := keys(yesterday)
	if len(none) > 0 || !slices.Equal(flags, []string{"--container-runtime=remote", "--container-runtime-endpoint=unix:///run/proxy/cri.sock"}) {
		t.Errorf("flags today %v, of 1.22 %v", none, flags)
	}
	gone := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(old, name) })
	if want := []string{"containerRuntimeEndpoint", "failCgroupV1", "podLogsDir"}; !slices.Equal(gone, want) {
		t.Errorf("the file for 1.22 has %v, today's %v: want it without %v", old, all, want)
	}
	// Every field that a kubelet of 1.22 gets; 1.22 knows all of them. Look a new field up before adding it here.
	known := []string{
		"address", "apiVersion", "authentication", "authorization", "cgroupDriver", "cgroupRoot", "eventBurst", "eventRecordQPS", "evictionHard",
		"failSwapOn", "imageGCHighThresholdPercent", "kind", "kubeAPIBurst", "kubeAPIQPS", "makeIPTablesUtilChains", "oomScoreAdj", "resolvConf", "staticPodPath", "syncFrequency", "tlsCertFile",
		"tlsPrivateKeyFile", "volumePluginDir",
	}
	if !slices.Equal(old, known) {
		t.Errorf("a kubelet of 1.22 gets\n%v\nwant\n%v", old, known)
	}
	if slices.Contains(all, "kubeAPIQPS") {
		t.Error("today's kubelet does not keep its own rate limits")
	}
	between, flags := keys(dialect{kubelet: 30, containerd: version{2, 3}})
	if len(flags) > 0 || slices.Contains(between, "failCgroupV1") || !slices.Contains(between, "podLogsDir") {
		t.Errorf("1.30: %v, %v", between, flags)
	}
}

func TestDialectIsReadOffThePrograms(t *testing.T) {
	dir := t.TempDir()
	says := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kubelet122 := says("kubelet-1.22", "Kubernetes v1.22.17+grace.1")
	kubelet138 := says("kubelet-1.38", "Kubernetes v1.38.0-beta.0")
	debians := says("containerd-1.6", "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3")
	built := says("containerd-2.3", "containerd github.com/containerd/containerd/v2 v2.3.4 ")
	for _, c := range []struct {
		kubelet, containerd string
		want                dialect
		refused             string
	}{
		{kubelet122, debians, dialect{22, version{1, 6}}, ""},
		{kubelet138, built, dialect{38, version{2, 3}}, ""},
		{kubelet138, debians, dialect{38, version{1, 6}}, ""},
		{kubelet122, built, dialect{22, version{2, 3}}, "kubelet 1.22 speaks CRI v1alpha2, which containerd 2.0 removed, and this is containerd 2.3: use the one from Debian package containerd"},
		{kubelet138, says("containerd-1.5", "containerd x 1.5.9"), dialect{38, version{1, 5}}, "containerd 1.5 does not serve CRI v1"},
		{says("odd", "Kubernetes, more or less"), built, dialect{}, `printed "Kubernetes, more or less": want a version`},
		{filepath.Join(dir, "none"), built, dialect{}, "program kubelet: "},
	} {
		d, err := readDialect(t.Context(), map[string]string{ProgramKubelet: c.kubelet, ProgramContainerd: c.containerd})
		if d != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s, %s: %+v, %v; want %+v and %q", c.kubelet, c.containerd, d, err, c.want, c.refused)
		}
	}
	var missing *os.PathError
	if _, err := versionOf(t.Context(), "kubelet", filepath.Join(dir, "none")); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}
