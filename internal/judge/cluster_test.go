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

// called by the runtime's own name of a container, and the end of that one.
func started(s float64, id string) timeline {
	return timeline{{At: at(s), Kind: history.CRICall, Call: "StartContainer", Container: "main", ContainerID: id}}
}

func endedAs(s float64, id string, code int32) timeline {
	return timeline{{At: at(s), Kind: history.ContainerExit, Container: "main", ContainerID: id, ExitCode: &code}}
}

func jobOver(s float64, reason, message string) timeline {
	return timeline{{At: at(s), Kind: history.APIJob, Reason: reason, Message: message}}
}

// ownedForced is a force delete of a terminating pod, which is killed at once.
var ownedForced = slices.Concat(started(-3, "one"), line(-2, "main", "START"), del(0, 30), stop(.1, "main", 30, 3.1), forced(3),
	stop(3.1, "main", 0, .1), endedAs(3.2, "one", 137))

const policy = "Container main for pod regression/p failed with exit code 137 matching FailJob rule at index 0"

// The findings of rules when a controller or the next pod is involved.
func TestRulesOfAClusterFind(t *testing.T) {
	for rule, cases := range map[scenario.Rule][]ruleCase{
		scenario.Zero: {
			{"succeeded in time", "statefulset-force", parts(ownedForced, line(4, "main", "START"), finished(6)), held_, ""},
			{"succeeded beside the first", "statefulset-force", parts(started(-3, "one"), del(0, 30), stop(.1, "main", 30, 3.9), forced(3),
				stop(3.1, "main", 0, .9), line(3.4, "main", "START"), endedAs(4, "one", 137), finished(6)), broken_, "started at 3.40 s while main of the first one lived"},
			{"never succeeded", "statefulset-force", parts(ownedForced, finished(12)), broken_, "never started"},
			{"succeeded late", "daemonset-force", parts(ownedForced, line(11, "main", "START"), finished(12)), broken_, "started only at 11.00 s"},
			{"nobody looked long enough", "daemonset-force", parts(ownedForced, finished(5)), none, "the observation ended at 5.00 s"},
			{"the next one fails for the port", "hostport-reuse", parts(ownedForced, step(3.1, scenario.Recreate{}), started(3.4, "two"),
				endedAs(3.5, "two", 1), finished(12)), broken_, "never started"},
			{"the next one's end is not the first one's", "hostport-reuse", parts(started(-3, "one"), del(0, 30), stop(.1, "main", 30, 29), forced(3),
				step(3.1, scenario.Recreate{}), started(3.4, "two"), endedAs(3.5, "two", 1), endedAs(30.1, "one", 137), finished(32)), broken_, "was not asked to stop with timeout 0"},
			{"drained", "drain-force", parts(del(0, 30), stop(.1, "main", 30, 3.1), forced(3), step(3.5, scenario.Drain{}),
				stop(3.1, "main", 0, .1), killed(3.2, "main"), finished(5)), held_, ""},
			{"drained in words only", "drain-force", parts(del(0, 30), stop(.1, "main", 30, 30), forced(3), step(3.5, scenario.Drain{}),
				killed(30.1, "main"), finished(32)), broken_, "was not asked to stop with timeout 0"},
		},
		scenario.Kept: {
			{"failed by the policy", "job-failure-policy", parts(ownedForced, jobOver(4, "PodFailurePolicy", policy), finished(6)), held_, "at 4.00 s"},
			{"failed for another reason", "job-failure-policy", parts(ownedForced, jobOver(4, "BackoffLimitExceeded", "too many"), finished(6)), broken_, "BackoffLimitExceeded"},
			{"failed with another code", "job-failure-policy", parts(ownedForced, jobOver(4, "PodFailurePolicy", strings.ReplaceAll(policy, "137", "1")), finished(6)), broken_, "names exit code 137"},
			{"failed too soon", "job-failure-policy", parts(del(0, 30), forced(3), jobOver(4, "PodFailurePolicy", policy), endedAs(30, "one", 137), finished(32)), broken_, "before the containers were down"},
			{"failed too late", "job-failure-policy", parts(ownedForced, jobOver(20, "PodFailurePolicy", policy), finished(22)), broken_, "only at 20.00 s"},
			{"never over", "job-failure-policy", parts(ownedForced, finished(22)), broken_, "never finished"},
			{"not watched", "job-failure-policy", parts(ownedForced, finished(6)), none, "had to finish by"},
			{"never down", "job-failure-policy", parts(del(0, 30), forced(3), finished(60)), broken_, "never ended"},
		},
	} {
		for _, c := range cases {
			t.Run(string(rule)+" "+c.name, func(t *testing.T) {
				found := Judge(rule, tell(c.id, c.events...), row(t, c.id))
				if found.Outcome != c.want || !strings.Contains(found.Why, c.why) {
					t.Errorf("%s: %q, want %s: %q", found.Outcome, found.Why, c.want, c.why)
				}
			})
		}
	}
}
