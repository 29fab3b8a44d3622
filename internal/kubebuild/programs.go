// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Binaries maps programs to the absolute paths of their binaries.
type Binaries map[string]string

// Build builds one program unless it is up to date, and returns its absolute path. arm matters only for the kubelet and
// e2e_node.test. The error for an unknown program lists the known ones.
func (b *Builder) Build(ctx context.Context, minor string, arm verdict.Arm, program string) (string, error) {
	built, err := b.Binaries(ctx, minor, arm, program)
	return built[program], err
}

// Binaries is BuildAll for one arm. It returns the binaries by program.
func (b *Builder) Binaries(ctx context.Context, minor string, arm verdict.Arm, programs ...string) (Binaries, error) {
	built, err := b.BuildAll(ctx, minor, []verdict.Arm{arm}, programs)
	if err != nil {
		return nil, err
	}
	all := Binaries{}
	for _, made := range built {
		all[made.Program] = made.Path
	}
	return all, nil
}

// BuildAll builds the named programs (all of a node if none is named), those that differ between arms once for each given
// arm. It reports missing tools before it builds anything.
func (b *Builder) BuildAll(ctx context.Context, minor string, arms []verdict.Arm, programs []string) ([]Binary, error) {
	minor, m, err := b.Resolve(minor)
	if err != nil {
		return nil, err
	}
	known, err := b.Programs()
	if err != nil {
		return nil, err
	}
	if len(programs) == 0 {
		if programs, err = b.nodePrograms(); err != nil {
			return nil, err
		}
	}
	for _, name := range programs {
		if !slices.Contains(known, name) {
			return nil, tool.NewUnknown("program", name, "", known)
		}
	}
	fromDebian, err := b.debianBinaries(ctx, minor, m, programs)
	if err != nil {
		return nil, err
	}
	programs = slices.DeleteFunc(slices.Clone(programs), func(name string) bool { return fromDebian[name] != nil })
	if err := b.checkAllTools(ctx, programs, m.Go); err != nil {
		return nil, err
	}
	trees := map[verdict.Arm]*kubetree.Tree{}
	tree := func(arm verdict.Arm) (*kubetree.Tree, error) {
		if trees[arm] == nil {
			t, err := b.Ensure(ctx, minor, arm, nil)
			if err != nil {
				return nil, err
			}
			trees[arm] = t
		}
		return trees[arm], nil
	}
	var built []Binary
	for _, name := range programs {
		for _, t := range b.targetsFor(minor, m, arms, name) {
			if err := t.complete(ctx, tree); err != nil {
				return nil, err
			}
			if t.generated {
				t.prepare = b.preparing(&t.target, minor)
			}
			if err := b.build(ctx, &t.target); err != nil {
				return nil, err
			}
			built = append(built, t.Binary)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fromDebian)) {
		built = append(built, *fromDebian[name])
	}
	return built, nil
}

// checkAllTools checks only programs that are not up to date: an existing binary needs no compiler.
func (b *Builder) checkAllTools(ctx context.Context, programs []string, toolchain string) error {
	for _, name := range programs {
		if _, ok := kubePrograms[name]; ok {
			continue
		}
		program, p, err := b.Versions.ProgramOf(name)
		if err != nil {
			return err
		}
		if t := b.moduleTarget(program, p, name, toolchain); upToDate(&t) {
			continue
		}
		if err := b.checkTools(ctx, name, p); err != nil {
			return err
		}
	}
	return nil
}

// pending is a target whose tree may not exist yet.
type pending struct {
	target
	from verdict.Arm // the tree to build from; empty for programs from a module of their own
	m    versions.Minor
	// generated reports that the tree lacks a file that must be generated before the build.
	generated bool
}

// preparing returns a function that generates the missing file and lays it over the tree.
func (b *Builder) preparing(t *target, minor string) func(context.Context) error {
	return func(ctx context.Context) error {
		overlay, err := generateOpenAPI(ctx, t.dir, t.pkg, filepath.Join(b.Output, "generated", minor), t.toolchain)
		// Only now: paths are not part of the binary's inputs.
		t.flags = append(slices.Clone(t.flags), "-overlay", overlay)
		return err
	}
}

func (b *Builder) targetsFor(minor string, m versions.Minor, arms []verdict.Arm, name string) []*pending {
	pkg, ok := kubePrograms[name]
	if !ok {
		program, p, _ := b.Versions.ProgramOf(name) // known: checkAllTools looked it up
		return []*pending{{target: b.moduleTarget(program, p, name, m.Go)}}
	}
	var all []*pending
	if !slices.Contains(perArm, name) {
		t := target{Binary: Binary{Program: name, Version: m.Kubernetes, Arch: runtime.GOARCH}, pkg: pkg, toolchain: m.Go}
		t.Path = filepath.Join(b.Output, "bin", minor, name)
		return append(all, &pending{target: t, from: verdict.Stock, m: m})
	}
	for _, arm := range arms {
		t := target{Binary: Binary{Program: name, Arm: arm, Version: m.Kubernetes, Arch: runtime.GOARCH}, pkg: pkg, toolchain: m.Go}
		if arm == verdict.Fixed {
			t.Version = m.FixedVersion()
		}
		t.Path = filepath.Join(b.Output, "bin", minor, string(arm), name)
		all = append(all, &pending{target: t, from: arm, m: m})
	}
	return all
}

// complete sets the fields that depend on the tree: the build directory, the commit and its date.
func (t *pending) complete(ctx context.Context, tree func(verdict.Arm) (*kubetree.Tree, error)) error {
	if t.from == "" {
		return nil
	}
	src, err := tree(t.from)
	if err != nil {
		return err
	}
	date, err := src.CommitTime(ctx)
	if err != nil {
		return err
	}
	t.dir = src.Dir
	t.unchanged = src.CheckUnedited // trees are not locked during the minutes of a build
	t.flags = []string{"-ldflags", kubeLinkFlags(t.Version, src.Commit, date)}
	inputs := []any{buildFormat, src.Commit, t.pkg, t.flags, t.toolchain, t.Arch}
	if t.generated = t.Program == "kube-apiserver" && lacksOpenAPI(src.Dir); t.generated {
		inputs = append(inputs, openAPIFormat)
	}
	t.key = kubetree.Hash(inputs...)
	t.Recipe = t.recipe(src.Commit)
	return nil
}

// kubeLinkFlags sets the version information of Kubernetes' programs: the version, the commit of our tree, and that
// commit's date instead of the build date, so that equal sources give equal bytes. Debug information is left out, as in
// Kubernetes' own releases.
func kubeLinkFlags(version, commit string, date time.Time) string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	flags := []string{"-s", "-w", "-buildid="}
	for _, pkg := range []string{"k8s.io/client-go/pkg/version", "k8s.io/component-base/version"} {
		for _, kv := range []string{
			"gitVersion=" + version, "gitMajor=" + major, "gitMinor=" + minor, "gitCommit=" + commit,
			"gitTreeState=clean", "buildDate=" + date.UTC().Format(time.RFC3339),
		} {
			flags = append(flags, "-X", pkg+"."+kv)
		}
	}
	return strings.Join(flags, " ")
}

// moduleTarget builds a program from a tiny module that requires the program's module at the pinned version, so that the
// program's own replacements and its go.work have no effect and minimal version selection determines all other versions.
func (b *Builder) moduleTarget(program string, p versions.Program, binary, toolchain string) target {
	name := program + "@" + p.Version
	dir := filepath.Join(b.Output, "modules", name)
	goMod := fmt.Sprintf("// Generated from versions.yaml.\nmodule kgrace.invalid/programs/%s\n\ngo %s\n\nrequire %s %s\n",
		program, strings.TrimPrefix(toolchain, "go"), p.Module, p.Version)
	link := []string{"-s", "-w", "-buildid="}
	for _, v := range p.VersionVars {
		link = append(link, "-X", v+"="+p.Version)
	}
	t := target{
		Binary:    Binary{Program: binary, Version: p.Version, Arch: runtime.GOARCH, Path: filepath.Join(b.Output, "bin", "programs", name, binary)},
		dir:       dir,
		pkg:       p.Packages[binary],
		flags:     []string{"-mod=mod", "-tags", strings.Join(p.Tags, ","), "-ldflags", strings.Join(link, " ")},
		toolchain: toolchain,
		cgo:       p.CGO,
	}
	t.key = kubetree.Hash(buildFormat, goMod, t.pkg, t.flags, toolchain, p.CGO, runtime.GOARCH)
	t.prepare = func(ctx context.Context) error {
		// Downloaded separately, so that an error names it.
		if _, err := tool.Download(ctx, toolchain, p.Module+"@"+p.Version); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644)
	}
	return t
}

// Names returns the programs, sorted.
func (b Binaries) Names() []string { return slices.Sorted(maps.Keys(b)) }
