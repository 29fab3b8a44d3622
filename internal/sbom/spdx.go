// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sbom

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
	// Document is an SPDX document.
	Document struct {
		Version       string         `json:"spdxVersion"`
		DataLicense   string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      Creation       `json:"creationInfo"`
		Packages      []Package      `json:"packages"`
		Relationships []Relationship `json:"relationships"`

		known map[string]bool // the IDs of the packages
	}
	// Creation says when and by what a document was made.
	Creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	// Package is anything that a document lists.
	Package struct {
		ID        string     `json:"SPDXID"`
		Name      string     `json:"name"`
		Version   string     `json:"versionInfo,omitempty"`
		Supplier  string     `json:"supplier"`
		Download  string     `json:"downloadLocation"`
		Analyzed  bool       `json:"filesAnalyzed"`
		Concluded string     `json:"licenseConcluded"`
		Declared  string     `json:"licenseDeclared"`
		Copyright string     `json:"copyrightText"`
		Purpose   string     `json:"primaryPackagePurpose,omitempty"`
		Checksums []Checksum `json:"checksums,omitempty"`
		Refs      []Ref      `json:"externalRefs,omitempty"`
		Comment   string     `json:"comment,omitempty"`
	}
	// Checksum is the checksum of a file.
	Checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	// Ref is a reference to a package outside of the document.
	Ref struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	// Relationship relates two packages by their IDs.
	Relationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

const noAssertion = "NOASSERTION"

// Suppliers of packages.
const (
	Ours       = "Organization: The kgrace Authors"
	Kubernetes = "Organization: The Kubernetes Authors"
	Debian     = "Organization: Debian"
)

// New returns a document without packages. unique distinguishes it from other documents of that name: the hash of what it
// describes. tool is the version of this program.
func New(name, unique, tool string, created time.Time) *Document {
	return &Document{Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		// The domain is reserved, so there is nothing to fetch.
		Namespace: "https://kgrace.test/spdx/" + url.PathEscape(name) + "/" + unique,
		Creation:  Creation{Created: created.UTC().Format(time.RFC3339), Creators: []string{Ours, "Tool: kgrace-" + tool}},
		known:     map[string]bool{}}
}

// Add adds a package, unless one with its ID exists, and how another one relates to it; from is that one's ID. It returns the
// package's ID.
func (d *Document) Add(p Package, relation, from string) string {
	p.ID = spdxID(p.ID)
	if p.Download == "" {
		p.Download = noAssertion
	}
	if p.Supplier == "" {
		p.Supplier = noAssertion
	}
	p.Concluded, p.Declared, p.Copyright = noAssertion, noAssertion, noAssertion
	if !d.known[p.ID] {
		d.known[p.ID] = true
		d.Packages = append(d.Packages, p)
	}
	d.Relate(from, relation, p.ID)
	return p.ID
}

// Relate adds a relationship.
func (d *Document) Relate(from, relation, to string) {
	d.Relationships = append(d.Relationships, Relationship{from, relation, to})
}

// AddProgram adds a program that a package contains, and the modules in it.
func (d *Document) AddProgram(p Program, comment, from string) string {
	id := d.Add(Package{ID: "program-" + p.Name, Name: p.Name, Version: p.Version, Supplier: Ours, Purpose: "APPLICATION",
		Checksums: []Checksum{{"SHA256", p.SHA256}}, Comment: comment}, "CONTAINS", from)
	if p.Kubernetes != "" {
		k := goModule(kubernetes(p.Kubernetes))
		k.Supplier = Kubernetes
		d.Add(k, "STATIC_LINK", id)
	}
	for _, m := range p.Modules {
		d.Add(goModule(m), "STATIC_LINK", id)
	}
	if version, ok := strings.CutPrefix(p.Go, "go"); ok {
		std := goModule(Module{Path: "stdlib", Version: version})
		std.Supplier = "Organization: The Go Authors"
		d.Add(std, "STATIC_LINK", id)
	}
	return id
}

// JSON returns the document.
func (d *Document) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

func kubernetes(tag string) Module { return Module{Path: kubernetesModule, Version: tag} }

// KubernetesID returns the ID of the package k8s.io/kubernetes, which AddProgram adds with the first program of Kubernetes.
func KubernetesID(tag string) string { return spdxID(goModule(kubernetes(tag)).ID) }

func goModule(m Module) Package {
	p := Package{ID: "go-" + m.Path + "-" + m.Version, Name: m.Path, Version: m.Version, Purpose: "LIBRARY",
		Refs: []Ref{PURL("golang/" + m.Path + "@" + url.QueryEscape(m.Version))}}
	// h1: is the base64 sha256 of a list of the module's files. It is not the checksum of any single file, hence not an SPDX
	// checksum.
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
			p.Comment = "go.sum h1 (hex): " + hex.EncodeToString(raw)
		}
	}
	return p
}

// PURL returns a reference to a package URL, given without its scheme.
func PURL(rest string) Ref { return Ref{"PACKAGE-MANAGER", "purl", "pkg:" + rest} }

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
