// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// mutate changes a recorded history.
type mutate func(t *testing.T, h *history.History)

// pick returns the index of the n-th event (from 0) that matches.
func pick(t *testing.T, h *history.History, n int, match func(history.Event) bool) int {
	t.Helper()
	for i, e := range h.Events {
		if match(e) {
			if n == 0 {
				return i
			}
			n--
		}
	}
	t.Fatalf("%s has no such event", h.Scenario)
	return 0
}

func callOf(container, method string) func(history.Event) bool {
	return func(e history.Event) bool {
		return e.Kind == history.CRICall && e.Call == method && e.Container == container
	}
}

func word(container, word string) func(history.Event) bool {
	return func(e history.Event) bool {
		return e.Kind == history.Line && e.Container == container && e.Reason == word
	}
}

func exitOf(container string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == history.ContainerExit && e.Container == container }
}

func kind(k history.Kind) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == k }
}

func reason(k history.Kind, reason string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == k && e.Reason == reason }
}

func shift(n int, match func(history.Event) bool, by time.Duration) mutate {
	return func(t *testing.T, h *history.History) {
		i := pick(t, h, n, match)
		h.Events[i].At = h.Events[i].At.Add(by)
	}
}

func drop(n int, match func(history.Event) bool) mutate {
	return func(t *testing.T, h *history.History) {
		i := pick(t, h, n, match)
		h.Events = slices.Delete(h.Events, i, i+1)
	}
}

// dropFrom drops the n-th event (from 0) that matches, and all later ones.
func dropFrom(match func(history.Event) bool, n int) mutate {
	return func(t *testing.T, h *history.History) {
		pick(t, h, n, match)
		h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool {
			if match(e) {
				n--
				return n < 0
			}
			return false
		})
	}
}

// again repeats an event after the given time.
func again(n int, match func(history.Event) bool, after time.Duration) mutate {
	return func(t *testing.T, h *history.History) {
		e := h.Events[pick(t, h, n, match)]
		e.At = e.At.Add(after)
		h.Events = append(h.Events, e)
	}
}

func timeout(n int, container string, seconds func(int64) int64) mutate {
	return func(t *testing.T, h *history.History) {
		i := pick(t, h, n, callOf(container, "StopContainer"))
		h.Events[i].Grace = history.Seconds(seconds(*h.Events[i].Grace))
	}
}

func to(n int64) func(int64) int64  { return func(int64) int64 { return n } }
func add(n int64) func(int64) int64 { return func(was int64) int64 { return was + n } }

// cancelled makes the first stop call of a container return Canceled after the given time.
func cancelled(container string, after time.Duration) mutate {
	return func(t *testing.T, h *history.History) {
		made := h.Events[pick(t, h, 0, callOf(container, "StopContainer"))]
		i := pick(t, h, 0, func(e history.Event) bool { return e.Kind == history.CRIReturn && e.CallID == made.CallID })
		h.Events[i].At, h.Events[i].Error = made.At.Add(after), "Canceled: context canceled"
	}
}

func put(n int, match func(history.Event) bool, after time.Duration, e history.Event) mutate {
	return func(t *testing.T, h *history.History) {
		e.At = h.Events[pick(t, h, n, match)].At.Add(after)
		h.Events = append(h.Events, e)
	}
}

// mutant is a possible bug of the fixed kubelet, and the rules that must report it.
type mutant struct {
	name, id string
	how      []mutate
	red      []scenario.Rule
}

// Each mutant applies a possible bug of the fixed kubelet to a history recorded on a real node. The named rules must turn red;
// the recorded history itself is good (TestRecordedHistories), so that no rule stays green for the wrong reason.
var mutants = []mutant{
	{"killed at the old deadline", "shorten-once", []mutate{drop(1, callOf("main", "StopContainer")), shift(0, exitOf("main"), 12*time.Second)}, []scenario.Rule{"R1", "R3"}},
	{"killed early", "shorten-once", []mutate{shift(0, exitOf("main"), -3*time.Second)}, []scenario.Rule{"R1"}},
	{"never killed", "shorten-once", []mutate{drop(0, exitOf("main")), shift(0, kind(history.Finished), 20*time.Second)}, []scenario.Rule{"R1", "R3"}},
	{"remaining rounded down", "shorten-once", []mutate{timeout(1, "main", to(8))}, []scenario.Rule{"R3"}},
	{"the grace counted anew", "shorten-once", []mutate{timeout(1, "main", to(12))}, []scenario.Rule{"R3"}},
	{"the shorter stop sent after the pod cache's 2 s", "shorten-thrice", []mutate{shift(1, callOf("main", "StopContainer"), 2*time.Second)}, []scenario.Rule{"R3"}},
	{"the last shorter stop not sent", "shorten-thrice", []mutate{drop(2, callOf("main", "StopContainer"))}, []scenario.Rule{"R3"}},
	{"a second TERM", "shorten-thrice", []mutate{again(0, word("main", "TERM"), 2*time.Second)}, []scenario.Rule{"R6"}},
	{"the first stop cancelled", "shorten-thrice", []mutate{cancelled("main", 2*time.Second)}, []scenario.Rule{"R9"}},
	{"never 38", "shorten-late", []mutate{timeout(1, "main", to(20)), shift(0, exitOf("main"), 17*time.Second), shift(0, kind(history.Finished), 20*time.Second)}, []scenario.Rule{"R1", "R2"}},
	{"half a second rounded down", "shorten-between-seconds", []mutate{timeout(1, "main", add(-1)), shift(0, exitOf("main"), -time.Second)}, []scenario.Rule{"R1", "R3"}},
	{"lengthened", "lengthen", []mutate{timeout(0, "main", to(60)), shift(0, exitOf("main"), 55*time.Second)}, []scenario.Rule{"R2"}},
	{"lengthened at the runtime", "lengthen", []mutate{
		again(0, callOf("main", "StopContainer"), 2*time.Second), timeout(1, "main", to(60))}, []scenario.Rule{"R2"}},
	{"killed by something else than a stop call", "force-while-terminating", []mutate{drop(1, callOf("main", "StopContainer"))}, []scenario.Rule{"R3", "R4", "R8"}},
	{"no window", "now", []mutate{shift(0, exitOf("main"), -1500*time.Millisecond)}, []scenario.Rule{"R5"}},
	{"window too long", "now", []mutate{timeout(0, "main", to(12)), shift(0, exitOf("main"), 10*time.Second)}, []scenario.Rule{"R5"}},
	{"zero raised to 2", "force-direct", []mutate{timeout(0, "main", to(2))}, []scenario.Rule{"R4"}},
	{"zero raised to 1 for a terminating pod", "force-while-terminating", []mutate{timeout(1, "main", to(1))}, []scenario.Rule{"R4"}},
	{"force late", "force-while-terminating", []mutate{shift(1, callOf("main", "StopContainer"), 2*time.Second),
		shift(0, exitOf("main"), 2*time.Second)}, []scenario.Rule{"R3", "R4", "R8"}},
	{"a hook started by force", "hook-force-direct", []mutate{put(0, kind(history.APIDelete), 100*time.Millisecond,
		history.Event{Kind: history.Line, Container: "main", Reason: "HOOK-START"})}, []scenario.Rule{"R4"}},
	{"a hook restarted", "hook-exec-shorten", []mutate{again(0, callOf("main", "ExecSync"), 3*time.Second)}, []scenario.Rule{"R7"}},
	{"a hook restarted, seen by the container", "hook-exec-shorten", []mutate{again(0, word("main", "HOOK-START"), 3*time.Second)}, []scenario.Rule{"R7"}},
	{"a hook cut at once", "hook-exec-shorten", []mutate{shift(0, func(e history.Event) bool {
		return e.Kind == history.CRIReturn && e.Call == "ExecSync"
	}, -1500*time.Millisecond)}, []scenario.Rule{"R7"}},
	{"a hook left behind", "hook-exec-shorten", []mutate{shift(0, func(e history.Event) bool {
		return e.Kind == history.CRIReturn && e.Call == "ExecSync"
	}, 2*time.Second)}, []scenario.Rule{"R7"}},
	{"a hook that holds the sync", "hook-exec-shorten", []mutate{shift(0, callOf("main", "StopContainer"), 3*time.Second)}, []scenario.Rule{"R3", "R7", "R8"}},
	{"a hook that holds a force", "hook-exec-force", []mutate{shift(0, callOf("main", "StopContainer"), 3*time.Second)}, []scenario.Rule{"R4", "R7", "R8"}},
	{"a sleep not cut", "hook-sleep-shorten", []mutate{shift(0, callOf("main", "StopContainer"), 10*time.Second),
		shift(0, exitOf("main"), 10*time.Second)}, []scenario.Rule{"R7", "R8"}},
	{"a sleep cut at once", "hook-sleep-shorten", []mutate{shift(0, callOf("main", "StopContainer"), -1500*time.Millisecond)}, []scenario.Rule{"R7"}},
	{"a request left behind", "hook-http-shorten", []mutate{drop(0, word("main", "HTTP-GONE"))}, []scenario.Rule{"R7", "R13"}},
	{"a kill remembered", "hook-http-shorten", []mutate{put(0, kind(history.Finished), 0, history.Event{Kind: history.KubeletLeft,
		Count: 1})}, []scenario.Rule{"R13"}},
	{"a hook run twice", "hook-done-not-repeated", []mutate{again(0, word("main", "HOOK-START"), 4*time.Second)}, []scenario.Rule{"R7"}},
	{"a hook cut though it had time", "hook-running-not-restarted", []mutate{drop(0, word("main", "HOOK-END"))}, []scenario.Rule{"R7"}},
	{"a stop beside a running hook", "hook-running-not-restarted", []mutate{shift(0, callOf("main", "StopContainer"), -4*time.Second)}, []scenario.Rule{"R7"}},
	{"a turn that holds the sync", "sidecar-shorten", []mutate{shift(0, callOf("sidecar", "StopContainer"), 4*time.Second)}, []scenario.Rule{"R3", "R8"}},
	{"out of turn", "sidecar-shorten", []mutate{put(0, kind(history.APIDelete), time.Second, history.Event{Kind: history.CRICall,
		Call: "StopContainer", CallID: 1 << 40, Container: "sidecar", Grace: history.Seconds(19)})}, []scenario.Rule{"R12"}},
	{"a turn that holds a force", "sidecar-force", []mutate{shift(0, callOf("sidecar-1", "StopContainer"), 4*time.Second),
		shift(0, exitOf("sidecar-1"), 4*time.Second)}, []scenario.Rule{"R4", "R8"}},
	{"sidecars before the main container", "sidecar-order", []mutate{shift(0, callOf("sidecar-2", "StopContainer"), -1900*time.Millisecond)}, []scenario.Rule{"R12"}},
	{"the sandbox under a live container", "sandbox-order", []mutate{shift(0, func(e history.Event) bool {
		return e.Kind == history.CRICall && e.Call == "StopPodSandbox"
	}, -5*time.Second)}, []scenario.Rule{"R9"}},
	{"a stop cancelled under a live container", "sandbox-order", []mutate{cancelled("main", 3*time.Second)}, []scenario.Rule{"R9"}},
	{"a failed kill reported", "quiet-cancel", []mutate{put(1, kind(history.APIDelete), 100*time.Millisecond,
		history.Event{Kind: history.KubeletEvent, Reason: "FailedKillPod", Message: "context canceled"})}, []scenario.Rule{"R10"}},
	{"a second Killing", "quiet-cancel", []mutate{again(0, reason(history.KubeletEvent, "Killing"), 3*time.Second)}, []scenario.Rule{"R10"}},
	{"killed before what counts as now", "shorten-past", []mutate{shift(0, exitOf("main"), -2*time.Second)}, []scenario.Rule{"R1"}},
	{"a second window", "shorten-past", []mutate{timeout(0, "main", to(33)), timeout(1, "main", to(3)), shift(0, exitOf("main"), 3*time.Second)}, []scenario.Rule{"R1"}},
	{"lives past the window", "shorten-past", []mutate{timeout(0, "main", to(38)), timeout(1, "main", to(8)), shift(0, exitOf("main"), 8*time.Second)}, []scenario.Rule{"R1", "R2"}},
	{"a negative one taken for 0", "negative", []mutate{timeout(0, "main", to(0)), shift(0, exitOf("main"), -2*time.Second)}, []scenario.Rule{"R4", "R5"}},
	{"a hook that hangs, twice the grace", "hook-hangs", []mutate{shift(0, callOf("main", "StopContainer"), 20*time.Second), shift(0, exitOf("main"), 20*time.Second)}, []scenario.Rule{"R5"}},
	{"a hook's time on top", "hook-slow", []mutate{shift(0, callOf("main", "StopContainer"), 16*time.Second), shift(0, exitOf("main"), 16*time.Second)}, []scenario.Rule{"R1"}},
	{"the probe died with the sync", "readiness-during-stop", []mutate{dropFrom(word("main", "PROBE"), 5)}, []scenario.Rule{"R12"}},
	{"refused and stuck", "stop-errors", []mutate{drop(0, exitOf("main")), shift(0, kind(history.Finished), 100*time.Second)}, []scenario.Rule{"R11"}},
	{"held back by a call that hangs", "stop-hangs", []mutate{drop(1, callOf("main", "StopContainer")), shift(0, exitOf("main"), 17*time.Second),
		shift(0, kind(history.Finished), 20*time.Second)}, []scenario.Rule{"R8", "R11"}},
	{"held to the taint manager's grace", "taint-evict", []mutate{drop(1, callOf("main", "StopContainer")), shift(0, exitOf("main"), 27*time.Second),
		shift(0, kind(history.Finished), 30*time.Second)}, []scenario.Rule{"R3", "R4"}},
	{"a context's end as a container's", "pending-fast-delete", []mutate{put(0, kind(history.APIContainer), 0,
		history.Event{Kind: history.APIContainer, Reason: "StartError", Message: "context canceled"})}, []scenario.Rule{"R10"}},
	{"a false success", "pending-fast-delete", []mutate{func(t *testing.T, h *history.History) {
		code := int32(0)
		h.Events[pick(t, h, 0, kind(history.APIContainer))].ExitCode = &code
	}}, []scenario.Rule{"R12"}},
	{"started after the pull", "deleted-during-pull", []mutate{put(0, reason(history.APIPod, "DELETED"), -time.Second,
		history.Event{Kind: history.Line, Container: "main", Reason: "START"})}, []scenario.Rule{"R12"}},
	{"killed when the manifest went", "static-removed", []mutate{shift(0, exitOf("main"), -15*time.Second)}, []scenario.Rule{"R12"}},
	{"the new one beside the old", "static-replaced", []mutate{shift(1, word("main", "START"), -10*time.Second)}, []scenario.Rule{"R12"}},
	{"the mirror's delete taken for the pod's", "mirror-only", []mutate{put(0, kind(history.APIDelete), time.Second,
		history.Event{Kind: history.Line, Container: "main", Reason: "TERM"})}, []scenario.Rule{"R12"}},
	{"the mirror stays away", "mirror-only", []mutate{drop(1, reason(history.APIPod, "ADDED"))}, []scenario.Rule{"R12"}},
	{"started again while terminating", "same-uid-restart", []mutate{shift(1, word("main", "START"), -10*time.Second)}, []scenario.Rule{"R12"}},
	{"an orphan's hook", "orphan", []mutate{put(0, exitOf("main"), -time.Second,
		history.Event{Kind: history.Line, Container: "main", Reason: "HOOK-START"})}, []scenario.Rule{"R12"}},
	{"an orphan with the spec's grace", "orphan", []mutate{timeout(0, "main", to(60))}, []scenario.Rule{"R12"}},
	{"0 guessed", "lost-zero-update", []mutate{shift(0, exitOf("main"), -12*time.Second)}, []scenario.Rule{"R14"}},
	{"a new start at the removal", "lost-zero-update", []mutate{timeout(0, "main", add(8)), shift(0, exitOf("main"), 8*time.Second)}, []scenario.Rule{"R14"}},
	{"held after the kubelet's restart", "kubelet-killed", []mutate{drop(2, callOf("main", "StopContainer")), shift(0, exitOf("main"), 13*time.Second)}, []scenario.Rule{"R11"}},
	{"held after the runtime's restart", "containerd-restarted", []mutate{drop(1, callOf("main", "StopContainer")), shift(0, exitOf("main"), 13*time.Second)}, []scenario.Rule{"R11"}},
	{"gone from the API under a live container", "graceful-two-phase", []mutate{shift(0, reason(history.APIPod, "DELETED"), -20*time.Second)}, []scenario.Rule{"R12"}},
	{"killed though it ends by itself", "graceful-two-phase", []mutate{func(t *testing.T, h *history.History) {
		code := int32(137)
		h.Events[pick(t, h, 0, exitOf("main"))].ExitCode = &code
	}}, []scenario.Rule{"R12"}},
}

func TestMutantsAreRed(t *testing.T) {
	hit := map[scenario.Rule]bool{}
	touched := map[string]bool{}
	for _, m := range mutants {
		t.Run(m.id+"/"+m.name, func(t *testing.T) {
			s := row(t, m.id)
			h := recorded(t, verdict.Fixed, m.id)
			// What the machine may explain has tests of its own: here it explains nothing.
			h.Events = slices.DeleteFunc(h.Events, kind(history.ControlLate))
			for _, how := range m.how {
				how(t, &h)
			}
			for _, rule := range m.red {
				hit[rule] = true
				i := slices.IndexFunc(s.Expect, func(e scenario.Expectation) bool { return e.Rule == rule })
				if i < 0 {
					t.Fatalf("%s does not expect %s", m.id, rule)
				}
				found := Judge(rule, h, s)
				if v := s.Expect[i].Verdict(verdict.Fixed, found.Outcome); !v.Red() {
					t.Errorf("%s %s: %s", rule, v, found.Why)
				}
			}
			touched[m.id] = true
		})
	}
	for _, s := range onNodes(t) {
		if !touched[s.ID] {
			t.Errorf("%s has no mutant: nothing shows that it can turn red", s.ID)
		}
		for _, e := range s.At(scenario.LevelNode).Expect {
			if !hit[e.Rule] {
				t.Errorf("no mutant shows that %s can turn red", e.Rule)
			}
		}
	}
}

// A failed run is invalid on both arms, whatever else its history contains.
func TestRunsThatWentWrongAreInvalid(t *testing.T) {
	deadBefore := shift(0, exitOf("main"), -time.Hour)
	for name, how := range map[string]mutate{
		"not armed":    drop(0, kind(history.Armed)),
		"not finished": drop(0, kind(history.Finished)),
		"given up":     put(0, kind(history.Armed), time.Second, history.Event{Kind: history.Abandoned, Message: "the node was lost"}),
		"dead before":  deadBefore,
	} {
		for _, s := range onNodes(t) {
			for _, arm := range verdict.Arms() {
				h := recorded(t, arm, s.ID)
				mayBeDead := s.Bursts() || slices.ContainsFunc(s.Pod.All(), scenario.Container.EndsByItself)
				if name == "dead before" && (mayBeDead || !slices.ContainsFunc(h.Events, exitOf("main"))) {
					continue // no container exits, or one does before the first request
				}
				how(t, &h)
				for _, want := range s.At(scenario.LevelNode).Expect {
					if v := want.Verdict(arm, Judge(want.Rule, h, s).Outcome); v != verdict.Invalid {
						t.Errorf("%s: %s on %s: %s %s", name, s.ID, arm, want.Rule, v)
					}
				}
			}
		}
	}
}
