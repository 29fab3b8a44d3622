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

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// Tree is a finished source tree.
type Tree struct {
	Dir   string `json:"dir"`
	Minor string `json:"minor"`
	Arm   Arm    `json:"arm"`
	// Commit is HEAD of the tree's git repository; equal inputs give equal commits on every machine.
	Commit string `json:"commit"`
	// Kubernetes is the tag that the tree is made from.
	Kubernetes string `json:"kubernetes"`
}

// EditedError says that a tree holds work that laying it out again would destroy.
type EditedError struct {
	Dir  string
	Arm  Arm
	What string // what differs
}

func (e *EditedError) Error() string {
	way := "commit them and extract the series (CONTRIBUTING.md), or throw them away with `kgrace tree --reset`"
	if e.Arm == Stock {
		way = "the stock arm must be what was released; throw them away with `kgrace tree --reset`"
	}
	return fmt.Sprintf("%s has edits that its inputs do not account for (%s); %s", e.Dir, e.What, way)
}

// tempPrefix marks folders that are being built; under the lock, any that is found is a leftover.
const tempPrefix = ".tmp-"

func (r *Repo) treesDir() string { return filepath.Join(r.Output, "trees") }

// Ensure lays an arm out if it is not there yet, or not for the present pins and series, and returns it. The fixed arm
// brings the stock one along. minor "" is the default; progress nil means the Repo's own.
//
// Errors: an unknown minor or arm, a module that cannot be had, KUBE_SRC that does not fit, no space, a patch that does not
// apply (*patchset.ApplyError), a tree with edits (*EditedError). After any of them, and after an interrupt, the tree that
// was there before is still there, untouched, and nothing half-made is.
func (r *Repo) Ensure(ctx context.Context, minor string, arm Arm, progressTo io.Writer) (*Tree, error) {
	return r.ensure(ctx, minor, arm, progressTo, false)
}

// Reset is Ensure that throws away edits in the arm's tree.
func (r *Repo) Reset(ctx context.Context, minor string, arm Arm, progressTo io.Writer) (*Tree, error) {
	return r.ensure(ctx, minor, arm, progressTo, true)
}

func (r *Repo) ensure(ctx context.Context, minor string, arm Arm, progressTo io.Writer, reset bool) (*Tree, error) {
	minor, m, err := r.resolve(minor)
	if err != nil {
		return nil, err
	}
	if _, err := ParseArm(string(arm)); err != nil {
		return nil, err
	}
	if progressTo == nil {
		progressTo = r.Progress
	}
	src, err := r.source(ctx, m)
	if err != nil {
		return nil, err
	}
	p := progress{w: progressTo, what: fmt.Sprintf("tree %s", minor)}
	unlock, err := r.lock(ctx, "trees", p)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.removeLeftovers(); err != nil {
		return nil, err
	}
	stock, err := r.ensureStock(ctx, minor, m, src, progressTo, reset && arm == Stock)
	if err != nil || arm == Stock {
		return stock, explainSpace(err)
	}
	fixed, err := r.ensureFixed(ctx, minor, m, src, stock, progressTo, reset)
	return fixed, explainSpace(err)
}

func (r *Repo) ensureStock(ctx context.Context, minor string, m versions.Minor, src source, w io.Writer, reset bool) (*Tree, error) {
	t := &Tree{Dir: r.TreeDir(minor, Stock), Minor: minor, Arm: Stock, Kubernetes: m.Kubernetes}
	p := progress{w: w, what: fmt.Sprintf("tree %s/%s", minor, Stock)}
	s := stamp{Inputs: hashOf(layoutFormat, m.Kubernetes, m.Staging, src.id), Kubernetes: m.Kubernetes, Source: src.id}
	return t, r.place(ctx, t, s, reset, func(dir string) error {
		from, at, closeDir, err := src.open(ctx, p)
		if err != nil {
			return err
		}
		defer closeDir()
		done := p.step("copy files")
		_, err = copyTree(ctx, from, dir)
		done(err)
		if err != nil {
			return err
		}
		done = p.step("get staging modules %s", m.Staging)
		err = useStagingModules(ctx, dir, m)
		done(err)
		if err != nil {
			return err
		}
		done = p.step("commit")
		err = commitAll(ctx, dir, m.Kubernetes, at)
		done(err)
		return err
	})
}

func (r *Repo) ensureFixed(ctx context.Context, minor string, m versions.Minor, src source, stock *Tree, w io.Writer, reset bool) (*Tree, error) {
	t := &Tree{Dir: r.TreeDir(minor, Fixed), Minor: minor, Arm: Fixed, Kubernetes: m.Kubernetes}
	p := progress{w: w, what: fmt.Sprintf("tree %s/%s", minor, Fixed)}
	series, err := r.series(minor)
	if err != nil {
		return nil, err
	}
	hash := "none"
	if series != nil {
		hash = series.Hash()
	}
	s := stamp{Inputs: hashOf(layoutFormat, stock.Commit, hash), Kubernetes: m.Kubernetes, Source: src.id, Series: hash}
	return t, r.place(ctx, t, s, reset, func(dir string) error {
		done := p.step("clone the stock arm")
		err := clone(ctx, stock.Dir, dir)
		done(err)
		if err != nil {
			return err
		}
		if series == nil {
			p.say("no series in %s: this arm is the stock arm", r.SeriesDir(minor))
			return nil
		}
		done = p.step("apply %d patches", len(series.Patches))
		err = series.Apply(ctx, dir)
		done(err)
		return err
	})
}

// series loads the minor's patches; nil means that there is no series yet.
func (r *Repo) series(minor string) (*patchset.Series, error) {
	dir := r.SeriesDir(minor)
	if _, err := os.Stat(filepath.Join(dir, patchset.SeriesFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return patchset.Load(dir)
}

// place makes t.Dir the tree that s describes, with build if need be, and fills in t.Commit. The caller holds the lock.
func (r *Repo) place(ctx context.Context, t *Tree, s stamp, reset bool, build func(dir string) error) error {
	var old stamp
	known := readStamp(filepath.Join(t.Dir, stampFile), &old)
	edits := ""
	if known && !reset {
		var err error
		if edits, err = editsOf(ctx, t.Dir, old); err != nil {
			return err
		}
		if old.Inputs == s.Inputs {
			t.Commit = old.Commit
			if edits != "" {
				return &EditedError{Dir: t.Dir, Arm: t.Arm, What: edits}
			}
			return nil
		}
	}
	if err := r.needSpace(r.treesDir(), treeSpace, "a source tree"); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(r.treesDir(), tempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := build(dir); err != nil {
		return err
	}
	if s.Commit, s.Content, err = head(ctx, dir); err != nil {
		return err
	}
	if edits != "" && !sameContent(ctx, t.Dir, s.Content) {
		return &EditedError{Dir: t.Dir, Arm: t.Arm, What: edits}
	}
	if err := writeStamp(filepath.Join(dir, stampFile), s); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Commit = s.Commit
	return swap(dir, t.Dir, filepath.Join(tmp, "old"))
}

// swap puts dir in place of dest and moves what was there aside, to be removed with the temporary folder. A crash between
// the two renames leaves no tree, which the next run lays out.
func swap(dir, dest, aside string) error {
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return err
	}
	if err := os.Rename(dest, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(dir, dest)
}

// editsOf says how a tree differs from what its stamp says it was; "" means not at all.
func editsOf(ctx context.Context, dir string, s stamp) (string, error) {
	status, err := tool.Git(ctx, dir, nil, "status", "--porcelain")
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return fmt.Sprintf("git does not read it: %v", err), nil
	}
	if status != "" {
		return "changed files:\n" + firstLines(status, 5) + "\n", nil
	}
	commit, _, err := head(ctx, dir)
	if err != nil {
		return "", err
	}
	if commit != s.Commit {
		return fmt.Sprintf("its HEAD is %.12s, laid out was %.12s", commit, s.Commit), nil
	}
	return "", nil
}

// sameContent reports whether a tree is clean and its commit holds exactly the given git tree: edits that have found their
// way into the inputs are safe to replace.
func sameContent(ctx context.Context, dir, content string) bool {
	status, err := tool.Git(ctx, dir, nil, "status", "--porcelain")
	if err != nil || status != "" {
		return false
	}
	_, have, err := head(ctx, dir)
	return err == nil && have == content
}

// removeLeftovers clears what a killed run left behind.
func (r *Repo) removeLeftovers() error {
	entries, err := os.ReadDir(r.treesDir())
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(r.treesDir(), 0o755)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			if err := os.RemoveAll(filepath.Join(r.treesDir(), e.Name())); err != nil {
				return err
			}
		}
	}
	return err
}

// head returns a repository's HEAD commit and that commit's tree.
func head(ctx context.Context, dir string) (commit, content string, err error) {
	out, err := tool.Git(ctx, dir, nil, "rev-parse", "HEAD^{commit}", "HEAD^{tree}")
	if err != nil {
		return "", "", err
	}
	commit, content, _ = strings.Cut(strings.TrimSpace(out), "\n")
	return commit, content, nil
}

// commitTime is the committer's date of HEAD.
func commitTime(ctx context.Context, dir string) (time.Time, error) {
	out, err := tool.Git(ctx, dir, nil, "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(out))
}
