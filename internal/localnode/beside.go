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

// stopperHealthAddress is in the node's own network namespace.
const stopperHealthAddress = "127.0.0.1:10247"

// StartStopper starts the control program in place of a kubelet that was killed: it ends the pods whose containers run now, as
// control.Stop does, by the runtime at the given socket. It returns when the program watches. StopStopper ends it.
func (n *Node) StartStopper(ctx context.Context, runtime string) error {
	if err := n.startProgram(ctx, ProgramStopper, "--stop="+runtime); err != nil {
		return err
	}
	if err := n.init.call(ctx, "WaitHTTP", "http://"+stopperHealthAddress+"/healthz", &None{}); err != nil {
		return n.failed(ProgramStopper, "is not ready", err)
	}
	return nil
}

// StopStopper ends what StartStopper started.
func (n *Node) StopStopper(ctx context.Context) error { return n.halt(ctx, ProgramStopper) }

// BesideRecord returns the path of the file that the control program writes to.
func (n *Node) BesideRecord() string { return n.paths().beside() }

func (p paths) beside() string { return filepath.Join(p.data("beside"), "record.jsonl") }
