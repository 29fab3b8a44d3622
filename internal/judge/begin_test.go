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

// began is the start of the first terminating sync, which only the sim level sees.
func began(s float64) timeline { return timeline{{At: at(s), Kind: history.KubeletBegan}} }

// attempts are the starts of the terminating syncs, each with its own event.
func attempts(first float64, others ...float64) timeline {
	all := timeline{{At: at(first), Kind: history.KubeletBegan, Count: 1}}
	for _, s := range others {
		all = append(all, history.Event{At: at(s), Kind: history.KubeletAgain})
	}
	return all
}

// exact is an accepted delete at the sim level, where only the request's way to the API takes time.
func exact(s float64, grace int64) timeline {
	all := del(s, grace)
	for i := range all[1:] {
		all[i+1].At = at(s + .001)
	}
	return all
}

func hookSaid(s float64) timeline {
	return timeline{{At: at(s), Kind: history.KubeletEvent, Reason: "FailedPreStopHook", Container: "main", Message: "PreStopHook failed"}}
}

var (
	pulling  = slices.Concat(line(-1, "a", "START"), exact(0, 30), pulled(-1, 40), began(40))
	bothSoon = slices.Concat(exact(0, 120), exact(5, 60))
	late29   = slices.Concat(exact(0, 30), began(.001), stop(.001, "main", 30, 29), exact(29, 10))
	sleeping = slices.Concat(exact(0, 30), began(.001), stop(30.001, "main", 2, 2), killed(32.001, "main"))
	touched  = slices.Concat(step(.001, scenario.Touch{}), exact(.05, 1), began(.63))
	stuck    = slices.Concat(line(-1, "main", "POSTSTART-START"), exact(0, 30), exact(5, 0), removed(5.001))
)

func ranIn(s, took float64, container string) timeline {
	all := called(s, took, "ExecSync", container, nil, "")
	return slices.Concat(all, line(s, container, "HOOK-START"), line(s+took, container, "HOOK-END"))
}

// The findings of rules when the start of the termination is known exactly.
func TestRulesInVirtualTime(t *testing.T) {
	for rule, cases := range map[scenario.Rule][]ruleCase{
		scenario.Deadline: {
			{"counted from the beginning", "pull-beside", parts(pulling, ranIn(40, 2, "a"), stop(42, "a", 28, 8), ended(50, "a", 0), over(51)), held_, "deadline 70.00 s"},
			{"counted from the delete", "pull-beside", parts(pulling, stop(40, "a", 2, 2), killed(42, "a"), over(43)), broken_, "before the deadline at 70.00 s"},
			{"two requests known at the beginning", "shorten-once", parts(bothSoon, began(7), stop(7, "main", 60, 60), killed(67, "main"), over(68)), held_, "deadline 67.00 s"},
			{"the second of them counted from the first delete", "shorten-once", parts(bothSoon, began(7), stop(7, "main", 53, 53), killed(60.001, "main"), over(61)), broken_, "before the deadline at 67.00 s"},
			{"passed, and asked before", "shorten-past", parts(late29, stop(29.001, "main", 0, .01), killed(29.011, "main"), over(30)), held_, "deadline 29.00 s"},
			{"passed, and a second window", "shorten-past", parts(late29, stop(29.001, "main", 2, .999), killed(30.001, "main"), over(31)), broken_, "lived until 30.00 s, allowed until 29.20 s"},
			{"it never began", "poststart-hang", parts(stuck, finished(42)), none, "no terminating sync"},
		},
		scenario.ShorterActs: {
			{"what is known at the beginning shortens nothing", "shorten-once", parts(bothSoon, began(7), stop(7, "main", 60, 60), killed(67, "main"), over(68)), none, "no request shortened"},
			{"a second window of one second", "shorten-thrice", parts(exact(0, 60), began(.001), stop(.001, "main", 60, 6), exact(2, 20), stop(2.001, "main", 18, 4), exact(4, 5),
				stop(4.001, "main", 2, 2), killed(6.001, "main"), over(7)), broken_, "asked to stop in 2 s, though the deadline was 5.00 s"},
		},
		scenario.Window: {
			{"a second window of one second", "shorten-thrice", parts(exact(0, 60), began(.001), stop(.001, "main", 60, 6), exact(2, 20), stop(2.001, "main", 18, 4), exact(4, 5),
				stop(4.001, "main", 2, 2), killed(6.001, "main"), over(7)), broken_, "asked to stop before, was given 2 s"},
			{"a hook's seconds rounded down before a turn, as on stock", "sidecar-with-hook", parts(exact(0, 60), began(.001), ranIn(.001, 1.5, "sidecar"), stop(.001, "main", 60, 60),
				killed(60.001, "main"), stop(60.501, "sidecar", 2, 2), killed(62.501, "sidecar"), over(63)), none, "only 1 of 2 requests"},
			{"a hook's seconds rounded down by more than that", "sidecar-with-hook", parts(exact(0, 60), began(.001), ranIn(.001, 1.5, "sidecar"), stop(.001, "main", 60, 60),
				killed(60.001, "main"), stop(61.501, "sidecar", 2, 2), killed(63.501, "sidecar"), over(64)), broken_, "lived until 63.50 s"},
			{"none", "shorten-thrice", parts(exact(0, 60), began(.001), stop(.001, "main", 60, 5), exact(2, 20), stop(2.001, "main", 18, 3), exact(4, 5),
				stop(4.001, "main", 1, 1), killed(5.001, "main"), over(6)), held_, ""},
		},
		scenario.HookOnce: {
			{"its second counted from the beginning", "now-after-sync", parts(touched, called(.63, 2, "ExecSync", "main", nil, ""), line(.63, "main", "HOOK-START"),
				stop(1.63, "main", 2, 1), ended(2.63, "main", 0), over(3)), held_, ""},
			{"its second counted from the delete", "now-after-sync", parts(touched, called(.63, 1.4, "ExecSync", "main", nil, ""), line(.63, "main", "HOOK-START"),
				stop(1.051, "main", 2, 1), ended(2.051, "main", 0), over(3)), broken_, "beside its hook, which had until 1.63 s"},
		},
		scenario.Kept: {
			{"a pull beside", "pull-beside", parts(pulling, ranIn(40, 2, "a"), stop(42, "a", 28, 8), ended(50, "a", 0), over(51)), held_, "no container started"},
			{"a pull beside, asked to stop too soon", "pull-beside", parts(pulling, ranIn(40, 2, "a"), stop(42, "a", 20, 8), ended(50, "a", 0), over(51)), broken_, "in 20 s, though it had until 70.00 s"},
			{"a pull beside, and stopped before the beginning", "pull-beside", parts(pulling, stop(1, "a", 69, 8), ended(9, "a", 0), over(51)), broken_, "its termination had not begun"},
			{"a pull beside, killed all the same", "pull-beside", parts(pulling, ranIn(40, 2, "a"), stop(42, "a", 28, 28), killed(70, "a"), over(71)), broken_, "which ends by itself, was killed"},
			{"an image that came after all", "pull-beside", parts(pulling, ranIn(40, 2, "a"), line(41, "b", "START"), stop(42, "a", 28, 8), ended(50, "a", 0), ended(50, "b", 0), over(51)), broken_, "container b ran"},
			{"killed in its window, which a hook's rounding put off", "sidecar-with-hook", parts(exact(0, 60), began(.001), ranIn(.001, 1.5, "sidecar"), stop(.001, "main", 60, 60),
				killed(60.001, "main"), stop(60.005, "sidecar", 2, .5), killed(60.5, "sidecar"), over(63)), none, "only 1 of 2 requests"},
			{"a sleep with all its time", "sleep-as-long-as-grace", parts(sleeping, over(33)), held_, ""},
			{"a sleep that is said to have failed", "sleep-as-long-as-grace", parts(sleeping, hookSaid(30.001), over(33)), broken_, "that a hook failed"},
			{"a hook that had no time is said to have failed", "now-after-sync", parts(touched, called(.63, 2, "ExecSync", "main", nil, ""), line(.63, "main", "HOOK-START"), hookSaid(2.63),
				stop(1.63, "main", 2, 1), ended(2.63, "main", 0), over(3)), held_, ""},
			{"nothing while SyncPod hangs", "poststart-hang", parts(stuck, finished(42)), held_, "nothing was done"},
			{"a stop while SyncPod hangs", "poststart-hang", parts(stuck, stop(5.001, "main", 0, .1), killed(5.1, "main"), finished(42)), broken_, "its termination had not begun"},
			{"an eviction of what had ended", "evict-finished", parts(ended(-4, "main", 0), evict(0, 1, 1), told(0, 1, ""), finished(10)), held_, "each of 1 callers"},
			{"an eviction of what had ended, unanswered", "evict-finished", parts(ended(-4, "main", 0), evict(0, 1, 1), finished(12)), broken_, "never answered"},
			{"an eviction of what had ended, in vain", "evict-finished", parts(ended(-4, "main", 0), evict(0, 1, 1), told(10, 1, "timeout waiting to kill pod"), finished(12)), held_, "each of 1 callers"},
		},
	} {
		for _, c := range cases {
			t.Run(string(rule)+"/"+c.id+"/"+c.name, func(t *testing.T) {
				h := tell(c.id, c.events...)
				h.Level = string(scenario.LevelSim)
				got := Judge(rule, h, row(t, c.id))
				if got.Outcome != c.want || !strings.Contains(got.Why, c.why) {
					t.Errorf("got %s: %s\nwant %s with %q", got.Outcome, got.Why, c.want, c.why)
				}
			})
		}
	}
}
