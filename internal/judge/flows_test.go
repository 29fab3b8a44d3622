// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

func step(s float64, do scenario.Action) timeline {
	return timeline{{At: at(s), Kind: history.Step, Reason: do.String()}}
}

// manifest is a change of a static pod's manifest: the moment it is made, and the step when it is done.
func manifest(s float64, do scenario.Action, reason string) timeline {
	return slices.Concat(timeline{{At: at(s), Kind: history.Manifest, Reason: reason}}, step(s+.01, do))
}

func evict(s float64, id, override int64) timeline {
	return timeline{{At: at(s), Kind: history.KubeletKill, CallID: id, Grace: &override}}
}

func told(s float64, id int64, err string) timeline {
	return timeline{{At: at(s), Kind: history.KubeletKilled, CallID: id, Error: err}}
}

// remembered is an event that the kubelet still has a record of the kill.
func remembered(s float64) timeline {
	return timeline{{At: at(s), Kind: history.KubeletLeft, Count: 1}}
}

func podSeen(s float64, pod, change, phase string) timeline {
	return timeline{{At: at(s), Kind: history.APIPod, Pod: pod, Reason: change, Message: phase}}
}

func endTold(s float64, pod string, code int32, message string) timeline {
	return timeline{{At: at(s), Kind: history.APIContainer, Pod: pod, Container: "main", ExitCode: &code, Reason: "Error", Message: message}}
}

// refusedStop is a stop call to which the runtime returns an error at once.
func refusedStop(s float64, timeout int64) timeline {
	return called(s, .01, "StopContainer", "main", &timeout, "Unknown")
}

func parts(all ...timeline) []timeline { return all }

var (
	burst        = scenario.Burst{Pods: 20, Over: 2e9, Grace: 1}
	softThenHard = slices.Concat(evict(0, 1, 3600), stop(.1, "main", 3600, 5), evict(3, 2, 1))
	restarted    = slices.Concat(step(2.1, scenario.KillKubelet{}), step(4, scenario.StartKubelet{}))
	removal      = manifest(0, scenario.RemoveManifest{}, "REMOVED")
	orphaned     = slices.Concat(step(0, scenario.KillKubelet{}), forced(1), step(3, scenario.StartKubelet{}))
	mirrored     = slices.Concat(step(0, scenario.ForceMirror{}), podSeen(.1, "mirror-only-node", "DELETED", "Running"))
)

// The findings of rules in flows that only some scenarios have.
var flowCases = map[scenario.Rule][]ruleCase{
	scenario.Deadline: {
		{"a soft eviction keeps to the spec", "evict-soft-max", parts(evict(0, 1, 5), stop(.1, "main", 5, 5), killed(5.1, "main"), told(5.3, 1, ""), finished(7)), held_, "deadline 5.00 s"},
		{"a soft eviction takes its maximum", "evict-soft-max", parts(evict(0, 1, 5), stop(.1, "main", 60, 60), killed(60.1, "main"), told(60.3, 1, ""), finished(62)), broken_, "lived until 60.10 s"},
		{"a hook's time is on top", "hook-slow", parts(del(0, 24), killed(40, "main"), over(40)), broken_, "lived until 40.00 s"},
		{"shortened to what has passed", "shorten-past", parts(del(0, 30), del(29, 1), killed(30.1, "main"), over(30.1)), held_, ""},
		{"killed before the moment that counts as now", "shorten-past", parts(del(0, 30), killed(28, "main"), del(29, 1), over(30)), broken_, "before the deadline"},
	},
	scenario.OnlyShorter: {
		{"a retry with as little time", "stop-errors", parts(forced(0), refusedStop(.1, 0), refusedStop(4, 0), stop(16, "main", 0, .1), killed(16.1, "main"), over(16.2)), held_, ""},
		{"a retry with more time", "stop-errors", parts(forced(0), refusedStop(.1, 0), stop(16, "main", 30, 30), killed(46, "main"), over(46)), broken_, "was given until 46.00 s"},
		{"nothing refused, nothing asked again", "stop-errors", parts(forced(0), stop(.1, "main", 0, .1), killed(.2, "main"), over(.3)), none, "no refused stop call"},
	},
	scenario.ShorterActs: {
		{"a hard eviction cuts in", "evict-hard-over-soft", parts(softThenHard, stop(3.1, "main", 2, 2), killed(5.1, "main"), told(5.2, 1, ""), told(5.2, 2, ""), finished(7)), held_, ""},
		{"a hard eviction waits", "evict-hard-over-soft", parts(softThenHard, told(13, 2, "timeout waiting to kill pod"), killed(3600.1, "main"), told(3600.2, 1, ""), finished(3700)), broken_, "never asked to stop"},
	},
	scenario.Zero: {
		{"a negative one kept as it is", "negative", parts(del(0, -1), timeline{{At: at(.05), Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(1), Deletion: history.Time(at(1))}},
			stop(.1, "main", 2, 2), killed(2.1, "main"), over(2.2)), broken_, "a negative grace to -1"},
		{"a negative one taken for 0", "negative", parts(negative(1), stop(.1, "main", 0, .1), killed(.2, "main"), over(.3)), broken_, "timeout 0"},
		{"a negative one made 1", "negative", parts(negative(1), stop(.1, "main", 2, 2), killed(2.1, "main"), over(2.2)), held_, ""},
	},
	scenario.Window: {
		{"a hard eviction", "evict-hard-direct", parts(evict(0, 1, 1), stop(.1, "main", 2, 2), killed(2.1, "main"), told(2.2, 1, ""), finished(4)), held_, ""},
		{"a hard eviction with the spec's grace", "evict-hard-direct", parts(evict(0, 1, 1), stop(.1, "main", 3600, 3600), told(10, 1, "timeout waiting to kill pod"), killed(3600, "main"), finished(3700)), broken_, "lived until 3600.00 s"},
		{"an override leaves no window after the hook", "hook-override", parts(evict(0, 1, 5), stop(5.1, "main", 0, .1), killed(5.2, "main"), told(5.3, 1, ""), finished(7)), broken_, "it was due 2s"},
		{"a hook that hangs, twice the grace", "hook-hangs", parts(del(0, 20), killed(40, "main"), over(40)), broken_, "lived until 40.00 s"},
	},
	scenario.HookOnce: {
		{"cut by an override", "hook-override", parts(evict(0, 1, 5), called(.1, 5, "ExecSync", "main", nil, "Canceled"), line(.2, "main", "HOOK-START"), stop(5.1, "main", 2, 2), killed(7.1, "main"), told(7.2, 1, ""), finished(9)), held_, ""},
		{"ends with its container", "hook-override", parts(evict(0, 1, 5), called(.1, 7, "ExecSync", "main", nil, ""), line(.2, "main", "HOOK-START"), stop(5.1, "main", 2, 2), killed(7.1, "main"), told(7.2, 1, ""), finished(9)), held_, ""},
		{"left behind by its container", "hook-override", parts(evict(0, 1, 5), called(.1, 9, "ExecSync", "main", nil, ""), line(.2, "main", "HOOK-START"), stop(5.1, "main", 2, 2), killed(7.1, "main"), told(7.2, 1, ""), finished(12)), broken_, "went on until 9.10 s"},
	},
	scenario.Prompt: {
		{"beside a call that hangs", "stop-hangs", parts(del(0, 20), stop(.1, "main", 20, 3.2), forced(3), stop(3.1, "main", 0, .1), killed(3.2, "main"), over(3.4)), held_, ""},
		{"behind a call that hangs", "stop-hangs", parts(del(0, 20), stop(.1, "main", 20, -1), forced(3), finished(40)), broken_, "never asked to stop"},
	},
	scenario.RuntimeCalls: {
		{"the sandbox after a call's own deadline", "stop-hangs", parts(del(0, 20), called(.1, 140, "StopContainer", "main", history.Seconds(20), "DeadlineExceeded"), forced(3), sandbox(140.2), killed(140.3, "main"), over(140.4)), held_, "after they had failed"},
		{"the sandbox beside a call that hangs", "stop-hangs", parts(del(0, 20), stop(.1, "main", 20, -1), forced(3), sandbox(3.1), killed(3.2, "main"), over(3.4)), broken_, "no stop had failed"},
	},
	scenario.Quiet: {
		{"of many pods, none cancelled", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 1, ""), finished(20)), held_, "1 events and statuses"},
		{"of many pods, one cancelled", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 128, "context canceled"), finished(20)), broken_, "reports a cancelled context"},
		{"of many pods, nothing seen", "pending-fast-delete", parts(step(0, burst), finished(20)), none, "was seen"},
	},
	scenario.NoLeftovers: {
		{"an evicted pod, forgotten", "evict-hard-direct", parts(evict(0, 1, 1), stop(.1, "main", 2, 2), killed(2.1, "main"), told(2.2, 1, ""), finished(4)), held_, ""},
		{"an evicted pod, remembered", "evict-hard-direct", parts(evict(0, 1, 1), stop(.1, "main", 2, 2), killed(2.1, "main"), told(2.2, 1, ""), remembered(4), finished(4)), broken_, "still kept 1 record"},
		{"an evicted pod, remembered, after its own grace", "evict-soft-max", parts(evict(0, 1, 5), stop(.1, "main", 5, 5), killed(5.1, "main"), told(5.2, 1, ""), remembered(7), finished(7)), broken_, "still kept 1 record"},
	},
	scenario.Ends: {
		{"force after a restart of the kubelet", "kubelet-killed", parts(del(0, 20), restarted, stop(4.5, "main", 20, 6), forced(10), stop(10.1, "main", 0, .1), killed(10.2, "main"), over(10.3)), held_, ""},
		{"held after a restart of the kubelet", "kubelet-killed", parts(del(0, 20), restarted, stop(4.5, "main", 20, 20), forced(10), killed(24.5, "main"), over(24.6)), broken_, "lived until 24.50 s"},
		{"dead before the force", "kubelet-killed", parts(del(0, 20), restarted, killed(6, "main"), forced(10), over(11)), none, "still ran"},
		{"the kubelet not restarted", "kubelet-killed", parts(del(0, 20), forced(10), stop(10.1, "main", 0, .1), killed(10.2, "main"), over(10.3)), none, "0 of 2 steps"},
		{"a step that failed", "kubelet-killed", parts(del(0, 20), timeline{{At: at(2), Kind: history.Step, Reason: "kubelet killed", Error: "it does not run"}}, forced(10), killed(10.2, "main"), over(10.3)), none, "could not be carried out"},
		{"held after a restart of the runtime", "containerd-restarted", parts(del(0, 20), step(3, scenario.RestartRuntime{}), forced(7), killed(20, "main"), over(20)), broken_, "lived until 20.00 s"},
		{"a call that hangs holds back", "stop-hangs", parts(del(0, 20), stop(.1, "main", 20, -1), forced(3), finished(40)), broken_, "still alive at 40.00 s"},
		{"refused, then down", "stop-errors", parts(forced(0), refusedStop(.1, 0), stop(16, "main", 0, .1), killed(16.1, "main"), over(16.2)), held_, ""},
		{"refused, then stuck", "stop-errors", parts(forced(0), refusedStop(.1, 0), finished(120)), broken_, "never ended"},
	},
	scenario.Kept: {
		{"evictions answered", "evict-hard-over-soft", parts(softThenHard, killed(5.1, "main"), told(5.2, 1, ""), told(5.2, 2, ""), finished(7)), held_, "each of 2 callers"},
		{"an eviction that gave up", "evict-hard-over-soft", parts(softThenHard, killed(5.1, "main"), told(5.2, 1, ""), told(13, 2, "timeout waiting to kill pod"), finished(15)), broken_, "timeout waiting"},
		{"an eviction never answered", "evict-hard-over-soft", parts(softThenHard, killed(5.1, "main"), told(5.2, 1, ""), finished(15)), broken_, "never answered"},
		{"an eviction answered twice", "evict-hard-over-soft", parts(softThenHard, killed(5.1, "main"), told(5.2, 1, ""), told(5.2, 1, ""), told(5.2, 2, ""), finished(15)), broken_, "answered 2 times"},
		{"an eviction answered too soon", "evict-hard-over-soft", parts(softThenHard, told(4, 1, ""), killed(5.1, "main"), told(5.2, 2, ""), finished(15)), broken_, "before the pod was down"},
		{"probed to the end", "readiness-during-stop", parts(del(0, 24), probes(0, 12), del(3, 12), killed(12.1, "main"), over(12.2)), held_, ""},
		{"probes died with the shortening", "readiness-during-stop", parts(del(0, 24), probes(0, 3), del(3, 12), killed(12.1, "main"), over(12.2)), broken_, "did not run from 3.03 s"},
		{"never probed", "readiness-during-stop", parts(del(0, 24), del(3, 12), killed(12.1, "main"), over(12.2)), none, "never ran before"},
		{"pulled and never started", "deleted-during-pull", parts(del(0, 1), removed(9), finished(10)), held_, ""},
		{"pulled and started", "deleted-during-pull", parts(del(0, 1), called(8, .1, "StartContainer", "main", nil, ""), removed(11), finished(12)), broken_, "was started at 8.00 s"},
		{"ran though nobody saw the call", "deleted-during-pull", parts(del(0, 1), line(8, "main", "START"), removed(11), finished(12)), broken_, "ran at 8.00 s"},
		{"pulled and stuck", "deleted-during-pull", parts(del(0, 1), finished(60)), broken_, "never left"},
		{"many, none succeeded", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 1, ""), podSeen(2, "p-1", "DELETED", "Failed"), finished(20)), held_, "1 pods gone"},
		{"many, one with code 0", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 0, ""), podSeen(2, "p-1", "DELETED", "Failed"), finished(20)), broken_, "exit code 0"},
		{"many, one succeeded", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 1, ""), podSeen(2, "p-1", "MODIFIED", "Succeeded"), finished(20)), broken_, "reported as succeeded"},
		{"many, one left", "pending-fast-delete", parts(step(0, burst), endTold(1, "p-1", 1, ""), podSeen(2, "p-2", "MODIFIED", "Failed"), finished(20)), broken_, "never left"},
		{"many, no end told", "pending-fast-delete", parts(step(0, burst), podSeen(2, "p-1", "DELETED", "Failed"), finished(20)), none, "no container's end"},
		{"a manifest removed", "static-removed", parts(removal, stop(.1, "main", 20, 20), killed(20.1, "main"), finished(22)), held_, ""},
		{"a manifest removed, killed early", "static-removed", parts(removal, stop(.1, "main", 2, 2), killed(2.1, "main"), finished(22)), broken_, "before the deadline"},
		{"a manifest removed, and yet again there", "static-removed", parts(removal, killed(20.1, "main"), line(21, "main", "START"), finished(22)), broken_, "no manifest names it"},
		{"a manifest replaced", "static-replaced", parts(manifest(0, scenario.ChangeManifest{}, "CHANGED"), killed(20.1, "main"), line(22, "main", "START"), finished(23)), held_, ""},
		{"the new one beside the old", "static-replaced", parts(manifest(0, scenario.ChangeManifest{}, "CHANGED"), line(2, "main", "START"), killed(20.1, "main"), finished(23)), broken_, "while the old one lived"},
		{"the new one never starts", "static-replaced", parts(manifest(0, scenario.ChangeManifest{}, "CHANGED"), killed(20.1, "main"), finished(60)), broken_, "never started again"},
		{"not watched long enough", "static-replaced", parts(manifest(0, scenario.ChangeManifest{}, "CHANGED"), killed(20.1, "main"), finished(23)), none, "had to start again"},
		{"the same UID again", "same-uid-restart", parts(removal, manifest(3, scenario.AddManifest{}, "ADDED"), killed(20.1, "main"), line(23, "main", "START"), finished(24)), held_, ""},
		{"the same UID, the old one forgotten", "same-uid-restart", parts(removal, manifest(3, scenario.AddManifest{}, "ADDED"), line(4, "main", "START"), killed(20.1, "main"), finished(24)), broken_, "while the old one lived"},
		{"only the mirror", "mirror-only", parts(mirrored, podSeen(9, "mirror-only-node", "ADDED", "Running"), finished(10)), held_, "back at 9.00 s"},
		{"the mirror takes the pod along", "mirror-only", parts(mirrored, stop(.2, "main", 0, .1), killed(.3, "main"), podSeen(9, "mirror-only-node", "ADDED", "Running"), finished(10)), broken_, "only its mirror pod"},
		{"the mirror has the pod stopped", "mirror-only", parts(mirrored, stop(.2, "main", 20, -1), podSeen(9, "mirror-only-node", "ADDED", "Running"), finished(10)), broken_, "was asked to stop"},
		{"a TERM through the mirror", "mirror-only", parts(mirrored, line(.2, "main", "TERM"), podSeen(9, "mirror-only-node", "ADDED", "Running"), finished(10)), broken_, "received a TERM"},
		{"the mirror stays away", "mirror-only", parts(mirrored, finished(25)), broken_, "never came back"},
		{"the mirror was not deleted", "mirror-only", parts(step(0, scenario.ForceMirror{}), finished(25)), none, "not seen to be deleted"},
		{"an orphan", "orphan", parts(orphaned, stop(5, "main", 2, 2), killed(7, "main"), finished(9)), held_, ""},
		{"an orphan killed with its cgroup", "orphan", parts(orphaned, stop(5, "main", 2, .1), killed(5, "main"), finished(9)), held_, ""},
		{"an orphan's hook", "orphan", parts(orphaned, line(4, "main", "HOOK-START"), stop(5, "main", 2, 2), killed(7, "main"), finished(9)), broken_, "a hook started"},
		{"an orphan with the spec's grace", "orphan", parts(orphaned, stop(5, "main", 60, 60), killed(65, "main"), finished(70)), broken_, "timeout 60"},
		{"an orphan that lives on", "orphan", parts(orphaned, called(5, 1, "StopContainer", "main", history.Seconds(2), "Canceled: x"), killed(25, "main"), finished(27)), broken_, "lived until 25.00 s"},
		{"an orphan that the runtime leaves alone", "orphan", parts(orphaned, stop(5, "main", 2, 20), killed(25, "main"), finished(27)), held_, "runtime late by 18.0 s"},
		{"an orphan nobody tears down", "orphan", parts(orphaned, finished(120)), broken_, "never ended"},
	},
	scenario.LostUpdate: {
		{"the known grace", "lost-zero-update", parts(lost(), killed(20.1, "main"), over(20.1)), held_, ""},
		{"guessed 0", "lost-zero-update", parts(lost(), killed(5.1, "main"), over(5.1)), broken_, "before the deadline"},
		{"the spec's grace anew", "lost-zero-update", parts(lost(), killed(25, "main"), over(25)), broken_, "lived until 25.00 s"},
		{"nothing cut", "lost-zero-update", parts(del(0, 20), forced(3), killed(20.1, "main"), over(20.1)), none, "0 of 2 steps"},
	},
}

func lost() timeline {
	return slices.Concat(del(0, 20), step(2, scenario.CutWatch{}), forced(3), step(4, scenario.Relist{}))
}

// negative is a delete with grace -1, which the API server changed to another value.
func negative(made int64) timeline {
	return timeline{
		{At: at(0), Kind: history.APIDelete, Grace: history.Seconds(-1)},
		{At: at(.02), Kind: history.APIDeleted},
		{At: at(.03), Kind: history.APIPod, Reason: "MODIFIED", Grace: &made, Deletion: history.Time(at(float64(made)))},
	}
}

// probes are runs of a probe, one per second.
func probes(from, to float64) timeline {
	var all timeline
	for s := from; s <= to; s++ {
		all = append(all, line(s-.5, "main", "PROBE")...)
	}
	return all
}

func TestFlows(t *testing.T) {
	red := map[string]bool{}
	for rule, cases := range flowCases {
		for _, c := range cases {
			t.Run(string(rule)+"/"+c.id+"/"+c.name, func(t *testing.T) {
				got := Judge(rule, tell(c.id, c.events...), row(t, c.id))
				if got.Rule != rule || got.Outcome != c.want || !strings.Contains(got.Why, c.why) {
					t.Errorf("got %s: %s\nwant %s with %q", got.Outcome, got.Why, c.want, c.why)
				}
			})
			if c.want == broken_ {
				red[c.id+" "+string(rule)] = true
			}
		}
	}
	// Rules that only run where no history can be recorded have their mutants here.
	for _, id := range []string{"hook-override", "evict-hard-over-soft", "evict-hard-direct", "evict-soft-max"} {
		for _, e := range row(t, id).Expect {
			if !red[id+" "+string(e.Rule)] {
				t.Errorf("%s: nothing shows that %s can turn red", id, e.Rule)
			}
		}
	}
}
