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
