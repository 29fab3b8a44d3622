// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"

	"golang.org/x/mod/semver"
)

// dropIn makes systemd run the release's kubelet in place of the package's. The arguments are those of kubeadm's packages,
// which have not changed since v1.11.
const dropIn = `# kgrace: runs its kubelet in place of the package's. Remove this file to go back.
[Service]
ExecStart=
ExecStart=/opt/kgrace/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`

//go:embed INSTALL.md.tmpl
var installText string

// install returns INSTALL.md.
func (c *content) install() ([]byte, error) {
	t, err := template.New(InstallFile).Option("missingkey=error").Parse(installText)
	if err != nil {
		return nil, err
	}
	var arches []string
	for _, k := range c.kubelets {
		arches = append(arches, k.Arch)
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Version": c.Version, "Kubernetes": c.Kubernetes, "Minor": c.Minor, "Patches": len(c.series.Patches),
		"Arches": arches, "ArchList": strings.Join(arches, " or "), "Go": c.kubelets[0].program.Go, "PreRelease": semver.Prerelease(c.Kubernetes) != "",
		"OldRuntime": semver.Compare(c.Kubernetes, "v1.23.0") < 0, "Tool": c.tool})
	return out.Bytes(), err
}
