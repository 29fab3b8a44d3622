/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package mutant

// All are the breakages, in the order of the code that they break.
func All() []Mutant {
	return []Mutant{
		{
			Name: "cancel-stop-call",
			What: "a shortened grace cancels the stop call that is at the runtime",
			File: "pkg/kubelet/kuberuntime/kuberuntime_termination.go",
			Old:  "\tstopCtx, cancel := progress.detach(ctx)\n",
			New:  "\tstopCtx, cancel := context.WithCancel(ctx)\n",
			Node: []string{"sandbox-order", "shorten-thrice"},
		},
		{
			Name: "stop-call-not-left",
			What: "the wait for the stop call does not end with the context",
			File: "pkg/kubelet/kuberuntime/kuberuntime_termination.go",
			Old:  "\tcase <-ctx.Done():\n\t\treturn ctx.Err()\n\t}\n}",
			New:  "\t}\n}",
		},
		{
			Name: "round-down",
			What: "what is left is rounded down",
			File: "pkg/kubelet/graceperiod/graceperiod.go",
			Old:  "\tif remaining%time.Second > 0 {",
			New:  "\tif remaining < 0 {",
		},
		{
			Name: "longest-counts",
			What: "of several graces the longest counts",
			File: "pkg/kubelet/graceperiod/graceperiod.go",
			Old:  "seconds < shortest",
			New:  "seconds > shortest",
		},
		{
			Name: "forget-only-shorter",
			What: "what was asked for before is forgotten",
			File: "pkg/kubelet/pod_workers.go",
			Old:  "graceperiod.Shortest(recorded, pod.DeletionGracePeriodSeconds, override)",
			New:  "graceperiod.Shortest(pod.DeletionGracePeriodSeconds, override)",
		},
		{
			Name: "no-window",
			What: "a container whose time was used up gets no window",
			File: "pkg/kubelet/graceperiod/graceperiod.go",
			Old:  "\treturn max(d.Seconds(now), int64(MinimumWindow/time.Second))",
			New:  "\treturn d.Seconds(now)",
		},
		{
			Name: "zero-gets-window",
			What: "grace 0 gets the window too",
			File: "pkg/kubelet/graceperiod/graceperiod.go",
			Old:  "\tif d.AtOnce() {\n\t\treturn 0\n\t}\n",
			New:  "",
		},
		{
			Name: "zero-clamped-to-one",
			What: "grace 0 is raised to 1",
			File: "pkg/kubelet/pod_workers.go",
			Old:  "\treturn *gracePeriod, recorded != nil && *gracePeriod < *recorded",
			New:  "\treturn max(*gracePeriod, 1), recorded != nil && max(*gracePeriod, 1) < *recorded",
			Node: []string{"force-direct", "force-while-terminating"},
		},
		{
			Name: "hook-outlives-deadline",
			What: "a hook gets a second beyond the deadline, also beyond a grace of 0",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "\ttimer := time.NewTimer(deadline.Remaining(time.Now()))\n",
			New:  "\ttimer := time.NewTimer(deadline.Remaining(time.Now()) + time.Second)\n",
		},
		{
			Name: "restart-hook",
			What: "each attempt starts the hook anew",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "\tstarting := progress.hook == nil\n",
			New:  "\tstarting := progress != nil\n",
			Node: []string{"hook-running-not-restarted", "hook-exec-shorten"},
		},
		{
			Name: "hook-without-context",
			What: "the wait for a hook does not end with the context",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "\tcase <-ctx.Done():\n\t\treturn ctx.Err()\n\t}\n\treturn nil\n}",
			New:  "\t}\n\treturn nil\n}",
		},
		{
			Name: "hook-left-running",
			What: "a hook is not cut at the shortened deadline",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "\t\tif !starting {\n\t\t\tprogress.hook.cancel()\n\t\t}\n",
			New:  "",
		},
		{
			Name: "http-hook-without-context",
			What: "the request of an HTTP hook has no context",
			File: "pkg/kubelet/lifecycle/handlers.go",
			Old:  "\treq = req.WithContext(ctx)\n",
			New:  "",
		},
		{
			Name: "ordering-without-context",
			What: "the wait for a turn does not end with the context",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "termination.ordering.waitForTurn(ctx,",
			New:  "termination.ordering.waitForTurn(context.WithoutCancel(ctx),",
		},
		{
			Name: "sandbox-after-cancel",
			What: "after a cancelled kill the sandbox is stopped",
			File: "pkg/kubelet/kuberuntime/kuberuntime_manager.go",
			Old:  "\tif result.Error() != nil {\n\t\t// Stopping the sandbox would",
			New:  "\tif len(killContainerResults) < 0 {\n\t\t// Stopping the sandbox would",
		},
		{
			Name: "sync-time-after-cancel",
			What: "a cancelled sync counts as a sync, so the next waits for a newer status",
			File: "pkg/kubelet/pod_workers.go",
			Old:  "\t\t\tif update.WorkType != TerminatingPod || err == nil {",
			New:  "\t\t\tif update.WorkType != TerminatingPod || p != nil {",
		},
		{
			Name: "failed-kill-on-cancel",
			What: "a cancelled sync is reported as a failed kill",
			File: "pkg/kubelet/kubelet.go",
			Old:  "\t\tif errors.Is(err, context.Canceled) {\n\t\t\t// the grace period was shortened, and the pod worker is about to call this again\n\t\t\treturn fmt.Errorf(\"killing terminating pod",
			New:  "\t\tif err == nil {\n\t\t\t// the grace period was shortened, and the pod worker is about to call this again\n\t\t\treturn fmt.Errorf(\"killing terminating pod",
		},
		{
			Name: "killing-twice",
			What: "each attempt records a Killing event",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Old:  "\t\tprogress.announced = true\n",
			New:  "",
		},
		{
			Name: "retry-starts-anew",
			What: "each attempt counts the grace from its own start",
			File: "pkg/kubelet/pod_workers.go",
			Old:  "graceperiod.NewDeadline(status.terminatingAt, *gracePeriod)",
			New:  "graceperiod.NewDeadline(p.clock.Now(), *gracePeriod)",
			Node: []string{"shorten-once", "shorten-late"},
		},
		{
			Name: "leak-termination",
			What: "the record of a killed pod is kept, and what is left at the runtime not cancelled",
			File: "pkg/kubelet/kuberuntime/kuberuntime_manager.go",
			Old:  "\t\tm.podTerminations.end(runningPod.ID)\n",
			New:  "",
		},
		{
			Name: "worker-context-cut",
			What: "the terminating sync does not see that its worker was told",
			File: "pkg/kubelet/kubelet.go",
			Old:  "\tlogger.V(4).Info(\"SyncTerminatingPod enter\"",
			New:  "\tctx = context.WithoutCancel(ctx)\n\tlogger.V(4).Info(\"SyncTerminatingPod enter\"",
			Node: []string{"shorten-once", "force-while-terminating", "hook-exec-force"},
		},
	}
}
