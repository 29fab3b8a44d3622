//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// YAML is a decoded YAML file that knows the line of each of its fields.
type YAML struct {
	path string
	root yaml.Node
}

// ReadYAML decodes data into a struct with yaml tags. A field that the struct does not have is an error; every error has the
// path and the line.
func ReadYAML(path string, data []byte, into any) (*YAML, error) {
	y := &YAML{path: path}
	if err := yaml.Unmarshal(data, &y.root); err != nil {
		return nil, y.wrong(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return nil, y.wrong(err)
	}
	return y, nil
}

// unknownField matches an error that names a Go type.
var unknownField = regexp.MustCompile(`field (\S+) not found in type \S+`)

// wrong puts every fault of a decoding error on a line of its own: "versions.yaml: line 3: …".
func (y *YAML) wrong(err error) error {
	var faults *yaml.TypeError
	if !errors.As(err, &faults) {
		return fmt.Errorf("%s: %w", y.path, err)
	}
	var errs []error
	for _, fault := range faults.Errors {
		fault = unknownField.ReplaceAllString(fault, `unknown field "$1"`)
		errs = append(errs, fmt.Errorf("%s: %s", y.path, fault))
	}
	return errors.Join(errs...)
}

// Line returns the line of a field, by the keys that lead to it, or of the last one that exists; 0 for an empty file.
func (y *YAML) Line(keys ...string) int {
	if y == nil || len(y.root.Content) == 0 {
		return 0
	}
	at, line := y.root.Content[0], 0
next:
	for _, key := range keys {
		for i := 0; i+1 < len(at.Content) && at.Kind == yaml.MappingNode; i += 2 {
			if at.Content[i].Value == key {
				line, at = at.Content[i].Line, at.Content[i+1]
				continue next
			}
		}
		break
	}
	return line
}
