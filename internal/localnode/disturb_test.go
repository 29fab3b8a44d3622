// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The machine's own disk is never filled, whatever it is: only one of the size that the node has mounted.
func TestFillsOnlyItsOwnDisk(t *testing.T) {
	s := &supervisor{}
	for name, space := range map[string]Space{
		"no disk":           {t.TempDir(), 0},
		"a disk":            {t.TempDir(), 64 << 20},
		"memory of another": {"/dev/shm", 64<<20 + 4096},
		"no directory":      {filepath.Join(t.TempDir(), "none"), 1},
	} {
		if err := s.Fill(space, &None{}); err == nil {
			t.Errorf("%s was filled", name)
		}
		if _, err := os.Stat(filepath.Join(space.Dir, filler)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has a file that takes its space: %v", name, err)
		}
		if err := s.Free(space.Dir, &None{}); err != nil {
			t.Errorf("%s: nothing to free is an error: %v", name, err)
		}
	}
}

// A program that does not run gets no signal.
func TestSignalNeedsAProgram(t *testing.T) {
	s := &supervisor{children: map[int]*Component{}}
	if err := s.Signal(Signal{ProgramKubelet, unix.SIGSTOP}, &None{}); err == nil || !strings.Contains(err.Error(), "kubelet does not run") {
		t.Errorf("%v", err)
	}
}
