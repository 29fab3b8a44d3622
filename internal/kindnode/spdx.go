// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/kgrace/kgrace/internal/sbom"
)

// spdx lists the image, its programs with the Go modules in them, its Debian packages, and its source.
func (m *Manifest) spdx(image string) ([]byte, error) {
	body, err := m.json()
	if err != nil {
		return nil, err
	}
	d := sbom.New(image, sha256OfBytes(body), m.tool, m.date)
	root := d.Add(sbom.Package{ID: "image", Name: image, Version: m.Kubelet.Version, Supplier: sbom.Ours, Purpose: "CONTAINER"}, "DESCRIBES", d.ID)
	comment := ""
	if m.Series != "" {
		comment = fmt.Sprintf("Kubernetes %s with the patches %s (%s)", m.Kubelet.Kubernetes, strings.Join(m.Patches, ", "), m.Series)
	}
	d.AddProgram(m.Kubelet, comment, root)
	for _, p := range m.Programs {
		d.AddProgram(p, "", root)
	}
	for _, p := range m.Debian {
		d.Add(sbom.Package{ID: "debian-" + p.Name, Name: p.Name, Version: p.Version, Supplier: sbom.Debian,
			Refs: []sbom.Ref{sbom.PURL("deb/debian/" + url.QueryEscape(p.Name) + "@" + url.QueryEscape(p.Version) + "?arch=" + p.Arch)}}, "CONTAINS", root)
	}
	for _, name := range m.Images {
		d.Add(sbom.Package{ID: "image-" + name, Name: name, Purpose: "CONTAINER", Comment: m.Stubs[name]}, "CONTAINS", root)
	}
	if s := m.Source; s.Ref != "" {
		d.Add(sbom.Package{ID: "source", Name: s.Ref, Version: s.Digest, Purpose: "CONTAINER",
			Checksums: []sbom.Checksum{{Algorithm: "SHA256", Value: strings.TrimPrefix(s.ID, "sha256:")}}}, "DESCENDANT_OF", root)
	} else if s.File != "" {
		d.Add(sbom.Package{ID: "source", Name: s.File, Purpose: "ARCHIVE", Checksums: []sbom.Checksum{{Algorithm: "SHA512", Value: s.SHA512}}}, "GENERATED_FROM", root)
	}
	return d.JSON()
}
