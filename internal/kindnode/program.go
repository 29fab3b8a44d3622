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

package kindnode

import (
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"strings"
)

// Module is a Go module compiled into a program.
type Module struct {
	Path    string
	Version string
	Sum     string // as in go.sum, "h1:…"; empty for the main module
}

// describe reads the build information of a program. A program that is not a Go binary only has a checksum.
func describe(name, version, path string) (*Program, error) {
	sum, err := sha256Of(path)
	if err != nil {
		return nil, err
	}
	p := &Program{Name: name, Version: version, SHA256: sum}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		if strings.Contains(err.Error(), "not a Go executable") {
			return p, nil
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.Go, p.Module = info.GoVersion, info.Main.Path
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
