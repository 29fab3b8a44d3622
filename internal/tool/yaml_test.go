//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strings"
	"testing"
)

func TestReadYAML(t *testing.T) {
	type entry struct {
		Name string `yaml:"name"`
		Size int    `yaml:"size"`
	}
	var into struct {
		First  string           `yaml:"first"`
		Others map[string]entry `yaml:"others"`
	}
	y, err := ReadYAML("x.yaml", []byte("first: a\n# a comment\nothers:\n  b:\n    name: c\n    size: 3\n"), &into)
	if err != nil || into.Others["b"] != (entry{"c", 3}) {
		t.Fatalf("%+v, %v", into, err)
	}
	for want, keys := range map[int][]string{1: {"first"}, 3: {"others", "z"}, 4: {"others", "b"}, 6: {"others", "b", "size"}} {
		if got := y.Line(keys...); got != want {
			t.Errorf("%v: line %d, want %d", keys, got, want)
		}
	}
	for text, want := range map[string]string{
		"first: a\nsecond: b\n":                          "x.yaml: line 2: unknown field \"second\"",
		"first: a\nothers:\n  b: {size: many}\n":         "x.yaml: line 3: cannot unmarshal",
		"first: a\nothers: [\n":                          "x.yaml: yaml: line",
		"first: a\nfirst: b\n":                           "line 2: mapping key \"first\" already defined at line 1",
		"first: a\nothers:\n  b: {size: 1}\n c: {}\n":    "x.yaml: yaml: line",
		"others:\n  b: {size: a}\n  c: {size: [], a: 1}": "line 3: unknown field \"a\"",
	} {
		if _, err := ReadYAML("x.yaml", []byte(text), &into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
