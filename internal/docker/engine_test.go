// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake replaces PATH by shell scripts of these names.
func fake(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	const client = `{"Client":{"Version":"28.2.2"},"Server":null}`
	for name, test := range map[string]struct {
		scripts map[string]string
		want    string
		notHere bool
	}{
		"no docker":           {nil, "there is no docker command; start one", true},
		"podman in its place": {map[string]string{"podman": "exit 0"}, "podman is installed, but", true},
		"podman as docker": {map[string]string{"docker": `echo '{"Client":{},"Server":{"Version":"4.3.1","Components":[{"Name":"Podman Engine"}]}}'`},
			"connects to Podman 4.3.1", true},
		"none runs": {map[string]string{"docker": "echo '" + client + "'; echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2; exit 1"},
			"kgrace image setup", true},
		"no right": {map[string]string{"docker": "echo '" + client + "'; echo 'permission denied while trying to connect' >&2; exit 1"},
			"a member of the group", true},
		"something else": {map[string]string{"docker": "echo 'unknown flag' >&2; exit 125"}, "unknown flag", false},
		"no JSON":        {map[string]string{"docker": "echo hello"}, "not understood", false},
	} {
		t.Run(name, func(t *testing.T) {
			fake(t, test.scripts)
			_, err := Find(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || IsNotHere(err) != test.notHere {
				t.Errorf("%v (not here: %t), want %q (%t)", err, IsNotHere(err), test.want, test.notHere)
			}
		})
	}
	fake(t, map[string]string{"docker": `echo '{"Client":{"Version":"28.2.2"},"Server":{"Version":"20.10.24","Arch":"amd64","Components":[{"Name":"Engine"}]}}'`})
	if e, err := Find(t.Context()); err != nil || e.Version != "20.10.24" || e.Arch != "amd64" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestWhatIsNotThereIsFine(t *testing.T) {
	e := &Engine{}
	fake(t, map[string]string{"docker": `echo "Error response from daemon: No such $1: x" >&2; exit 1`})
	if err := e.Untag(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if i, err := e.Inspect(t.Context(), "x"); i != nil || err != nil {
		t.Errorf("%v, %v", i, err)
	}
	fake(t, map[string]string{"docker": `echo "Error: No such container: x" >&2; exit 1`})
	if err := e.RemoveContainer(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	fake(t, map[string]string{"docker": `echo "disk full" >&2; exit 1`})
	if _, err := e.Inspect(t.Context(), "x"); err == nil {
		t.Error("a failing engine is mistaken for a missing image")
	}
	if err := e.Untag(t.Context(), "x"); err == nil {
		t.Error("a failing engine is mistaken for a missing image")
	}
}

// Save leaves a complete file or none, readable by others.
func TestSave(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte("#!/bin/sh\n[ \"$1 $2\" = \"save --output\" ] || exit 2\necho half >\"$3\"\nchmod 600 \"$3\"\n[ \"$4\" = good ] || exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Chdir(dir)
	var e Engine
	if err := e.Save(t.Context(), "image.tar", "bad"); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if err := e.Save(t.Context(), "image.tar", "good"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, %v", left, err)
	}
	if info, err := left[0].Info(); err != nil || left[0].Name() != "image.tar" || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
}
