// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package unixsock

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckPath(t *testing.T) {
	longest := "/" + strings.Repeat("x", MaxPath-1)
	if err := CheckPath(longest); err != nil {
		t.Errorf("a path of %d bytes: %v", len(longest), err)
	}
	for _, bad := range []string{longest + "x", "relative.sock", ""} {
		if err := CheckPath(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	first, err := Listen(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions: %v, %v", info.Mode(), err)
	}
	if _, err := Listen(path, 0o600); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("a socket in use: got %v", err)
	}

	// A process that died leaves its socket file.
	first.SetUnlinkOnClose(false)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Listen(path, 0o666)
	if err != nil {
		t.Fatalf("a socket left behind: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket file is still there: %v", err)
	}
}

func TestListenTouchesNoOtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen(path, 0o600); err == nil {
		_ = l.Close()
		t.Error("a plain file was replaced")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "data" {
		t.Errorf("the file contains %q, %v", data, err)
	}
	if _, err := net.Dial("unix", path); err == nil {
		t.Error("something listens on the file")
	}
}
