// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// keepBytes is written to .git/info/attributes, which takes precedence over the tree's own .gitattributes: the checked-out
// files are byte for byte the committed ones.
const keepBytes = "* -text -ident -filter\n"

// commitAll makes dir a git repository with one commit of everything in it. Names and dates are fixed, so that the commit
// depends only on the files, the tag and its time.
func commitAll(ctx context.Context, dir, tag string, at time.Time) error {
	if err := initRepository(ctx, dir); err != nil {
		return err
	}
	if _, err := tool.Git(ctx, dir, nil, "add", "--all", "--force"); err != nil {
		return err
	}
	date := fmt.Sprintf("@%d +0000", at.Unix())
	identity := []string{
		"GIT_AUTHOR_NAME=kgrace", "GIT_AUTHOR_EMAIL=kgrace@invalid", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=kgrace", "GIT_COMMITTER_EMAIL=kgrace@invalid", "GIT_COMMITTER_DATE=" + date,
	}
	_, err := tool.Git(ctx, dir, identity, "commit", "--quiet", "--no-verify", "--message",
		"Kubernetes "+tag+"\n\nThe files of the Go module, its staging modules taken at their published version.")
	return err
}

// clone makes a second repository with its own work tree. Objects are hard links, so only the checkout takes space, and
// each repository works without the other.
func clone(ctx context.Context, from, dir string) error {
	if _, err := tool.Git(ctx, filepath.Dir(dir), nil, "clone", "--quiet", "--local", "--no-checkout", "--no-tags", from, dir); err != nil {
		return err
	}
	if err := writeAttributes(dir); err != nil {
		return err
	}
	if _, err := tool.Git(ctx, dir, nil, "remote", "remove", "origin"); err != nil {
		return err
	}
	_, err := tool.Git(ctx, dir, nil, "checkout", "--quiet", "--force", "main")
	return err
}

func initRepository(ctx context.Context, dir string) error {
	if _, err := tool.Git(ctx, dir, nil, "init", "--quiet", "--template="); err != nil {
		return err
	}
	return writeAttributes(dir)
}

func writeAttributes(dir string) error {
	info := filepath.Join(dir, ".git", "info")
	if err := os.MkdirAll(info, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(info, "attributes"), []byte(keepBytes), 0o644)
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

// CommitTime returns the committer date of the tree's HEAD.
func (t *Tree) CommitTime(ctx context.Context) (time.Time, error) {
	out, err := tool.Git(ctx, t.Dir, nil, "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(out))
}
