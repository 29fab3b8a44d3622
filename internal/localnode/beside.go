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
