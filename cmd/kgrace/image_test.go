// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestImageCommandLines(t *testing.T) {
	// None of these contacts an engine.
	t.Setenv("PATH", t.TempDir())
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an arm":                  {[]string{"build", "--arm", "both"}, verdict.ExitUsage, `unknown arm "both"`},
		"a source":                {[]string{"build", "--from", "air"}, verdict.ExitUsage, "there are modules, image and tarball"},
		"a source of what kind":   {[]string{"build", "kindest/node:v1"}, verdict.ExitUsage, "kindest/node:v1 needs --from image"},
		"no image":                {[]string{"build", "--from", "image"}, verdict.ExitUsage, "name the image"},
		"a minor":                 {[]string{"build", "--from", "modules", "--kubernetes", "v1.1"}, verdict.ExitUsage, `unknown Kubernetes minor "v1.1"`},
		"push without a registry": {[]string{"build", "--from", "modules", "--push", "--image", "node:v1"}, verdict.ExitUsage, "names no registry"},
		"another architecture":    {[]string{"build", "--from", "modules", "--arch", other}, verdict.ExitUsage, "--from image"},
		"a file nowhere":          {[]string{"build", "--from", "modules", "--file", "/no/such/directory/image.tar"}, verdict.ExitUsage, "its directory does not exist"},
		"too much":                {[]string{"build", "a", "b"}, verdict.ExitUsage, "accepts at most 1 arg"},
		"no engine":               {[]string{"build", "--from", "modules"}, verdict.ExitInvalid, "kgrace image setup"},
		"no engine, no source":    {[]string{"build"}, verdict.ExitInvalid, "kgrace image setup"},
		"nothing to take down":    {[]string{"teardown"}, verdict.ExitGood, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KGRACE_OUTPUT", t.TempDir())
			code, out, errs := kgrace(t.Context(), append([]string{"image"}, test.args...)...)
			if code != test.code || !strings.Contains(errs, test.want) {
				t.Errorf("exit code %d, want %d; %s, want %q", code, test.code, errs, test.want)
			}
			if test.code == verdict.ExitGood && !strings.Contains(out, "nothing to take down") {
				t.Errorf("%s", out)
			}
		})
	}
}

// Podman in place of Docker is reported and not used.
func TestImageWithPodman(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "podman"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("KGRACE_OUTPUT", t.TempDir())
	if code, _, errs := kgrace(t.Context(), "image", "build", "--from", "modules"); code != verdict.ExitInvalid || !strings.Contains(errs, "podman is installed, but") {
		t.Errorf("%d, %s", code, errs)
	}
}
