// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/tool"
)

// runOrigin describes the run that is about to begin. r is nil without a checkout, as for compiled suites; then nothing is known of
// the commit and the series.
func runOrigin(ctx context.Context, r *kubetree.Repo, minor string) *result.Origin {
	o := &result.Origin{Began: time.Now().UTC().Truncate(time.Second), Machine: machine()}
	if r == nil {
		return o
	}
	o.Commit = commit(ctx, r.Root)
	pins, err := r.Versions.Minor(minor)
	if err != nil {
		return o
	}
	o.Kubernetes, o.Go = pins.Kubernetes, pins.Go
	if series, err := patchset.Load(r.SeriesDir(minor)); err == nil {
		o.Series = fmt.Sprintf("%d patches, revision %d, sha256 %.12s", len(series.Patches), pins.Revision, series.Hash())
	}
	return o
}

// commit returns the commit of a checkout, "" without git or outside of a repository, as in an unpacked archive.
func commit(ctx context.Context, root string) string {
	head, err := tool.Git(ctx, root, nil, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return ""
	}
	head = strings.TrimSpace(head)
	if changes, err := tool.Git(ctx, root, nil, "status", "--porcelain"); err != nil || strings.TrimSpace(changes) != "" {
		head += "-dirty"
	}
	return head
}

// machine describes this machine, without its name.
func machine() string {
	words := []string{runtime.GOOS + "/" + runtime.GOARCH, fmt.Sprintf("%d cores", runtime.NumCPU())}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		words = append(words, fmt.Sprintf("%.1f GiB", float64(info.Totalram)*float64(info.Unit)/(1<<30)))
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		words = append(words, "Linux "+unix.ByteSliceToString(name.Release[:]))
	}
	if system := systemName("/etc/os-release"); system != "" {
		words = append(words, system)
	}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		words = append(words, "cgroup v2")
	} else if errors.Is(err, fs.ErrNotExist) {
		words = append(words, "cgroup v1")
	}
	return strings.Join(words, ", ")
}

// systemName returns the PRETTY_NAME of an os-release file.
func systemName(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}
