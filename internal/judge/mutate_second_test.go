// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// dropAll drops every event that matches.
func dropAll(match func(history.Event) bool) mutate {
	return func(t *testing.T, h *history.History) {
		pick(t, h, 0, match)
		h.Events = slices.DeleteFunc(h.Events, match)
	}
}

// code changes the exit code of a container.
func code(container string, code int32) mutate {
	return func(t *testing.T, h *history.History) { h.Events[pick(t, h, 0, exitOf(container))].ExitCode = &code }
}

func sandboxCall(e history.Event) bool {
	return e.Kind == history.CRICall && e.Call == "StopPodSandbox"
}

// hookOf matches every event of a container's exec hook.
func hookOf(container string) func(history.Event) bool {
	return func(e history.Event) bool {
		return e.Container == container && (e.Call == "ExecSync" || e.Reason == "HOOK-START" || e.Reason == "HOOK-END")
	}
}

// The mutants for the second edition of the contract.
func init() { mutants = append(mutants, secondMutants...) }

var secondMutants = []mutant{
	{"the spec's zero raised to 2", "spec-zero", []mutate{timeout(0, "main", to(2))}, []scenario.Rule{"R4"}},
	{"held on after the remaining delete", "redelete-remaining", []mutate{shift(0, callOf("main", "StopContainer"), 5*time.Second),
		shift(0, exitOf("main"), 6*time.Second)}, []scenario.Rule{"R1", "R3", "R7"}},
	{"killed by an overflow", "huge-grace", []mutate{shift(0, exitOf("main"), -4*time.Second)}, []scenario.Rule{"R1"}},
	{"an overflow taken to the sandbox", "huge-grace", []mutate{shift(0, sandboxCall, -4*time.Second)}, []scenario.Rule{"R9"}},
	{"killed once more when the object goes", "finalizer-force", []mutate{again(1, callOf("main", "StopContainer"), 9*time.Second)}, []scenario.Rule{"R13"}},
	{"a force without a removal overlooked", "finalizer-force", []mutate{drop(1, callOf("main", "StopContainer")), shift(0, exitOf("main"), 27*time.Second),
		shift(0, kind(history.Finished), 30*time.Second)}, []scenario.Rule{"R3", "R4"}},
	{"the last of many overlooked", "shorten-every-100ms", []mutate{dropFrom(callOf("main", "StopContainer"), 10), shift(0, exitOf("main"), 8*time.Second), shift(0, kind(history.Finished), 8*time.Second)}, []scenario.Rule{"R1", "R3"}},
	{"a TERM for each", "shorten-every-100ms", []mutate{again(0, word("main", "TERM"), time.Second)}, []scenario.Rule{"R6"}},
	{"a stop cancelled for the next", "shorten-every-100ms", []mutate{cancelled("main", 100*time.Millisecond)}, []scenario.Rule{"R9"}},
	{"a Killing for each", "shorten-every-100ms", []mutate{again(0, reason(history.KubeletEvent, "Killing"), time.Second)}, []scenario.Rule{"R10"}},
	{"a hook for each", "shorten-every-100ms-in-a-hook", []mutate{again(0, callOf("main", "ExecSync"), time.Second)}, []scenario.Rule{"R7"}},
	{"a hook that holds the last", "shorten-every-100ms-in-a-hook", []mutate{shift(0, callOf("main", "StopContainer"), 4*time.Second),
		shift(0, exitOf("main"), 4*time.Second)}, []scenario.Rule{"R1", "R7", "R8"}},
	{"the sidecar's hook again", "sidecar-with-hook", []mutate{again(0, callOf("sidecar", "ExecSync"), 3*time.Second)}, []scenario.Rule{"R7"}},
	{"a turn that holds the sidecar", "sidecar-with-hook", []mutate{shift(0, callOf("sidecar", "StopContainer"), 4*time.Second),
		shift(0, exitOf("sidecar"), 4*time.Second)}, []scenario.Rule{"R3", "R8"}},
	{"a finished main held against its sidecar", "sidecar-of-a-finished-main", []mutate{drop(1, callOf("sidecar", "StopContainer")),
		shift(0, exitOf("sidecar"), 19*time.Second), shift(0, kind(history.Finished), 20*time.Second)}, []scenario.Rule{"R1", "R3"}},
	{"the sandbox after the first failure", "stop-errors-graceful", []mutate{shift(0, sandboxCall, -15*time.Second)}, []scenario.Rule{"R9"}},
	{"all grace lost", "stop-errors-graceful", []mutate{shift(0, exitOf("main"), -15*time.Second)}, []scenario.Rule{"R1"}},
	{"refused and stuck, with a grace", "stop-errors-graceful", []mutate{drop(0, exitOf("main")), shift(0, kind(history.Finished), 100*time.Second)}, []scenario.Rule{"R11"}},
	{"the sandbox within the window", "stop-fails-always", []mutate{shift(0, sandboxCall, -9*time.Second)}, []scenario.Rule{"R9"}},
	{"the sandbox never", "stop-fails-always", []mutate{drop(0, exitOf("main")), shift(0, kind(history.Finished), 100*time.Second)}, []scenario.Rule{"R11"}},
	{"the pull's time taken off, no hook", "pull-beside", []mutate{dropAll(hookOf("a"))}, []scenario.Rule{"R7"}},
	{"the pull's time taken off, killed", "pull-beside", []mutate{code("a", 137)}, []scenario.Rule{"R1", "R12"}},
	{"all its grace after the kubelet's start", "restart-then-shorter", []mutate{drop(2, callOf("main", "StopContainer")), shift(0, exitOf("main"), 28*time.Second), shift(0, kind(history.Finished), 30*time.Second)},
		[]scenario.Rule{"R1", "R11"}},
	{"a failed hook lost", "hook-failed-retried", []mutate{dropFrom(callOf("main", "ExecSync"), 1), dropAll(word("main", "HOOK-START")),
		dropAll(word("main", "HOOK-END"))}, []scenario.Rule{"R7"}},
	{"killed after its hook failed", "hook-failed-retried", []mutate{code("main", 137)}, []scenario.Rule{"R12"}},
	{"asked to stop once more", "hook-ends-main", []mutate{again(0, callOf("main", "StopContainer"), 5*time.Second)}, []scenario.Rule{"R13"}},
	{"a hook that ended its container run again", "hook-ends-main", []mutate{again(0, callOf("main", "ExecSync"), time.Second)}, []scenario.Rule{"R7"}},
	{"gone from the API before its container", "hook-ends-main", []mutate{shift(0, reason(history.APIPod, "DELETED"), -5*time.Second)}, []scenario.Rule{"R12"}},
	{"asked to stop before its hook failed", "hook-that-fails", []mutate{shift(0, callOf("main", "StopContainer"), -800*time.Millisecond)}, []scenario.Rule{"R7"}},
	{"killed after its hook, which failed", "hook-that-fails", []mutate{code("main", 137)}, []scenario.Rule{"R12"}},
	{"a sleep cut that nobody shortened", "sleep-as-long-as-grace", []mutate{shift(0, callOf("main", "StopContainer"), -1500*time.Millisecond)}, []scenario.Rule{"R7"}},
	{"a sleep that is said to have failed", "sleep-as-long-as-grace", []mutate{put(0, kind(history.APIDelete), 10*time.Second,
		history.Event{Kind: history.KubeletEvent, Reason: "FailedPreStopHook", Message: "PreStopHook failed"})}, []scenario.Rule{"R12"}},
	{"no time for the hook", "now-after-sync", []mutate{dropAll(hookOf("main"))}, []scenario.Rule{"R7"}},
	{"no time for its TERM", "now-after-sync", []mutate{code("main", 137)}, []scenario.Rule{"R12"}},
}
