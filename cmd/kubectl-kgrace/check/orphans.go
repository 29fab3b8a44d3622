// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"context"
	"strconv"
	"strings"
	"time"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// housekeeping is the interval at which the kubelet counts its pod workers, and so that of polling it.
const housekeeping = 2 * time.Second

// orphans measures for how long a kubelet counted terminating pods that the API no longer has. Pods of others on the node count
// too.
type orphans struct {
	// before is the count before any probe was forced.
	before float64
	// longest is the longest unbroken time with a higher count.
	longest time.Duration
	samples int
}

// countOrphans polls until ctx ends. It returns nil if the metric cannot be read.
func countOrphans(ctx context.Context, core typedcorev1.CoreV1Interface, node string) *orphans {
	found := &orphans{}
	var since time.Time
	for {
		n, ok := askOrphans(ctx, core, node)
		now := time.Now()
		switch {
		case !ok && ctx.Err() == nil:
			return nil
		case !ok:
			if found.samples == 0 {
				return nil
			}
			return found
		case found.samples == 0:
			found.before = n
		case n <= found.before:
			since = time.Time{}
		case since.IsZero():
			since = now
		default:
			found.longest = max(found.longest, now.Sub(since))
		}
		found.samples++
		pause(ctx, housekeeping)
	}
}

// askOrphans reads the metric of a kubelet through the API server.
func askOrphans(ctx context.Context, core typedcorev1.CoreV1Interface, node string) (float64, bool) {
	body, err := core.RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy", "metrics").Stream(ctx)
	if err != nil {
		return 0, false
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	sum, found := 0.0, false
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "kubelet_working_pods{") {
			continue
		}
		found = true
		if strings.Contains(line, `lifecycle="terminating"`) && strings.Contains(line, `config="orphan"`) {
			n, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			if err != nil {
				return 0, false
			}
			sum += n
		}
	}
	return sum, found && lines.Err() == nil
}

// orphaned judges a forced pod by the kubelet's own count, where its log may not be read.
func (e evidence) orphaned(m measure, answer answerer) Result {
	left := e.grace - m.second
	// Both the kubelet and this check count every two seconds.
	slack := 2*housekeeping + tolerance
	switch {
	case e.orphans.before > 0:
		return answer(Unknown, -time.Second, "the kubelet counted %.0f orphaned terminating pods before", e.orphans.before)
	case e.orphans.longest >= left-slack:
		return answer(Affected, m.second+e.orphans.longest, "the kubelet counted an orphaned terminating pod for %s", seconds(e.orphans.longest))
	case e.orphans.longest <= slack:
		return answer(Fixed, m.second+e.orphans.longest, "by the kubelet's count of orphaned terminating pods")
	}
	return answer(Unknown, m.second+e.orphans.longest, "the kubelet counted an orphaned terminating pod for %s: want at most %s for fixed, at least %s for affected",
		seconds(e.orphans.longest), seconds(slack), seconds(left-slack))
}
