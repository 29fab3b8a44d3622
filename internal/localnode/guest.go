// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Optional parts of a node: a pod network, a token, further images, and the caller's programs inside.

// podCIDR is the address range of pods: one of RFC 5737's documentation networks, which nobody uses.
const podCIDR = "203.0.113.0/24"

// cniConfig makes the runtime report its network as ready, without which the node does not become Ready. Without the
// plugins of a real network it names a plugin that does not exist: a pod without hostNetwork fails with an error that
// explains why.
func cniConfig(p paths) ([]byte, error) {
	type network struct {
		Version string `json:"cniVersion"`
		Name    string `json:"name"`
		Plugins []any  `json:"plugins"`
	}
	config := network{"1.0.0", "host-network-only", []any{map[string]any{"type": "kgrace-node-has-only-hostNetwork-pods"}}}
	switch _, err := os.Lstat(p.bin(ProgramPTP)); {
	case err == nil:
		// Every pod gets its own device in the node's network namespace, which routes between them.
		config.Name, config.Plugins = "pods", []any{map[string]any{
			"type": ProgramPTP,
			"ipam": map[string]any{
				"type":   ProgramHostLocal,
				"ranges": [][]map[string]string{{{"subnet": podCIDR}}},
				"routes": []map[string]string{{"dst": "0.0.0.0/0"}},
			},
		}}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return json.MarshalIndent(config, "", "  ")
}

// writeTokens writes the API server's token file.
func writeTokens(p paths, token string) error {
	if token == "" {
		return nil
	}
	return os.WriteFile(p.tokens(), []byte(token+",kgrace,kgrace,system:masters\n"), 0o600)
}

func (p paths) tokens() string { return filepath.Join(p.data("pki"), "tokens.csv") }

// tokenFlags returns the API server's flag for the token file if there is one.
func tokenFlags(p paths) []string {
	if _, err := os.Stat(p.tokens()); err != nil {
		return nil
	}
	return []string{"--token-auth-file=" + p.tokens()}
}

// importImages imports the images of a file into the runtime.
func (n *Node) importImages(ctx context.Context, snapshotter, file string) error {
	load, err := program(n.paths(), ProgramCtr, n.state.Name, snapshotter)
	if err != nil {
		return err
	}
	load.Argv[len(load.Argv)-1] = file
	if err := n.init.call(ctx, "Run", load, &None{}); err != nil {
		return n.failed(ProgramCtr, "cannot import "+file, err)
	}
	return nil
}

// Run runs a program inside the node and waits for it to end. Its environment is that of the node's own programs, followed
// by p.Env. An exit status other than 0 is an error. If ctx ends first, the program keeps running until the node goes down.
func (n *Node) Run(ctx context.Context, p Program) error {
	if n.init == nil {
		return errors.New("only the process that started a node can run programs in it")
	}
	own, err := program(n.paths(), ProgramCtr, n.state.Name, "")
	if err != nil {
		return err
	}
	p.Env = slices.Concat(own.Env, p.Env)
	return n.init.call(ctx, "Run", p, &None{})
}

// InsideURL returns the URL of the API server for programs inside the node.
func (n *Node) InsideURL() string { return "https://" + apiServerAddr }
