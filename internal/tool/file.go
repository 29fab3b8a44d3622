// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file atomically: a reader sees the old content or the new one, and after an error, such as a full disk,
// nothing half-written is left beside it.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	tmp := path + ".new"
	err := os.WriteFile(tmp, data, mode)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// WriteJSON writes a value to a file as indented JSON.
func WriteJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// CopyFile copies a file's content and creates the parent directories of to.
func CopyFile(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
