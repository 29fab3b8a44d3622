// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With asRuncless the test binary runs as runcless; with asRunc as the runc that it executes.
const (
	asRuncless = "TEST_AS_RUNCLESS"
	asRunc     = "TEST_AS_RUNC"
)

func TestMain(m *testing.M) {
	if os.Getenv(asRunc) == "" && os.Getenv(asRuncless) != "" {
		os.Setenv(asRunc, "1")
		fmt.Fprintln(os.Stderr, run(os.Args, func() (map[string]bool, error) { return allBut(os.Getenv(asRuncless)) }))
		os.Exit(1)
	}
	if os.Getenv(asRunc) != "" {
		fmt.Println(strings.Join(os.Args, " "))
		os.Exit(7)
	}
	os.Exit(m.Run())
}

func TestConfigOf(t *testing.T) {
	for line, want := range map[string]string{
		"create --bundle /b --pid-file p id":                         "/b/config.json",
		"--root /r --log /l --log-format json create --bundle=/b id": "/b/config.json",
		"--systemd-cgroup run -b /b id":                              "/b/config.json",
		"restore --bundle /b id":                                     "/b/config.json",
		"run id":                                                     "config.json",
		"--root=/r exec --process /p.json --detach id":               "/p.json",
		"exec -p /p.json id":                                         "/p.json",
		"exec id sh":                                                 "",
		"--log create delete id":                                     "",
		"delete --force id":                                          "",
		"--version":                                                  "",
	} {
		if got, err := configOf(strings.Fields(line)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	if _, err := configOf(strings.Fields("exec --cap CAP_SYS_RESOURCE id sh")); err == nil {
		t.Error("no error for a capability on the command line")
	}
}

// allBut returns a bounding set that lacks one capability.
func allBut(lacking string) (map[string]bool, error) {
	have, err := bounding()
	for name := range have {
		have[name] = name != lacking
	}
	return have, err
}

func TestEdit(t *testing.T) {
	have, err := allBut("CAP_SYS_RESOURCE")
	if err != nil {
		t.Fatal(err)
	}
	process := `{"args":["<a & b>"],"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE","CAP_NEW"],"ambient":[]},"oomScoreAdj":-998}`
	for _, in := range []string{process, `{"ociVersion":"1.0","process":` + process + `,"linux":{"x":18446744073709551615}}`} {
		out, err := edit([]byte(in), have)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), "CAP_SYS_RESOURCE") || !strings.Contains(string(out), "CAP_NEW") {
			t.Errorf("%s", out)
		}
		var was, is any
		if err := json.Unmarshal([]byte(strings.Replace(in, `"CAP_SYS_RESOURCE",`, "", 1)), &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &is); err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(is)
		if string(a) != string(b) {
			t.Errorf("more than the capability is changed:\n%s\n%s", a, b)
		}
		if strings.Contains(in, "linux") && !strings.Contains(string(out), "18446744073709551615") {
			t.Errorf("a number lost its digits: %s", out)
		}
	}
	for _, same := range []string{`{"process":{"capabilities":{"bounding":["CAP_CHOWN"]}}}`, `{"process":{}}`, `{"process":null}`, `{}`} {
		if out, err := edit([]byte(same), have); err != nil || string(out) != same {
			t.Errorf("%s became %s, %v", same, out, err)
		}
	}
	for _, bad := range []string{"", "[]", `{"capabilities":["CAP_CHOWN"]}`} {
		if _, err := edit([]byte(bad), have); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

// The whole program: it edits the file, and runc gets the same arguments and sets the exit code.
func TestBecomesRunc(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "runc")); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"process":{"capabilities":{"bounding":["CAP_KILL","CAP_SYS_RESOURCE"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "--log", "x", "create", "--bundle", dir, "id")
	cmd.Env = append(os.Environ(), asRuncless+"=CAP_SYS_RESOURCE", "PATH="+dir)
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 7 || strings.TrimSpace(string(out)) != "runc --log x create --bundle "+dir+" id" {
		t.Errorf("%s, %v", out, err)
	}
	data, err := os.ReadFile(config)
	if err != nil || string(data) != `{"process":{"capabilities":{"bounding":["CAP_KILL"]}}}` {
		t.Errorf("%s, %v", data, err)
	}
	if fi, err := os.Stat(config); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBoundingHasTheNamesOfTheKernel(t *testing.T) {
	have, err := bounding()
	for _, name := range []string{"CAP_CHOWN", "CAP_SYS_RESOURCE", "CAP_CHECKPOINT_RESTORE"} {
		if _, ok := have[name]; err != nil || !ok {
			t.Errorf("no %s in %v, %v", name, have, err)
		}
	}
}
