// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/sbom"
)

// built is a kubelet of the release.
type built struct {
	kubebuild.Binary
	name    string // of the file
	program *sbom.Program
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// add adds a kubelet.
func (c *content) add(b kubebuild.Binary) error {
	if err := checkStatic(b.Path, b.Arch); err != nil {
		return err
	}
	k := built{Binary: b, name: "kubelet-linux-" + b.Arch}
	var err error
	if k.program, err = sbom.Describe(k.name, c.Version, b.Path); err != nil {
		return err
	}
	c.kubelets = append(c.kubelets, k)
	return nil
}

// checkStatic returns an error for a program that needs a loader or C libraries, or that is for another architecture.
func checkStatic(path, arch string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	if f.Machine != machines[arch] {
		return fmt.Errorf("%s is for %s, want %s", path, f.Machine, machines[arch])
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is linked dynamically (%s), want a static program", path, p.Type)
		}
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" && s.Value != "0" {
			return fmt.Errorf("%s was built with CGO_ENABLED=%s, want 0", path, s.Value)
		}
	}
	return nil
}
