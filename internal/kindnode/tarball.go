// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// tarball writes a tar.gz. It uses gzip without compression: its reader is on the same machine, and compressing costs more
// than it saves.
type tarball struct {
	f  *os.File
	gz *gzip.Writer
	tw *tar.Writer
}

// newTarball creates the file.
func newTarball(file string) (*tarball, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	gz, err := gzip.NewWriterLevel(f, gzip.NoCompression)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &tarball{f: f, gz: gz, tw: tar.NewWriter(gz)}, nil
}

// copy adds an entry of another tar.
func (t *tarball) copy(h *tar.Header, body io.Reader) error {
	if err := t.tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(t.tw, body)
	return err
}

// close finishes the file. Further calls do nothing.
func (t *tarball) close() error {
	if t.f == nil {
		return nil
	}
	err := errors.Join(t.tw.Close(), t.gz.Close(), t.f.Close())
	t.f = nil
	return err
}

// writeTarball writes the entries, in order, as a tar.gz.
func writeTarball(file string, at time.Time, entries []imagefile.File) error {
	t, err := newTarball(file)
	if err != nil {
		return err
	}
	defer t.close()
	if err := imagefile.WriteEntries(t.tw, at, entries...); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return t.close()
}

// writeImages writes an archive of images for kind, which does not find short names.
func writeImages(file string, at time.Time, images []imagefile.Image) error {
	for _, i := range images {
		for _, name := range i.Names {
			if first, _, ok := strings.Cut(name, "/"); !ok || !strings.ContainsAny(first, ".:") {
				return fmt.Errorf("image name %q has no registry; write it in full", name)
			}
		}
	}
	return imagefile.WriteFile(file, at, images...)
}
