// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/tool"
)

// typesChecked holds the inputs of a type check without faults. The result stands as long as none of them changes.
type typesChecked struct {
	Commit    string   `json:"commit"` // of the fixed arm
	Toolchain string   `json:"toolchain"`
	Packages  []string `json:"packages"`
	Absent    []string `json:"absent,omitempty"`
	Checker   string   `json:"checker"` // its source
}

// Types type-checks the packages that the series touches, their tests included, on the fixed arm. It compiles only the
// checker, with the arm's toolchain. Inputs that it found good before are not checked again.
func (s Series) Types(ctx context.Context) ([]string, error) {
	l, faults, err := s.lay(ctx)
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	const source = "cmd/typecheck/main.go"
	checker, err := os.ReadFile(filepath.Join(s.Repo.Root, filepath.FromSlash(source)))
	if err != nil {
		return nil, err
	}
	toolchain := s.Repo.Versions.Minors[s.Minor].Go
	absent, err := s.Repo.Versions.Minors[s.Minor].Absent()
	if err != nil {
		return nil, err
	}
	now := typesChecked{Commit: l.fixed.Commit, Toolchain: toolchain, Checker: string(checker), Absent: absent}
	run, node := intree.Packages(l.series)
	for _, pkg := range slices.Concat(run, node) {
		now.Packages = append(now.Packages, "./"+strings.TrimPrefix(pkg, "./"))
	}
	if len(now.Packages) == 0 {
		return nil, nil
	}
	want, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return nil, err
	}
	stamp := filepath.Join(s.Repo.Output, "typecheck", s.Minor+".json")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == string(want) {
		return nil, nil
	}
	program := filepath.Join(s.Repo.Output, "typecheck", "bin", toolchain)
	if _, err := tool.Go(ctx, s.Repo.Root, toolchain, nil, "build", "-o", program, "./"+filepath.Dir(source)); err != nil {
		return nil, err
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: l.fixed.Dir, Env: tool.GoEnv(toolchain), Args: append([]string{program, "-tree", l.fixed.Dir, "-absent", strings.Join(absent, ",")}, now.Packages...)})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return strings.Split(strings.TrimSpace(out), "\n"), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; sources come from KUBE_SRC or the module proxy", err)
	}
	return nil, os.WriteFile(stamp, want, 0o644)
}
