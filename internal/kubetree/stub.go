// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// stub is a stub and the name of the module that it replaces.
type stub struct {
	name string
	versions.Stub
}

// stubs returns the stubs of a minor, by name.
func stubs(m versions.Minor) ([]stub, error) {
	var all []stub
	for _, name := range slices.Sorted(maps.Keys(m.Stubs)) {
		in, err := versions.ParseStub(m.Stubs[name])
		if err != nil {
			return nil, err
		}
		all = append(all, stub{name, in})
	}
	return all, nil
}

// stubDir returns the directory of a stub in the tree, below staging/src like the absent staging modules.
func stubDir(name string) string { return path.Join("staging", "src", name) }

// stubsKey returns a key for everything that determines the stubs: the pins, and the files of this project.
func (r *Repo) stubsKey(ctx context.Context, m versions.Minor) (string, error) {
	ins, err := stubs(m)
	if err != nil {
		return "", err
	}
	inputs := []any{m.Stubs}
	for _, in := range ins {
		if in.Module != "" || in.Dir == "" {
			continue
		}
		err := goFiles(ctx, filepath.Join(r.Root, filepath.FromSlash(in.Dir)), func(rel string, data []byte) error {
			inputs = append(inputs, rel, string(data))
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("the stub for %s: %w", in.name, err)
		}
	}
	return Hash(inputs...), nil
}

// layStubs writes the stubs that are directories. They have no requirements of their own: the tree's go.mod lists everything
// that their packages need.
func (r *Repo) layStubs(ctx context.Context, dir string, m versions.Minor, gomod []byte, ins []stub) error {
	f, err := modfile.ParseLax("go.mod", gomod, nil)
	if err != nil {
		return err
	}
	if f.Go == nil {
		return fmt.Errorf("the go.mod of %s has no go directive", m.Kubernetes)
	}
	for _, in := range ins {
		if in.IsVersion() {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(stubDir(in.name)))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		text := fmt.Sprintf("module %s\n\ngo %s\n", in.name, f.Go.Version)
		if err := os.WriteFile(filepath.Join(to, "go.mod"), []byte(text), 0o644); err != nil {
			return err
		}
		if in.Dir == "" {
			continue
		}
		if err := r.layStub(ctx, to, in, m.Go); err != nil {
			return fmt.Errorf("the stub for %s: %w", in.name, err)
		}
	}
	return nil
}

// layStub copies a directory's Go files and changes their imports of each other to the new module path.
func (r *Repo) layStub(ctx context.Context, to string, in stub, toolchain string) error {
	root, module := r.Root, ""
	if in.Module != "" {
		mods, err := tool.Download(ctx, toolchain, in.Module+"@"+in.Version)
		if err != nil {
			return err
		}
		root, module = mods[0].Dir, in.Module
	}
	was := strconv.Quote(path.Join(module, in.Dir))
	below := []byte(strings.TrimSuffix(was, `"`) + "/")
	return goFiles(ctx, filepath.Join(root, filepath.FromSlash(in.Dir)), func(rel string, data []byte) error {
		data = bytes.ReplaceAll(data, []byte(was), []byte(strconv.Quote(in.name)))
		data = bytes.ReplaceAll(data, below, []byte(`"`+in.name+"/"))
		file := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
}

// goFiles calls do for every Go file below dir except tests, in the order of their relative names.
func goFiles(ctx context.Context, dir string, do func(rel string, data []byte) error) error {
	found := false
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		found = true
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return do(rel, data)
	})
	if err == nil && !found {
		err = fmt.Errorf("no Go file below %s", dir)
	}
	return err
}
