// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/tool"
)

// Move returns the pins of m for another release of the same minor; our own revision starts at 1 again.
func (m Minor) Move(tag string) (Minor, error) {
	switch {
	case !semver.IsValid(tag) || semver.Canonical(tag) != tag:
		return m, fmt.Errorf("%q is not a tag; want the form v1.37.2", tag)
	case semver.MajorMinor(tag) != semver.MajorMinor(m.Kubernetes):
		return m, fmt.Errorf("%s belongs to minor %s, the series to %s", tag, semver.MajorMinor(tag), semver.MajorMinor(m.Kubernetes))
	case tag == m.Kubernetes:
		return m, fmt.Errorf("the series is already based on %s", tag)
	}
	m.Kubernetes, m.Staging, m.Revision = tag, "v0"+strings.TrimPrefix(tag, "v1"), 1
	return m, nil
}

// Retag writes the pins that Move returns into the versions.yaml at root and leaves the rest of the file as it is,
// including comments.
func Retag(root, minor, tag string) error {
	f, err := LoadRoot(root)
	if err != nil {
		return err
	}
	old, err := f.Minor(minor)
	if err != nil {
		return err
	}
	m, err := old.Move(tag)
	if err != nil {
		return err
	}
	path := filepath.Join(root, FileName)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	edited := string(data)
	begin := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(minor) + `:.*\n(?:    .*\n|\s*\n)*`).FindStringIndex(edited)
	if begin == nil {
		return fmt.Errorf("%s: the entry of %s is not written as a block; change it by hand: kubernetes %s, staging %s, revision %d", path, minor, m.Kubernetes, m.Staging, m.Revision)
	}
	block := edited[begin[0]:begin[1]]
	for _, field := range [][2]string{{"kubernetes", m.Kubernetes}, {"staging", m.Staging}, {"revision", fmt.Sprint(m.Revision)}} {
		block = regexp.MustCompile(`(?m)^(    `+field[0]+`: *)[^ \n]+`).ReplaceAllString(block, "${1}"+field[1])
	}
	edited = edited[:begin[0]] + block + edited[begin[1]:]
	check, err := parseFile(path, []byte(edited))
	if err != nil {
		return err
	}
	if check.Minors[minor].Kubernetes != m.Kubernetes {
		return fmt.Errorf("%s: the entry of %s is not written as a block; change it by hand", path, minor)
	}
	return tool.WriteFile(path, []byte(edited), 0o644)
}
