/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// names lists the capabilities by their number in the kernel (linux/capability.h).
var names = strings.Fields(`
	CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_KILL CAP_SETGID CAP_SETUID CAP_SETPCAP
	CAP_LINUX_IMMUTABLE CAP_NET_BIND_SERVICE CAP_NET_BROADCAST CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER
	CAP_SYS_MODULE CAP_SYS_RAWIO CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_ADMIN CAP_SYS_BOOT CAP_SYS_NICE
	CAP_SYS_RESOURCE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LEASE CAP_AUDIT_WRITE CAP_AUDIT_CONTROL CAP_SETFCAP
	CAP_MAC_OVERRIDE CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM CAP_BLOCK_SUSPEND CAP_AUDIT_READ CAP_PERFMON CAP_BPF
	CAP_CHECKPOINT_RESTORE`)

// bounding reads the bounding set of a process from its status file.
func bounding(status string) (map[string]bool, error) {
	data, err := os.ReadFile(status)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		value, ok := strings.CutPrefix(line, "CapBnd:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: CapBnd: %w", status, err)
		}
		have := map[string]bool{}
		for i, name := range names {
			have[name] = bits&(1<<i) != 0
		}
		return have, nil
	}
	return nil, fmt.Errorf("%s has no CapBnd", status)
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
	fi, err := os.Stat(file)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".runcless-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(edited); err != nil {
		return err
	}
	if err := tmp.Chmod(fi.Mode().Perm()); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
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
