// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A ruleset is the output of iptables-save, without comments and counters.
type ruleset map[string]*table

type table struct {
	// policies of the built-in chains; "-" for user-defined chains.
	policies map[string]string
	// rules in their order.
	rules []string
}

// parseRules parses the output of iptables-save or ip6tables-save.
func parseRules(text string) (ruleset, error) {
	all := ruleset{}
	var t *table
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line == "COMMIT":
		case line[0] == '*':
			t = &table{policies: map[string]string{}}
			all[line[1:]] = t
		case t == nil:
			return nil, fmt.Errorf("iptables-save: %q comes before any table", line)
		case line[0] == ':':
			fields := strings.Fields(line[1:])
			if len(fields) < 2 {
				return nil, fmt.Errorf("iptables-save: %q is not a chain", line)
			}
			t.policies[fields[0]] = fields[1]
		case line[0] == '-':
			t.rules = append(t.rules, line)
		default:
			return nil, fmt.Errorf("iptables-save: %q is not understood", line)
		}
	}
	return all, nil
}

// empty reports whether a table has no effect, like a missing one. The kernel keeps a table once it has been used.
func (t *table) empty() bool {
	if len(t.rules) > 0 {
		return false
	}
	for _, p := range t.policies {
		if p != "ACCEPT" {
			return false
		}
	}
	return true
}

// difference describes how two rulesets differ, or returns "".
func difference(before, now ruleset) string {
	var diffs []string
	for _, name := range tablesOf(before, now) {
		b, n := orEmpty(before[name]), orEmpty(now[name])
		if b.empty() && n.empty() {
			continue
		}
		if !maps.Equal(b.policies, n.policies) {
			diffs = append(diffs, fmt.Sprintf("table %s: chains were %s, are %s", name, chains(b), chains(n)))
		}
		if !slices.Equal(b.rules, n.rules) {
			diffs = append(diffs, fmt.Sprintf("table %s: rules were\n  %s\nare\n  %s", name, strings.Join(b.rules, "\n  "), strings.Join(n.rules, "\n  ")))
		}
	}
	return strings.Join(diffs, "\n")
}

// restoreInput returns the input for iptables-restore that turns now into before. It omits tables that are equal.
func restoreInput(before, now ruleset) string {
	var b strings.Builder
	for _, name := range tablesOf(before, now) {
		was, is := orEmpty(before[name]), orEmpty(now[name])
		if difference(ruleset{name: was}, ruleset{name: is}) == "" {
			continue
		}
		fmt.Fprintf(&b, "*%s\n", name)
		policies := map[string]string{}
		maps.Copy(policies, was.policies)
		for chain, policy := range is.policies {
			// A built-in chain of a table that did not exist before had no effect, as with policy ACCEPT.
			if _, known := policies[chain]; !known && policy != "-" {
				policies[chain] = "ACCEPT"
			}
		}
		for _, chain := range slices.Sorted(maps.Keys(policies)) {
			fmt.Fprintf(&b, ":%s %s [0:0]\n", chain, policies[chain])
		}
		for _, r := range was.rules {
			b.WriteString(r + "\n")
		}
		b.WriteString("COMMIT\n")
	}
	return b.String()
}

func tablesOf(a, b ruleset) []string {
	all := maps.Clone(a)
	if all == nil {
		all = ruleset{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func orEmpty(t *table) *table {
	if t == nil {
		return &table{}
	}
	return t
}

func chains(t *table) string {
	var all []string
	for _, c := range slices.Sorted(maps.Keys(t.policies)) {
		all = append(all, c+" "+t.policies[c])
	}
	return "[" + strings.Join(all, ", ") + "]"
}
