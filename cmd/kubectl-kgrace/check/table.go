// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes a line for each node, and notes below the table.
func (r *Report) WriteTable(out io.Writer) error {
	var probes []string
	if len(r.Nodes) > 0 {
		for _, p := range r.Nodes[0].Results {
			probes = append(probes, p.Probe)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "NODE\tKUBELET\tRUNTIME\t%s\tVERDICT\n", strings.ToUpper(strings.Join(probes, "\t")))
	for _, n := range r.Nodes {
		fmt.Fprintf(table, "%s\t%s\t%s\t", n.Node, orQuestion(n.Kubelet), orQuestion(n.Runtime))
		for _, p := range n.Results {
			fmt.Fprintf(table, "%s\t", p.figure())
		}
		verdict := string(n.Verdict)
		if n.Cause == CauseRuntime {
			verdict += " (by its runtime)"
		}
		fmt.Fprintln(table, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var notes []string
	for _, n := range r.Nodes {
		if n.Why != "" {
			notes = append(notes, n.Node+": "+n.Why)
		}
		for _, p := range n.Results {
			if p.Verdict == Unknown && p.Why != n.Why {
				notes = append(notes, fmt.Sprintf("%s, %s: %s", n.Node, p.Probe, p.Why))
			}
		}
		if n.Hint != "" {
			notes = append(notes, n.Node+": "+n.Hint)
		}
	}
	for _, l := range r.LeftOut {
		notes = append(notes, "left out: "+l)
	}
	if len(notes) > 0 {
		fmt.Fprintln(out)
	}
	for _, n := range notes {
		fmt.Fprintln(out, n)
	}
	_, err := fmt.Fprintf(out, "\nSeconds are from the moment a process was first asked to end to its end.\n%s\n", r.summary())
	return err
}

func (r *Report) summary() string {
	count := map[Verdict]int{}
	for _, n := range r.Nodes {
		count[n.Verdict]++
	}
	return fmt.Sprintf("Nodes: %d affected, %d fixed, %d could not tell.", count[Affected], count[Fixed], count[Unknown])
}

// figure formats a result for the table.
func (r Result) figure() string {
	verdict := string(r.Verdict)
	if r.Verdict == Unknown {
		verdict = "?"
	}
	if r.Seconds < 0 {
		return verdict
	}
	return fmt.Sprintf("%s %.1f", verdict, r.Seconds)
}

func orQuestion(s string) string {
	if s == "" {
		return "?"
	}
	return s
}
