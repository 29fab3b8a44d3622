// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Conflict reports a patch that does not fit its new base. Unlike after an ApplyError, the operation is still under way:
// the parts that fit are in the tree, and conflict marks in the files show the others.
type Conflict struct {
	// Tree is the work tree.
	Tree string
	// Subject is the patch's subject, Index its number from 1 and Total the length of the series.
	Subject      string
	Index, Total int
	// Places lists the unresolved places, in the order of the patch.
	Places []Place
	// Git is git's output.
	Git string
}

// Place is an unresolved piece of a file.
type Place struct {
	// Path is the file's path, slash-separated.
	Path string
	// Line is the line of the mark "<<<<<<<" in the current file, from 1; 0 if the conflict concerns the whole file.
	Line int
	// Hunk is the header of the patch's hunk that belongs there; empty if the conflict concerns the whole file.
	Hunk string
}

func (c *Conflict) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "patch %d of %d, %q, does not fit in %s", c.Index, c.Total, c.Subject, c.Tree)
	for _, p := range c.Places {
		switch {
		case p.Line == 0:
			fmt.Fprintf(&b, "\n  %s: changed or missing as a whole", p.Path)
		default:
			fmt.Fprintf(&b, "\n  %s:%d, hunk %s", p.Path, p.Line, p.Hunk)
		}
	}
	if len(c.Places) == 0 {
		fmt.Fprintf(&b, "\n  git: %s", strings.ReplaceAll(firstLines(c.Git, 6), "\n", "\n       "))
	}
	return b.String()
}

// conflictOf returns a *Conflict for a git command that stopped with err. patch is the mail of the patch at which it
// stopped.
func conflictOf(ctx context.Context, tree string, patch []byte, index, total int, err error) error {
	var failed *tool.Error
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return err
	}
	p, parseErr := Parse("the current patch", patch)
	if parseErr != nil {
		return errors.Join(err, parseErr)
	}
	c := &Conflict{Tree: tree, Subject: p.Subject, Index: index, Total: total, Git: strings.TrimSpace(failed.Stdout + failed.Stderr)}
	unmerged, statusErr := git(ctx, tree, nil, "diff", "--name-only", "--diff-filter=U", "-z")
	if statusErr != nil {
		return errors.Join(err, statusErr)
	}
	for _, path := range strings.Split(strings.TrimSuffix(unmerged, "\x00"), "\x00") {
		if path == "" {
			continue
		}
		data, readErr := os.ReadFile(filepath.Join(tree, filepath.FromSlash(path)))
		places := p.marked(path, string(data))
		if readErr != nil || len(places) == 0 {
			places = []Place{{Path: path}}
		}
		c.Places = append(c.Places, places...)
	}
	if len(c.Places) == 0 {
		// git had no base to merge with, and changed nothing.
		for _, m := range failedHunk.FindAllStringSubmatch(c.Git, -1) {
			line, _ := strconv.Atoi(m[2])
			c.Places = append(c.Places, Place{Path: m[1], Line: line, Hunk: p.hunkAt(m[1], line)})
		}
	}
	return c
}

// marked returns the places of the conflict marks in a file, each with the hunk that shares most of its lines.
func (p *Patch) marked(path, text string) []Place {
	var places []Place
	var region []string
	start, theirs := 0, false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			start, theirs, region = i+1, false, nil
		case start > 0 && line == "=======":
			theirs = true
		case start > 0 && strings.HasPrefix(line, ">>>>>>> "):
			places = append(places, Place{Path: path, Line: start, Hunk: p.likeliestHunk(path, region)})
			start = 0
		case theirs:
			region = append(region, line)
		}
	}
	return places
}

// likeliestHunk returns the header of the hunk of path that shares most of the lines. It considers the hunks of all files
// if the patch has none for path, which happens when git follows a file that upstream has moved.
func (p *Patch) likeliestHunk(path string, lines []string) string {
	best, header := -1, ""
	moved := !slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == path })
	for _, f := range p.Files {
		if f.Path != path && !moved {
			continue
		}
		for _, h := range f.Hunks {
			has := map[string]bool{}
			for _, line := range h.Lines {
				if line != "" {
					has[line[1:]] = true
				}
			}
			common := 0
			for _, line := range lines {
				if strings.TrimSpace(line) != "" && has[line] {
					common++
				}
			}
			if common > best {
				best, header = common, h.Header
			}
		}
	}
	return header
}

// stageResolved adds everything in the tree to the index, unless a conflict mark is left.
func stageResolved(ctx context.Context, tree string) error {
	unmerged, err := git(ctx, tree, nil, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil {
		return err
	}
	var left []string
	for _, path := range strings.Split(unmerged, "\x00") {
		data, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(path)))
		if path != "" && err == nil {
			for _, p := range (&Patch{}).marked(path, string(data)) {
				left = append(left, fmt.Sprintf("%s:%d", path, p.Line))
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("conflict marks are left in %s: %s; resolve them first", tree, strings.Join(left, ", "))
	}
	_, err = git(ctx, tree, nil, "add", "--all")
	return err
}
