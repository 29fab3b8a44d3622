// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/tool"
)

// builds fills the column builds.
func (b *bench) builds(ctx context.Context, number int) (cell matrix.Cell, err error) {
	if err := b.at(ctx, b.after, number); err != nil {
		return cell, err
	}
	unlock, err := b.repo.LockBuild(ctx)
	if err != nil {
		return cell, err
	}
	defer unlock()
	add := func(name string, faults string, err error) error {
		e := matrix.Evidence{Name: name, Status: matrix.Proved}
		if faults != "" {
			e.Status, e.Text = matrix.Red, faults
		}
		cell.Evidence = append(cell.Evidence, e)
		return err
	}
	// go build links a program even if its output is discarded.
	for _, pkg := range []string{"./cmd/kubelet", "./pkg/kubelet/..."} {
		faults, err := b.goBuild(ctx, pkg)
		if err := add("go build "+pkg, faults, err); err != nil {
			return cell, err
		}
	}
	run, vet := intree.Packages(b.plan.UpTo(number))
	for _, t := range []struct {
		goos     string
		packages []string
	}{{"linux", append(run[:len(run):len(run)], vet...)}, {"windows", run}} {
		if len(t.packages) == 0 {
			continue
		}
		faults, err := b.typeCheck(ctx, t.goos, t.packages)
		if err := add("types for "+t.goos, faults, err); err != nil {
			return cell, err
		}
	}
	cell.Settle("the kubelet links, the touched packages type-check with their tests for linux and windows")
	return cell, nil
}

// goBuild returns the compiler's errors, or "" if the package builds.
func (b *bench) goBuild(ctx context.Context, pkg string) (faults string, err error) {
	_, err = tool.Go(ctx, b.after, b.plan.Pins.Go, nil, "build", "-o", os.DevNull, pkg)
	return compilerSays(ctx, err)
}

// compilerSays separates errors in the code from errors of the machine.
func compilerSays(ctx context.Context, err error) (faults string, other error) {
	var failed *tool.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &failed) {
		return "", err
	}
	for line := range strings.Lines(failed.Stderr) {
		if at, _, ok := strings.Cut(line, ": "); ok && strings.Contains(at, ".go:") {
			return strings.TrimSpace(line), nil
		}
	}
	return "", err
}

// typeCheck type-checks packages with their tests as they are compiled for an operating system, and returns the first
// error.
func (b *bench) typeCheck(ctx context.Context, goos string, packages []string) (faults string, err error) {
	toolchain := b.plan.Pins.Go
	program := filepath.Join(b.repo.Output, "typecheck", "bin", toolchain)
	if _, err := tool.Go(ctx, b.repo.Root, toolchain, nil, "build", "-o", program, "./cmd/typecheck"); err != nil {
		return "", err
	}
	absent, err := b.plan.Pins.Absent()
	if err != nil {
		return "", err
	}
	args := []string{program, "-tree", b.after, "-absent", strings.Join(absent, ",")}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: b.after, Env: tool.GoEnv(toolchain, "GOOS="+goos), Args: args})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && ctx.Err() == nil {
		return oneLine(out), nil
	}
	return "", err
}
