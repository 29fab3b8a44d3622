// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
)

// Rule is the id of a rule of the termination contract, R1 to R14.
type Rule string

// The rules of the contract, by their short names.
const (
	Deadline     Rule = "R1"  // one deadline, the earliest of all requests
	OnlyShorter  Rule = "R2"  // the deadline never moves later
	ShorterActs  Rule = "R3"  // a request that moves it is passed on at once, with the remaining time
	Zero         Rule = "R4"  // grace 0 is a value: no hook, no waiting, stop with timeout 0
	Window       Rule = "R5"  // a grace above 0 leaves at least 2 s to stop, once
	OneTerm      Rule = "R6"  // at most one TERM
	HookOnce     Rule = "R7"  // a hook runs once, unless it failed, and until the deadline
	Prompt       Rule = "R8"  // the terminating sync returns at once from any wait
	RuntimeCalls Rule = "R9"  // no stop call is undone, and the sandbox comes last
	Quiet        Rule = "R10" // a cancelled sync leaves no FailedKillPod and no second Killing
	Ends         Rule = "R11" // every terminating pod ends
	Kept         Rule = "R12" // what stock does right is kept
	NoLeftovers  Rule = "R13" // a pod's worker leaves nothing behind
	LostUpdate   Rule = "R14" // a lost grace-0 update: the known grace holds
)

var titles = map[Rule]string{
	Deadline: "deadline", OnlyShorter: "only shorter", ShorterActs: "shorter takes effect", Zero: "zero is a value",
	Window: "minimum window", OneTerm: "one TERM", HookOnce: "hooks once", Prompt: "prompt return",
	RuntimeCalls: "nothing undone at the runtime", Quiet: "quiet cancellation", Ends: "it ends", Kept: "kept",
	NoLeftovers: "no leftovers", LostUpdate: "lost update",
}

// Rules returns every rule of the contract, in order.
func Rules() []Rule {
	return []Rule{Deadline, OnlyShorter, ShorterActs, Zero, Window, OneTerm, HookOnce, Prompt, RuntimeCalls, Quiet,
		Ends, Kept, NoLeftovers, LostUpdate}
}

// Known reports whether the contract has this rule.
func (r Rule) Known() bool { return slices.Contains(Rules(), r) }

// Title returns the rule's name in the contract; "" for an unknown rule.
func (r Rule) Title() string { return titles[r] }

func joined[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = string(one)
	}
	return strings.Join(words, ", ")
}
