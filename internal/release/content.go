// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/sbom"
	"github.com/kgrace/kgrace/internal/tool"
)

// Names of the files of a release, beside the kubelets.
const (
	sumsFile       = "SHA256SUMS"
	InstallFile    = "INSTALL.md"
	DropInFile     = "90-kgrace.conf"
	seriesFile     = "series.mbox"
	spdxFile       = "kubelet.spdx.json"
	provenanceFile = "provenance.json"
)

// content is what a release is written from.
type content struct {
	Minor, Kubernetes, Version string

	series   *patchset.Series
	kubelets []built
	date     time.Time // of the tree
	tool     string    // the version of this project
	sum      string    // go.sum's h1 of k8s.io/kubernetes; empty if the tree is from a git checkout
}

// write writes the release to dir and returns its files. An earlier release stays until the new one is complete.
func (c *content) write(dir string) (_ []File, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	next := filepath.Join(tmp, "new")
	if err := os.Mkdir(next, 0o755); err != nil {
		return nil, err
	}
	files, err := c.fill(next)
	if err != nil {
		return nil, err
	}
	if err := replaceable(dir); err != nil {
		return nil, err
	}
	if err := os.Rename(dir, filepath.Join(tmp, "old")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return files, os.Rename(next, dir)
}

// fill writes the files into an empty directory.
func (c *content) fill(dir string) ([]File, error) {
	var files []File
	note := func(name string) error {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		sum, err := sbom.SHA256Of(path)
		files = append(files, File{Name: name, SHA256: sum, Size: info.Size()})
		return err
	}
	for _, k := range c.kubelets {
		to := filepath.Join(dir, k.name)
		if err := errors.Join(tool.CopyFile(to, k.Path), os.Chmod(to, 0o755)); err != nil {
			return nil, err
		}
		if err := note(k.name); err != nil {
			return nil, err
		}
	}
	mbox, err := mbox(c.series)
	if err != nil {
		return nil, err
	}
	install, err := c.install()
	if err != nil {
		return nil, err
	}
	spdx, err := c.spdx(mbox)
	if err != nil {
		return nil, err
	}
	provenance, err := c.provenance(mbox, spdx)
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{InstallFile: install, DropInFile: []byte(dropIn), seriesFile: mbox, spdxFile: spdx, provenanceFile: provenance} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return nil, err
		}
		if err := note(name); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", f.SHA256, f.Name)
	}
	return files, os.WriteFile(filepath.Join(dir, sumsFile), []byte(sums.String()), 0o644)
}

// mbox returns the series as one file for git am.
func mbox(s *patchset.Series) ([]byte, error) {
	var all []byte
	for _, p := range s.Patches {
		for i, line := range strings.Split(string(p.Data), "\n") {
			if i > 0 && strings.HasPrefix(line, "From ") {
				// git am takes some of them for the next patch.
				return nil, fmt.Errorf("%s:%d: a line of a message begins with \"From \", which separates the patches of an mbox; reword it", p.Name, i+1)
			}
		}
		all = append(all, p.Data...)
		if !strings.HasSuffix(string(p.Data), "\n") {
			all = append(all, '\n')
		}
	}
	return all, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
