// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// noStub is a module without packages, for a module that nothing we build or test imports.
const noStub = "none"

// Stub replaces a module that is not available.
type Stub struct {
	// Module and Version are the module to download; empty if there is none.
	Module, Version string
	// Dir is a slash-separated directory in the module, or, without a module, in the checkout of this project. Its Go files
	// become the stub. If Dir is empty, the stub is the whole module, which then is another version of the module that it
	// replaces.
	Dir string
}

// ParseStub reads one of
//
//	none                                                an empty module
//	example.test/module@v1.0.0                          another version
//	k8s.io/kubernetes@v1.37.2/test/utils/ktesting       a directory of another module
//	./internal/stub/name                                a directory of this project
func ParseStub(source string) (Stub, error) {
	if source == noStub {
		return Stub{}, nil
	}
	if dir, ok := strings.CutPrefix(source, "./"); ok && fs.ValidPath(dir) && dir != "." {
		return Stub{Dir: dir}, nil
	}
	name, rest, _ := strings.Cut(source, "@")
	version, dir, inside := strings.Cut(rest, "/")
	if err := module.Check(name, version); err != nil || inside && (!fs.ValidPath(dir) || dir == ".") {
		return Stub{}, fmt.Errorf("%q is not a stub; want module@version, module@version/directory, ./directory of this project, or %s", source, noStub)
	}
	return Stub{Module: name, Version: version, Dir: dir}, nil
}

// IsVersion reports whether the stub is another version of the module, and not a directory.
func (s Stub) IsVersion() bool { return s.Module != "" && s.Dir == "" }

// Absent returns the modules that a minor's tree does not contain as its tag requires them: those without a stub, or with a
// stub from something else. Another version of the same module counts as present.
func (m Minor) Absent() ([]string, error) {
	var absent []string
	for _, name := range slices.Sorted(maps.Keys(m.Stubs)) {
		in, err := ParseStub(m.Stubs[name])
		if err != nil {
			return nil, err
		}
		if !in.IsVersion() {
			absent = append(absent, name)
		}
	}
	return absent, nil
}
