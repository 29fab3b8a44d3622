// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"
)

// File is one entry of a tar, owned by root.
type File struct {
	// Path is absolute within the tar's tree, for example that of an image.
	Path string
	// Mode contains the permission bits and the sticky bit (01000); 0 means 0644, or 0755 for a directory.
	Mode int64
	// Data is the content. Alternatively, From is a file of this machine to copy, Link the target of a symbolic link, and Dir
	// makes the entry a directory.
	Data []byte
	From string
	Link string
	Dir  bool
}

// WriteEntries writes the files to a tar in order, dated at; the zero time leaves them without a date. A duplicate path is
// an error.
func WriteEntries(w *tar.Writer, at time.Time, files ...File) error {
	known := map[string]bool{}
	for _, f := range files {
		err := f.check()
		if err == nil && known[f.Path] {
			err = errors.New("it occurs twice")
		}
		known[f.Path] = true
		if err == nil {
			err = f.write(w, at)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// check returns an error for a path that a reader might interpret as another one.
func (f File) check() error {
	if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path || f.Path == "/" {
		return fmt.Errorf("path %q: want a clean path below the root, such as /bin/sh", f.Path)
	}
	return nil
}

func (f File) write(w *tar.Writer, at time.Time) error {
	// The path is absolute, but names in a tar are relative.
	h := &tar.Header{Name: f.Path[1:], Mode: cmp.Or(f.Mode, 0o644), ModTime: at, Typeflag: tar.TypeReg}
	switch {
	case f.Dir:
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, h.Name+"/", cmp.Or(f.Mode, 0o755)
		return w.WriteHeader(h)
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
		return w.WriteHeader(h)
	case f.From == "":
		return put(w, h, bytes.NewReader(f.Data), int64(len(f.Data)))
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
		return fmt.Errorf("%s is not a regular file", f.From)
	}
	return put(w, h, from, info.Size())
}

func put(w *tar.Writer, h *tar.Header, content io.Reader, size int64) error {
	h.Size = size
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(w, content)
	return err
}
