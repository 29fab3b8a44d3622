// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strconv"
	"time"
)

// s returns a number of seconds.
func s(n int) time.Duration { return time.Duration(n) * time.Second }

func stop(at int, timeout int64) Step { return Step{At: s(at), Call: Stop, Timeout: timeout} }
func cancel(at, of int) Step          { return Step{At: s(at), Call: Cancel, Of: of} }
func do(at int, call Call) Step       { return Step{At: s(at), Call: call} }

// soon is a call about a sandbox or its removal. CRI-O gives a running container what is left of the client's deadline, so the
// deadline is short.
func soon(at int, call Call) Step { return Step{At: s(at), Call: call, Within: s(4)} }

func exec(at int, timeout int64, argv ...string) Step {
	return Step{At: s(at), Call: Exec, Timeout: timeout, Argv: append([]string{"/actor"}, argv...)}
}

func hook(at int, takes string) Step { return exec(at, 0, "hook", "--for", takes) }

// with changes the object of a step.
func with(step Step, on Object) Step {
	step.On = on
	return step
}

var (
	stubborn = []string{"--stubborn"}
	// brief exits by itself after a second.
	brief = func(code int) []string { return []string{"--exit-after", "1s", "--exit-code", strconv.Itoa(code)} }
)

// Sequences returns all sequences.
func Sequences() []Sequence {
	var all []Sequence
	for _, family := range [][]Sequence{stops(), cancels(), execs(), sandboxes(), idempotence(), restarts()} {
		all = append(all, family...)
	}
	return all
}

// crowd is n stops with one timeout and, some milliseconds later, another with a shorter one.
func crowd(n int, timeout, last int64) []Step {
	steps := slices.Repeat([]Step{stop(0, timeout)}, n)
	return append(steps, Step{At: 5 * time.Millisecond, Call: Stop, Timeout: last})
}

func stops() []Sequence {
	return []Sequence{{
		Name: "stop", Why: "TERM at once, KILL at the timeout",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 2)},
	}, {
		Name: "stop-zero", Why: "timeout 0 is KILL without TERM",
		Args: stubborn, Until: s(1), Steps: []Step{stop(0, 0)},
	}, {
		Name: "second-shorter", Why: "the second call's own timer kills; both calls return; one TERM",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 6), stop(1, 1)},
	}, {
		Name: "second-longer", Why: "the first call's timer still kills",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 2), stop(1, 30)},
	}, {
		Name: "second-zero", Why: "timeout 0 beside a running stop kills at once",
		Args: stubborn, Until: s(2), Steps: []Step{stop(0, 10), stop(1, 0)},
	}, {
		Name: "equal", Why: "two equal stops at once: one TERM, both return",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 2), stop(0, 2)},
	}, {
		Name: "thrice", Why: "three stops, each shorter: one TERM, the earliest target kills",
		Args: stubborn, Until: s(4), Steps: []Step{stop(0, 8), stop(1, 4), stop(2, 1)},
	}, {
		Name: "crowd", Why: "many stops at once, then a shorter one: its own timer kills; CRI-O holds ten timeouts and drops it",
		Args: stubborn, Until: s(7), Steps: crowd(15, 5, 2),
	}, {
		Name: "term-is-enough", Why: "the container exits on TERM before the timeout, with its own code, and the call returns then",
		Args: []string{"--exit-after-term", "1s", "--exit-code", "7"}, Until: s(3), Steps: []Step{stop(0, 10)},
	}, {
		Name: "natural-exit", Why: "the container exits by itself during a stop that it ignores",
		Args: []string{"--stubborn", "--exit-after", "2s", "--exit-code", "3"}, Unstarted: true, Until: s(4), Steps: []Step{do(0, Start), stop(1, 10)},
	}}
}

func cancels() []Sequence {
	return []Sequence{{
		Name: "cancel", Why: "a cancelled stop loses its timer: the container keeps running",
		Args: stubborn, Until: s(5), Steps: []Step{stop(0, 2), cancel(1, 0), do(3, Status), stop(4, 0)},
	}, {
		Name: "cancel-then-stop", Why: "after a cancelled stop there is no second TERM, and the timeout starts again",
		Args: stubborn, Until: s(5), Steps: []Step{stop(0, 10), cancel(1, 0), stop(2, 2)},
	}, {
		Name: "cancel-one-of-two", Why: "the other call's timer remains",
		Args: stubborn, Until: s(5), Steps: []Step{stop(0, 2), stop(1, 3), cancel(1, 0)},
	}, {
		Name: "cancelled-before", Why: "a call whose context has ended is not sent: no signal, and no effect on later calls",
		Args: stubborn, Until: s(4), Steps: []Step{cancel(0, 1), stop(0, 1), do(1, Status), stop(2, 1)},
	}, {
		Name: "client-deadline", Why: "the client's own deadline acts like a cancel, except for the code",
		Args: stubborn, Until: s(5), Steps: []Step{{Call: Stop, Timeout: 2, Within: s(1)}, do(3, Status), stop(4, 0)},
	}, {
		Name: "cancel-after-the-end", Why: "cancelling a call that has returned does nothing",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 1), cancel(2, 0)},
	}}
}

func execs() []Sequence {
	return []Sequence{{
		Name: "exec", Why: "an exec runs beside the main process and returns its exit code",
		Args: stubborn, Until: s(3), Steps: []Step{hook(0, "1s"), exec(0, 0, "hook", "--exit-code", "3"), stop(2, 0)},
	}, {
		Name: "exec-cancel", Why: "the process of a cancelled exec is killed: it never ends by itself",
		Args: stubborn, Until: s(5), Steps: []Step{hook(0, "3s"), cancel(1, 0), do(3, Status), stop(4, 0)},
	}, {
		Name: "exec-timeout", Why: "an exec at its timeout is killed",
		Args: stubborn, Until: s(4), Steps: []Step{exec(0, 1, "hook", "--for", "2s"), stop(3, 0)},
	}, {
		Name: "exec-during-stop", Why: "a container that is being stopped accepts execs",
		Args: stubborn, Until: s(4), Steps: []Step{stop(0, 3), exec(1, 0, "mark", "--word", "PROBE")},
	}, {
		Name: "endless-exec-during-stop", Why: "an exec that begins during a stop ends with its container",
		Args: stubborn, Until: s(4), Steps: []Step{stop(0, 2), hook(1, "forever")},
	}, {
		Name: "stop-during-exec", Why: "the container's exit ends the exec",
		Args: stubborn, Until: s(3), Steps: []Step{hook(0, "forever"), stop(1, 1)},
	}, {
		Name: "zero-during-exec", Why: "the same, with the container killed at once",
		Args: stubborn, Until: s(2), Steps: []Step{hook(0, "forever"), stop(1, 0)},
	}, {
		Name: "exec-after-the-end", Why: "no exec in a container that has exited",
		Args: brief(0), Unstarted: true, Until: s(3), Steps: []Step{do(0, Start), exec(2, 0, "mark")},
	}, {
		Name: "exec-no-program", Why: "a program that does not exist",
		Args: stubborn, Until: s(2), Steps: []Step{{Call: Exec, Argv: []string{"/none"}}, stop(1, 0)},
	}, {
		Name: "exec-bad-usage", Why: "a command line that its program refuses",
		Args: stubborn, Until: s(2), Steps: []Step{exec(0, 0, "hook", "--for", "soon"), stop(1, 0)},
	}, {
		Name: "exec-unknown", Why: "an exec in an unknown container",
		Args: stubborn, Until: s(2), Steps: []Step{with(exec(0, 0, "mark"), Unknown), stop(1, 0)},
	}}
}

func sandboxes() []Sequence {
	return []Sequence{{
		Name: "sandbox", Why: "stopping the sandbox kills its container without TERM",
		Args: stubborn, Until: s(4), Steps: []Step{soon(0, StopSandbox)},
	}, {
		Name: "sandbox-during-stop", Why: "stopping the sandbox ends a running stop call early",
		Args: stubborn, Until: s(6), Steps: []Step{stop(0, 4), soon(1, StopSandbox)},
	}, {
		Name: "sandbox-twice", Why: "stopping a sandbox again succeeds; so does stopping an unknown one",
		Args: stubborn, Until: s(3), Steps: []Step{stop(0, 0), soon(1, StopSandbox), soon(2, StopSandbox), with(soon(2, StopSandbox), Unknown)},
	}, {
		Name: "sandbox-remove", Why: "removing a sandbox also removes a running container",
		Args: stubborn, Until: s(5), Steps: []Step{soon(0, RemoveSandbox), with(soon(1, RemoveSandbox), Unknown)},
	}, {
		Name: "sandbox-start", Why: "nothing starts in a stopped sandbox",
		Args: stubborn, Until: s(5), Steps: []Step{do(0, Create), soon(1, StopSandbox), with(do(4, Start), Second)},
	}}
}

func idempotence() []Sequence {
	return []Sequence{{
		Name: "stop-ended", Why: "stopping an exited container succeeds at once",
		Args: brief(0), Unstarted: true, Until: s(4), Steps: []Step{do(0, Start), stop(2, 5), stop(3, 0)},
	}, {
		Name: "failed", Why: "a code other than 0 is an error",
		Args: brief(9), Unstarted: true, Until: s(2), Steps: []Step{do(0, Start)},
	}, {
		Name: "stop-unknown", Why: "stopping an unknown container succeeds",
		Args: stubborn, Until: s(2), Steps: []Step{with(stop(0, 5), Unknown), stop(1, 0)},
	}, {
		Name: "stop-created", Why: "stopping a container that was never started succeeds and does not change it",
		Args: stubborn, Until: s(4), Steps: []Step{do(0, Create), with(stop(1, 5), Second), with(do(2, Status), Second), stop(3, 0)},
	}, {
		Name: "start-after-stop", Why: "a container that was stopped before its start still starts; CRI-O has ended it",
		Args: stubborn, Until: s(5), Steps: []Step{do(0, Create), with(stop(1, 5), Second), with(do(2, Start), Second), with(stop(3, 0), Second), stop(4, 0)},
	}, {
		Name: "remove-twice", Why: "two removals of a container at once; on CRI-O one of them fails",
		Args: []string{"--exit-after-term", "1s"}, Until: s(4), Steps: []Step{soon(0, Remove), {At: 100 * time.Millisecond, Call: Remove, Within: s(4)}},
	}, {
		Name: "remove-running", Why: "removing a running container kills it",
		Args: stubborn, Until: s(6), Steps: []Step{soon(0, Remove), soon(1, Remove), do(5, Status)},
	}, {
		Name: "remove-ended", Why: "removing an exited or an unknown container",
		Args: brief(0), Unstarted: true, Until: s(4), Steps: []Step{do(0, Start), soon(2, Remove), with(soon(3, Remove), Unknown), do(3, Status)},
	}, {
		Name: "start-twice", Why: "a container starts only once",
		Args: stubborn, Until: s(2), Steps: []Step{do(0, Start), with(do(0, Start), Unknown), stop(1, 0)},
	}}
}

// restarts returns sequences with their restart at the same second, so that one restart serves them all.
func restarts() []Sequence {
	return []Sequence{{
		Name: "restart-stop", Why: "a restart loses a stop's timer and the record of its TERM; containers keep running",
		Args: stubborn, Until: s(8), Steps: []Step{stop(0, 20), do(1, Restart), do(4, Status), stop(5, 2)},
	}, {
		Name: "restart-exec", Why: "the process of an exec keeps running",
		Args: stubborn, Until: s(8), Steps: []Step{hook(0, "5s"), do(1, Restart), stop(7, 0)},
	}, {
		Name: "restart-exit", Why: "a container that exits later by itself is reported as exited",
		Args: []string{"--exit-after-term", "5s", "--exit-code", "4"}, Until: s(8), Steps: []Step{stop(0, 20), do(1, Restart), do(6, Status)},
	}}
}
