// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"compress/gzip"
	"crypto/sha256"
	"io"
	"os"
	"time"
)

// Packed is a layer that is already a tar in a file, compressed or not.
type Packed struct {
	File string
	Size int64 // of the file
	// DiffID is the sha256 of the tar, "sha256:…"; for a compressed file that is not the sha256 of the file.
	DiffID string
}

// Pack writes the layer as a tar to file, dated at.
func (l Files) Pack(file string, at time.Time) (*Packed, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	diff, err := l.pack(f, at)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &Packed{File: file, Size: info.Size(), DiffID: diff}, f.Close()
}

// OpenPacked opens an existing tar.
func OpenPacked(file string) (*Packed, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, f)
	if err != nil {
		return nil, err
	}
	return &Packed{File: file, Size: n, DiffID: diffID(hash.Sum(nil))}, nil
}

// Compress replaces the layer's file by a compressed one beside it. Docker and containerd accept both.
func (p *Packed) Compress() (*Packed, error) {
	in, err := os.Open(p.File)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	to := p.File + ".gz"
	out, err := os.Create(to)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	gz, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(gz, in); err != nil {
		return nil, err
	}
	if err := gz.Close(); err != nil {
		return nil, err
	}
	info, err := out.Stat()
	if err != nil {
		return nil, err
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return &Packed{File: to, Size: info.Size(), DiffID: p.DiffID}, os.Remove(p.File)
}

func (p *Packed) open(string, time.Time) (*blob, error) {
	f, err := os.Open(p.File)
	if err != nil {
		return nil, err
	}
	return &blob{f, p.Size, p.DiffID}, nil
}
