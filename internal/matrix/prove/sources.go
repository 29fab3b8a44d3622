// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/tool"
)

// suite is the package that the sim level compiles.
const suite = "test/regression/sim"

// own lists the files of this package that determine a column, besides the packages they call.
var own = map[matrix.Column][]string{
	matrix.Applies:   {"bench.go"},
	matrix.Builds:    {"bench.go", "builds.go"},
	matrix.Upstream:  {"bench.go", "tests.go"},
	matrix.Without:   {"bench.go", "tests.go"},
	matrix.With:      {"bench.go", "tests.go"},
	matrix.Scenarios: {"bench.go", "scenarios.go", "sim.go"},
}

// sources returns the digest of this project's own code that determines a column on a minor, ignoring comments and layout.
func (p *Prover) sources(ctx context.Context, plan *matrix.Plan, c matrix.Column) (string, error) {
	var files []string
	for _, name := range own[c] {
		files = append(files, "internal/matrix/prove/"+name)
	}
	dirs := map[matrix.Column][]string{matrix.Builds: {"cmd/typecheck"}, matrix.Upstream: {"internal/intree"},
		matrix.Without: {"internal/intree"}, matrix.With: {"internal/intree"}}[c]
	for _, dir := range dirs {
		names, err := goFiles(p.repo.Root, dir)
		if err != nil {
			return "", err
		}
		files = append(files, names...)
	}
	if c == matrix.Scenarios {
		compiled, err := suiteFiles(ctx, p.repo.Root, plan)
		if err != nil {
			return "", err
		}
		files = append(append(files, compiled...), "go.mod", "go.sum")
		for _, seam := range []string{"common", plan.Minor} {
			more, err := below(p.repo.Root, "internal/simkubelet/seam/"+seam)
			if err != nil {
				return "", err
			}
			files = append(files, more...)
		}
	}
	return digest(p.repo.Root, files)
}

// ours is a template for go list that prints, one per line, the files of each package of this project, except for a test's
// main program.
const ours = `{{with .Module}}{{if and .Main (ne $.Name "main")}}{{range $.GoFiles}}{{$.Dir}}/{{.}}
{{end}}{{range $.EmbedFiles}}{{$.Dir}}/{{.}}
{{end}}{{end}}{{end}}`

// suiteFiles asks the go command for the files of this project that a minor's suite is compiled from, as paths below root.
func suiteFiles(ctx context.Context, root string, plan *matrix.Plan) ([]string, error) {
	out, err := tool.Go(ctx, root, plan.Pins.Go, nil, "list", "-deps", "-test", "-tags", simbuild.Tags(plan.Minor), "-f", ours, "./"+suite)
	if err != nil {
		return nil, fmt.Errorf("list what the sim suite is compiled from: %w", err)
	}
	var files []string
	for _, path := range strings.Fields(out) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		files = append(files, filepath.ToSlash(rel))
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// goFiles returns the Go files of a package, sorted, without tests.
func goFiles(root, dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range found {
		if !strings.HasSuffix(name, "_test.go") {
			names = append(names, dir+"/"+filepath.Base(name))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s contains no Go file", filepath.Join(root, dir))
	}
	return names, nil
}

// below returns the files below a directory, or none if it does not exist.
func below(root, dir string) (names []string, err error) {
	top := filepath.Join(root, filepath.FromSlash(dir))
	if _, err := os.Stat(top); os.IsNotExist(err) {
		return nil, nil
	}
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var rel string
			rel, err = filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	return names, err
}

func digest(root string, files []string) (string, error) {
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil && strings.HasSuffix(name, ".go") {
			data, err = code(data)
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// code returns Go source without its comments, except for compiler directives.
func code(data []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				fmt.Fprintln(&out, c.Text)
			}
		}
	}
	bare, err := parser.ParseFile(set, "", data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	// Blank lines left by comments would change the digest.
	ast.SortImports(set, bare)
	if err := format.Node(&out, set, bare); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\n\n"), []byte("\n")), nil
}
