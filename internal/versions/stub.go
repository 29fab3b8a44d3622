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

package versions

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// noStub is a module without packages, for one that nothing we build or test imports.
const noStub = "none"

// Stub is what takes the place of a module that cannot be had.
type Stub struct {
	// Module and Version are what to download; empty where nothing is.
	Module, Version string
	// Dir is a folder, slash-separated: in the module, or, if there is none, in the checkout of this project. Its Go files
	// become the module. Empty for all of the module, which then is another version of the one it stands for.
	Dir string
}

// ParseStub reads one of
//
//	none                                                an empty module
//	example.test/module@v1.0.0                          another version
//	k8s.io/kubernetes@v1.37.2/test/utils/ktesting       a folder of another module
//	./internal/stub/name                                a folder of this project
func ParseStub(source string) (Stub, error) {
	if source == noStub {
		return Stub{}, nil
	}
	if dir, ok := strings.CutPrefix(source, "./"); ok && dir != "" && dir == path.Clean(dir) && !strings.HasPrefix(dir, "..") {
		return Stub{Dir: dir}, nil
	}
	name, rest, _ := strings.Cut(source, "@")
	version, dir, _ := strings.Cut(rest, "/")
	if err := module.Check(name, version); err != nil {
		return Stub{}, fmt.Errorf("%q is no stub; want module@version, module@version/folder, ./folder of this project, or %s", source, noStub)
	}
	return Stub{Module: name, Version: version, Dir: dir}, nil
}

// IsVersion reports whether another version of the module stands in, and not a folder.
func (s Stub) IsVersion() bool { return s.Module != "" && s.Dir == "" }

// Absent lists the modules that the tree of a minor does not have as its tag asks for them: nothing stands in for them, or
// what was something else once. Another version of the same module is taken at its word.
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
