// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Machine is what a run ran on.
type Machine struct {
	CPUs      int    `json:"cpus"`
	Processor string `json:"processor"`
	Kernel    string `json:"kernel"`
	// MemoryMB is all of its memory, AvailableMB what was available before the run.
	MemoryMB    uint64 `json:"memoryMB"`
	AvailableMB uint64 `json:"availableMB"`
	// Load is the load average of the last minute before the run: others' work makes figures worse on all columns.
	Load float64 `json:"load"`
}

func (m Machine) String() string {
	return fmt.Sprintf("%d × %s, %d GB memory (%d GB available), Linux %s, load %.1f before the run",
		m.CPUs, m.Processor, (m.MemoryMB+512)/1024, m.AvailableMB/1024, m.Kernel, m.Load)
}

// ReadMachine describes this machine.
func ReadMachine() (Machine, error) {
	m := Machine{CPUs: runtime.NumCPU()}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return m, err
	}
	memory, err := fs.Meminfo()
	if err != nil {
		return m, err
	}
	if memory.MemTotalBytes == nil || memory.MemAvailableBytes == nil {
		return m, fmt.Errorf("/proc/meminfo has no MemTotal or no MemAvailable: expected Linux 3.14 or newer")
	}
	m.MemoryMB, m.AvailableMB = *memory.MemTotalBytes>>20, *memory.MemAvailableBytes>>20
	if processors, err := fs.CPUInfo(); err == nil && len(processors) > 0 {
		m.Processor = processors[0].ModelName
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return m, err
	}
	m.Load = load.Load1
	var uname unix.Utsname
	if err := unix.Uname(&uname); err != nil {
		return m, err
	}
	m.Kernel, _, _ = strings.Cut(unix.ByteSliceToString(uname.Release[:]), "-") // without the distribution's own name for it
	return m, nil
}

// What a node needs, in MB: twice what was seen with 20 pods, where the programs of the node had 570 MB and each pod 8, without the
// kernel's own memory for cgroups, mounts and namespaces.
const (
	// nodeMB is for etcd, the API server, containerd, the kubelet and the harness.
	nodeMB = 1200
	// podMB is for a pod: its shim, its sandbox's process and its own, its share of the kubelet and the API server, and the kernel's.
	podMB = 20
)

// needsMB returns the memory that a node with so many pods needs.
func needsMB(pods int) uint64 { return nodeMB + podMB*uint64(pods) }

// Refuses returns why the machine's memory forbids a number of pods; "" if it does not.
func (m Machine) Refuses(pods int) string {
	if need := needsMB(pods); need > m.AvailableMB {
		return fmt.Sprintf("%d pods need about %d MB of memory (%d for the node and %d for each pod), and %d MB are available: use a larger machine, or at most --pods %d",
			pods, need, nodeMB, podMB, m.AvailableMB, max(int64(m.AvailableMB)-nodeMB, 0)/podMB)
	}
	return ""
}
