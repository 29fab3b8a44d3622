// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"text/template"

	"github.com/kgrace/kgrace/internal/actor"
)

// containerdTemplate is the configuration for containerd 2. It keeps containerd's defaults except for directories, the sandbox
// image and what a machine without CAP_SYS_RESOURCE needs (restrict_oom_score_adj). disable_apparmor is set because a
// profile would be loaded into the machine's kernel.
var containerdTemplate = template.Must(template.New("containerd.toml").Parse(`version = 3
root = {{.Root}}
state = {{.State}}
imports = []
disabled_plugins = [
  "io.containerd.nri.v1.nri",
  "io.containerd.image-verifier.v1.bindir",
  "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing",
]

[grpc]
  address = {{.Socket}}

[ttrpc]
  address = {{.TTRPC}}

[plugins.'io.containerd.internal.v1.opt']
  path = {{.Opt}}

# image imports unpack for this snapshotter
[[plugins.'io.containerd.transfer.v1.local'.unpack_config]]
  platform = {{.Platform}}
  snapshotter = {{.Snapshotter}}

[plugins.'io.containerd.cri.v1.images']
  snapshotter = {{.Snapshotter}}
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = {{.Pause}}

[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  disable_hugetlb_controller = true
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [{{.CNIBin}}]
    conf_dir = {{.CNIConf}}
    use_internal_loopback = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = {{.Runc}}
      SystemdCgroup = false

[plugins.'io.containerd.grpc.v1.cri']
  stream_server_address = '127.0.0.1'
`))

// containerd1Template is the same configuration for containerd 1, where CRI is one plugin. Its device mapper, btrfs and zfs
// plugins are not left out at build time; without their tools they skip themselves and log a line.
var containerd1Template = template.Must(template.New("containerd.toml").Parse(`version = 2
root = {{.Root}}
state = {{.State}}
imports = []
disabled_plugins = ["io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
  address = {{.Socket}}

[ttrpc]
  address = {{.TTRPC}}

[plugins."io.containerd.internal.v1.opt"]
  path = {{.Opt}}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = {{.Pause}}
  disable_apparmor = true
  disable_hugetlb_controller = true
  restrict_oom_score_adj = true
  stream_server_address = '127.0.0.1'
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = {{.CNIBin}}
    conf_dir = {{.CNIConf}}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = {{.Snapshotter}}
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = 'io.containerd.runc.v2'
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = {{.Runc}}
      SystemdCgroup = false
`))

func containerdConfig(p paths, d dialect, snapshotter string) ([]byte, error) {
	values := map[string]string{
		"Root":        containerdDir,
		"State":       filepath.Join(p.runDir, "containerd"),
		"Socket":      containerdSocket(p.runDir),
		"TTRPC":       containerdSocket(p.runDir) + ".ttrpc",
		"Opt":         filepath.Join(containerdDir, "opt"),
		"Snapshotter": snapshotter,
		"Platform":    "linux/" + runtime.GOARCH,
		"Pause":       actor.PauseImage,
		"CNIBin":      p.data("bin"),
		"CNIConf":     p.etc("cni"),
		"Runc":        p.bin(ProgramRunc),
	}
	for name, value := range values {
		// A JSON string is a valid TOML basic string.
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[name] = string(quoted)
	}
	form := containerdTemplate
	if d.containerd.before(2, 0) {
		form = containerd1Template
	}
	var out bytes.Buffer
	if err := form.Execute(&out, values); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
