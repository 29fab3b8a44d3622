// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/moby/sys/capability"
)

// bounding returns the names of all known capabilities, and whether each is in the bounding set of this process.
func bounding() (map[string]bool, error) {
	own, err := capability.NewPid2(0)
	if err != nil {
		return nil, err
	}
	if err := own.Load(); err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, c := range capability.ListKnown() {
		have["CAP_"+strings.ToUpper(c.String())] = own.Get(capability.BOUNDING, c)
	}
	return have, nil
}

// editFile removes the capabilities that the machine lacks from a bundle's config.json or a process file. It replaces the file
// by a rename, so that a crash leaves the old one.
func editFile(file string, have map[string]bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	edited, err := edit(data, have)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if bytes.Equal(edited, data) {
		return nil
	}
	return renameio.WriteFile(file, edited, 0o600)
}

// edit returns data itself if nothing is to be removed. Fields that it does not know stay as they are.
func edit(data []byte, have map[string]bool) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, err
	}
	if raw, ok := top["process"]; ok { // config.json; a process file is the process itself
		process, err := edit(raw, have)
		if err != nil || bytes.Equal(process, raw) {
			return data, err
		}
		top["process"] = process
		return json.Marshal(top)
	}
	raw, ok := top["capabilities"]
	if !ok {
		return data, nil
	}
	var sets map[string][]string
	if err := json.Unmarshal(raw, &sets); err != nil {
		return nil, fmt.Errorf("capabilities: %w", err)
	}
	changed := false
	for set, list := range sets {
		kept := list[:0]
		for _, c := range list {
			// A capability without a name here is newer than this program: leave it to runc.
			if has, known := have[c]; has || !known {
				kept = append(kept, c)
			}
		}
		changed = changed || len(kept) != len(list)
		sets[set] = kept
	}
	if !changed {
		return data, nil
	}
	var err error
	if top["capabilities"], err = json.Marshal(sets); err != nil {
		return nil, err
	}
	return json.Marshal(top)
}
