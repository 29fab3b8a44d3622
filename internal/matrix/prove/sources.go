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

package prove

import (
	"bytes"
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
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/matrix"
)

// module is this project's; its packages are found below the checkout.
const module = "github.com/kgrace/kgrace/"

// suite is the package that the sim level compiles.
const suite = "test/regression/sim"

// own are the files of this package that decide a column, besides what they call.
var own = map[matrix.Column][]string{
	matrix.Applies:   {"bench.go"},
	matrix.Builds:    {"bench.go", "builds.go"},
	matrix.Upstream:  {"bench.go", "tests.go"},
	matrix.Without:   {"bench.go", "tests.go"},
	matrix.With:      {"bench.go", "tests.go"},
	matrix.Scenarios: {"bench.go", "scenarios.go", "sim.go"},
}

// sources is the digest of this project's own code that decides a column on a minor. Comments and layout do not count.
func (p *Prover) sources(minor string, c matrix.Column) (string, error) {
	var files []string
	for _, name := range own[c] {
		files = append(files, "internal/matrix/prove/"+name)
	}
	dirs := map[matrix.Column][]string{matrix.Builds: {"internal/typecheck"}, matrix.Upstream: {"internal/intree"},
		matrix.Without: {"internal/intree"}, matrix.With: {"internal/intree"}}[c]
	if c == matrix.Scenarios {
		all, err := closure(p.repo.Root, suite)
		if err != nil {
			return "", err
		}
		dirs = all
		files = append(files, "go.mod", "go.sum")
		for _, seam := range []string{"common", minor} {
			more, err := below(p.repo.Root, "internal/simkubelet/seam/"+seam)
			if err != nil {
				return "", err
			}
			files = append(files, more...)
		}
	}
	for _, dir := range dirs {
		names, err := goFiles(p.repo.Root, dir)
		if err != nil {
			return "", err
		}
		files = append(files, names...)
	}
	return digest(p.repo.Root, files)
}

// closure are the folders of a package of this project and of all that it imports of this project.
func closure(root, dir string) ([]string, error) {
	dirs := []string{dir}
	for i := 0; i < len(dirs); i++ {
		names, err := goFiles(root, dirs[i])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, imported := range file.Imports {
				path, err := strconv.Unquote(imported.Path.Value)
				if rest, ok := strings.CutPrefix(path, module); ok && err == nil && !slices.Contains(dirs, rest) {
					dirs = append(dirs, rest)
				}
			}
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// goFiles are the Go files of a package, sorted, without tests but for the suite, which is one.
func goFiles(root, dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range found {
		if dir == suite || !strings.HasSuffix(name, "_test.go") {
			names = append(names, dir+"/"+filepath.Base(name))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no Go file", filepath.Join(root, dir))
	}
	return names, nil
}

// below are the files below a folder, which need not be there.
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

// code is Go source without its comments, but for those that are instructions to the compiler.
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
	// Blank lines that comments leave would count.
	ast.SortImports(set, bare)
	if err := format.Node(&out, set, bare); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\n\n"), []byte("\n")), nil
}
