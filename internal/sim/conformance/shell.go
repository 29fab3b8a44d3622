// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	_ "embed"
)

// actorPath is the actor in an image that has it.
const actorPath = "/actor"

// actorScript does in sh what the actor does.
//
//go:embed actor.sh
var actorScript string

// argv returns the command line for a command line of the actor. Other programs stay as they are.
func (p *player) argv(argv []string) []string {
	if p.Logs == "" || argv[0] != actorPath {
		return argv
	}
	return append([]string{"sh", "-c", actorScript}, argv...)
}

// start starts a container and, if there are logs, reads its log from then on.
func (p *player) start(ctx context.Context, id, name string) error {
	err := p.Runtime.StartContainer(ctx, id)
	if err == nil && p.Logs != "" {
		p.read(id, name)
	}
	return err
}
