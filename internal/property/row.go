// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package property

import (
	"fmt"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Words returns a scenario as one line of text.
func Words(s scenario.Scenario) string {
	text := []string{fmt.Sprintf("G=%d", s.Pod.Grace)}
	for _, c := range s.Pod.All() {
		text = append(text, c.Name+" "+how(c))
	}
	for _, f := range s.Faults {
		text = append(text, f.String())
	}
	for _, step := range s.Steps {
		text = append(text, step.String())
	}
	return strings.Join(text, "; ")
}

// how describes the behaviour of a container.
func how(c scenario.Container) string {
	how := fmt.Sprintf("ends %v after TERM", c.ExitAfter)
	switch {
	case c.Stubborn:
		how = "stubborn"
	case c.Ends > 0:
		how = fmt.Sprintf("ends %v after its start", c.Ends)
	}
	for _, one := range []struct {
		name string
		hook *scenario.Hook
	}{{"hook", c.Hook}, {"postStart hook", c.PostStart}} {
		h := one.hook
		if h == nil {
			continue
		}
		how += fmt.Sprintf(", %s %s", h.Kind, one.name)
		if h.Takes > 0 {
			how += fmt.Sprintf(" of %v", h.Takes)
		} else {
			how += " that never ends"
		}
		if h.Fails {
			how += " and fails"
		}
		if h.EndsMain > 0 {
			how += fmt.Sprintf(" and ends it after %v", h.EndsMain)
		}
	}
	if c.Probe > 0 {
		how += fmt.Sprintf(", probed every %v", c.Probe)
	}
	if c.Sick > 0 {
		how += fmt.Sprintf(", sick after %v", c.Sick)
	}
	if c.Pull {
		how += ", pulled"
	}
	return how
}

// Row returns a scenario as a row for the catalogue.
func Row(s scenario.Scenario, broken scenario.Rule, why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s was broken: %s\n{\n", broken, why)
	fmt.Fprintf(&b, "\tID:     %q,\n\tSource: \"found at random\",\n\tFixed:  \"\", // describe the expected behaviour\n\tStock:  \"\", // describe the observed behaviour\n", s.ID)
	fmt.Fprintf(&b, "\tPod: Pod{Grace: %d", s.Pod.Grace)
	for _, part := range []struct {
		name string
		all  []scenario.Container
	}{{"Sidecars", s.Pod.Sidecars}, {"Containers", s.Pod.Containers}} {
		if len(part.all) > 0 {
			var all []string
			for _, c := range part.all {
				all = append(all, container(c))
			}
			fmt.Fprintf(&b, ", %s: []Container{%s}", part.name, strings.Join(all, ", "))
		}
	}
	if s.Pod.Restarts {
		b.WriteString(", Restarts: true")
	}
	b.WriteString("},\n")
	if len(s.Faults) > 0 {
		var all []string
		for _, f := range s.Faults {
			all = append(all, fmt.Sprintf("{Call: %q, Container: %q, Fails: %t, Hangs: %t, Delay: %s, Times: %d, From: %s, For: %s}",
				f.Call, f.Container, f.Fails, f.Hangs, duration(f.Delay), f.Times, duration(f.From), duration(f.For)))
		}
		fmt.Fprintf(&b, "\tFaults: []Fault{%s},\n", strings.Join(all, ", "))
	}
	var steps []string
	for _, step := range s.Steps {
		steps = append(steps, fmt.Sprintf("at(%v, %s)", step.After.Seconds(), strings.TrimPrefix(fmt.Sprintf("%#v", step.Do), "scenario.")))
	}
	fmt.Fprintf(&b, "\tSteps:  []Step{%s},\n\tExpect: repairs(%q),\n\tLevels: []Level{LevelSim},\n},\n", strings.Join(steps, ", "), broken)
	return b.String()
}

func container(c scenario.Container) string {
	fields := []string{fmt.Sprintf("Name: %q", c.Name)}
	if c.Stubborn {
		fields = append(fields, "Stubborn: true")
	}
	for _, one := range []struct {
		name  string
		value time.Duration
	}{{"ExitAfter", c.ExitAfter}, {"Ends", c.Ends}, {"Sick", c.Sick}, {"Probe", c.Probe}} {
		if one.value > 0 {
			fields = append(fields, one.name+": "+duration(one.value))
		}
	}
	if c.Pull {
		fields = append(fields, "Pull: true")
	}
	if c.Hook != nil {
		fields = append(fields, "Hook: "+hookOf(c.Hook))
	}
	if c.PostStart != nil {
		fields = append(fields, "PostStart: "+hookOf(c.PostStart))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func hookOf(h *scenario.Hook) string {
	fields := []string{fmt.Sprintf("Kind: %q, Takes: %s", h.Kind, duration(h.Takes))}
	if h.Fails {
		fields = append(fields, "Fails: true")
	}
	if h.EndsMain > 0 {
		fields = append(fields, "EndsMain: "+duration(h.EndsMain))
	}
	return "&Hook{" + strings.Join(fields, ", ") + "}"
}

func duration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return fmt.Sprintf("%d * time.Microsecond", d.Microseconds())
}
