// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// In half an hour a node is disturbed more than a hundred times, and in the last third its kubelet is not killed, so that the memory
// of one can be followed.
func TestHalfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{options: Options{For: 30 * time.Minute, Seed: 1}, place: &place{}, lanes: &lanes{ledger: &Ledger{}}}
		begin := time.Now()
		until := begin.Add(r.options.For)
		if err := r.disturb(t.Context(), &fake{}, begin, until); err != nil {
			t.Fatal(err)
		}
		all := r.lanes.ledger.All()
		if len(all) < 100 {
			t.Errorf("%d disturbances", len(all))
		}
		kills := 0
		for i, d := range all {
			if d.To.After(until) || d.Err != "" || i > 0 && d.From.Before(all[i-1].To.Add(6*time.Second)) {
				t.Errorf("disturbance %d: %+v", i, d)
			}
			if d.Kind == KubeletKilled {
				kills++
				if d.From.After(begin.Add(20*time.Minute + 14*time.Second)) {
					t.Errorf("the kubelet was killed %v after the begin", d.From.Sub(begin))
				}
			}
		}
		if kills < 5 {
			t.Errorf("the kubelet was killed %d times", kills)
		}
	})
}

// A disturbance that cannot be undone ends the run.
func TestDisturbanceThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{options: Options{For: 30 * time.Minute, Seed: 1}, place: &place{}, lanes: &lanes{ledger: &Ledger{}}}
		begin := time.Now()
		err := r.disturb(t.Context(), &fake{sick: "start"}, begin, begin.Add(r.options.For))
		if err == nil || !strings.Contains(err.Error(), "kubelet killed") || !strings.Contains(err.Error(), "start failed") {
			t.Errorf("%v", err)
		}
		all := r.lanes.ledger.All()
		if last := all[len(all)-1]; last.Kind != KubeletKilled || last.Err == "" || last.To.IsZero() {
			t.Errorf("%+v", last)
		}
	})
}
