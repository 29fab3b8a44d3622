// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SeriesFile is the name of the file that lists the patches of a directory.
const SeriesFile = "series"

// Series is a directory of patches, in the order they apply.
type Series struct {
	Dir     string
	Patches []*Patch
}

// Load reads the series in dir. It rejects a series without patches, a listed file that is missing, a name that leads out
// of dir, and a file that is not a mail as git format-patch writes it. It does not check conventions; see Lint.
func Load(dir string) (*Series, error) {
	names, err := listed(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s lists no patch: a series has at least one; write it with `kgrace patch extract`", filepath.Join(dir, SeriesFile))
	}
	s := &Series{Dir: dir}
	var errs []error
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("%s lists %s, but there is no such file in %s: add the file or remove the line", SeriesFile, name, dir))
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p, err := Parse(name, data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.Patches = append(s.Patches, p)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// listed returns the names in dir's series file.
func listed(dir string) ([]string, error) {
	file := filepath.Join(dir, SeriesFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file: a directory of patches needs a file %q that lists them in order", file, SeriesFile)
	}
	if err != nil {
		return nil, err
	}
	return namesIn(file, data)
}

// namesIn returns the names in the text of a series file; file is its path for errors.
func namesIn(file string, data []byte) ([]string, error) {
	var names []string
	for i, line := range strings.Split(string(data), "\n") {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
			return nil, fmt.Errorf("%s:%d: %q is not the name of a file in the same directory", file, i+1, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// Hash identifies the content of the series: it changes with any byte of any patch, with their order and with their names,
// and with nothing else (comments in the series file do not count). It is a lower-case hexadecimal SHA-256.
func (s *Series) Hash() string {
	h := sha256.New()
	for _, p := range s.Patches {
		// Sizes separate a name, its patch and the next name.
		fmt.Fprintf(h, "%d %d\n%s", len(p.Name), len(p.Data), p.Name)
		h.Write(p.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Files returns every path that some patch of the series changes, in the order of first change.
func (s *Series) Files() []File {
	index := map[string]int{}
	var files []File
	for _, p := range s.Patches {
		for _, f := range p.Files {
			if i, ok := index[f.Path]; ok {
				files[i].New = files[i].New || f.New
				files[i].Deleted = f.Deleted
				continue
			}
			index[f.Path] = len(files)
			files = append(files, f)
		}
	}
	return files
}
