// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
