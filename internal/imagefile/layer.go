// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"archive/tar"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"
)

// Layer is one layer of an image: *Files or *Packed. The file contains a shared layer only once.
type Layer interface {
	// open returns the layer as it is stored in the file, dated at unless it already has dates; temporary files are created in
	// dir.
	open(dir string, at time.Time) (*blob, error)
}

// blob is a layer as a file on disk, because layers may be too large for memory.
type blob struct {
	file *os.File
	size int64
	diff string // as Packed.DiffID
}

// Files is a layer that is packed when an image with it is written. Missing parent directories are created with mode 0755.
type Files []File

// whole returns the layer's files and their parent directories, sorted, without duplicates.
func (l Files) whole() ([]File, error) {
	all := map[string]File{}
	for _, f := range l {
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
		if _, twice := all[f.Path]; twice {
			return nil, fmt.Errorf("file %s is in the layer twice", f.Path)
		}
		all[f.Path] = f
	}
	for _, f := range l {
		for dir := path.Dir(f.Path); dir != "/"; dir = path.Dir(dir) {
			have, ok := all[dir]
			if ok && !have.Dir && have.Link == "" {
				return nil, fmt.Errorf("file %s is below %s, which is not a directory", f.Path, dir)
			}
			if !ok {
				all[dir] = File{Path: dir, Dir: true}
			}
		}
	}
	var files []File
	for _, f := range all {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// pack writes the layer as a tar and returns its DiffID.
func (l Files) pack(to io.Writer, at time.Time) (diff string, err error) {
	files, err := l.whole()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	w := tar.NewWriter(io.MultiWriter(to, hash))
	if err := WriteEntries(w, at, files...); err != nil {
		return "", fmt.Errorf("layer: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return diffID(hash.Sum(nil)), nil
}

func diffID(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// open packs the layer into an unlinked temporary file in dir.
func (l *Files) open(dir string, at time.Time) (b *blob, err error) {
	file, err := os.CreateTemp(dir, "layer-*.tar")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	// Without a name the file vanishes with the process, however that ends.
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	diff, err := l.pack(file, at)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	return &blob{file, size, diff}, err
}
