// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"sigs.k8s.io/yaml"
)

// dialect holds the versions on which the configuration of a node's programs depends. The programs report them themselves,
// so they cannot be wrong.
type dialect struct {
	kubelet    int // minor of Kubernetes 1
	containerd version
}

type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// kubeletFields are the fields of the kubelet's configuration file that a node sets and that some minors lack. A kubelet
// rejects a field it does not know, or ignores it and decodes the whole file leniently.
var kubeletFields = []struct {
	name  string
	since int
	// flag returns the equivalent flags for an older kubelet; nil if it needs none.
	flag func(*kubeletv1beta1.KubeletConfiguration) []string
}{
	{"containerRuntimeEndpoint", 27, func(c *kubeletv1beta1.KubeletConfiguration) []string {
		// Up to 1.23 the default runtime was Docker; the flag exists up to 1.26.
		return []string{"--container-runtime=remote", "--container-runtime-endpoint=" + c.ContainerRuntimeEndpoint}
	}},
	{"podLogsDir", 30, nil},   // a constant before, of the same value
	{"failCgroupV1", 31, nil}, // older kubelets accept cgroup v1 silently
}

// kubeletFile returns the configuration file for this version of the kubelet, and the flags that replace fields it does not
// know.
func (d dialect) kubeletFile(c *kubeletv1beta1.KubeletConfiguration) (file []byte, flags []string, err error) {
	c = d.withDefaultsOf127(c)
	said, err := fieldsOf(c)
	if err != nil {
		return nil, nil, err
	}
	// Fields without omitempty appear in the file even if unset, including fields that this version does not know.
	unset, err := fieldsOf(&kubeletv1beta1.KubeletConfiguration{})
	if err != nil {
		return nil, nil, err
	}
	for name, value := range unset {
		if fmt.Sprint(said[name]) == fmt.Sprint(value) {
			delete(said, name)
		}
	}
	for _, f := range kubeletFields {
		if _, set := said[f.name]; !set || d.kubelet >= f.since {
			continue
		}
		delete(said, f.name)
		if f.flag != nil {
			flags = append(flags, f.flag(c)...)
		}
	}
	file, err = yaml.Marshal(said)
	return file, flags, err
}

// withDefaultsOf127 gives older kubelets the rate limits that became the default in 1.27. With their own default of 5
// requests a second, the statuses and events of forty pods arrive a minute or more late.
func (d dialect) withDefaultsOf127(c *kubeletv1beta1.KubeletConfiguration) *kubeletv1beta1.KubeletConfiguration {
	if d.kubelet >= 27 {
		return c
	}
	c = c.DeepCopy()
	c.KubeAPIQPS, c.KubeAPIBurst, c.EventBurst = ptr(int32(50)), 100, 100
	return c
}

func fieldsOf(c *kubeletv1beta1.KubeletConfiguration) (map[string]any, error) {
	data, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	return fields, yaml.Unmarshal(data, &fields)
}

// check returns an error if the kubelet and the runtime have no CRI version in common.
func (d dialect) check() error {
	switch {
	case d.kubelet < 23 && !d.containerd.before(2, 0):
		return fmt.Errorf("kubelet 1.%d speaks CRI v1alpha2, which containerd 2.0 removed, and this is containerd %v: use the one from Debian package containerd (1.6 or 1.7)",
			d.kubelet, d.containerd)
	case d.containerd.before(1, 6):
		return fmt.Errorf("containerd %v does not serve CRI v1: use 1.6 or newer", d.containerd)
	}
	return nil
}

// askTimeout bounds one query of a program's version.
const askTimeout = 20 * time.Second

// versionIn finds the version in the output of --version, such as "Kubernetes v1.22.17" or "containerd github.com/...
// 1.6.20~ds1".
var versionIn = regexp.MustCompile(`(?:^|\s)v?(\d+)\.(\d+)\.\d`)

func versionOf(ctx context.Context, name, path string) (version, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	said := strings.TrimSpace(string(out))
	if err != nil {
		return version{}, fmt.Errorf("program %s: %s --version: %w: %s", name, path, err, said)
	}
	m := versionIn.FindStringSubmatch(said)
	if m == nil {
		return version{}, fmt.Errorf("program %s: %s --version printed %q: want a version such as v1.2.3", name, path, said)
	}
	// The fields are all digits, so Atoi fails only on overflow.
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return version{major, minor}, nil
}

// readDialect queries the versions of the programs whose configuration depends on them.
func readDialect(ctx context.Context, bin map[string]string) (d dialect, err error) {
	kubelet, err := versionOf(ctx, ProgramKubelet, bin[ProgramKubelet])
	if err != nil {
		return d, err
	}
	d.kubelet = kubelet.minor
	if d.containerd, err = versionOf(ctx, ProgramContainerd, bin[ProgramContainerd]); err != nil {
		return d, err
	}
	return d, d.check()
}
