// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// File is one text file of the repository.
type File struct {
	// Path from the root, slash-separated.
	Path string
	Text string
}

// Rule returns the faults of the files, one text each with file, line and remedy.
type Rule struct {
	Name  string
	Check func(files []File) []string
}

// Rules returns the rules that need only the files. machine contains the words that Machine finds at run time.
func Rules(machine []string) []Rule {
	return []Rule{
		{"licence headers", Licences},
		{"package docs", PackageDocs},
		{"file sizes", Sizes},
		{"import arrows", Imports},
		{"forbidden words", func(files []File) []string { return Words(files, machine) }},
	}
}

// Load reads the files under root that git tracks, or would track, except for binary files.
func Load(ctx context.Context, root string) ([]File, error) {
	out, err := tool.Git(ctx, root, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	slices.Sort(names)
	var files []File
	for _, name := range slices.Compact(names) {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, not yet committed
		}
		if err != nil {
			return nil, err
		}
		if text := string(data); !strings.Contains(text, "\x00") {
			files = append(files, File{Path: name, Text: text})
		}
	}
	return files, nil
}

// generated matches the line that marks generated files for the Go tools.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// isGo reports whether the file is a Go file of a package of this module.
func (f File) isGo() bool {
	return path.Ext(f.Path) == ".go" && !slices.Contains(strings.Split(f.Path, "/"), "testdata")
}

func (f File) isTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

func (f File) isShell() bool {
	first, _, _ := strings.Cut(f.Text, "\n")
	return path.Ext(f.Path) == ".sh" || strings.HasPrefix(first, "#!") && strings.HasSuffix(first, "sh")
}

func (f File) isGenerated() bool { return f.isGo() && generated.MatchString(f.Text) }
