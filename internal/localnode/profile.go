// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/kubernetes"
)

// Profile counts what has the same stack: goroutines, or the bytes of live objects by where they were allocated.
type Profile map[string]int64

var (
	// sampled matches the first line of a record: "5 @ 0x1 0x2" of goroutines, "3: 96 [7: 224] @ 0x1" of objects.
	sampled = regexp.MustCompile(`^(\d+)(?:: (\d+) \[\d+: \d+\])? @`)
	// frame matches a line of a stack: "#	0x46d5af	time.Sleep+0x14f	/src/runtime/time.go:363".
	frame     = regexp.MustCompile(`^#\t0x[0-9a-f]+\t(\S+?)(?:\+0x[0-9a-f]+)?\t`)
	heapAlloc = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)
)

// ParseProfile reads a profile as net/http/pprof writes it with debug=1.
func ParseProfile(data []byte) (Profile, error) {
	p := Profile{}
	var count int64
	var frames []string
	records := 0
	flush := func() {
		if count > 0 {
			p[strings.Join(frames, " < ")] += count
		}
		count, frames = 0, nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := lines.Text()
		if m := sampled.FindStringSubmatch(line); m != nil {
			flush()
			records++
			n := m[1]
			if m[2] != "" {
				n = m[2]
			}
			var err error
			if count, err = strconv.ParseInt(n, 10, 64); err != nil {
				return nil, fmt.Errorf("profile: record %q: %w", line, err)
			}
		} else if m := frame.FindStringSubmatch(line); m != nil && count > 0 {
			frames = append(frames, m[1])
		}
	}
	flush()
	if records == 0 {
		return nil, fmt.Errorf("not a profile as pprof writes it with debug=1: %.80q", data)
	}
	return p, nil
}

// Total returns the sum.
func (p Profile) Total() (n int64) {
	for _, count := range p {
		n += count
	}
	return n
}

// Of returns the part whose stacks have one of these functions and none of those.
func (p Profile) Of(with, without *regexp.Regexp) Profile {
	part := Profile{}
	for stack, n := range p {
		if with.MatchString(stack) && (without == nil || !without.MatchString(stack)) {
			part[stack] = n
		}
	}
	return part
}

// Since returns what p has more than an earlier profile, the most first, as lines.
func (p Profile) Since(before Profile) []string {
	more := Profile{}
	for stack, n := range p {
		if n > before[stack] {
			more[stack] = n - before[stack]
		}
	}
	return more.Lines()
}

func (p Profile) Lines() []string {
	var all []string
	for _, stack := range slices.SortedFunc(maps.Keys(p), func(a, b string) int {
		if p[a] != p[b] {
			return int(p[b] - p[a])
		}
		return strings.Compare(a, b)
	}) {
		all = append(all, fmt.Sprintf("%d × %s", p[stack], short(stack)))
	}
	return all
}

// short leaves out of a stack what every Go program has, and the middle of a long one.
func short(stack string) string {
	var kept []string
	for f := range strings.SplitSeq(stack, " < ") {
		if f = f[strings.LastIndex(f, "/")+1:]; !strings.HasPrefix(f, "runtime.") && !strings.HasPrefix(f, "sync.") {
			kept = append(kept, f)
		}
	}
	if len(kept) > 6 {
		kept = append(append(kept[:4:4], "…"), kept[len(kept)-1])
	}
	return strings.Join(kept, " < ")
}

// Terminations matches functions that run only while a pod is synced or ended.
var Terminations = regexp.MustCompile(`graceperiod\.|podWorkerLoop|managePodLoop|SyncTerminating|SyncTerminated|[kK]illPod|[kK]illContainer|killTerminating|` +
	`executePreStopHook|stopContainer|waitForTurn|StopContainer|StopPodSandbox|ExecSync|prober\.\(\*worker\)`)

// Recording matches functions that keep what the kubelet reports about pods, up to a fixed number: its caches of events.
var Recording = regexp.MustCompile(`client-go/tools/record|tools/record\.|client-go/tools/events`)

// LiveHeap returns the bytes of live objects that a heap profile states.
func LiveHeap(profile []byte) (int64, error) {
	m := heapAlloc.FindSubmatch(profile)
	if m == nil {
		return 0, fmt.Errorf("the heap profile states no HeapAlloc: %.80q", profile)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

// Goroutines returns the goroutines of a node's kubelet by their stacks, from the kubelet's own server by way of the API server.
func Goroutines(ctx context.Context, client kubernetes.Interface, node string) (Profile, error) {
	data, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("debug/pprof/goroutine").Param("debug", "1").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("the kubelet's goroutines: %w", err)
	}
	return ParseProfile(data)
}
