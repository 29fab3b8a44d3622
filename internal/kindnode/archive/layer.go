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

package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Entry is a file of a layer. Exactly one of Data, From, Link and Dir says what it is.
type Entry struct {
	// Path is absolute in the image's own tree.
	Path string
	Mode fs.FileMode // permissions; 0 means 0644, or 0755 for a folder
	Data []byte
	// From is a file on this machine.
	From string
	// Link is the target of a symbolic link.
	Link string
	Dir  bool
}

// Layer is a tar in a file, as it is or compressed.
type Layer struct {
	File string
	Size int64 // of the file
	// DiffID is the sha256 of the tar's bytes, "sha256:…", which for a compressed file are not the file's.
	DiffID string
}

// WriteLayer writes the entries as a tar to file, sorted, each with the folders above it. A path that is named twice is an
// error.
func WriteLayer(file string, at time.Time, entries []Entry) (Layer, error) {
	f, err := os.Create(file)
	if err != nil {
		return Layer{}, err
	}
	defer f.Close()
	hash := sha256.New()
	count := &counter{w: io.MultiWriter(f, hash)}
	tw := tar.NewWriter(count)
	if err := writeEntries(tw, at, withFolders(entries)); err != nil {
		return Layer{}, fmt.Errorf("%s: %w", file, err)
	}
	if err := tw.Close(); err != nil {
		return Layer{}, err
	}
	return Layer{File: file, Size: count.n, DiffID: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, f.Close()
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// withFolders adds the folders that lead to the entries and sorts all by path.
func withFolders(entries []Entry) []Entry {
	known := map[string]bool{"/": true}
	all := slices.Clone(entries)
	for _, e := range entries {
		if e.Dir {
			known[path.Clean(e.Path)] = true
		}
	}
	for _, e := range entries {
		for dir := path.Dir(path.Clean(e.Path)); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			all = append(all, Entry{Path: dir, Dir: true})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(path.Clean(a.Path), path.Clean(b.Path)) })
	return all
}

func writeEntries(tw *tar.Writer, at time.Time, entries []Entry) error {
	last := ""
	for _, e := range entries {
		if e.Path == last {
			return fmt.Errorf("%s is there twice", e.Path)
		}
		last = e.Path
		if err := WriteEntry(tw, at, e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return nil
}

// WriteEntry writes one entry, owned by root.
func WriteEntry(tw *tar.Writer, at time.Time, e Entry) error {
	if !path.IsAbs(e.Path) {
		return fmt.Errorf("not absolute")
	}
	h := &tar.Header{Name: strings.TrimPrefix(path.Clean(e.Path), "/"), Mode: int64(e.Mode.Perm()), ModTime: at, Typeflag: tar.TypeReg}
	if h.Mode == 0 {
		h.Mode = 0o644
	}
	switch {
	case e.Dir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		if e.Mode == 0 {
			h.Mode = 0o755
		}
	case e.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Link, 0o777
	case e.From != "":
		return writeFile(tw, h, e.From)
	default:
		h.Size = int64(len(e.Data))
	}
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(tw, bytes.NewReader(e.Data))
	return err
}

func writeFile(tw *tar.Writer, h *tar.Header, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", from)
	}
	h.Size = fi.Size()
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(tw, f)
	return err
}

// OpenLayer reads a tar that is there already.
func OpenLayer(file string) (Layer, error) {
	f, err := os.Open(file)
	if err != nil {
		return Layer{}, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, f)
	return Layer{File: file, Size: n, DiffID: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, err
}

// Compress replaces the layer's file by a compressed one beside it. Engines and containerd take both.
func (l Layer) Compress() (Layer, error) {
	in, err := os.Open(l.File)
	if err != nil {
		return l, err
	}
	defer in.Close()
	to := l.File + ".gz"
	out, err := os.Create(to)
	if err != nil {
		return l, err
	}
	defer out.Close()
	gz, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return l, err
	}
	if _, err := io.Copy(gz, in); err != nil {
		return l, err
	}
	if err := gz.Close(); err != nil {
		return l, err
	}
	fi, err := out.Stat()
	if err != nil {
		return l, err
	}
	if err := out.Close(); err != nil {
		return l, err
	}
	return Layer{File: to, Size: fi.Size(), DiffID: l.DiffID}, os.Remove(l.File)
}
