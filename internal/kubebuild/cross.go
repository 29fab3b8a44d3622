// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Arches are the architectures, as GOARCH, that programs are built for.
var Arches = []string{"amd64", "arm64"}

// CheckArch returns an error for an architecture that is not one of Arches.
func CheckArch(arch string) error {
	if slices.Contains(Arches, arch) {
		return nil
	}
	return fmt.Errorf("unknown architecture %q; want %s", arch, strings.Join(Arches, " or "))
}

// BuildFor builds one of Kubernetes' own programs of an arm for another architecture, given as GOARCH. Its directory is
// linux-ARCH, beside the binary for this machine. Go cross-compiles it without cgo, so no other compiler is needed. Programs
// from modules of their own are not supported, because some need a C compiler.
func (b *Builder) BuildFor(ctx context.Context, minor string, arm verdict.Arm, program, arch string) (Binary, error) {
	if err := CheckArch(arch); err != nil {
		return Binary{}, err
	}
	if arch == runtime.GOARCH {
		built, err := b.BuildAll(ctx, minor, []verdict.Arm{arm}, []string{program})
		if err != nil {
			return Binary{}, err
		}
		return built[0], nil
	}
	if _, ok := kubePrograms[program]; !ok {
		return Binary{}, fmt.Errorf("%s is not built for %s on %s: it is not one of Kubernetes' own programs", program, arch, runtime.GOARCH)
	}
	minor, m, err := b.Resolve(minor)
	if err != nil {
		return Binary{}, err
	}
	t := b.targetsFor(minor, m, []verdict.Arm{arm}, program)[0]
	t.Arch = arch
	t.Path = filepath.Join(filepath.Dir(t.Path), "linux-"+arch, program)
	tree := func(arm verdict.Arm) (*kubetree.Tree, error) { return b.Ensure(ctx, minor, arm, nil) }
	if err := t.complete(ctx, tree); err != nil {
		return Binary{}, err
	}
	if t.generated {
		t.prepare = b.preparing(&t.target, minor)
	}
	err = b.build(ctx, &t.target)
	return t.Binary, err
}

// Recipe describes how go build made a binary from a tree of Kubernetes.
type Recipe struct {
	// Commit is the commit of the tree, Package the package in it.
	Commit, Package string
	// Toolchain is the Go release, Env the variables that select the target, Flags the flags of go build.
	Toolchain string
	Env       []string
	Flags     []string
}

func (t *target) recipe(commit string) *Recipe {
	return &Recipe{Commit: commit, Package: t.pkg, Toolchain: t.toolchain,
		Env:   []string{"CGO_ENABLED=0", "GOARCH=" + t.Arch, "GOOS=linux", "GOWORK=off"},
		Flags: slices.Concat(strings.Fields(tool.GoFlags), t.flags)}
}
