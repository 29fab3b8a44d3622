// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
)

// bench holds two trees of one minor, each of which can be checked out at any stage of the series.
type bench struct {
	*Prover
	plan *matrix.Plan
	// stock is the arm's own tree, which bench only reads; after and before belong to the bench.
	stock, after, before string
	// stages are indexed by patch number; stage 0 is stock.
	stages []stage
	// known maps the key of a tree of this minor to the catalogue's verdicts on it.
	known map[string]*verdicts
}

// stage is the tree up to a patch.
type stage struct {
	commit string
	cell   matrix.Cell // of the column applies
}

// newBench clones the stock arm and applies the patches one after another. It skips a patch that stock already contains;
// after one that does not apply there are no more trees.
func newBench(ctx context.Context, p *Prover, plan *matrix.Plan, stock *kubetree.Tree) (*bench, error) {
	dir := filepath.Join(p.treesDir(), plan.Minor)
	b := &bench{Prover: p, plan: plan, stock: stock.Dir, after: filepath.Join(dir, "after"), before: filepath.Join(dir, "before"),
		stages: []stage{{commit: stock.Commit}}, known: map[string]*verdicts{}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := tool.Git(ctx, dir, nil, "clone", "--quiet", "--shared", "--no-checkout", "--no-tags", b.stock, b.after); err != nil {
		return nil, err
	}
	// The checked-out files must be byte for byte the committed ones, whatever the tree's own attributes specify.
	attributes := filepath.Join(b.after, ".git", "info", "attributes")
	if err := matrix.WriteFile(attributes, []byte("* -text -ident -filter\n")); err != nil {
		return nil, err
	}
	if err := checkOut(ctx, b.after, stock.Commit); err != nil {
		return nil, err
	}
	if err := b.climb(ctx); err != nil {
		return nil, err
	}
	_, err := tool.Git(ctx, b.after, nil, "worktree", "add", "--quiet", "--detach", b.before, stock.Commit)
	return b, err
}

func (b *bench) climb(ctx context.Context) error {
	below, lost := b.stages[0].commit, ""
	for _, patch := range b.plan.Patches {
		r := stage{commit: below}
		var failed *patchset.ApplyError
		var err error
		one := &patchset.Series{Dir: b.plan.Series.Dir, Patches: []*patchset.Patch{patch.Patch}}
		switch {
		case lost != "":
			r.cell = matrix.Cell{Status: matrix.NotRun, Why: lost + ", and this one depends on it"}
		case b.has(ctx, patch.Data):
			r.cell = matrix.Cell{Status: matrix.Drop, Why: "the tree before it already contains every line of it"}
		default:
			err = one.Apply(ctx, b.after)
		}
		switch {
		case r.cell.Status != "":
		case errors.As(err, &failed):
			failed.Index, failed.Total = patch.Number, len(b.plan.Patches)
			r.cell = matrix.Cell{Status: matrix.Red, Why: oneLine(failed.Error())}
			lost = fmt.Sprintf("patch %d does not apply", patch.Number)
		case err != nil:
			return err
		default:
			if r.commit, err = head(ctx, b.after); err != nil {
				return err
			}
			r.cell = matrix.Cell{Status: matrix.Proved, Why: fmt.Sprintf("%d files", len(patch.Files))}
			below = r.commit
		}
		b.stages = append(b.stages, r)
	}
	return nil
}

// has reports whether the tree already contains a patch, that is, whether the patch can be reversed cleanly.
func (b *bench) has(ctx context.Context, data []byte) bool {
	_, err := b.apply(ctx, data, "--reverse", "--check")
	return err == nil
}

func (b *bench) apply(ctx context.Context, data []byte, flags ...string) (string, error) {
	return tool.Run(ctx, tool.Cmd{Dir: b.after, Env: tool.GitEnv(), Stdin: bytes.NewReader(data),
		Args: append([]string{"git", "-c", "core.autocrlf=false", "-c", "apply.whitespace=nowarn", "apply"}, flags...)})
}

// at checks a tree out at the stage of a patch.
func (b *bench) at(ctx context.Context, tree string, number int) error {
	return checkOut(ctx, tree, b.stages[number].commit)
}

// missingError is the reason why a tree cannot be made, or does not compile.
type missingError struct{ why string }

func (e *missingError) Error() string { return e.why }

// lay makes the tree after that of some patches on stock. If those are not the first ones, it leaves out their test files:
// such a tree is for the sim level, and would often fail to apply only because two tests are adjacent. It does not check
// that the tree compiles. If the tree cannot be made, the error is a *missingError.
func (b *bench) lay(ctx context.Context, applied []int) error {
	if last := len(b.plan.Patches); len(applied) == 0 {
		return b.at(ctx, b.after, 0)
	} else if n := applied[len(applied)-1]; n <= last && slices.Equal(applied, b.upTo(n)) {
		return b.at(ctx, b.after, n)
	}
	if err := b.at(ctx, b.after, 0); err != nil {
		return err
	}
	for _, n := range applied {
		patch := b.plan.Patches[n-1]
		if !slices.ContainsFunc(patch.Files, func(f patchset.File) bool { return !strings.HasSuffix(f.Path, "_test.go") }) {
			continue
		}
		_, err := b.apply(ctx, patch.Data, "--exclude=*_test.go")
		var failed *tool.Error
		if errors.As(err, &failed) && ctx.Err() == nil {
			return &missingError{fmt.Sprintf("patch %d does not apply to it (%s)", n, oneLine(failed.Stderr))}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkOut makes a work tree match a commit exactly.
func checkOut(ctx context.Context, tree, commit string) error {
	if _, err := tool.Git(ctx, tree, nil, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return err
	}
	_, err := tool.Git(ctx, tree, nil, "clean", "--quiet", "-d", "--force", "-x")
	return err
}

func head(ctx context.Context, tree string) (string, error) {
	out, err := tool.Git(ctx, tree, nil, "rev-parse", "HEAD")
	return strings.TrimSpace(out), err
}

// oneLine returns the first line that is not empty, without git's prefix "error: ".
func oneLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "error: ")); line != "" {
			return line
		}
	}
	return ""
}
