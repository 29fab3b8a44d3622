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

package cifiles

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRunScript: only the exit code of the check's container says fixed or affected; whatever else fails is 3.
func TestRunScript(t *testing.T) {
	for name, c := range map[string]struct {
		fails, code string
		exit        int
	}{
		"fixed":                   {code: "0", exit: 0},
		"affected":                {code: "1", exit: 1},
		"could not be told":       {code: "3", exit: 3},
		"a wait fails":            {fails: "wait", code: "1", exit: 1},
		"no container has ended":  {exit: 3},
		"delete fails":            {fails: "delete", code: "0", exit: 3},
		"apply fails":             {fails: "apply", code: "0", exit: 3},
		"the pod cannot be got":   {fails: "get", code: "0", exit: 3},
		"the log cannot be read":  {fails: "logs", code: "0", exit: 3},
		"affected, and no report": {fails: "logs", code: "1", exit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kubectl := filepath.Join(dir, "kubectl")
			script := `#!/bin/sh
[ "$1" = "$FAILS" ] && exit 1
case "$1" in
get) printf %s "$CODE" ;;
logs) echo "<testsuites/>" ;;
esac
`
			if err := os.WriteFile(kubectl, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("../../ci/check/run.sh", filepath.Join(dir, "check.xml"))
			cmd.Env = append(os.Environ(), "KUBECTL="+kubectl, "FAILS="+c.fails, "CODE="+c.code)
			out, err := cmd.CombinedOutput()
			exit := 0
			if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
				exit = failed.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if exit != c.exit {
				t.Errorf("got exit code %d, want %d:\n%s", exit, c.exit, out)
			}
		})
	}
}
