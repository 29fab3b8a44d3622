// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/renameio/v2"
	"github.com/prometheus/procfs"
)

// State is what Setup recorded: the process that it started and the state of the machine before.
type State struct {
	// PID is dockerd's pid and Started its start time, in clock ticks since boot, because a pid may be reused. Zero until it
	// is up.
	PID     int    `json:"pid"`
	Started string `json:"started"`
	// Installed lists the Debian packages that Setup added. They stay.
	Installed []string `json:"installed,omitempty"`
	// Runtime is the reason why dockerd uses runcless; empty if it does not.
	Runtime string `json:"runtime,omitempty"`
	Before  *host  `json:"before"`

	dir string
}

const stateFile = "engine.json"

func (s *State) save() error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(s.dir, stateFile), append(data, '\n'), 0o600)
}

// load returns nil if Setup started nothing, or if everything was taken down.
func load(dir string) (*State, error) {
	path := filepath.Join(dir, stateFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &State{dir: dir}
	if err := json.Unmarshal(data, s); err != nil || s.Before == nil {
		return nil, fmt.Errorf("%s is not what `kgrace image setup` writes (%v); it records the state of the machine before the engine: repair it, or delete it and restore iptables by hand", path, err)
	}
	return s, nil
}

// running reports whether the process that Setup started still runs.
func (s *State) running() bool {
	return s.PID != 0 && startOf(s.PID) == s.Started
}

// startOf returns the start time of a process, in clock ticks since boot, or "" if it does not exist or has ended.
func startOf(pid int) string {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	stat, err := proc.Stat()
	if err != nil || stat.State == "Z" {
		return ""
	}
	return strconv.FormatUint(stat.Starttime, 10)
}
