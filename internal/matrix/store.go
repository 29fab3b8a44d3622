// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// Store stores cells in a directory, one file each.
type Store struct{ Dir string }

// errStale means that a stored cell has other inputs.
var errStale = errors.New("it has other inputs")

func (s Store) path(minor, patch string, c Column) string {
	return filepath.Join(s.Dir, minor, strings.TrimSuffix(patch, ".patch"), string(c)+".json")
}

// Any reports whether any cell of a minor is stored.
func (s Store) Any(minor string) bool {
	entries, err := os.ReadDir(filepath.Join(s.Dir, minor))
	return err == nil && len(entries) > 0
}

// Get returns the stored cell with these inputs. If none is stored, the error satisfies errors.Is(err, fs.ErrNotExist); if
// it has other inputs, the error is errStale; if the file is not a cell, the error names the file.
func (s Store) Get(minor, patch string, c Column, key string) (Cell, error) {
	path := s.path(minor, patch, c)
	data, err := os.ReadFile(path)
	if err != nil {
		return Cell{}, err
	}
	var cell Cell
	if err := json.Unmarshal(data, &cell); err != nil {
		return Cell{}, fmt.Errorf("%s is not a cell of the matrix: %w", path, err)
	}
	switch {
	case cell.Column != c:
		return Cell{}, fmt.Errorf("%s is not a cell of the matrix: its column is %q, want %q", path, cell.Column, c)
	case !slices.Contains(Statuses(), cell.Status) || cell.Status == NotRun:
		return Cell{}, fmt.Errorf("%s is not a cell of the matrix: status %q", path, cell.Status)
	case cell.Key != key:
		return Cell{}, errStale
	}
	return cell, nil
}

// Put stores a cell atomically, unless its status is NotRun.
func (s Store) Put(minor, patch string, cell Cell) error {
	if cell.Status == NotRun {
		return nil
	}
	return WriteJSON(s.path(minor, patch, cell.Column), cell)
}

// Forget removes a stored cell.
func (s Store) Forget(minor, patch string, c Column) error {
	if err := os.Remove(s.path(minor, patch, c)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteFile writes a file atomically and creates its parent directories.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o644)
}

// WriteJSON is WriteFile of a value as indented JSON.
func WriteJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(data, '\n'))
}
