// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
)

// explain returns the text of an error for people, with the way out where only the command line knows it.
func explain(err error) string {
	text := kubetree.ExplainSpace(err).Error()
	// The names of system calls say nothing to a user.
	for call, verb := range map[string]string{"unlinkat ": "remove ", "mkdirat ": "mkdir ", "openat ": "open ", "fdopendir ": "open "} {
		text = strings.ReplaceAll(text, call, verb)
	}
	var unknown *tool.Unknown
	if errors.As(err, &unknown) {
		if near := nearest(unknown.Name, unknown.Known); len(near) > 0 {
			text += "\nDid you mean " + strings.Join(near, " or ") + "?"
		}
	}
	var denied *fs.PathError
	if errors.As(err, &denied) && errors.Is(denied.Err, fs.ErrPermission) {
		text += ownerOf(denied.Path, os.Geteuid())
	}
	return text
}

// nearest returns the known names that a mistyped one resembles, as cobra suggests commands.
func nearest(name string, known []string) []string {
	all := &cobra.Command{}
	for _, k := range known {
		all.AddCommand(&cobra.Command{Use: k, Run: func(*cobra.Command, []string) {}})
	}
	var near []string
	for all.SuggestionsMinimumDistance = 1; len(near) == 0 && all.SuggestionsMinimumDistance <= 2; all.SuggestionsMinimumDistance++ {
		near = all.SuggestionsFor(name)
	}
	return near[:min(len(near), 3)]
}

// ownerOf names the owner of a path, or of the nearest directory above that exists, if that is not us: usually a run as root left
// it.
func ownerOf(path string, we int) string {
	for {
		info, err := os.Lstat(path)
		if err != nil {
			if parent := filepath.Dir(path); parent != path {
				path = parent
				continue
			}
			return ""
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(stat.Uid) == we {
			return ""
		}
		us, top := nameOf(we), path
		// The whole of the output directory has most likely the same owner.
		for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if filepath.Base(dir) == "_output" || dir == os.Getenv(kubetree.OutputVar) {
				top = dir
			}
		}
		return fmt.Sprintf("\n%s belongs to %s, you are %s: take it over (sudo chown -R %s %s), or set %s to a directory of your own",
			path, nameOf(int(stat.Uid)), us, us, top, kubetree.OutputVar)
	}
}

func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}
