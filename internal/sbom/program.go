// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sbom

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// Program is an executable.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Kubernetes is the tag that a program of Kubernetes was built from; its version may be another.
	Kubernetes string `json:"kubernetes,omitempty"`
	SHA256     string `json:"sha256"`
	Path       string `json:"path,omitempty"` // in an image; only of the kubelet
	// Go is the compiler; Module and Modules are the modules compiled in. Only for Go programs.
	Go      string   `json:"go,omitempty"`
	Module  string   `json:"module,omitempty"`
	Modules []Module `json:"-"` // in the SPDX document
}

// Module is a Go module compiled into a program.
type Module struct {
	Path    string
	Version string
	Sum     string // as in go.sum, "h1:…"; empty for the main module
}

// kubernetesModule is the module of Kubernetes' programs.
const kubernetesModule = "k8s.io/kubernetes"

// Describe reads the build information of a program. A program that is not a Go binary only has a checksum.
func Describe(name, version, path string) (*Program, error) {
	sum, err := SHA256Of(path)
	if err != nil {
		return nil, err
	}
	p := &Program{Name: name, Version: version, SHA256: sum}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		// buildinfo has no errors to compare with. The second one is of a script.
		if said := err.Error(); strings.Contains(said, "not a Go executable") || strings.Contains(said, "unrecognized file format") {
			return p, nil
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.Go, p.Module = info.GoVersion, info.Main.Path
	if p.Module == kubernetesModule {
		// Versions of the fixed arm are the tag with build metadata: v1.37.2+grace.2.
		p.Kubernetes, _, _ = strings.Cut(version, "+")
	}
	deps := info.Deps
	if v := info.Main.Version; v != "" && v != "(devel)" { // built from a module, not from a tree
		deps = append([]*debug.Module{&info.Main}, deps...)
	}
	for _, d := range deps {
		if d.Replace != nil {
			d = d.Replace
		}
		p.Modules = append(p.Modules, Module{Path: d.Path, Version: d.Version, Sum: d.Sum})
	}
	return p, nil
}

// SHA256Of returns the SHA-256 of a file, in hex.
func SHA256Of(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
