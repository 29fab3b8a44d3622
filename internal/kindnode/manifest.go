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
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/kindnode/rootfs"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Manifest says what an image is made of. Equal inputs give equal bytes.
type Manifest struct {
	// Format is that of this file and of the image, see format.
	Format     int         `json:"format"`
	Arm        verdict.Arm `json:"arm"`
	Minor      string      `json:"minor"`
	Kubernetes string      `json:"kubernetes"`
	Arch       string      `json:"arch"`
	// Commit is that of the tree the kubelet was built from; equal inputs give equal commits.
	Commit string `json:"commit"`
	// Series is the hash of the patches, and Patches their names; both empty on the stock arm.
	Series  string   `json:"series,omitempty"`
	Patches []string `json:"patches,omitempty"`
	Kubelet Program  `json:"kubelet"`
	Source  Source   `json:"source"`
	// Programs that were built for it, sorted by name, the kubelet aside.
	Programs []Program `json:"programs,omitempty"`
	// Kind is the version of the kind that made the image; from an image it is that one's business.
	Kind string `json:"kind,omitempty"`
	// Images that are inside, for the node's own pods, sorted.
	Images []string `json:"images,omitempty"`
	// Stubs are images that are not what their name says, and what they are.
	Stubs map[string]string `json:"standIns,omitempty"`
	// Debian are the packages of the root filesystem.
	Debian []rootfs.Package `json:"debian,omitempty"`

	date time.Time // of the tree; what is made here is dated so
}

// Program is an executable of the image.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256"`
	Path    string `json:"path,omitempty"` // in the image, of the kubelet
	// Go is the compiler, and Module and Modules are what it was compiled from; of Go programs.
	Go      string   `json:"go,omitempty"`
	Module  string   `json:"module,omitempty"`
	Modules []Module `json:"-"` // in the SPDX document
}

// Source is what an image was made from.
type Source struct {
	From From `json:"from"`
	// Ref and ID are the image's name and the sha256 of its configuration; Digest is what its registry knows it by.
	Ref    string `json:"ref,omitempty"`
	ID     string `json:"id,omitempty"`
	Digest string `json:"digest,omitempty"`
	// File and SHA512 are the tarball's.
	File   string `json:"file,omitempty"`
	SHA512 string `json:"sha512,omitempty"`
}

// newManifest lays the arm's tree out, which is where the kubelet comes from, whatever the source of the rest.
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
		Source: Source{From: b.o.From}, date: date.UTC()}
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

// takeKubelet notes the arm's kubelet, built at path.
func (b *builder) takeKubelet(path string) error {
	version := b.m.Kubernetes
	if b.o.Arm == verdict.Fixed {
		version = b.m.FixedVersion()
	}
	p, err := describe(kubelet, version, path)
	if err != nil {
		return err
	}
	p.Path = "/usr/bin/" + kubelet // where kind puts it; from an image it is looked up
	b.manifest.Kubelet = *p
	return nil
}

func (b *builder) noteProgram(name, version, path string) error {
	p, err := describe(name, version, path)
	if err != nil {
		return err
	}
	b.manifest.Programs = append(b.manifest.Programs, *p)
	slices.SortFunc(b.manifest.Programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
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

// format is part of the inputs. Raise it when images come to be made differently.
const format = 4

// inputs is a hash of all that both arms of an image share.
func (m *Manifest) inputs() (string, error) {
	shared := *m
	shared.Arm, shared.Commit, shared.Series, shared.Patches, shared.Kubelet = "", "", "", nil, Program{}
	data, err := shared.json()
	return sha256OfBytes(data), err
}

func (m *Manifest) json() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}

// Labels of an image. The rest is in its manifest.
const (
	LabelArm        = "kgrace.arm"
	LabelKubernetes = "kgrace.kubernetes"
	LabelKubelet    = "kgrace.kubelet"        // its version
	LabelKubeletSum = "kgrace.kubelet.sha256" // of its file
	LabelSeries     = "kgrace.series"         // hash of the patches; empty on the stock arm
	LabelCommit     = "kgrace.commit"         // of the tree
	LabelFrom       = "kgrace.from"           // modules, image or tarball
	LabelManifest   = "kgrace.manifest"       // sha256 of the manifest, and so of all inputs
)

func (m *Manifest) labels() (map[string]string, error) {
	data, err := m.json()
	if err != nil {
		return nil, err
	}
	return map[string]string{
		LabelManifest: sha256OfBytes(data),
		LabelArm:      string(m.Arm), LabelKubernetes: m.Kubernetes, LabelKubelet: m.Kubelet.Version, LabelKubeletSum: m.Kubelet.SHA256,
		LabelSeries: m.Series, LabelCommit: m.Commit, LabelFrom: string(m.Source.From),
		"org.opencontainers.image.title":       fmt.Sprintf("kind node, kubelet %s (%s)", m.Kubelet.Version, m.Arm),
		"org.opencontainers.image.version":     m.Kubelet.Version,
		"org.opencontainers.image.base.name":   m.Source.Ref,
		"org.opencontainers.image.base.digest": m.Source.Digest,
	}, nil
}
