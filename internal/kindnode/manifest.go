// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/bare/rootfs"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/sbom"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Manifest lists the content of an image. Equal inputs give equal bytes.
type Manifest struct {
	// Format is the version of this file's format and of the image's; see format.
	Format int         `json:"format"`
	Arm    verdict.Arm `json:"arm"`
	Minor  string      `json:"minor"`
	// Kubernetes is the version of the node without the kubelet, which Kubelet.Kubernetes has a tag of its own for.
	Kubernetes string `json:"kubernetes"`
	Arch       string `json:"arch"`
	// Commit is the commit of the tree that the kubelet was built from; equal inputs give equal commits.
	Commit string `json:"commit"`
	// Series is the hash of the patches, Patches their names; both are empty on the stock arm.
	Series  string       `json:"series,omitempty"`
	Patches []string     `json:"patches,omitempty"`
	Kubelet sbom.Program `json:"kubelet"`
	Source  Source       `json:"source"`
	// Programs lists the programs built for the image, sorted by name, without the kubelet.
	Programs []sbom.Program `json:"programs,omitempty"`
	// Kind is the version of the kind that built the image; empty when building from an image.
	Kind string `json:"kind,omitempty"`
	// Images are the images inside, for the node's own pods, sorted.
	Images []string `json:"images,omitempty"`
	// Stubs maps images that differ from what their name suggests to a description.
	Stubs map[string]string `json:"standIns,omitempty"`
	// Debian lists the packages of the root filesystem.
	Debian []rootfs.Package `json:"debian,omitempty"`

	date time.Time // of the tree; the date of generated files
	tool string    // the version of this program, for the SPDX document
}

// Source describes what an image was built from.
type Source struct {
	From From `json:"from"`
	// Ref and ID are the image's name and the sha256 of its configuration; Digest is its registry's digest.
	Ref    string `json:"ref,omitempty"`
	ID     string `json:"id,omitempty"`
	Digest string `json:"digest,omitempty"`
	// File and SHA512 describe the tarball.
	File   string `json:"file,omitempty"`
	SHA512 string `json:"sha512,omitempty"`
}

// newManifest lays out the arm's tree, which the kubelet always comes from.
func (b *builder) newManifest(ctx context.Context) (*Manifest, error) {
	r := b.o.Repo
	tree, err := r.Ensure(ctx, b.o.Minor, b.o.Arm, b.o.Progress)
	if err != nil {
		return nil, err
	}
	out, err := tool.Git(ctx, tree.Dir, nil, "show", "--no-patch", "--format=%cI", tree.Commit)
	if err != nil {
		return nil, err
	}
	date, err := time.Parse(time.RFC3339, strings.TrimSpace(out))
	if err != nil {
		return nil, err
	}
	m := &Manifest{Format: format, Arm: b.o.Arm, Minor: b.o.Minor, Kubernetes: b.m.Kubernetes, Arch: b.arch, Commit: tree.Commit,
		Source: Source{From: b.o.From}, date: date.UTC(), tool: r.ToolVersion(ctx)}
	if b.o.Arm == verdict.Fixed {
		series, err := patchset.Load(r.SeriesDir(b.o.Minor))
		if err != nil {
			return nil, err
		}
		m.Series = series.Hash()
		for _, p := range series.Patches {
			m.Patches = append(m.Patches, p.Name)
		}
	}
	return m, nil
}

// takeKubelet records the arm's kubelet, built at path.
func (b *builder) takeKubelet(path string) error {
	version := b.m.Kubernetes
	if b.o.Arm == verdict.Fixed {
		version = b.m.FixedVersion()
	}
	p, err := sbom.Describe(kubelet, version, path)
	if err != nil {
		return err
	}
	p.Path = "/usr/bin/" + kubelet // where kind puts it; when building from an image, the path is looked up
	b.manifest.Kubelet = *p
	return nil
}

func (b *builder) noteProgram(name, version, path string) error {
	p, err := sbom.Describe(name, version, path)
	if err != nil {
		return err
	}
	b.manifest.Programs = append(b.manifest.Programs, *p)
	slices.SortFunc(b.manifest.Programs, func(a, b sbom.Program) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func (m *Manifest) noteImage(name string) {
	m.Images = append(m.Images, name)
	slices.Sort(m.Images)
}

func (m *Manifest) stub(image, what string) {
	if m.Stubs == nil {
		m.Stubs = map[string]string{}
	}
	m.Stubs[image] = what
}

// format is part of the inputs. Raise it when the way images are built changes.
const format = 5

// inputs returns a hash of everything that the images of both arms share.
func (m *Manifest) inputs() (string, error) {
	shared := *m
	shared.Arm, shared.Commit, shared.Series, shared.Patches, shared.Kubelet = "", "", "", nil, sbom.Program{}
	data, err := shared.json()
	return sha256OfBytes(data), err
}

func (m *Manifest) json() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}

// Labels of an image, in reverse-DNS form as Docker and OCI ask for. Its manifest contains the rest.
const (
	labels          = "io.github.kgrace."
	LabelArm        = labels + "arm"
	LabelKubernetes = labels + "kubernetes"     // of the node without the kubelet
	LabelKubelet    = labels + "kubelet"        // its version
	LabelKubeletSum = labels + "kubelet.sha256" // of its file
	LabelKubeletTag = labels + "kubelet.kubernetes"
	LabelSeries     = labels + "series"   // hash of the patches; empty on the stock arm
	LabelCommit     = labels + "commit"   // of the tree
	LabelFrom       = labels + "from"     // modules, image or tarball
	LabelManifest   = labels + "manifest" // sha256 of the manifest, and so of all inputs
)

func (m *Manifest) labels() (map[string]string, error) {
	data, err := m.json()
	if err != nil {
		return nil, err
	}
	return map[string]string{
		LabelManifest: sha256OfBytes(data),
		LabelArm:      string(m.Arm), LabelKubernetes: m.Kubernetes, LabelKubelet: m.Kubelet.Version, LabelKubeletSum: m.Kubelet.SHA256,
		LabelKubeletTag: m.Kubelet.Kubernetes, LabelSeries: m.Series, LabelCommit: m.Commit, LabelFrom: string(m.Source.From),
		"org.opencontainers.image.title":       fmt.Sprintf("kind node, kubelet %s (%s)", m.Kubelet.Version, m.Arm),
		"org.opencontainers.image.version":     m.Kubelet.Version,
		"org.opencontainers.image.base.name":   m.Source.Ref,
		"org.opencontainers.image.base.digest": m.Source.Digest,
	}, nil
}
