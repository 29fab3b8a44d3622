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

package patchset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Committer of every commit that Apply makes. Fixed, so that commit hashes do not depend on who applies a series.
const (
	CommitterName  = "kgrace"
	CommitterEmail = "kgrace@users.noreply.github.com"
)

// settings that would otherwise come from the caller's or the tree's own git configuration and change what git does.
var settings = []string{
	"core.hooksPath=/dev/null",
	"core.attributesFile=/dev/null",
	"core.excludesFile=/dev/null",
	"core.autocrlf=false",
	"core.fsmonitor=false",
	"core.quotePath=true",
	"commit.gpgSign=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"advice.detachedHead=false",
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
	"diff.noprefix=false",
	"diff.mnemonicPrefix=false",
	"diff.suppressBlankEmpty=false",
	"diff.interHunkContext=0",
	"apply.whitespace=nowarn",
	"apply.ignoreWhitespace=no",
	"safe.directory=*",
}

// grace that an interrupted git gets to remove its lock files.
const interruptGrace = 10 * time.Second

// gitError is a git command that ended with an error.
type gitError struct {
	Args   []string
	Stdout string
	Stderr string
	Err    error
}

func (e *gitError) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = strings.TrimSpace(e.Stdout)
	}
	return fmt.Sprintf("git %s: %v: %s", strings.Join(e.Args, " "), e.Err, said)
}

func (e *gitError) Unwrap() error { return e.Err }

// git runs git in dir, isolated from every configuration but the repository's own, and returns what it printed.
func git(ctx context.Context, dir string, stdin []byte, args ...string) (string, error) {
	full := []string{"-C", dir}
	for _, s := range settings {
		full = append(full, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(full, args...)...)
	cmd.Env = environment()
	cmd.Stdin = bytes.NewReader(stdin)
	// A killed git leaves index.lock behind, an interrupted one removes it.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = interruptGrace
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("git is not installed: it reads and applies the patches; install it (Debian: apt-get install git)")
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	if err != nil {
		return stdout.String(), &gitError{Args: args, Stdout: stdout.String(), Stderr: stderr.String(), Err: err}
	}
	return stdout.String(), nil
}

// environment is the caller's without what steers git (a hook that calls us has GIT_DIR set, for one).
func environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") || name == "LANG" || name == "LANGUAGE" || name == "TZ" || strings.HasPrefix(name, "LC_") {
			continue
		}
		env = append(env, kv)
	}
	return append(env,
		"LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=false", "GIT_PAGER=cat",
		"GIT_COMMITTER_NAME="+CommitterName, "GIT_COMMITTER_EMAIL="+CommitterEmail,
	)
}
