// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mutant applies one deliberate bug at a time to the fix and checks that the catalogue catches it. A mutant is one
// exact replacement in one file of the fixed tree, which go's -overlay applies when the sim suite is compiled; the tree is not
// changed. The catalogue runs on it as on the fixed arm, and catches it when a judge finds a rule broken that fixed must hold.
// If no row catches it, random scenarios (package property) run. Mutants that hurry pods nobody hurried are compared with stock
// instead, in random scenarios.
//
// A mutant that survives shows that a promise of the contract has no check.
package mutant

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Mutant is one deliberate bug in the fix.
type Mutant struct {
	// Name identifies the mutant; What describes what the broken kubelet does.
	Name, What string
	// File is the path in the tree. Old must occur in it exactly once; New replaces it.
	File, Old, New string
	// Node lists scenarios in which a real kubelet with the mutant must be red. nil: the mutant does not run on real nodes.
	Node []string
	// Unhurried marks mutants that break the promise to pods that nobody hurried. The comparison with stock must find them
	// (random scenarios of that kind, package property); the catalogue does not run.
	Unhurried bool
}

// Apply returns the content of the file with the mutant applied. The text to replace must occur in it exactly once.
func (m Mutant) Apply(content string) (string, error) {
	if n := strings.Count(content, m.Old); n != 1 {
		return "", fmt.Errorf("mutant %s: its text occurs in %s %d times, expected once; the series has changed, so rewrite the mutant:\n%s", m.Name, m.File, n, m.Old)
	}
	return strings.Replace(content, m.Old, m.New, 1), nil
}

// Fits returns an error unless the mutant finds its text in a tree.
func (m Mutant) Fits(tree string) error {
	content, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(m.File)))
	if err != nil {
		return fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	_, err = m.Apply(string(content))
	return err
}

// Overlay writes the mutated file into dir and an overlay for `go build -overlay` that applies it to the tree, on top of the
// overlay base if one is given. It returns the overlay's path.
func (m Mutant) Overlay(dir, tree, base string) (string, error) {
	target := filepath.Join(tree, filepath.FromSlash(m.File))
	content, err := os.ReadFile(target)
	if err != nil {
		return "", fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	broken, err := m.Apply(string(content))
	if err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	if base != "" {
		data, err := os.ReadFile(base)
		if err == nil {
			err = json.Unmarshal(data, &overlay)
		}
		if err != nil {
			return "", fmt.Errorf("overlay %s: %w", base, err)
		}
	}
	if by, ok := overlay.Replace[target]; ok {
		return "", fmt.Errorf("mutant %s: %s is already replaced by %s", m.Name, m.File, by)
	}
	if overlay.Replace == nil {
		overlay.Replace = map[string]string{}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.Base(m.File))
	overlay.Replace[target] = file
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		return "", err
	}
	return path, tool.WriteJSON(path, overlay)
}

// OnNodes returns the mutants that run on real nodes.
func OnNodes(all []Mutant) []Mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return len(m.Node) == 0 })
}

// Names returns the names of mutants.
func Names(all []Mutant) (names []string) {
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

// Misfits returns the mutants that do not apply to a tree, and why.
func Misfits(tree string, all []Mutant) (not []Mutant, why error) {
	var errs []error
	for _, m := range all {
		if err := m.Fits(tree); err != nil {
			not, errs = append(not, m), append(errs, err)
		}
	}
	return not, errors.Join(errs...)
}

// Pick returns the mutants with these names, or all if no name is given. If a name is unknown, the error lists the known ones.
func Pick(names ...string) ([]Mutant, error) {
	known := Names(All())
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, tool.NewUnknown("mutant", name, "", known)
		}
	}
	return slices.DeleteFunc(All(), func(m Mutant) bool { return len(names) > 0 && !slices.Contains(names, m.Name) }), nil
}
