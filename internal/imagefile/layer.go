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
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// File is one entry of a layer. It belongs to root and has no time.
type File struct {
	// Path in the image, without a leading slash. Folders on the way to it are made, 0755, unless they are files of their own.
	Path string
	// Mode are the permission bits, the sticky bit (01000) included; 0 means 0644, for a folder 0755.
	Mode int64
	// Data is the content; in its place From is a file of this machine to copy, Link the target of a symbolic link, and
	// Dir makes it a folder.
	Data []byte
	From string
	Link string
	Dir  bool
}

// Layer is a set of files. Images that share one hold it once in the file.
type Layer []File

// header is the entry of a file in the layer's tar; size is that of its content.
func (f File) header(size int64) *tar.Header {
	h := &tar.Header{Name: f.Path, Mode: cmp.Or(f.Mode, 0o644), Size: size, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	switch {
	case f.Dir:
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, f.Path+"/", cmp.Or(f.Mode, 0o755)
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
	}
	return h
}

// whole are the layer's files and the folders on their way, sorted, each once.
func (l Layer) whole() ([]File, error) {
	all := map[string]File{}
	for _, f := range l {
		if f.Path == "" || path.Clean(f.Path) != f.Path || path.IsAbs(f.Path) || strings.HasPrefix(f.Path, "..") {
			return nil, fmt.Errorf("file %q of a layer: want a clean path below the root, such as bin/sh", f.Path)
		}
		if _, twice := all[f.Path]; twice {
			return nil, fmt.Errorf("file %s is in the layer twice", f.Path)
		}
		all[f.Path] = f
	}
	for _, f := range l {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
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

// packed is a layer as a tar file on disk: layers may be larger than memory is generous.
type packed struct {
	file   *os.File
	size   int64
	digest string
}

// pack writes the layer into a nameless temporary file in dir.
func (l Layer) pack(dir string) (p *packed, err error) {
	files, err := l.whole()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "layer-*.tar")
	if err != nil {
		return nil, err
	}
	// Without a name it is gone with the process, however that ends.
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	hash := sha256.New()
	w := tar.NewWriter(io.MultiWriter(file, hash))
	for _, f := range files {
		if err := add(w, f); err != nil {
			return nil, fmt.Errorf("layer: %s: %w", f.Path, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	return &packed{file, size, hex.EncodeToString(hash.Sum(nil))}, err
}

func add(w *tar.Writer, f File) error {
	if f.From == "" || f.Dir || f.Link != "" {
		data := f.Data
		if f.Dir || f.Link != "" {
			data = nil
		}
		if err := w.WriteHeader(f.header(int64(len(data)))); err != nil {
			return err
		}
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	}
	from, err := os.Open(f.From)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", f.From)
	}
	if err := w.WriteHeader(f.header(info.Size())); err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return err
}
