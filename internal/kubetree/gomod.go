// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// useStagingModules rewrites go.mod and go.sum in dir so that the tree builds without its staging directories. It sets
// requirements at v0.0.0 to the published version of the staging modules, drops the replacements by ./staging/src, replaces
// unavailable modules by stubs, and adds the checksums.
func (r *Repo) useStagingModules(ctx context.Context, dir string, m versions.Minor) error {
	path := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	ins, err := stubs(m)
	if err != nil {
		return err
	}
	data, required, err := publishedStaging(path, data, m.Staging, ins)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	if err := r.layStubs(ctx, dir, m, data, ins); err != nil {
		return err
	}
	mods, err := tool.Download(ctx, m.Go, required...)
	if err != nil {
		return err
	}
	sum := filepath.Join(dir, "go.sum")
	data, err = os.ReadFile(sum)
	if err != nil {
		return err
	}
	return os.WriteFile(sum, addSums(data, mods), 0o644)
}

// publishedStaging edits go.mod. required lists the dependencies that the edit adds, as path@version, sorted.
func publishedStaging(path string, data []byte, version string, ins []stub) (edited []byte, required []string, err error) {
	f, err := modfile.Parse(path, data, nil)
	if err != nil {
		return nil, nil, err
	}
	staging := versions.StagingModules(f)
	if len(staging) == 0 {
		return nil, nil, fmt.Errorf("%s replaces no module by ./staging/src/...: is this Kubernetes' go.mod?", path)
	}
	for _, p := range staging {
		if err := f.DropReplace(p, ""); err != nil {
			return nil, nil, err
		}
	}
	for _, in := range ins {
		if !slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == in.name }) {
			return nil, nil, fmt.Errorf("%s does not require %s, which has a stub in %s", path, in.name, versions.FileName)
		}
		to := module.Version{Path: "./" + stubDir(in.name)}
		if in.IsVersion() {
			to = module.Version{Path: in.Module, Version: in.Version}
			required = append(required, to.String())
		}
		if err := f.AddReplace(in.name, "", to.Path, to.Version); err != nil {
			return nil, nil, err
		}
	}
	// Iterate over a copy: SetRequire would drop upstream's comments and grouping, AddRequire keeps them.
	for _, r := range slices.Clone(f.Require) {
		if _, ok := slices.BinarySearch(staging, r.Mod.Path); !ok {
			continue
		}
		if err := f.AddRequire(r.Mod.Path, version); err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(ins, func(in stub) bool { return in.name == r.Mod.Path }) {
			required = append(required, r.Mod.Path+"@"+version)
		}
	}
	slices.Sort(required)
	f.Cleanup()
	edited, err = f.Format()
	return edited, required, err
}

// addSums adds the checksums of modules to a go.sum, in the order in which go writes them.
func addSums(sums []byte, mods []tool.Module) []byte {
	lines := map[module.Version]string{}
	add := func(path, version, sum string) {
		lines[module.Version{Path: path, Version: version}] = sum
	}
	for line := range strings.Lines(string(sums)) {
		if f := strings.Fields(line); len(f) == 3 {
			add(f[0], f[1], f[2])
		}
	}
	for _, m := range mods {
		add(m.Path, m.Version, m.Sum)
		add(m.Path, m.Version+"/go.mod", m.GoModSum)
	}
	keys := make([]module.Version, 0, len(lines))
	for k := range lines {
		keys = append(keys, k)
	}
	module.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s %s %s\n", k.Path, k.Version, lines[k])
	}
	return []byte(b.String())
}

// versionTime returns the time of the tagged commit from a module's .info file.
func versionTime(info string) (time.Time, error) {
	var v struct{ Time time.Time }
	data, err := os.ReadFile(info)
	if err != nil {
		return v.Time, err
	}
	if err := json.Unmarshal(data, &v); err != nil || v.Time.IsZero() {
		return v.Time, fmt.Errorf("%s: contains no time of the version (%v); remove it with `go clean -modcache` and try again", info, err)
	}
	return v.Time, nil
}
