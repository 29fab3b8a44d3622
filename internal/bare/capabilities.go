// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"strings"

	"github.com/moby/sys/capability"
)

// asked are capabilities that a privileged container requests and that small virtual machines and containers are known to
// lack. A machine that lacks others cannot run a node.
var asked = []capability.Cap{
	capability.CAP_SYS_RESOURCE, capability.CAP_SYS_MODULE, capability.CAP_SYS_TIME, capability.CAP_SYS_BOOT,
	capability.CAP_SYS_RAWIO, capability.CAP_MAC_ADMIN, capability.CAP_MAC_OVERRIDE, capability.CAP_SYSLOG,
	capability.CAP_WAKE_ALARM, capability.CAP_BLOCK_SUSPEND, capability.CAP_AUDIT_CONTROL, capability.CAP_AUDIT_READ,
	capability.CAP_PERFMON, capability.CAP_BPF, capability.CAP_CHECKPOINT_RESTORE,
}

// lackingCapabilities returns those of asked that the bounding set of a process lacks.
func lackingCapabilities(process capability.Capabilities) []string {
	var lacks []string
	for _, c := range asked {
		if !process.Get(capability.BOUNDING, c) {
			lacks = append(lacks, "CAP_"+strings.ToUpper(c.String()))
		}
	}
	return lacks
}
