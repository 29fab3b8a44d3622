// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"

	"github.com/kgrace/kgrace/internal/sbom"
)

// spdx lists the kubelets, the modules in them, and the series.
func (c *content) spdx(mbox []byte) ([]byte, error) {
	unique := c.series.Hash()
	for _, k := range c.kubelets {
		unique += k.program.SHA256
	}
	d := sbom.New("kgrace-kubelet-"+c.Version, hashOf([]byte(unique)), c.tool, c.date)
	root := d.Add(sbom.Package{ID: "release", Name: "kgrace-kubelet", Version: c.Version, Supplier: sbom.Ours, Purpose: "INSTALL"}, "DESCRIBES", d.ID)
	for _, k := range c.kubelets {
		d.AddProgram(*k.program, fmt.Sprintf("kubelet of Kubernetes %s with the patches of %s", c.Kubernetes, seriesFile), root)
	}
	series := d.Add(sbom.Package{ID: "series", Name: seriesFile, Version: c.Version, Supplier: sbom.Ours, Purpose: "SOURCE",
		Checksums: []sbom.Checksum{{Algorithm: "SHA256", Value: hashOf(mbox)}}}, "CONTAINS", root)
	d.Relate(series, "PATCH_APPLIED", sbom.KubernetesID(c.Kubernetes))
	return d.JSON()
}
