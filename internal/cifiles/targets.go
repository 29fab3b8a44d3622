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
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// target matches a target that `make help` lists, which is every target that people call.
var target = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):.*##`)

// Targets returns the targets of the Makefile in root.
func Targets(root string) (names []string, err error) {
	data, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return nil, err
	}
	for _, m := range target.FindAllStringSubmatch(string(data), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no targets with a ## text", filepath.Join(root, "Makefile"))
	}
	return names, nil
}
