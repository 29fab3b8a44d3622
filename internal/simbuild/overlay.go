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

package simbuild

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// seamSuffix keeps seam files from being compiled where they are kept.
const seamSuffix = ".seam"

// seamDir is where the seam of a minor is kept, as paths in the tree.
func seamDir(root, minor string) string {
	return filepath.Join(root, "internal", "simkubelet", "seam", minor)
}

// noSeam says for which minors there is one.
func noSeam(root, minor string) error {
	var known []string
	entries, err := os.ReadDir(filepath.Dir(seamDir(root, minor)))
	for _, e := range entries {
		known = append(known, e.Name())
	}
	if err != nil || len(known) == 0 {
		return fmt.Errorf("%s holds the seam of no minor", filepath.Dir(seamDir(root, minor)))
	}
	return fmt.Errorf("the sim level has no seam for %s yet; there is one for %s", minor, strings.Join(known, ", "))
}

// writeOverlay writes the file for go's -overlay that lays the minor's seam into the tree.
func writeOverlay(path, root, minor, tree string) error {
	replace := map[string]string{}
	from := seamDir(root, minor)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return noSeam(root, minor)
	}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(rel, ".go"+seamSuffix) {
			return fmt.Errorf("%s: a seam file's name ends in .go%s", path, seamSuffix)
		}
		to := filepath.Join(tree, strings.TrimSuffix(rel, seamSuffix))
		if _, err := os.Stat(filepath.Dir(to)); err != nil {
			return fmt.Errorf("%s: the tree has no such package: %w", path, err)
		}
		replace[to] = path
		return nil
	})
	if err != nil {
		return err
	}
	if len(replace) == 0 {
		return fmt.Errorf("%s holds no seam", from)
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
