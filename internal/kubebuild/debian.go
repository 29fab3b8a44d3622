// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// debianDirs are the directories of programs from Debian packages. Programs in /usr/local are not from packages.
var debianDirs = []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// debianBinaries returns those of the named programs that a minor takes from Debian packages. If some are missing, the
// error lists all of them and their packages.
func (b *Builder) debianBinaries(ctx context.Context, minor string, m versions.Minor, programs []string) (map[string]*Binary, error) {
	look := b.lookPath
	if look == nil {
		look = exec.LookPath
	}
	found := map[string]*Binary{}
	var missing, packages []string
	for _, name := range programs {
		pkg := m.Debian[name]
		if pkg == "" {
			continue
		}
		path := ""
		for _, dir := range debianDirs {
			if p, err := look(filepath.Join(dir, name)); err == nil {
				path = p
				break
			}
		}
		if path == "" {
			missing = append(missing, name)
			if !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
			continue
		}
		found[name] = &Binary{Program: name, Version: debianVersion(ctx, pkg), Arch: runtime.GOARCH, Path: path, Debian: pkg}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("a node of %s needs %s from Debian packages that are not installed here; run hack/setup.sh %[3]s, or: apt-get install %[3]s",
			minor, strings.Join(missing, ", "), strings.Join(packages, " "))
	}
	return found, nil
}

// debianVersion returns the version of an installed package, for display.
func debianVersion(ctx context.Context, pkg string) string {
	out, err := tool.Run(ctx, tool.Cmd{Dir: "/", Env: os.Environ(), Args: []string{"dpkg-query", "--show", "--showformat=${Version}", pkg}})
	if err != nil || out == "" {
		return "as installed"
	}
	return out
}
