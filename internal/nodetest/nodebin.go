// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package nodetest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/versions"
)

const (
	// DirVar is the environment variable with the directory of a node's programs (_output/bin after `kgrace build`). Without it,
	// the tests that start real nodes are skipped, and no others.
	DirVar = "KGRACE_NODE_BIN"
	// MinorVar is the environment variable with the minor of the programs; "" means the default one.
	MinorVar = "KGRACE_NODE_MINOR"
)

// Find returns the programs of a minor's stock node below dir: those of that minor and of the pinned versions, and those
// that the minor takes from Debian packages. root is the checkout; if it has no pins (the test binary was copied to another
// machine), Find returns everything in the directory.
func Find(root, dir, minor string) (map[string]string, error) {
	other := map[string]bool{"fixed": true}
	debian := map[string]string{}
	pinned := map[string]string{}
	if pins, err := versions.LoadRoot(root); err == nil {
		if minor == "" {
			minor = pins.Default
		}
		m, err := pins.Minor(minor)
		if err != nil {
			return nil, err
		}
		debian = m.Debian
		for _, name := range pins.MinorNames() {
			other[name] = name != minor
		}
		for name, p := range pins.Programs {
			pinned[name] = p.Version
		}
	}
	bin := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		program, version, _ := strings.Cut(entry.Name(), "@")
		switch {
		case entry.IsDir() && (other[entry.Name()] || pinned[program] != "" && version != "" && version != pinned[program]):
			return filepath.SkipDir
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "linux-"): // programs for other architectures
			return filepath.SkipDir
		case entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), "."):
			bin[entry.Name()] = path
		}
		return nil
	})
	for name := range debian {
		delete(bin, name)
		for _, place := range []string{"/usr/sbin", "/usr/bin"} {
			if path, err := exec.LookPath(filepath.Join(place, name)); err == nil {
				bin[name] = path
			}
		}
	}
	return bin, err
}

// Asked returns the directory and the minor from the environment; an empty directory means that no real node is requested.
func Asked() (dir, minor string) { return os.Getenv(DirVar), os.Getenv(MinorVar) }
