// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lines receives the lines that the processes in a scenario's containers report about themselves: JSON objects, one per
// line, over a unix socket on the host that pods mount by hostPath.
//
// A line that a process wrote before it was killed is not lost: it stays in the kernel's socket buffer and is read after the
// process is gone. Each line carries the container's own timestamp, from the same machine clock.
package lines
