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
