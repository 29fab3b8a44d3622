// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package mutant

import "slices"

const (
	arithmetic = "pkg/kubelet/graceperiod/graceperiod.go"
	worker     = "pkg/kubelet/pod_workers.go"
	syncing    = "pkg/kubelet/kubelet.go"
	killing    = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
	sandboxes  = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
	hooks      = "pkg/kubelet/lifecycle/handlers.go"
)

// All returns the mutants in the order of the code that they change, followed by those for unhurried pods.
func All() []Mutant {
	return slices.Concat(ofTheDeadline(), ofTheKill(), unhurried())
}

// ofTheDeadline returns the mutants of the deadline and its notifications.
func ofTheDeadline() []Mutant {
	return []Mutant{
		{
			Name: "round-down",
			What: "the remaining time is rounded down",
			File: arithmetic,
			Old:  "(max(0, time.Until(t.Deadline())) + time.Second - 1)",
			New:  "max(0, time.Until(t.Deadline()))",
		},
		{
			Name: "longest-counts",
			What: "a later deadline replaces an earlier one",
			File: arithmetic,
			Old:  "\tif !deadline.Before(t.deadline) {",
			New:  "\tif deadline.Equal(t.deadline) {",
		},
		{
			Name: "no-cap",
			What: "a grace period of centuries overflows",
			File: arithmetic,
			Old:  "min(seconds, math.MaxInt32)",
			New:  "min(seconds, math.MaxInt64)",
		},
		{
			Name: "shortened-not-binding",
			What: "code that counts down the grace itself ignores the moved deadline",
			File: arithmetic,
			Old:  "\tt.deadline, t.binding = deadline, true\n",
			New:  "\tt.deadline = deadline\n",
		},
		{
			Name: "nobody-told",
			What: "the deadline moves without notifying its waiters",
			File: arithmetic,
			Old:  "\tclose(t.moved)\n",
			New:  "",
			Node: []string{"shorten-once", "force-while-terminating", "hook-exec-force"},
		},
		{
			Name: "retry-has-all",
			What: "a retry gets the whole grace",
			File: arithmetic,
			Old:  "\tt.binding = true\n",
			New:  "",
		},
		{
			Name: "delete-from-now",
			What: "a shorter delete counts from now, not from the first delete",
			File: worker,
			Old:  "graceperiod.DeadlineAfter(s.deletedAt, *gracePeriod)",
			New:  "graceperiod.DeadlineAfter(now, *gracePeriod)",
		},
		{
			Name: "zero-clamped-to-one",
			What: "grace 0 is raised to 1",
			File: worker,
			Old:  "\treturn *gracePeriod, status.gracePeriod != nil && *status.gracePeriod != *gracePeriod",
			New:  "\treturn max(*gracePeriod, 1), status.gracePeriod != nil && *status.gracePeriod != max(*gracePeriod, 1)",
			Node: []string{"force-direct", "hook-force-direct"},
		},
		{
			Name: "zero-is-a-deadline",
			What: "grace 0 becomes a deadline in the past",
			File: arithmetic,
			Old:  "\tif seconds == 0 {\n\t\treturn time.Time{}\n\t}\n",
			New:  "",
		},
		{
			Name: "retry-starts-anew",
			What: "each attempt has its own deadline and kill, counted from its own start",
			File: worker,
			Old:  "\tif status.termination == nil {",
			New:  "\tif status.termination == nil || status != nil {",
			Node: []string{"shorten-late", "hook-running-not-restarted"},
		},
		{
			Name: "request-before-begin-lost",
			What: "a shorter request just before the first attempt is lost",
			File: worker,
			Old:  "\t\ts.termination.Shorten(now, graceperiod.DeadlineAfter(now, *s.gracePeriod))\n",
			New:  "",
		},
		{
			Name: "end-not-called",
			What: "the remaining runtime calls are not cancelled when the containers are down",
			File: worker,
			Old:  "\tstatus.termination.End()\n\tstatus.termination, status.deletedAt,",
			New:  "\tstatus.termination, status.deletedAt,",
		},
		{
			Name: "termination-kept",
			What: "the worker of a pod that has ended keeps its termination",
			File: worker,
			Old:  "\tstatus.termination, status.deletedAt, status.deletionGracePeriod = nil, time.Time{}, 0\n",
			New:  "",
		},
	}
}

// ofTheKill returns the mutants of how a pod is killed.
func ofTheKill() []Mutant {
	return []Mutant{
		{
			Name: "kill-with-attempt",
			What: "the kill is cancelled with the attempt that started it",
			File: arithmetic,
			Old:  "context.WithCancel(context.WithoutCancel(ctx))",
			New:  "context.WithCancel(ctx)",
		},
		{
			Name: "kill-per-attempt",
			What: "each attempt starts a kill",
			File: arithmetic,
			Old:  "\tif t.kill == nil {",
			New:  "\tif t.kill == nil || ctx != nil {",
		},
		{
			Name: "restart-hook",
			What: "each attempt starts a kill from scratch, including the hook",
			File: arithmetic,
			Old:  "\tif t.kill == nil {",
			New:  "\tt.steps = nil\n\tif t.kill == nil || ctx != nil {",
			Node: []string{"hook-running-not-restarted", "hook-exec-shorten"},
		},
		{
			Name: "attempt-not-left",
			What: "an attempt does not return when its context ends",
			File: syncing,
			Old:  "\tkillCtx := ctx\n",
			New:  "\tkillCtx := context.WithoutCancel(ctx)\n",
		},
		{
			Name: "failed-kill-on-cancel",
			What: "a cancelled attempt is reported as a failed kill",
			File: syncing,
			Old:  "\t\tif errors.Is(err, context.Canceled) {\n\t\t\t// the deadline has moved",
			New:  "\t\tif err == nil {\n\t\t\t// the deadline has moved",
		},
		{
			Name: "sync-time-after-cancel",
			What: "a cancelled attempt counts as a sync, so the next waits for a newer status",
			File: worker,
			Old:  "\t\t\tif update.WorkType != TerminatingPod || !errors.Is(err, context.Canceled) {",
			New:  "\t\t\tif update.WorkType != TerminatingPod || p != nil {",
		},
		{
			Name: "killing-twice",
			What: "each kill records a Killing event",
			File: killing,
			Old:  "\tif termination.Once(\"Killing \" + containerID.ID) {",
			New:  "\tif len(containerID.ID) > 0 {",
		},
		{
			Name: "hook-repeated",
			What: "a retry repeats a hook that succeeded",
			File: killing,
			Old:  " && termination.Once(\"PreStop \"+containerID.ID) {",
			New:  " {",
		},
		{
			Name: "hook-outlives-grace",
			What: "the wait for a hook ends one second after the grace",
			File: killing,
			Old:  "termination.Wait(done, nil, time.Duration(gracePeriod)*time.Second)",
			New:  "termination.Wait(done, nil, time.Duration(gracePeriod+1)*time.Second)",
		},
		{
			Name: "hook-outlives-deadline",
			What: "a hook is not cancelled at a moved deadline",
			File: killing,
			Old:  "\t\ttermination.Wait(done, ctx.Done(), math.MaxInt64)\n",
			New:  "\t\t(*graceperiod.Termination)(nil).Wait(done, ctx.Done(), math.MaxInt64)\n",
		},
		{
			Name: "turn-not-ended",
			What: "the wait for a turn does not end at a moved deadline",
			File: killing,
			Old:  "ordering.waitForTurn(containerName, gracePeriod, termination)",
			New:  "ordering.waitForTurn(containerName, gracePeriod, nil)",
		},
		{
			Name: "no-window",
			What: "a container whose time was used up gets no window",
			File: killing,
			Old:  "\tif gracePeriod < minimumGracePeriodInSeconds && !termination.AtOnce() {",
			New:  "\tif gracePeriod < 0 {",
		},
		{
			Name: "zero-gets-window",
			What: "grace 0 gets the window too",
			File: killing,
			Old:  "\tif gracePeriod < minimumGracePeriodInSeconds && !termination.AtOnce() {",
			New:  "\tif gracePeriod < minimumGracePeriodInSeconds {",
		},
		{
			Name: "second-stop-not-sent",
			What: "a container that is being stopped is not asked again",
			File: killing,
			Old:  "\t\tcase <-moved:\n",
			New:  "\t\tcase <-(chan struct{})(nil):\n",
		},
		{
			Name: "second-stop-gets-window",
			What: "a container that was already asked to stop gets the window again",
			File: killing,
			Old:  "\t\ttimeout = termination.Seconds()\n",
			New:  "\t\ttimeout = max(termination.Seconds(), minimumGracePeriodInSeconds)\n",
		},
		{
			Name: "cancel-stop-call",
			What: "a shortened grace cancels the running stop call",
			File: killing,
			Old:  "\t\tstarted := time.Now()\n",
			New: "\t\tstarted := time.Now()\n\t\tctx, cancel := context.WithCancel(ctx)\n" +
				"\t\tgo func(moved <-chan struct{}) {\n\t\t\tdefer cancel()\n\t\t\tselect {\n\t\t\tcase <-moved:\n\t\t\tcase <-ctx.Done():\n\t\t\t}\n\t\t}(moved)\n",
			Node: []string{"sandbox-order", "shorten-thrice"},
		},
		{
			Name: "sandbox-at-once",
			What: "after a failed stop the sandbox is stopped at once",
			File: sandboxes,
			Old:  "\tif retry {\n",
			New:  "\tif retry && pod == nil {\n",
		},
		{
			Name: "sidecar-waits-on",
			What: "a sidecar keeps waiting for a container that could not be stopped",
			File: killing,
			Old:  "\t\tif ordering != nil && mayRetry(termination) {\n",
			New:  "\t\tif ordering != nil && pod == nil {\n",
		},
		{
			Name: "sidecar-does-not-wait",
			What: "a sidecar is stopped although the container it waits for could not be stopped",
			File: killing,
			Old:  "\t\tif gracePeriod > 0 && ordering.isBlocked(containerName) {\n",
			New:  "\t\tif gracePeriod > 0 && pod == nil {\n",
		},
		{
			Name: "http-hook-without-context",
			What: "the request of an HTTP hook has no context",
			File: hooks,
			Old:  "\treq = req.WithContext(ctx)\n",
			New:  "",
		},
	}
}
