// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// Paths, inside the worker, of the additions to its image.
const (
	inRecorder  = "/kgrace/bin/crirecord"
	inBeside    = "/kgrace/bin/beside"
	inRecord    = "/kgrace/record"
	inLines     = "/kgrace/lines"
	inManifests = "/etc/kubernetes/manifests"
	inUnits     = "/etc/systemd/system"

	recordFile = "cri.jsonl"
	besideFile = "beside.jsonl"
	unit       = "kgrace-crirecord.service"
	besideUnit = "kgrace-beside.service"

	// criSocket is the endpoint of the worker's kubelet, containerdSocket the runtime's own in a kind node.
	criSocket        = "/run/kgrace/cri.sock"
	containerdSocket = "/run/containerd/containerd.sock"
)

// units are the files for the worker's systemd. The recorder starts with containerd, before kubeadm runs, and is not
// restarted with it. The control starts with the kubelet, in its slice, and outlives it; there is no kubeconfig for it
// before kubeadm has created one. Stopping the kubelet or restarting containerd kills it: there must be no orderly
// shutdown.
var units = map[string]string{
	unit: fmt.Sprintf(`[Unit]
Description=records the calls between kubelet and containerd

[Service]
ExecStart=%s --listen %s --runtime %s --record %s/%s
RuntimeDirectory=kgrace
Restart=always
`, inRecorder, criSocket, containerdSocket, inRecord, recordFile),
	besideUnit: fmt.Sprintf(`[Unit]
Description=waits as the kubelet waits

[Service]
ExecStart=%s --kubeconfig /etc/kubernetes/kubelet.conf --node %%H --record %s/%s
Slice=kubelet.slice
`, inBeside, inRecord, besideFile),
	"containerd.service.d/20-kgrace.conf": `[Unit]
Wants=` + unit + `
[Service]
KillSignal=SIGKILL
`,
	"kubelet.service.d/20-kgrace.conf": `[Unit]
Wants=` + besideUnit + `
[Service]
KillSignal=SIGKILL
`,
}

// layout is the directory on this machine whose parts the worker mounts. Its path is short because it contains sockets.
type layout struct{ dir string }

// sweep removes the directories of earlier, killed runs with this name; the name has one user at a time.
func sweep(name string) error {
	all, err := os.ReadDir(os.TempDir())
	if err != nil {
		return err
	}
	ours := regexp.MustCompile("^" + name + "-[0-9]+$")
	var errs []error
	for _, entry := range all {
		if entry.IsDir() && ours.MatchString(entry.Name()) {
			errs = append(errs, os.RemoveAll(filepath.Join(os.TempDir(), entry.Name())))
		}
	}
	return errors.Join(errs...)
}

func newLayout(name string) (_ layout, err error) {
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return layout{}, err
	}
	l := layout{dir}
	defer func() {
		if err != nil {
			l.remove()
		}
	}()
	// Containers' processes need not be root.
	if err := os.Chmod(dir, 0o755); err != nil {
		return layout{}, err
	}
	for _, sub := range []string{l.record(), l.lines(), l.manifests()} {
		if err := os.Mkdir(sub, 0o755); err != nil {
			return layout{}, err
		}
	}
	for name, text := range units {
		file := l.unit(name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return layout{}, err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return layout{}, err
		}
	}
	return l, nil
}

func (l layout) record() string          { return filepath.Join(l.dir, "record") }
func (l layout) lines() string           { return filepath.Join(l.dir, "lines") }
func (l layout) manifests() string       { return filepath.Join(l.dir, "manifests") }
func (l layout) kubeconfig() string      { return filepath.Join(l.dir, "kubeconfig") }
func (l layout) images() string          { return filepath.Join(l.dir, "images.tar") }
func (l layout) unit(name string) string { return filepath.Join(l.dir, "units", name) }

func (l layout) remove() error { return os.RemoveAll(l.dir) }

// mounts returns the worker's mounts.
func (l layout) mounts(p Programs) []v1alpha4.Mount {
	all := []v1alpha4.Mount{
		{HostPath: p.Recorder, ContainerPath: inRecorder, Readonly: true},
		{HostPath: p.Beside, ContainerPath: inBeside, Readonly: true},
		{HostPath: l.record(), ContainerPath: inRecord},
		{HostPath: l.lines(), ContainerPath: inLines},
		{HostPath: l.manifests(), ContainerPath: inManifests},
	}
	for name := range units {
		all = append(all, v1alpha4.Mount{HostPath: l.unit(name), ContainerPath: filepath.Join(inUnits, name), Readonly: true})
	}
	return all
}
