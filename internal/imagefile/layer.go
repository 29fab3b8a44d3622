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

// Layer is one layer of an image: *Files or *Packed. Images that share one hold it once in the file.
type Layer interface {
	// open gives the layer as it goes into the file, dated at unless it has its dates already; what is packed for that lies
	// in dir.
	open(dir string, at time.Time) (*blob, error)
}

// blob is a layer as a file on disk: layers may be larger than memory is generous.
type blob struct {
	file *os.File
	size int64
	diff string // as Packed.DiffID
}

// Files is a layer that is packed when an image of it is written. Folders on the way to a file are made, 0755, unless they are
// files of their own.
type Files []File

// whole are the layer's files and the folders on their way, sorted, each once.
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
				return nil, fmt.Errorf("file %s lies below %s, which is no folder", f.Path, dir)
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

// open packs the layer into a nameless temporary file in dir.
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
	// Without a name it is gone with the process, however that ends.
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
