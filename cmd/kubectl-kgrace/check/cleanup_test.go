// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestCleanup removes expired objects, but not those in use or of others.
func TestCleanup(t *testing.T) {
	for _, in := range []string{"", "default"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeAPI(map[string]*kubelet{"n": {}})
			now, space := time.Now(), &Config{}
			other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
			nameless := space.namespace("no-time", "r", now)
			nameless.Annotations = nil
			for _, n := range []*corev1.Namespace{space.namespace("old", "r1", now.Add(-time.Minute)), space.namespace("used", "r2", now.Add(time.Minute)), other, nameless} {
				f.namespaces[n.Name] = n
			}
			var out bytes.Buffer
			c := Config{Client: f.client(t), Image: DefaultImage, Grace: DefaultGrace, Namespace: in, Progress: &out}
			pods := map[string]*corev1.Pod{"old": c.pod(podSpec{name: "old", run: "r1", node: "n", until: now.Add(-time.Minute)}),
				"used": c.pod(podSpec{name: "used", run: "r2", node: "n", until: now.Add(time.Minute)}), "other": c.pod(podSpec{name: "other", node: "n"})}
			pods["other"].Labels = nil
			for name, p := range pods {
				where := name
				if in != "" {
					where = in
				}
				if _, err := f.client(t).Core.Pods(where).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := Cleanup(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			want := []string{"other/other", "used/used", "no-time", "other", "used"}
			if in != "" {
				want = []string{"default/other", "default/used", "no-time", "old", "other", "used"}
			}
			if left := f.left(); !slices.Equal(left, want) {
				t.Errorf("left %v, want %v", left, want)
			}
			if !strings.Contains(out.String(), "used stays: a run may use it until") {
				t.Errorf("said %s", &out)
			}
			close(f.kubelets["n"].dead)
		})
	}
}

// TestTwoAtOnce: two runs on one node neither see nor remove each other's pods.
func TestTwoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeAPI(map[string]*kubelet{"n": {fixed: true}})
		c := Config{Client: f.client(t), Image: DefaultImage, Grace: DefaultGrace, Parallel: 1, StartTimeout: time.Minute, Namespace: "default"}
		reports := make(chan Report)
		for i := range 2 {
			go func() {
				time.Sleep(time.Duration(i) * 5 * time.Second) // in the bubble: the second run starts while the first one is busy
				r, err := Run(t.Context(), c)
				if err != nil {
					t.Error(err)
				}
				reports <- r
			}()
		}
		for range 2 {
			if r := <-reports; r.Verdict() != Fixed {
				t.Errorf("%+v", r)
			}
		}
		if left := f.left(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		close(f.kubelets["n"].dead)
		time.Sleep(time.Minute) // in the bubble: for the goroutines of the fake kubelet to end
	})
}
