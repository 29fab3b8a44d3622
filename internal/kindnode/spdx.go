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

package kindnode

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The parts of an SPDX 2.3 document that are filled in. Field names are those of the specification.
type (
	spdxDocument struct {
		Version       string             `json:"spdxVersion"`
		DataLicense   string             `json:"dataLicense"`
		ID            string             `json:"SPDXID"`
		Name          string             `json:"name"`
		Namespace     string             `json:"documentNamespace"`
		Creation      spdxCreation       `json:"creationInfo"`
		Packages      []spdxPackage      `json:"packages"`
		Relationships []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID        string         `json:"SPDXID"`
		Name      string         `json:"name"`
		Version   string         `json:"versionInfo,omitempty"`
		Download  string         `json:"downloadLocation"`
		Analyzed  bool           `json:"filesAnalyzed"`
		Concluded string         `json:"licenseConcluded"`
		Declared  string         `json:"licenseDeclared"`
		Copyright string         `json:"copyrightText"`
		Purpose   string         `json:"primaryPackagePurpose,omitempty"`
		Checksums []spdxChecksum `json:"checksums,omitempty"`
		Refs      []spdxRef      `json:"externalRefs,omitempty"`
		Comment   string         `json:"comment,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxRef struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

const noAssertion = "NOASSERTION"

// spdx lists the image, its programs with the Go modules in them, its Debian packages, and its source. It does not examine
// licences.
func (m *Manifest) spdx(image string) ([]byte, error) {
	body, err := m.json()
	if err != nil {
		return nil, err
	}
	d := spdxDocument{Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: image,
		// The content makes the namespace unique; the domain is reserved, so there is nothing to fetch.
		Namespace: "https://kgrace.test/spdx/" + url.PathEscape(image) + "/" + sha256OfBytes(body),
		Creation:  spdxCreation{Created: m.date.Format(time.RFC3339), Creators: []string{"Tool: kgrace"}}}
	known := map[string]bool{}
	add := func(p spdxPackage, relation, from string) string {
		p.ID = spdxID(p.ID)
		if p.Download == "" {
			p.Download = noAssertion
		}
		p.Concluded, p.Declared, p.Copyright = noAssertion, noAssertion, noAssertion
		if !known[p.ID] {
			known[p.ID] = true
			d.Packages = append(d.Packages, p)
		}
		d.Relationships = append(d.Relationships, spdxRelationship{from, relation, p.ID})
		return p.ID
	}
	root := add(spdxPackage{ID: "image", Name: image, Version: m.Kubelet.Version, Purpose: "CONTAINER"}, "DESCRIBES", d.ID)
	for _, p := range append([]Program{m.Kubelet}, m.Programs...) {
		program := spdxPackage{ID: "program-" + p.Name, Name: p.Name, Version: p.Version, Purpose: "APPLICATION",
			Checksums: []spdxChecksum{{"SHA256", p.SHA256}}}
		if p.Name == kubelet && m.Series != "" {
			// Not m.Kubernetes, which is that of an image that this one is made from.
			release, _, _ := strings.Cut(m.Kubelet.Version, "+")
			program.Comment = fmt.Sprintf("Kubernetes %s with the patches %s (%s)", release, strings.Join(m.Patches, ", "), m.Series)
		}
		id := add(program, "CONTAINS", root)
		for _, mod := range p.Modules {
			add(goModule(mod), "STATIC_LINK", id)
		}
	}
	for _, p := range m.Debian {
		add(spdxPackage{ID: "debian-" + p.Name, Name: p.Name, Version: p.Version, Refs: []spdxRef{purl("deb/debian/" + url.QueryEscape(p.Name) + "@" + url.QueryEscape(p.Version) + "?arch=" + p.Arch)}},
			"CONTAINS", root)
	}
	for _, name := range m.Images {
		add(spdxPackage{ID: "image-" + name, Name: name, Purpose: "CONTAINER", Comment: m.Stubs[name]}, "CONTAINS", root)
	}
	if s := m.Source; s.Ref != "" {
		add(spdxPackage{ID: "source", Name: s.Ref, Version: s.Digest, Purpose: "CONTAINER", Checksums: []spdxChecksum{{"SHA256", strings.TrimPrefix(s.ID, "sha256:")}}}, "DESCENDANT_OF", root)
	} else if s.File != "" {
		add(spdxPackage{ID: "source", Name: s.File, Purpose: "ARCHIVE", Checksums: []spdxChecksum{{"SHA512", s.SHA512}}}, "GENERATED_FROM", root)
	}
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

func goModule(m Module) spdxPackage {
	p := spdxPackage{ID: "go-" + m.Path + "-" + m.Version, Name: m.Path, Version: m.Version, Purpose: "LIBRARY",
		Refs: []spdxRef{purl("golang/" + m.Path + "@" + url.QueryEscape(m.Version))}}
	// h1: is the base64 sha256 of a list of the module's files. It is not the checksum of any single file, hence not an SPDX
	// checksum.
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
			p.Comment = "go.sum h1 (hex): " + hex.EncodeToString(raw)
		}
	}
	return p
}

func purl(rest string) spdxRef { return spdxRef{"PACKAGE-MANAGER", "purl", "pkg:" + rest} }

// spdxID returns an identifier of letters, digits, dots and dashes.
func spdxID(name string) string {
	var b strings.Builder
	b.WriteString("SPDXRef-")
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			b.WriteRune(r)
		default:
			// Distinct characters stay distinct: two names must not become one.
			fmt.Fprintf(&b, "-%x-", r)
		}
	}
	return b.String()
}
