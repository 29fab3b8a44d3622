// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// SuitesFile is the name of the list in a directory of compiled suites.
const SuitesFile = "suites.json"

// Suites are suites of the sim level, compiled on another machine. They need neither Go nor a checkout.
type Suites struct {
	Minor string `json:"minor"`
	// Files are paths by arm, relative to the directory of the list; Digests are the digests of the files.
	Files   map[verdict.Arm]string `json:"files"`
	Digests map[verdict.Arm]string `json:"digests"`
}

// NewSuites creates the list for compiled suites, given by their paths. Files contains the names that they will have below
// a directory of suites.
func NewSuites(minor string, paths map[verdict.Arm]string) (s Suites, err error) {
	s = Suites{Minor: minor, Files: map[verdict.Arm]string{}, Digests: map[verdict.Arm]string{}}
	for arm, path := range paths {
		s.Files[arm] = filepath.Join(string(arm), "sim.test")
		if s.Digests[arm], err = Digest(path); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Write writes the list into a directory of suites.
func (s Suites) Write(dir string) error {
	return tool.WriteJSON(filepath.Join(dir, SuitesFile), s)
}

// OpenSuites reads the list in dir and checks the files. The paths of the result include dir.
func OpenSuites(dir string) (s Suites, err error) {
	list := filepath.Join(dir, SuitesFile)
	data, err := os.ReadFile(list)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s contains no %s;  `kgrace shard image` makes an image with such a directory", dir, SuitesFile)
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", list, err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	for arm, name := range s.Files {
		path := filepath.Join(dir, name)
		got, err := Digest(path)
		if err != nil {
			return s, err
		}
		if got != s.Digests[arm] {
			return s, fmt.Errorf("%s has digest %s, but %s lists %s: it was replaced or truncated", path, got, list, s.Digests[arm])
		}
		s.Files[arm] = path
	}
	return s, nil
}

// Digest is the SHA-256 of a file.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
