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
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Tarball is a tar.gz that is being written. It is gzip in form only: what reads it is on this machine, and compressing
// costs more than it saves.
type Tarball struct {
	f  *os.File
	gz *gzip.Writer
	tw *tar.Writer
}

// NewTarball creates the file.
func NewTarball(file string) (*Tarball, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	gz, err := gzip.NewWriterLevel(f, gzip.NoCompression)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Tarball{f: f, gz: gz, tw: tar.NewWriter(gz)}, nil
}

// Copy adds an entry of another tar.
func (t *Tarball) Copy(h *tar.Header, body io.Reader) error {
	if err := t.tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(t.tw, body)
	return err
}

// Write adds an entry.
func (t *Tarball) Write(e Entry) error { return WriteEntry(t.tw, time.Unix(0, 0), e) }

// Close ends the file. Closing it again does nothing.
func (t *Tarball) Close() error {
	if t.f == nil {
		return nil
	}
	err := errors.Join(t.tw.Close(), t.gz.Close(), t.f.Close())
	t.f = nil
	return err
}

// WriteTarball writes the entries, in their order, as a tar.gz.
func WriteTarball(file string, at time.Time, entries []Entry) error {
	t, err := NewTarball(file)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := writeEntries(t.tw, at, entries); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return t.Close()
}
