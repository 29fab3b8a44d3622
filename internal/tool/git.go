// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"os"
	"strings"
)

// gitConfig makes git's results the same for every user: no user configuration, no helpers named by a repository, no
// conversion of line ends or names, no background garbage collection.
var gitConfig = []string{
	"-c", "core.autocrlf=false", "-c", "core.eol=lf", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null", "-c", "core.excludesFile=/dev/null",
	"-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false",
}

// GitEnv returns the environment for git: the caller's without its GIT_ variables (a hook of another repository sets
// GIT_DIR), with all configuration files disabled, plus env.
func GitEnv(env ...string) []string {
	return append(without(os.Environ(), "GIT_", "LC_ALL", "LANGUAGE"),
		append([]string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}, env...)...)
}

// Git runs git in dir, independent of the user's configuration.
func Git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return Run(ctx, Cmd{Dir: dir, Env: GitEnv(env...), Args: append(append([]string{"git"}, gitConfig...), args...)})
}

// without returns the variables whose name starts with none of the prefixes.
func without(environ []string, prefixes ...string) []string {
	kept := make([]string, 0, len(environ))
next:
	for _, kv := range environ {
		for _, p := range prefixes {
			if strings.HasPrefix(kv, p) {
				continue next
			}
		}
		kept = append(kept, kv)
	}
	return kept
}
