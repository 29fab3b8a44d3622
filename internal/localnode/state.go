// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

const stateVersion = 1

// state is what Down needs to know; it is written before the things it names exist.
type state struct {
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Ready   bool      `json:"ready"`

	// RunDir holds the sockets. It is short because socket paths are limited in length.
	RunDir string `json:"runDir"`
	// Cgroup is the node's cgroup, of the same name in every hierarchy.
	Cgroup string `json:"cgroup"`

	// BootID, InitPID and InitStart identify the node's pid 1; a pid alone may have been reused.
	BootID    string `json:"bootID"`
	InitPID   int    `json:"initPID,omitempty"`
	InitStart uint64 `json:"initStart,omitempty"`

	// OwnerPID and OwnerStart identify the process that a node with ParentDeath ends with.
	OwnerPID   int    `json:"ownerPID,omitempty"`
	OwnerStart uint64 `json:"ownerStart,omitempty"`

	APIServer       string `json:"apiServer,omitempty"`
	RuntimeEndpoint string `json:"runtimeEndpoint,omitempty"`
	Kubelet         string `json:"kubelet,omitempty"`
}

// errNoNode means that the directory holds no state file.
var errNoNode = errors.New("no node here")

func statePath(dir string) string { return filepath.Join(dir, "state.json") }

func readState(dir string) (*state, error) {
	data, err := os.ReadFile(statePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, errNoNode)
	}
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("state file %s cannot be read (%w): find the node's pid 1 with `pgrep -f %s`, end it, then remove the directory", statePath(dir), err, initArg0)
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("state file %s has version %d, this program writes %d: take the node down with the program that started it", statePath(dir), s.Version, stateVersion)
	}
	// Down removes these paths; a damaged file must not point it elsewhere.
	if !strings.HasPrefix(s.RunDir, runDirPrefix) || filepath.Clean(s.RunDir) != s.RunDir || strings.Count(s.RunDir, "/") != 2 {
		return nil, fmt.Errorf("state file %s names run directory %q: want %sID", statePath(dir), s.RunDir, runDirPrefix)
	}
	if !strings.HasPrefix(s.Cgroup, cgroupPrefix) || strings.ContainsAny(s.Cgroup, "/") {
		return nil, fmt.Errorf("state file %s names cgroup %q: want %sNAME-ID", statePath(dir), s.Cgroup, cgroupPrefix)
	}
	return &s, nil
}

// write replaces the file atomically: a crash leaves the old or the new one.
func (s *state) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(statePath(dir), append(data, '\n'), 0o600)
}

// lock keeps two programs from working on one directory. Up and Down hold it while they work, and the kernel releases it when
// they die. It locks the directory itself, so no lock file is left behind.
func lock(dir string) (unlock func(), err error) {
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	got, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("%s: another program is taking this node up or down: wait for it, or end it", dir)
	}
	return func() { l.Close() }, nil
}
