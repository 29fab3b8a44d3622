// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/zip"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// kubeModule is the module path under which Kubernetes itself is published.
const kubeModule = "k8s.io/kubernetes"

// source is the origin of the files of the stock arm.
type source struct {
	// id and the tag together determine the files.
	id string
	// open makes the files available in dir, which the caller only reads and then closes. at is the time of the tagged commit.
	open func(ctx context.Context, p tool.Progress) (dir string, at time.Time, closeDir func(), err error)
}

// source returns the git checkout if one is set, otherwise the module. It checks the checkout at once: a wrong one is an
// error even if the tree exists already.
func (r *Repo) source(ctx context.Context, m versions.Minor) (source, error) {
	if r.Source != "" {
		return r.gitSource(ctx, m)
	}
	return source{
		id: "module " + kubeModule + "@" + m.Kubernetes,
		open: func(ctx context.Context, p tool.Progress) (string, time.Time, func(), error) {
			done := p.Step("get module %s %s", kubeModule, m.Kubernetes)
			mods, err := tool.Download(ctx, m.Go, kubeModule+"@"+m.Kubernetes)
			done(err)
			if err != nil {
				return "", time.Time{}, nil, offerSource(err, m)
			}
			at, err := versionTime(mods[0].Info)
			return mods[0].Dir, at, func() {}, err
		},
	}, nil
}

// offerSource mentions the alternative way to get Kubernetes.
func offerSource(err error, m versions.Minor) error {
	var missing *tool.DownloadError
	if errors.As(err, &missing) && strings.HasPrefix(missing.Module, kubeModule+"@") {
		return fmt.Errorf("%w; Kubernetes itself can also come from a git checkout at tag %s: set %s to its directory", err, m.Kubernetes, SourceVar)
	}
	return err
}

// gitSource checks that the checkout is at the tag and clean. It never writes to the checkout.
func (r *Repo) gitSource(ctx context.Context, m versions.Minor) (source, error) {
	src, err := filepath.Abs(r.Source)
	if err != nil {
		return source{}, err
	}
	wrong := func(format string, args ...any) (source, error) {
		return source{}, fmt.Errorf("%s=%s "+format, append([]any{SourceVar, r.Source}, args...)...)
	}
	git := func(ctx context.Context, env []string, args ...string) (string, error) {
		out, err := tool.Git(ctx, src, append(env, "GIT_OPTIONAL_LOCKS=0"), append([]string{"-c", "safe.directory=" + src}, args...)...)
		return strings.TrimRight(out, "\n"), err
	}
	if fi, err := os.Stat(src); err != nil || !fi.IsDir() {
		return wrong("is not a directory; it must be a git checkout of Kubernetes at tag %s", m.Kubernetes)
	}
	if top, err := git(ctx, nil, "rev-parse", "--show-cdup"); ctx.Err() != nil {
		return source{}, ctx.Err()
	} else if err != nil {
		return wrong("is not a git checkout: %w", err)
	} else if top != "" {
		return wrong("is a directory inside a git checkout; name its top directory, %s", filepath.Join(src, top))
	}
	head, err := git(ctx, nil, "rev-parse", "HEAD^{commit}")
	if err != nil {
		return wrong("has no commit checked out: %w", err)
	}
	tagged, err := git(ctx, nil, "rev-parse", "--quiet", "--verify", "refs/tags/"+m.Kubernetes+"^{commit}")
	if err != nil {
		return wrong("has no tag %s; fetch it: git -C %s fetch <remote> tag %s", m.Kubernetes, r.Source, m.Kubernetes)
	}
	if head != tagged {
		is, err := git(ctx, nil, "describe", "--tags", "--always")
		if err != nil {
			is = head
		}
		return wrong("is at %s, want tag %s: git -C %s switch --detach %s", is, m.Kubernetes, r.Source, m.Kubernetes)
	}
	status, err := git(ctx, nil, "status", "--porcelain")
	if err != nil {
		return source{}, err
	}
	if status != "" {
		return wrong("has changes that tag %s does not have; commit, stash or remove them:\n%s", m.Kubernetes, firstLines(status, 5))
	}
	return source{
		id: "git " + head,
		open: func(ctx context.Context, p tool.Progress) (string, time.Time, func(), error) {
			done := p.Step("check out %s from %s", m.Kubernetes, r.Source)
			dir, at, err := r.export(ctx, git, head)
			done(err)
			return filepath.Join(dir, "module"), at, func() { os.RemoveAll(dir) }, err
		},
	}, nil
}

// export writes the files of a commit into a new directory through a separate index, so that neither the checkout's work tree
// nor its repository is touched, and reduces them to the files that the Go module of that commit would contain.
func (r *Repo) export(ctx context.Context, git func(context.Context, []string, ...string) (string, error), commit string) (dir string, at time.Time, err error) {
	dir, err = os.MkdirTemp(r.treesDir(), tempPrefix+"source-")
	if err != nil {
		return "", at, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
			dir = ""
		}
	}()
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, ".index")}
	if _, err = git(ctx, index, "read-tree", commit); err != nil {
		return dir, at, err
	}
	files := filepath.Join(dir, "files")
	if _, err = git(ctx, index, "checkout-index", "--all", "--prefix="+files+"/"); err != nil {
		return dir, at, err
	}
	stamp, err := git(ctx, nil, "show", "--no-patch", "--format=%cI", commit)
	if err != nil {
		return dir, at, err
	}
	if at, err = time.Parse(time.RFC3339, stamp); err != nil {
		return dir, at, err
	}
	checked, err := zip.CheckDir(files)
	if err != nil {
		return dir, at, fmt.Errorf("commit %s does not form a Go module: %w", commit, err)
	}
	module := filepath.Join(dir, "module")
	for _, file := range checked.Valid {
		if err = tool.CopyFile(filepath.Join(module, strings.TrimPrefix(file, files)), file); err != nil {
			return dir, at, err
		}
	}
	return dir, at, nil
}

// copyTree copies a module's files, writable, except for files that do not belong in a tree: vendored code, and workspace
// files that refer to missing staging directories.
func copyTree(ctx context.Context, from, to string) (files int, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (rel == "vendor" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case rel == "go.work" || rel == "go.work.sum" || !d.Type().IsRegular():
			return nil
		}
		files++
		return tool.CopyFile(filepath.Join(to, rel), path)
	})
	return files, err
}

func firstLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) <= n {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n... and %d more", strings.Join(lines[:n], "\n"), len(lines)-n)
}
