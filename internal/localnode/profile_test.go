// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `goroutine profile: total 8
5 @ 0x44 0x45
#	0x44	time.Sleep+0x14f						runtime/time.go:363
#	0x45	k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop+0x1	pkg/kubelet/kubelet.go:1

# labels: {"a":"b"}
2 @ 0x46
#	0x46	k8s.io/kubernetes/pkg/kubelet/graceperiod.(*Termination).Wait+0x20	pkg/kubelet/graceperiod/graceperiod.go:1

1 @ 0x44 0x45
#	0x44	time.Sleep+0x14f						runtime/time.go:363
#	0x45	k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop+0x2	pkg/kubelet/kubelet.go:2

`

func parsed(t *testing.T, text string) Profile {
	t.Helper()
	p, err := ParseProfile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseProfile(t *testing.T) {
	p := parsed(t, text)
	want := Profile{"time.Sleep < k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop": 6, "k8s.io/kubernetes/pkg/kubelet/graceperiod.(*Termination).Wait": 2}
	if diff := cmp.Diff(want, p); diff != "" || p.Total() != 8 {
		t.Errorf("%d %s", p.Total(), diff)
	}
	if of := p.Of(Terminations, nil); of.Total() != 2 {
		t.Errorf("goroutines of a pod's end: %v", of)
	}
	before := Profile{"time.Sleep < k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop": 6}
	if diff := cmp.Diff([]string{"2 × graceperiod.(*Termination).Wait"}, p.Since(before)); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "404 page not found", "99999999999999999999 @ 0x1\n"} {
		if _, err := ParseProfile([]byte(bad)); err == nil {
			t.Errorf("%q was read as a profile", bad)
		}
	}
}

// The form is the one that this program's own profiles have: goroutines and live objects.
func TestOwnProfiles(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() { waitsForTest(ctx); close(gone) }()
	var all bytes.Buffer
	for !strings.Contains(all.String(), "waitsForTest") {
		runtime.Gosched()
		all.Reset()
		if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
			t.Fatal(err)
		}
	}
	p := parsed(t, all.String())
	found := false
	for stack := range p {
		found = found || strings.Contains(stack, "localnode.waitsForTest")
	}
	if !found {
		t.Errorf("the goroutine is not in %v", p)
	}
	cancel()
	<-gone
	all.Reset()
	if err := pprof.Lookup("heap").WriteTo(&all, 1); err != nil {
		t.Fatal(err)
	}
	if live, err := LiveHeap(all.Bytes()); err != nil || live < 1<<16 {
		t.Errorf("%d bytes live, %v", live, err)
	}
	if _, err := LiveHeap([]byte("nothing")); err == nil {
		t.Error("a heap without a size was accepted")
	}
}

func waitsForTest(ctx context.Context) { <-ctx.Done() }

// Bytes in use count, not those that were ever allocated; what records events is left out.
func TestHeapOfTerminations(t *testing.T) {
	p := parsed(t, `heap profile: 3: 6144 [9: 9999] @ heap/1048576
2: 4096 [7: 8000] @ 0x1
#	0x1	k8s.io/kubernetes/pkg/kubelet/graceperiod.NewTermination+0x1	x.go:1

1: 2048 [2: 1999] @ 0x2
#	0x2	k8s.io/client-go/tools/record.(*EventAggregator).EventAggregate+0x1	x.go:1
#	0x3	k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).killContainer+0x1	x.go:1

0: 0 [5: 500] @ 0x4
#	0x4	k8s.io/kubernetes/pkg/kubelet/graceperiod.NewTermination+0x2	x.go:1
`)
	if got := p.Of(Terminations, Recording).Total(); got != 4096 {
		t.Errorf("%d bytes, want 4096", got)
	}
}
