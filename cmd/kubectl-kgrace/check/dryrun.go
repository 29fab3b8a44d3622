// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/yaml"
)

// DryRun writes the objects that a run would create for one node, and the roles that it needs. It contacts no cluster.
func DryRun(c Config, out io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	const id = "RUN"
	node := "NODE"
	if len(c.Nodes) > 0 {
		node = c.Nodes[0]
	}
	now := time.Now()
	fmt.Fprintln(out, "# The minimal rights. Those on pods/log, nodes/proxy and, with --node, nodes are optional; without them there are fewer verdicts.")
	for _, role := range c.Roles() {
		if err := writeYAML(out, role); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "# The objects that a run creates, and removes at the end; the pods once for each node. RUN is random.\n")
	if c.Namespace == "" {
		if err := writeYAML(out, c.namespace("kgrace-check-"+id, id, now.Add(c.runTime(1)))); err != nil {
			return err
		}
	}
	for _, made := range append([]plan{{name: witnessName}, {name: controlName}}, c.plans()...) {
		p := c.pod(podSpec{name: fmt.Sprintf("kgrace-%s-0-%s", id, made.name), run: id, node: node, hook: made.hook, until: now.Add(c.nodeTime())})
		p.Namespace = c.Namespace
		if p.Namespace == "" {
			p.Namespace = "kgrace-check-" + id
		}
		if err := writeYAML(out, p); err != nil {
			return err
		}
	}
	return nil
}

func writeYAML(out io.Writer, thing any) error {
	data, err := yaml.Marshal(thing)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "---\n%s", data)
	return err
}
