// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package mutant

// unhurried returns mutants that take something from pods that nobody hurried. The comparison with stock must find each of
// them.
func unhurried() []Mutant {
	const (
		worker     = "pkg/kubelet/pod_workers.go"
		killing    = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
		manager    = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
		arithmetic = "pkg/kubelet/graceperiod/graceperiod.go"
	)
	all := []Mutant{
		{
			Name: "begin-at-first-update",
			What: "the grace counts from the request, however late the worker began",
			File: worker,
			Old:  "s.termination.Shorten(now, graceperiod.DeadlineAfter(now, *s.gracePeriod))",
			New:  "s.termination.Shorten(now, graceperiod.DeadlineAfter(s.terminatingAt, *s.gracePeriod))",
		},
		{
			Name: "override-from-begin",
			What: "an override counts from the beginning of the termination",
			File: worker,
			Old:  "graceperiod.DeadlineAfter(now, *override)",
			New:  "graceperiod.DeadlineAfter(s.terminatingAt, *override)",
		},
		{
			Name: "repeated-grace-counts",
			What: "an update that repeats the grace counts as a request, from the first delete",
			File: worker,
			Old:  "*gracePeriod < s.deletionGracePeriod)",
			New:  "*gracePeriod <= s.deletionGracePeriod)",
		},
		{
			Name: "exact-from-the-start",
			What: "the first attempt uses the exact deadline, where stock counts down whole seconds",
			File: worker,
			Old:  "\t} else {\n\t\tstatus.termination.Retry()\n\t}\n",
			New:  "\t}\n\tstatus.termination.Retry()\n",
		},
		{
			Name: "hook-lost-on-retry",
			What: "a retry does not repeat a failed hook",
			File: killing,
			Old:  "\t\t\ttermination.Repeat(\"PreStop \" + containerID.ID)\n",
			New:  "",
		},
		{
			Name: "hook-cut-unasked",
			What: "a hook is cancelled at the end of the grace, although nobody shortened it",
			File: killing,
			Old:  "termination.Wait(done, ctx.Done(), math.MaxInt64)",
			New:  "termination.Wait(done, ctx.Done(), min(math.MaxInt64, time.Duration(gracePeriod)*time.Second))",
		},
		{
			Name: "window-for-a-turn",
			What: "a container whose hook used up the grace gets the window for waiting for its turn",
			File: killing,
			Old:  "\tif ordering != nil && gracePeriod > 0 {\n",
			New:  "\tif ordering != nil && !termination.AtOnce() {\n\t\tgracePeriod = max(gracePeriod, minimumGracePeriodInSeconds)\n",
		},
		{
			Name: "window-for-all",
			What: "a container with a hook is stopped with only the window",
			File: killing,
			Old:  "\tmoved := termination.Moved()\n\tgracePeriod = termination.Left(gracePeriod)\n",
			New: "\tmoved := termination.Moved()\n\tgracePeriod = termination.Left(gracePeriod)\n" +
				"\tif containerSpec.Lifecycle != nil && containerSpec.Lifecycle.PreStop != nil {\n\t\tgracePeriod = minimumGracePeriodInSeconds\n\t}\n",
		},
		{
			Name: "sandbox-never",
			What: "after a failed stop the sandbox is never stopped",
			File: manager,
			Old:  "\treturn termination != nil && time.Now().Before(termination.Deadline().Add(minimumGracePeriodInSeconds*time.Second))",
			New:  "\treturn termination != nil",
		},
		{
			Name: "steps-without-termination",
			What: "a kill by SyncPod counts as an attempt of the later termination",
			File: arithmetic,
			Old:  "func (t *Termination) Once(step string) bool {\n\tif t == nil {\n\t\treturn true\n\t}\n",
			New: "var taken sync.Map\n\nfunc (t *Termination) Once(step string) bool {\n\tif t == nil {\n\t\ttaken.Store(step, nil)\n\t\treturn true\n\t}\n" +
				"\tif _, done := taken.LoadAndDelete(step); done {\n\t\treturn false\n\t}\n",
		},
	}
	for i := range all {
		all[i].Unhurried = true
	}
	return all
}
