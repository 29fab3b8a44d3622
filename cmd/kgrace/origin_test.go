// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/versions"
)

func TestOriginOfARun(t *testing.T) {
	root := filepath.Join("..", "..")
	pins, err := versions.Load(filepath.Join(root, versions.FileName))
	if err != nil {
		t.Fatal(err)
	}
	o := runOrigin(t.Context(), &kubetree.Repo{Root: root, Versions: pins}, pins.Default)
	for name, c := range map[string]struct{ got, want string }{
		"machine":    {o.Machine, `^linux/\w+, \d+ cores, [\d.]+ GiB, Linux .*, cgroup v[12]$`},
		"commit":     {o.Commit, `^([0-9a-f]{40}(-dirty)?)?$`}, // an unpacked archive has none
		"Kubernetes": {o.Kubernetes, `^v1\.\d+\.\d+`},
		"Go":         {o.Go, `^go1\.`},
		"series":     {o.Series, `^\d patches, revision \d+, sha256 [0-9a-f]{12}$`},
	} {
		if !regexp.MustCompile(c.want).MatchString(c.got) {
			t.Errorf("%s is %q, want %s", name, c.got, c.want)
		}
	}
	if name, err := os.Hostname(); err == nil && len(name) > 3 && regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).MatchString(o.Machine) {
		t.Errorf("the machine's name is in %q", o.Machine)
	}
	if _, offset := o.Began.Zone(); o.Began.IsZero() || offset != 0 || o.Began.Nanosecond() != 0 || !o.Began.Equal(o.Began.Truncate(time.Second)) {
		t.Errorf("it began at %v, want UTC in whole seconds", o.Began)
	}
	if alone := runOrigin(t.Context(), nil, pins.Default); alone.Machine != o.Machine || alone.Commit+alone.Series != "" {
		t.Errorf("without a checkout: %+v", alone)
	}
}
