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

package docker

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// asked are capabilities that a privileged container requests and that small virtual machines and containers are known to
// lack. A machine that lacks others cannot run a node.
var asked = []struct {
	number int
	name   string
}{
	{unix.CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE"}, {unix.CAP_SYS_MODULE, "CAP_SYS_MODULE"}, {unix.CAP_SYS_TIME, "CAP_SYS_TIME"},
	{unix.CAP_SYS_BOOT, "CAP_SYS_BOOT"}, {unix.CAP_SYS_RAWIO, "CAP_SYS_RAWIO"}, {unix.CAP_MAC_ADMIN, "CAP_MAC_ADMIN"},
	{unix.CAP_MAC_OVERRIDE, "CAP_MAC_OVERRIDE"}, {unix.CAP_SYSLOG, "CAP_SYSLOG"}, {unix.CAP_WAKE_ALARM, "CAP_WAKE_ALARM"},
	{unix.CAP_BLOCK_SUSPEND, "CAP_BLOCK_SUSPEND"}, {unix.CAP_AUDIT_CONTROL, "CAP_AUDIT_CONTROL"}, {unix.CAP_AUDIT_READ, "CAP_AUDIT_READ"},
	{unix.CAP_PERFMON, "CAP_PERFMON"}, {unix.CAP_BPF, "CAP_BPF"}, {unix.CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE"},
}

// lackingCapabilities returns those of asked that the bounding set of a /proc/PID/status file lacks.
func lackingCapabilities(status string) ([]string, error) {
	data, err := os.ReadFile(status)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		value, ok := strings.CutPrefix(line, "CapBnd:")
		if !ok {
			continue
		}
		have, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: CapBnd: %w", status, err)
		}
		var lacks []string
		for _, c := range asked {
			if have&(1<<c.number) == 0 {
				lacks = append(lacks, c.name)
			}
		}
		return lacks, nil
	}
	return nil, fmt.Errorf("%s has no CapBnd", status)
}
