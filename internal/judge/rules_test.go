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

// Each case is a history of a scenario at its node times (package scenario) and the expected finding of one rule's judge.
type ruleCase struct {
	name, id string
	events   []timeline
	want     scenario.Outcome
	why      string // part of the finding's text
}

const (
	held_   = scenario.Held
	broken_ = scenario.Broken
	none    = scenario.Invalid
)

// failedExec is a run of a hook that the runtime refuses; ran is a successful one.
func failedExec(s, took float64) timeline { return called(s, took, "ExecSync", "main", nil, "Unknown") }

// probed is a run of a probe.
func probed(s float64) timeline {
	all := called(s, .01, "ExecSync", "main", nil, "")
	all[0].Message = "/actor mark --word PROBE"
	return all
}

func ran(s, took float64) timeline {
	return slices.Concat(called(s, took, "ExecSync", "main", nil, ""), line(s+.01, "main", "HOOK-START"), line(s+took-.01, "main", "HOOK-END"))
}

// pulled is a failed image pull.
func pulled(s, took float64) timeline { return called(s, took, "PullImage", "", nil, "Unknown") }

func failedKill(s float64, message string) timeline {
	return timeline{{At: at(s), Kind: history.KubeletEvent, Reason: "FailedKillPod", Message: message}}
}

// refusedGone is a delete of a pod that has left the API.
func refusedGone(s float64, grace int64) timeline {
	return timeline{{At: at(s), Kind: history.APIDelete, Grace: &grace}, {At: at(s + .01), Kind: history.APIDeleted, Error: `pods "p" not found`}}
}

// plain is a delete without a grace, of a pod whose spec says 0.
func plain(s float64) timeline {
	all := forced(s)
	all[0].Grace = nil
	return all
}

// Ends of histories that several cases share.
func over(s float64) timeline { return slices.Concat(sandbox(s+.1), removed(s+.5), finished(s+1.5)) }

var ruleCases = map[scenario.Rule][]ruleCase{
	scenario.Deadline: {
		{"killed at the new deadline", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 12), del(3, 12),
			stop(3.1, "main", 9, 9), killed(12.1, "main"), over(12.1)}, held_, "deadline 12.00 s"},
		{"killed at once, since for the API server the new deadline had passed", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 11.3),
			storedAs(1, 11.3, 12), stop(11.35, "main", 0, .05), killed(11.4, "main"), over(11.4)}, held_, "deadline 11.30 s"},
		{"killed in the window, then a force", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 2, 2),
			killed(7.2, "main"), forced(9), over(9.2)}, held_, ""},
		{"killed at the old deadline", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 24), del(3, 12),
			killed(24.1, "main"), over(24.1)}, broken_, "lived until 24.10 s"},
		{"killed too early", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 11), del(3, 12),
			killed(11.2, "main"), over(11.2)}, broken_, "before the deadline at 12.00 s"},
		{"ended by itself early", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 11), del(3, 12),
			ended(4, "main", 0), over(4)}, held_, "dead at 4.00 s"},
		{"still alive at the end", "shorten-once", []timeline{del(0, 24), del(3, 12), finished(40)}, broken_, "still alive at 40.00 s"},
		{"not looked long enough", "shorten-once", []timeline{del(0, 24), del(3, 12), finished(13)}, none, "before the bound"},
		{"passed moment counts as now", "shorten-late", []timeline{del(0, 30), del(18, 2),
			killed(20.1, "main"), over(20.1)}, held_, ""},
		{"naive: the new grace counted anew", "shorten-late", []timeline{del(0, 30), stop(.1, "main", 30, 30), del(18, 20),
			killed(38, "main"), over(38)}, broken_, "lived until 38.00 s"},
		{"an override counts from when it is made", "override-late", []timeline{del(0, 600), stop(.1, "main", 600, 420), evict(300, 1, 120),
			stop(300.1, "main", 120, 120), killed(420.1, "main"), told(420.2, 1, ""), over(420.3)}, held_, "deadline 420.00 s"},
		{"an override counted from the first delete", "override-late", []timeline{del(0, 600), stop(.1, "main", 600, 302), evict(300, 1, 120),
			stop(300.1, "main", 2, 2), killed(302.1, "main"), told(302.2, 1, ""), over(302.3)}, broken_, "before the deadline at 420.00 s"},
		{"a delete counts from the first deletionTimestamp", "delete-after-evict", []timeline{evict(0, 1, 300), stop(.1, "main", 300, 160), del(100, 60),
			stop(100.1, "main", 60, 60), killed(160.1, "main"), told(160.2, 1, ""), over(160.3)}, held_, "deadline 160.00 s"},
		{"a delete counted from the eviction", "delete-after-evict", []timeline{evict(0, 1, 300), stop(.1, "main", 300, 102), del(100, 60),
			stop(100.1, "main", 2, 2), killed(102.1, "main"), told(102.2, 1, ""), over(102.3)}, broken_, "before the deadline at 160.00 s"},
		{"a restart of the kubelet is a new beginning", "restart-then-shorter", []timeline{del(0, 40), stop(.1, "main", 40, 2), restarted, stop(5, "main", 40, 12),
			del(10, 12), stop(10.1, "main", 7, 7), killed(17.1, "main"), over(17.2)}, held_, ""},
		{"a kubelet that took its time to start", "restart-then-shorter", []timeline{del(0, 40), stop(.1, "main", 40, 2), step(2.1, scenario.KillKubelet{}),
			step(9, scenario.StartKubelet{}), stop(9.5, "main", 40, 12), del(10, 12), stop(10.1, "main", 12, 12), killed(22.1, "main"), over(22.2)}, held_, ""},
		{"the old beginning after a restart", "restart-then-shorter", []timeline{del(0, 40), stop(.1, "main", 40, 2), restarted, stop(5, "main", 36, 12),
			del(10, 12), stop(10.1, "main", 2, 2), killed(12.1, "main"), over(12.2)}, broken_, "before the deadline"},
		{"a restart of the kubelet, and all its grace", "restart-then-shorter", []timeline{del(0, 40), stop(.1, "main", 40, 2), restarted, stop(5, "main", 40, 40),
			del(10, 12), killed(45.1, "main"), over(45.2)}, broken_, "lived until 45.10 s"},
		{"more seconds than a duration holds", "huge-grace", []timeline{del(0, 9223372037), stop(.1, "main", 9223372036, 5), del(3, 5), stop(3.1, "main", 2, 2),
			killed(5.1, "main"), over(5.2)}, held_, "deadline 5.00 s"},
		{"a pull held the termination up", "pull-beside", []timeline{del(0, 12), line(-1, "a", "START"), pulled(-1, 16), called(16.1, 2, "ExecSync", "a", nil, ""),
			line(16.2, "a", "HOOK-START"), line(18.1, "a", "HOOK-END"), stop(18.2, "a", 10, 8), ended(26.2, "a", 0), over(26.3)}, held_, "deadline 27.00 s"},
		{"the pull's time was taken off", "pull-beside", []timeline{del(0, 12), line(-1, "a", "START"), pulled(-1, 16), stop(16.1, "a", 2, 2), killed(18.1, "a"),
			over(18.3)}, broken_, "before the deadline at 27.00 s"},
		{"the second delete came when the pod was gone", "huge-grace", []timeline{del(0, 9223372037), ended(1, "main", 0), over(1.1), refusedGone(3, 5)}, held_, ""},
		{"second delete refused", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 24),
			{{At: at(3), Kind: history.APIDelete, Grace: history.Seconds(12)}, {At: at(3.1), Kind: history.APIDeleted, Error: "NotFound"}},
			killed(24.1, "main"), over(24.1)}, none, "only 1 of 2 requests"},
	},
	scenario.OnlyShorter: {
		{"more time after a restart of the kubelet", "restart-then-shorter", []timeline{del(0, 40), stop(.1, "main", 40, 2), restarted, stop(5, "main", 40, 12),
			del(10, 12), stop(10.1, "main", 7, 7), killed(17.1, "main"), over(17.2)}, held_, ""},
		{"a longer request changes nothing", "lengthen", []timeline{del(0, 5), stop(.1, "main", 5, 5), ignored(2, 60),
			killed(5.1, "main"), over(5.1)}, held_, ""},
		{"a longer request moves the kill", "lengthen", []timeline{del(0, 5), ignored(2, 60), killed(60, "main"), over(60)},
			broken_, "lived until 60.00 s"},
		{"a later stop call gives more time", "lengthen", []timeline{del(0, 5), stop(.1, "main", 5, 5), ignored(2, 60),
			stop(2.1, "main", 58, 3), killed(5.1, "main"), over(5.1)}, broken_, "was given until 60.10 s"},
		{"never 38", "shorten-late", []timeline{del(0, 30), stop(.1, "main", 30, 18), del(18, 20), stop(18.1, "main", 20, 20),
			killed(38.1, "main"), over(38.1)}, broken_, "given until 38.10 s"},
		{"dead before the second request", "lengthen", []timeline{del(0, 5), ended(1, "main", 0), ignored(2, 60), over(2)},
			none, "before the second request"},
	},
	scenario.ShorterActs: {
		{"asked again with what is left", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 3), forced(3),
			stop(3.1, "main", 0, .1), killed(3.2, "main"), over(3.2)}, held_, ""},
		{"never asked again", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 30), forced(3),
			killed(30.1, "main"), over(30.1)}, broken_, "never asked to stop"},
		{"asked too late", "shorten-thrice", []timeline{del(0, 24), stop(.1, "main", 24, 10), del(2, 15), stop(5, "main", 10, 5),
			del(4, 7), stop(5, "main", 2, 2), killed(7.1, "main"), over(7.1)}, broken_, "only at 5.00 s"},
		{"the new grace instead of what is left", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 14), del(3, 12),
			stop(3.1, "main", 12, 12), killed(15.1, "main"), over(15.1)}, broken_, "though the deadline was 12.03 s"},
		{"crossed by a call with the old grace", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 12),
			stop(3, "main", 21, .1), stop(3.1, "main", 9, 9), killed(12.1, "main"), over(12.1)}, held_, ""},
		{"crossed, and ended by itself", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 12),
			stop(3, "main", 21, .05), ended(3.05, "main", 0), over(3.1)}, none, "no request shortened"},
		{"crossed, and nothing followed", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 12),
			stop(3, "main", 21, 21), killed(24, "main"), over(24.1)}, broken_, "though the deadline was 12.03 s"},
		{"rounded down", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 14), del(3, 12),
			stop(3.1, "main", 8, 9), killed(12.1, "main"), over(12.1)}, broken_, "before the deadline at 12.00 s"},
		{"each of three", "shorten-thrice", []timeline{del(0, 24), stop(.1, "main", 24, 7), del(2, 15), stop(2.1, "main", 13, 5),
			del(4, 7), stop(4.1, "main", 3, 3), killed(7.1, "main"), over(7.1)}, held_, ""},
		{"a hook may go on to the deadline", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 2, 2),
			killed(7.2, "main"), over(7.2)}, held_, ""},
		{"a hook may not go on longer", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(20.1, "main", 2, 2),
			killed(22.1, "main"), over(22.1)}, broken_, "only at 20.10 s"},
		{"one call for two requests", "shorten-thrice", []timeline{del(0, 24), stop(.1, "main", 24, 8), del(2, 15), del(2.1, 7), stop(2.15, "main", 5, 5),
			killed(7.15, "main"), over(7.2)}, held_, ""},
		{"asked in time, but lives on", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 24), del(3, 12),
			stop(3.1, "main", 9, 21), killed(24.1, "main"), over(24.1)}, held_, "runtime late by 12.0 s"},
		{"asked in time, but given up", "shorten-once", []timeline{del(0, 24), stop(.1, "main", 24, 24), del(3, 12),
			called(3.1, 9, "StopContainer", "main", history.Seconds(9), "Canceled: x"), killed(24.1, "main"), over(24.1)}, broken_, "lived until 24.10 s"},
		{"a second window for one that was asked before", "evict-hard-over-soft", []timeline{evict(0, 1, 3600), stop(.1, "main", 3600, 9), evict(3, 2, 1),
			stop(3.1, "main", 4, 4), killed(7.1, "main"), told(7.2, 1, ""), told(7.2, 2, ""), finished(9)}, broken_, "though the deadline was 4.00 s"},
		{"a sidecar whose main had ended", "sidecar-of-a-finished-main", []timeline{ended(-5, "main", 1), del(0, 24), stop(.1, "sidecar", 24, 5), del(3, 5),
			stop(3.1, "sidecar", 2, 2), killed(5.1, "sidecar"), over(5.2)}, held_, ""},
		{"a sidecar whose main had ended, held", "sidecar-of-a-finished-main", []timeline{ended(-5, "main", 1), del(0, 24), stop(.1, "sidecar", 24, 24), del(3, 5),
			killed(24.1, "sidecar"), over(24.2)}, broken_, "sidecar was never asked to stop"},
		{"a grace that is smaller, and no earlier deadline", "delete-after-evict", []timeline{evict(0, 1, 300), stop(.1, "main", 300, 300), del(100, 250),
			killed(300.1, "main"), told(300.2, 1, ""), over(300.3)}, none, "no request shortened"},
		{"nothing was left to ask", "force-while-terminating", []timeline{del(0, 30), ended(1, "main", 0), forced(3), over(3)},
			none, "no request shortened"},
	},
	scenario.Zero: {
		{"timeout 0 at once", "force-direct", []timeline{forced(0), stop(.1, "main", 0, .1), killed(.2, "main"), over(.2)}, held_, ""},
		{"dead before the harness's watch showed it", "force-direct", []timeline{
			{{At: at(0), Kind: history.APIDelete, Grace: history.Seconds(0)}}, stop(.01, "main", 0, .02), killed(.02, "main"),
			{{At: at(.3), Kind: history.APIDeleted}, {At: at(.3), Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(0)}},
			over(.4)}, held_, ""},
		{"ended by itself meanwhile", "force-direct", []timeline{forced(0), ended(.02, "main", 0), over(.1)}, none, "every container had ended"},
		{"zero raised to 2", "force-direct", []timeline{forced(0), stop(.1, "main", 2, 2), killed(2.1, "main"), over(2.1)},
			broken_, "timeout 2 instead of 0"},
		{"zero raised to 1 and killed soon", "force-direct", []timeline{forced(0), stop(.1, "main", 1, 1), killed(1.1, "main"), over(1.1)},
			broken_, "timeout 1 instead of 0"},
		{"not passed on", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 30), forced(3),
			killed(30.1, "main"), over(30.1)}, broken_, "not asked to stop with timeout 0"},
		{"a hook starts", "hook-force-direct", []timeline{forced(0), line(.3, "main", "HOOK-START"), stop(.6, "main", 0, .1),
			killed(.7, "main"), over(.7)}, broken_, "a hook started at 0.30 s"},
		{"a hook's exec starts, unseen by the container", "hook-force-direct", []timeline{forced(0),
			called(.2, .1, "ExecSync", "main", nil, ""), stop(.6, "main", 0, .1), killed(.7, "main"), over(.7)},
			broken_, "a hook started at 0.20 s"},
		{"a running hook is no start", "hook-exec-force", []timeline{del(0, 20), called(.1, 3, "ExecSync", "main", nil, "Canceled: x"),
			line(.2, "main", "HOOK-START"), forced(3), stop(3.1, "main", 0, .1), killed(3.2, "main"), over(3.2)}, held_, ""},
		{"a sidecar waits its turn", "sidecar-force", []timeline{del(0, 20), stop(.1, "main", 20, 3), forced(3),
			stop(3.1, "main", 0, .1), killed(3.2, "main"), stop(3.1, "sidecar-1", 0, .1), killed(3.2, "sidecar-1"),
			stop(20, "sidecar-2", 2, 2), killed(22, "sidecar-2"), over(22)}, broken_, "sidecar-2"},
		{"stopped but alive", "force-direct", []timeline{forced(0), stop(.1, "main", 0, -1), finished(30)}, broken_, "still alive"},
		{"a spec that says 0", "spec-zero", []timeline{plain(0), stop(.1, "main", 0, .1), killed(.2, "main"), over(.2)}, held_, ""},
		{"a spec that says 0, raised to 2", "spec-zero", []timeline{plain(0), stop(.1, "main", 2, 1), ended(1.1, "main", 0), over(1.2)}, broken_, "timeout 2 instead of 0"},
		{"a spec that says 0, and a hook", "spec-zero", []timeline{plain(0), line(.1, "main", "HOOK-START"), stop(2.1, "main", 2, 1), ended(3.1, "main", 0), over(3.2)},
			broken_, "a hook started"},
		{"an override of 0 is no force", "override-late", []timeline{del(0, 600), stop(.1, "main", 600, 302), evict(300, 1, 0), stop(300.1, "main", 1, 1),
			killed(301.2, "main"), told(301.3, 1, ""), over(301.4)}, none, "no request had grace 0"},
		{"nobody forced", "now", []timeline{del(0, 1), stop(.1, "main", 2, 2), killed(2.2, "main"), over(2.2)}, none, "no request had grace 0"},
	},
	scenario.Window: {
		{"now", "now", []timeline{del(0, 1), stop(.1, "main", 2, 2), killed(2.2, "main"), over(2.2)}, held_, ""},
		{"too early", "now", []timeline{del(0, 1), stop(.1, "main", 0, .1), killed(.2, "main"), over(.2)}, broken_, "before the deadline"},
		{"too late", "now", []timeline{del(0, 1), stop(.1, "main", 60, 60), killed(60, "main"), over(60)}, broken_, "lived until 60.00 s"},
		{"hook used the time, no window left", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 0, .1),
			killed(5.2, "main"), over(5.2)}, broken_, "it was due 2s"},
		{"hook used the time, window kept", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 2, 2),
			killed(7.2, "main"), over(7.2)}, held_, ""},
		{"asked when its hook had ended, shortened after that", "hook-done-not-repeated", []timeline{del(0, 20), ran(.1, 1), stop(1.2, "main", 19, 9), del(2, 3),
			stop(2.1, "main", 1, 1), killed(3.1, "main"), over(3.2)}, held_, ""},
		{"a hook used the time, shortened in the window", "hook-exec-shorten", []timeline{del(0, 4), ran(.1, 3), stop(3.1, "main", 2, .5),
			del(3.5, 2), stop(3.6, "main", 0, 0), killed(3.6, "main"), over(3.7)}, held_, ""},
		{"a second window", "shorten-thrice", []timeline{del(0, 24), stop(.1, "main", 24, 8), del(2, 15), stop(2.1, "main", 13, 8), del(4, 7),
			stop(4.1, "main", 5, 5), killed(9.1, "main"), over(9.1)}, broken_, "had been asked to stop before, was given 5 s"},
		{"grace 0", "force-direct", []timeline{forced(0), killed(.1, "main"), over(.1)}, none, "no window"},
	},
	scenario.OneTerm: {
		{"one", "shorten-thrice", []timeline{del(0, 24), line(.1, "main", "TERM"), del(2, 15), del(4, 7), killed(7, "main"), over(7)}, held_, ""},
		{"two", "shorten-thrice", []timeline{del(0, 24), line(.1, "main", "TERM"), del(2, 15), line(2.1, "main", "TERM"), del(4, 7),
			killed(7, "main"), over(7)}, broken_, "received 2 TERMs"},
		{"none", "shorten-thrice", []timeline{del(0, 24), del(2, 15), del(4, 7), killed(7, "main"), over(7)}, none, "reported a TERM"},
	},
	scenario.HookOnce: hookCases,
	scenario.Prompt: {
		{"at once", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 3), forced(3), stop(3.1, "main", 0, .1),
			killed(3.2, "main"), over(3.2)}, held_, ""},
		{"dead before the harness's watch showed it", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 3),
			{{At: at(3), Kind: history.APIDelete, Grace: history.Seconds(0)}}, stop(3.01, "main", 0, .02), killed(3.02, "main"),
			{{At: at(3.3), Kind: history.APIDeleted}, {At: at(3.3), Kind: history.APIPod, Reason: "MODIFIED", Grace: history.Seconds(0)}},
			over(3.4)}, held_, ""},
		{"after the pod cache's two seconds", "force-while-terminating", []timeline{del(0, 30), stop(.1, "main", 30, 5), forced(3),
			stop(5.2, "main", 0, .1), killed(5.3, "main"), over(5.3)}, broken_, "only at 5.20 s"},
		{"a hook holds a force back", "hook-exec-force", []timeline{del(0, 20), forced(3), stop(20.1, "main", 2, 2), killed(22.1, "main"), over(22.1)},
			broken_, "only at 20.10 s"},
		{"a turn holds a shortening back", "sidecar-shorten", []timeline{del(0, 20), stop(.1, "main", 20, 5), del(3, 5), stop(3.1, "main", 2, 2),
			killed(5.1, "main"), stop(20, "sidecar", 2, 2), killed(22, "sidecar"), over(22)}, broken_, "sidecar was asked to stop only at 20.00 s"},
		{"nothing shortened", "now", []timeline{del(0, 1), killed(2, "main"), over(2)}, none, "no request shortened"},
		{"the sync returns", "sidecar-shorten", []timeline{del(0, 20), attempts(.05, 3.1), stop(.1, "main", 20, 5), del(3, 5), stop(3.1, "main", 2, 2),
			killed(5, "main"), stop(5, "sidecar", 2, 2), killed(7, "sidecar"), over(7)}, held_, ""},
		{"the sync goes on, and the stop calls are in time", "sidecar-shorten", []timeline{del(0, 20), attempts(.05), stop(.1, "main", 20, 5), del(3, 5),
			stop(3.1, "main", 2, 2), killed(5, "main"), stop(5, "sidecar", 2, 2), killed(7, "sidecar"), over(7)}, broken_, "the terminating sync did not return"},
		{"the sync returns late", "sidecar-shorten", []timeline{del(0, 20), attempts(.05, 4.9), stop(.1, "main", 20, 5), del(3, 5),
			stop(3.1, "main", 2, 2), killed(5, "main"), stop(5, "sidecar", 2, 2), killed(7, "sidecar"), over(7)}, broken_, "the terminating sync did not return"},
		{"the sync returns at the moment of the eviction", "sidecar-shorten", []timeline{del(0, 20), attempts(.05), stop(.1, "main", 20, 5),
			evict(3, 1, 5), {{At: at(3), Kind: history.KubeletAgain}}, stop(3, "main", 2, 2), killed(5, "main"), stop(5, "sidecar", 2, 2),
			killed(7, "sidecar"), over(7)}, held_, ""},
		{"the sync that runs at the eviction goes on", "sidecar-shorten", []timeline{del(0, 20), attempts(.05), stop(.1, "main", 20, 5),
			{{At: at(3), Kind: history.KubeletAgain}}, evict(3, 1, 5), stop(3, "main", 2, 2), killed(5, "main"), stop(5, "sidecar", 2, 2),
			killed(7, "sidecar"), over(7)}, broken_, "the terminating sync did not return"},
		{"the kill is over before the sync is to return", "force-while-terminating", []timeline{del(0, 30), attempts(.05), stop(.1, "main", 30, 3), forced(3),
			stop(3.01, "main", 0, .02), killed(3.02, "main"), over(3.1)}, held_, ""},
	},
	scenario.RuntimeCalls: {
		{"the second call beside the first", "sandbox-order", []timeline{del(0, 24), stop(.1, "main", 24, 10), del(3, 10), stop(3.1, "main", 7, 7),
			killed(10.05, "main"), over(10.1)}, held_, "2 stop calls"},
		{"a call that hung until the teardown", "sandbox-order", []timeline{finished(20), del(0, 24), del(3, 10),
			called(.1, 19.9, "StopContainer", "main", history.Seconds(24), "Canceled: context canceled")}, none, "ended with container main alive"},
		{"cancelled under a live container", "sandbox-order", []timeline{del(0, 24),
			called(.1, 3, "StopContainer", "main", history.Seconds(24), "Canceled: context canceled"), del(3, 10),
			stop(3.2, "main", 7, 7), killed(10.1, "main"), over(10.1)}, broken_, "cancelled at 3.10 s"},
		{"cancelled once the container is down", "sandbox-order", []timeline{del(0, 24),
			called(.1, 10.1, "StopContainer", "main", history.Seconds(24), "Canceled: context canceled"), del(3, 10),
			stop(3.1, "main", 7, 7), killed(10.1, "main"), over(10.2)}, held_, ""},
		{"the sandbox under a live container", "sandbox-order", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 10), sandbox(3.1),
			killed(3.3, "main"), over(3.3)}, broken_, "StopPodSandbox was called at 3.10 s"},
		{"the sandbox under a container that it kills in that moment", "sandbox-order", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 10),
			sandbox(3.1), killed(3.1, "main"), over(3.3)}, broken_, "StopPodSandbox was called at 3.10 s"},
		{"the sandbox in the moment of the end", "sandbox-order", []timeline{del(0, 24), stop(.1, "main", 24, 9.9), killed(10, "main"), sandbox(10),
			del(10.05, 10), over(10.3)}, held_, ""},
		{"the sandbox after a failed stop, too soon", "stop-fails-always", []timeline{del(0, 5), called(.1, .1, "StopContainer", "main", history.Seconds(5), "Unknown"),
			sandbox(.3), killed(.4, "main"), over(.5)}, broken_, "could be retried until 7.00 s"},
		{"the sandbox after a failed stop, when the window is not over", "stop-fails-always", []timeline{del(0, 5),
			called(.1, .1, "StopContainer", "main", history.Seconds(5), "Unknown"), sandbox(6), killed(6.1, "main"), over(6.2)}, broken_, "until 7.00 s"},
		{"the sandbox after a failed stop, in time", "stop-fails-always", []timeline{del(0, 5), called(.1, .1, "StopContainer", "main", history.Seconds(5), "Unknown"),
			called(12, .1, "StopContainer", "main", history.Seconds(0), "Unknown"), sandbox(12.2), killed(12.3, "main"), over(12.4)}, held_, "after they had failed"},
		{"the sandbox at once after a failed stop of zero", "stop-errors", []timeline{forced(0), called(.1, .1, "StopContainer", "main", history.Seconds(0), "Unknown"),
			sandbox(.3), killed(.4, "main"), over(.5)}, held_, ""},
		{"the sandbox after a stop that was cancelled only", "stop-fails-always", []timeline{del(0, 5), stop(.1, "main", 5, -1), sandbox(8), killed(8.1, "main"), over(8.2)},
			broken_, "no stop had failed"},
		{"no sandbox stop seen", "sandbox-order", []timeline{del(0, 24), stop(.1, "main", 24, 3), del(3, 10), killed(10, "main"), finished(12)}, none, "sandbox was not stopped"},
		{"no stop call seen", "sandbox-order", []timeline{del(0, 24), del(3, 10), killed(10, "main"), over(10)}, none, "no stop call"},
	},
	scenario.Quiet: {
		{"one Killing", "quiet-cancel", []timeline{del(0, 20), killing(.1, "main", 1), del(3, 5), killed(5, "main"), over(5)}, held_, ""},
		{"the Killing of a message only", "quiet-cancel", []timeline{del(0, 20), {{At: at(.1), Kind: history.KubeletEvent, Reason: "Killing",
			Message: "Stopping container main", Count: 1}}, del(3, 5), killed(5, "main"), over(5)}, held_, ""},
		{"two events", "quiet-cancel", []timeline{del(0, 20), killing(.1, "main", 1), del(3, 5), killing(3.1, "main", 2), killed(5, "main"), over(5)},
			broken_, "a second Killing event"},
		{"a second one of another run of the kubelet", "restart-then-shorter", []timeline{del(0, 40), killing(.1, "main", 1), restarted,
			killing(4.2, "main", 1), del(10, 12), killed(16, "main"), over(16)}, held_, ""},
		{"a failed kill that failed at the runtime", "stop-errors-graceful", []timeline{del(0, 24), killing(.1, "main", 1),
			called(.1, .1, "StopContainer", "main", history.Seconds(24), "Unknown"), failedKill(.3, "error killing pod: the runtime refuses"),
			stop(12, "main", 12, 12), killed(24, "main"), over(24)}, held_, ""},
		{"a failed kill that was cancelled", "stop-errors-graceful", []timeline{del(0, 24), killing(.1, "main", 1),
			called(.1, .1, "StopContainer", "main", history.Seconds(24), "Unknown"), failedKill(.3, "error killing pod: context canceled"),
			stop(12, "main", 12, 12), killed(24, "main"), over(24)}, broken_, "context canceled"},
		{"one event, counted twice", "quiet-cancel", []timeline{del(0, 20), del(3, 5), killing(3.1, "main", 2), killed(5, "main"), over(5)}, broken_, "count 2"},
		{"a failed kill", "quiet-cancel", []timeline{del(0, 20), killing(.1, "main", 1), del(3, 5), {{At: at(3.1), Kind: history.KubeletEvent,
			Reason: "FailedKillPod", Message: "error killing pod"}}, killed(5, "main"), over(5)}, broken_, "FailedKillPod event at 3.10 s"},
		{"no event at all", "quiet-cancel", []timeline{del(0, 20), del(3, 5), killed(5, "main"), over(5)}, none, "no Killing event"},
	},
	scenario.Ends: {
		{"ends", "now", []timeline{del(0, 1), killed(2, "main"), over(2)}, held_, ""},
		{"stuck", "now", []timeline{del(0, 1), finished(30)}, broken_, "never ended"},
		{"stays in the API", "now", []timeline{del(0, 1), killed(2, "main"), finished(30)}, broken_, "never left the API"},
		{"not looked long enough", "now", []timeline{del(0, 1), finished(2)}, none, "before the last bound"},
	},
	scenario.Kept: {
		{"two phases", "graceful-two-phase", []timeline{del(0, 30), stop(.1, "main", 30, 1), line(.1, "main", "TERM"), ended(1.1, "main", 0), over(1.2)}, held_, ""},
		{"gone while the container lives", "graceful-two-phase", []timeline{del(0, 30), removed(.5), ended(1.1, "main", 0), over(1.2)}, broken_, "while container main lived"},
		{"gone before the sandbox is stopped", "graceful-two-phase", []timeline{del(0, 30), ended(1.1, "main", 0), removed(1.2), over(1.4)}, broken_, "before its sandbox"},
		{"killed though it ends by itself", "graceful-two-phase", []timeline{del(0, 30), stop(.1, "main", 0, 1), killed(.2, "main"), over(1.2)}, broken_, "which ends by itself"},
		{"stays in the API", "graceful-two-phase", []timeline{del(0, 30), ended(1.1, "main", 0), finished(50)}, broken_, "never left"},
		{"in order", "sidecar-order", []timeline{del(0, 60), stop(.1, "main", 60, 2), ended(2.1, "main", 0), stop(2.2, "sidecar-2", 58, .1),
			ended(2.3, "sidecar-2", 0), stop(2.4, "sidecar-1", 58, .1), ended(2.5, "sidecar-1", 0), over(2.5)}, held_, ""},
		{"a sidecar before the main container", "sidecar-order", []timeline{del(0, 60), stop(.1, "main", 60, 2), stop(.1, "sidecar-2", 60, .1),
			ended(.2, "sidecar-2", 0), ended(2.1, "main", 0), stop(2.2, "sidecar-1", 58, .1), ended(2.4, "sidecar-1", 0), over(2.5)},
			broken_, "sidecar sidecar-2 was asked to stop at 0.10 s while main lived"},
		{"sidecars in the order of their start", "sidecar-order", []timeline{del(0, 60), stop(.1, "main", 60, 2), ended(2.1, "main", 0),
			stop(2.2, "sidecar-1", 58, .1), ended(2.3, "sidecar-1", 0), stop(2.4, "sidecar-2", 58, .1), ended(2.5, "sidecar-2", 0), over(2.5)},
			broken_, "while sidecar-2 lived"},
		{"forced, and no sidecar", "force-while-terminating", []timeline{del(0, 30), forced(3), killed(3.1, "main"), over(3.2)}, none, "nothing of R12 shows"},
		{"a sidecar never stopped", "sidecar-order", []timeline{del(0, 60), ended(2, "main", 0), over(3)}, none, "never seen to be stopped"},
		{"no time left for order", "sidecar-shorten", []timeline{del(0, 20), stop(.1, "main", 20, 5), del(3, 5), stop(3.1, "main", 2, 2),
			stop(5.05, "sidecar", 2, 2), killed(5.1, "main"), killed(7.1, "sidecar"), over(7.1)}, held_, ""},
	},
	scenario.NoLeftovers: {
		{"the stop of the sandbox is left", "stop-errors", []timeline{forced(0), {{At: at(.2), Kind: history.CRICall, Call: "StopPodSandbox", CallID: 7}},
			killed(.3, "main"), finished(8)}, broken_, "the StopPodSandbox call of 0.20 s had not returned"},
		{"a retry that still stops the sandbox", "stop-errors", []timeline{forced(0), killed(5, "main"),
			{{At: at(6), Kind: history.CRICall, Call: "StopPodSandbox", CallID: 7}}, finished(8)}, none, "while the sandbox was being stopped"},
		{"a hook that hangs during such a retry", "stop-errors", []timeline{forced(0),
			{{At: at(.1), Kind: history.CRICall, Call: "ExecSync", Container: "main", CallID: 6}}, killed(5, "main"),
			{{At: at(6), Kind: history.CRICall, Call: "StopPodSandbox", CallID: 7}}, finished(8)}, none, "while the sandbox was being stopped"},
		{"a hook that hangs after the end", "stop-errors", []timeline{forced(0),
			{{At: at(.1), Kind: history.CRICall, Call: "ExecSync", Container: "main", CallID: 6}}, killed(5, "main"), finished(8)},
			broken_, "the ExecSync call of 0.10 s had not returned"},
		{"a call that hangs, and a container that still runs", "stop-hangs", []timeline{del(0, 24), del(3, 10),
			{{At: at(.1), Kind: history.CRICall, Call: "StopContainer", Container: "main", Grace: history.Seconds(24), CallID: 7}}, finished(20)},
			none, "ended with container main alive"},
		{"given up", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2), line(3.1, "main", "HTTP-GONE"),
			stop(3.1, "main", 2, 2), killed(5.1, "main"), over(5.1)}, held_, ""},
		{"never given up", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2),
			stop(3.1, "main", 2, 2), killed(5.1, "main"), over(5.1)}, broken_, "never given up"},
		{"ends with its server, nothing was shortened", "hook-http-shorten", []timeline{del(0, 5), line(.1, "main", "HTTP-START"), del(2, 30),
			stop(5.1, "main", 2, 2), killed(7.1, "main"), over(7.1)}, held_, ""},
		{"left while its server lives, nothing was shortened", "hook-http-shorten", []timeline{del(0, 5), line(.1, "main", "HTTP-START"), del(2, 30),
			stop(5.1, "main", 2, 2), finished(30)}, broken_, "never given up"},
		{"given up late", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2), line(20, "main", "HTTP-GONE"),
			stop(20, "main", 2, 2), killed(22, "main"), over(22)}, broken_, "only at 20.00 s"},
		{"a call is left", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2), line(3.1, "main", "HTTP-GONE"),
			stop(3.1, "main", 2, -1), killed(5.1, "main"), over(5.1)}, broken_, "had not returned"},
		{"no hook", "now", []timeline{del(0, 1), killed(2, "main"), over(2)}, held_, ""},
		{"killed once more", "finalizer-force", []timeline{del(0, 30), stop(.1, "main", 30, 3), forced(3), stop(3.1, "main", 0, .1), killed(3.2, "main"),
			stop(12.1, "main", 0, .1), step(12, scenario.RemoveFinalizer{}), over(12.2)}, broken_, "down since 3.20 s, was asked to stop at 12.10 s"},
		{"nothing ended", "now", []timeline{del(0, 1), finished(2)}, none, "no container ended"},
	},
	scenario.LostUpdate: {
		{"the known grace", "force-while-terminating", []timeline{del(0, 30), forced(3), killed(30.1, "main"), over(30.1)}, held_, ""},
		{"guessed 0", "force-while-terminating", []timeline{del(0, 30), forced(3), killed(3.1, "main"), over(3.1)}, broken_, "before the deadline"},
		{"longer", "force-while-terminating", []timeline{del(0, 30), forced(3), killed(60, "main"), over(60)}, broken_, "lived until"},
		{"nothing lost", "now", []timeline{del(0, 1), killed(2, "main"), over(2)}, none, "could be lost"},
	},
}

func TestRules(t *testing.T) {
	for _, rule := range scenario.Rules() {
		cases := ruleCases[rule]
		seen := map[scenario.Outcome]bool{}
		for _, c := range cases {
			seen[c.want] = true
			t.Run(string(rule)+"/"+c.name, func(t *testing.T) {
				got := Judge(rule, tell(c.id, c.events...), row(t, c.id))
				if got.Rule != rule || got.Outcome != c.want || !strings.Contains(got.Why, c.why) {
					t.Errorf("got %s: %s\nwant %s with %q", got.Outcome, got.Why, c.want, c.why)
				}
			})
		}
		if !seen[held_] || !seen[broken_] || !seen[none] {
			t.Errorf("%s: its judge must be shown to hold, to break and to refuse", rule)
		}
	}
}
