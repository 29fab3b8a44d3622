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

// dialect is what a node's programs must be told in their own version's way. It is read off the programs themselves, so it
// can be no other than theirs.
type dialect struct {
	kubelet    int // minor of Kubernetes 1
	containerd version
}

type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// kubeletFields are the fields of the kubelet's configuration file that a node sets and that not every minor has. A kubelet
// refuses, or passes over with the whole file read leniently, what it does not know.
var kubeletFields = []struct {
	name  string
	since int
	// flag says the same to an older kubelet; nil where none is needed.
	flag func(*kubeletv1beta1.KubeletConfiguration) []string
}{
	{"containerRuntimeEndpoint", 27, func(c *kubeletv1beta1.KubeletConfiguration) []string {
		// Up to 1.23 the runtime was Docker unless it was said to be another; the flag was there up to 1.26.
		return []string{"--container-runtime=remote", "--container-runtime-endpoint=" + c.ContainerRuntimeEndpoint}
	}},
	{"podLogsDir", 30, nil},   // a constant before, of the same value
	{"failCgroupV1", 31, nil}, // older ones take cgroup v1 without a word
}

// kubeletFile writes the configuration in the kubelet's own version's way; flags are what goes to the command line instead.
func (d dialect) kubeletFile(c *kubeletv1beta1.KubeletConfiguration) (file []byte, flags []string, err error) {
	c = d.withDefaultsOf127(c)
	said, err := fieldsOf(c)
	if err != nil {
		return nil, nil, err
	}
	// Fields without omitempty stand in the file even where nobody set them, new ones too.
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

// withDefaultsOf127 gives older kubelets the rate limits that are the default since 1.27. Theirs, 5 requests a second, bring the
// statuses and events of forty pods a minute and more late.
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

// check says why kubelet and runtime cannot speak with each other.
func (d dialect) check() error {
	switch {
	case d.kubelet < 23 && !d.containerd.before(2, 0):
		return fmt.Errorf("kubelet 1.%d speaks CRI v1alpha2, which went with containerd 2.0, and this is containerd %v: give the one of Debian package containerd (1.6 or 1.7)",
			d.kubelet, d.containerd)
	case d.containerd.before(1, 6):
		return fmt.Errorf("this is containerd %v, which does not serve CRI v1: give 1.6 or newer", d.containerd)
	}
	return nil
}

// askTimeout bounds asking a program for its version.
const askTimeout = 20 * time.Second

// versionIn finds the version in what a program says: "Kubernetes v1.22.17", "containerd github.com/... 1.6.20~ds1 ...".
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
		return version{}, fmt.Errorf("program %s: %s --version says %q: want a version such as v1.2.3", name, path, said)
	}
	// Digits only: they can be too many, but not wrong.
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return version{major, minor}, nil
}

// readDialect asks the programs that are told something of their own.
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
