// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"bytes"
	"context"

	"github.com/kgrace/kgrace/internal/tool"
)

// The committer of every commit that Apply makes. It is fixed, so that commit hashes do not depend on the user.
const (
	CommitterName  = "kgrace"
	CommitterEmail = "kgrace@invalid"
)

// settings override, in addition to those of package tool, every setting of a repository's own configuration that changes
// how git reads and prints patches.
var settings = []string{
	"core.hooksPath=/dev/null",
	"core.attributesFile=/dev/null",
	"core.excludesFile=/dev/null",
	"core.autocrlf=false",
	"core.fsmonitor=false",
	"core.quotePath=true",
	"commit.gpgSign=false",
	"gc.auto=0",
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
	"diff.noprefix=false",
	"diff.mnemonicPrefix=false",
	"diff.suppressBlankEmpty=false",
	"diff.interHunkContext=0",
	"apply.whitespace=nowarn",
	"apply.ignoreWhitespace=no",
}

// git runs git in dir and returns its output; if git fails, the error is a *tool.Error. A git command that opens an editor
// fails.
func git(ctx context.Context, dir string, stdin []byte, args ...string) (string, error) {
	return gitEditor(ctx, dir, "false", stdin, args...)
}

// gitEditor is git with an editor; "true" accepts every message unchanged.
func gitEditor(ctx context.Context, dir, editor string, stdin []byte, args ...string) (string, error) {
	full := []string{"git"}
	for _, s := range settings {
		full = append(full, "-c", s)
	}
	env := tool.GitEnv("TZ=UTC", "GIT_EDITOR="+editor, "GIT_PAGER=cat",
		"GIT_COMMITTER_NAME="+CommitterName, "GIT_COMMITTER_EMAIL="+CommitterEmail)
	return tool.Run(ctx, tool.Cmd{Dir: dir, Env: env, Args: append(full, args...), Stdin: bytes.NewReader(stdin)})
}
