// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"path/filepath"
)

// StartBeside starts the control program that waits beside the kubelet as the kubelet waits (package control). It runs in
// the kubelet's cgroup, with the kubelet's credentials and through the kubelet's link to the API server. Only the process
// that called Up can use it; Config.Bin must name the program.
func (n *Node) StartBeside(ctx context.Context) error { return n.startProgram(ctx, ProgramBeside) }

// BesideRecord returns the path of the file that the control program writes to.
func (n *Node) BesideRecord() string { return n.paths().beside() }

func (p paths) beside() string { return filepath.Join(p.data("beside"), "record.jsonl") }
