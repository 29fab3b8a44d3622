// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/scenario"
)

// recorded returns a history of a real node and its scenario.
func recorded(t *testing.T, arm, id string) (history.History, scenario.Scenario) {
	t.Helper()
	h, err := history.ReadFile(filepath.Join("..", "judge", "testdata", "histories", arm, id+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := scenario.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scenario.Pick(all, scenario.LevelNode, id)
	if err != nil {
		t.Fatal(err)
	}
	s := rows[0].At(scenario.LevelNode)
	s.Scaled = nil
	return h, s
}

func outcomes(j Judged) map[scenario.Rule]scenario.Outcome {
	all := map[scenario.Rule]scenario.Outcome{}
	for _, f := range j.Findings {
		all[f.Rule] = f.Outcome
	}
	return all
}

func find(t *testing.T, j Judged, rule scenario.Rule) judge.Finding {
	t.Helper()
	i := slices.IndexFunc(j.Findings, func(f judge.Finding) bool { return f.Rule == rule })
	if i < 0 {
		t.Fatalf("%s was not judged; dropped: %v", rule, j.Dropped)
	}
	return j.Findings[i]
}

// late moves everything that a kubelet did after the second request to a later time, as a kubelet that was stopped would.
func late(h history.History, by time.Duration) history.History {
	requests := 0
	h.Events = slices.Clone(h.Events)
	for i, e := range h.Events {
		switch e.Kind {
		case history.APIDeleted:
			requests++
		case history.CRICall, history.CRIReturn, history.ContainerExit, history.KubeletEvent, history.Line, history.Finished:
			if requests > 1 {
				h.Events[i].At = e.At.Add(by)
			}
		case history.APIPod:
			if requests > 1 && e.Reason == "DELETED" {
				h.Events[i].At = e.At.Add(by)
			}
		}
	}
	return h
}

// second returns when the second request was sent.
func second(h history.History) time.Time {
	n := 0
	for _, e := range h.Events {
		if e.Kind == history.APIDelete {
			if n++; n == 2 {
				return e.At
			}
		}
	}
	return time.Time{}
}

// A disturbance excuses its own time and no more: the fixed kubelet may act as late as it was stopped, stock's lateness stays red.
func TestTimeIsExcused(t *testing.T) {
	h, s := recorded(t, "fixed", "shorten-once")
	at := second(h)
	stopped := Disturbance{Kind: KubeletStopped, From: at, To: at.Add(5 * time.Second)}
	full := Disturbance{Kind: DiskFull, From: at, To: at.Add(5 * time.Second)}
	for _, c := range []struct {
		name string
		h    history.History
		all  []Disturbance
		want scenario.Outcome
	}{
		{"in time, undisturbed", h, nil, scenario.Held},
		{"in time, stopped", h, []Disturbance{stopped}, scenario.Held},
		{"late, undisturbed", late(h, 4500*time.Millisecond), nil, scenario.Broken},
		{"late, with a full disk, which excuses nothing", late(h, 4500*time.Millisecond), []Disturbance{full}, scenario.Broken},
		{"as late as it was stopped", late(h, 4500*time.Millisecond), []Disturbance{stopped}, scenario.Invalid},
		{"much later", late(h, 12*time.Second), []Disturbance{stopped}, scenario.Broken},
		{"stopped long before", late(h, 4500*time.Millisecond), []Disturbance{{Kind: KubeletStopped, From: at.Add(-time.Hour), To: at.Add(5*time.Second - time.Hour)}},
			scenario.Broken},
	} {
		j := Judge(c.h, s, c.all)
		if found := find(t, j, scenario.ShorterActs); found.Outcome != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, found.Outcome, c.want, found.Why)
		}
		if !j.Over {
			t.Errorf("%s: not over", c.name)
		}
	}
	stock, s := recorded(t, "stock", "shorten-once")
	at = second(stock)
	for kind := range map[Kind]bool{KubeletStopped: true, WatchCut: true, DiskFull: true} {
		j := Judge(stock, s, []Disturbance{{Kind: kind, From: at.Add(500 * time.Millisecond), To: at.Add(time.Second)}})
		if found := find(t, j, scenario.Deadline); found.Outcome != scenario.Broken {
			t.Errorf("stock with %q: %s: %s", kind, found.Outcome, found.Why)
		}
	}
}

// Each entry has a reason and an effect, its rules exist, and every kind has an entry but the full disk.
func TestExcuses(t *testing.T) {
	has := map[Kind]bool{}
	for i, e := range Excuses() {
		has[e.Kind] = true
		if len(e.Why) < 20 {
			t.Errorf("entry %d, %s: no reason", i, e.Kind)
		}
		if !e.Stalls && len(e.Drops) == 0 && !e.Refuses && !e.Slows || e.Stalls != (e.After != nil) {
			t.Errorf("entry %d, %s: no effect, or a time without an end", i, e.Kind)
		}
		for _, rule := range e.Drops {
			if !rule.Known() {
				t.Errorf("entry %d, %s: rule %q", i, e.Kind, rule)
			}
			if rule == scenario.OneTerm || rule == scenario.Ends || rule == scenario.Quiet {
				t.Errorf("entry %d, %s: nothing excuses %s", i, e.Kind, rule)
			}
		}
	}
	for _, kind := range Kinds() {
		if has[kind] == (kind == DiskFull) {
			t.Errorf("%s in the list: %t", kind, has[kind])
		}
	}
}

// What a disturbance puts aside: rules, and only for the pods that it hits in the way that the entry says.
func TestDrops(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	at := second(h) // the force
	meanwhile := func(kind Kind, call string) Disturbance {
		return Disturbance{Kind: kind, Call: call, From: at.Add(-500 * time.Millisecond), To: at.Add(2 * time.Second)}
	}
	before := func(kind Kind) Disturbance {
		return Disturbance{Kind: kind, From: at.Add(-2500 * time.Millisecond), To: at.Add(-2400 * time.Millisecond)}
	}
	for _, c := range []struct {
		name    string
		d       Disturbance
		dropped map[scenario.Rule]bool
	}{
		{"kubelet killed, asked meanwhile", meanwhile(KubeletKilled, ""), map[scenario.Rule]bool{scenario.Deadline: true, scenario.Zero: true, scenario.OnlyShorter: true,
			scenario.OneTerm: false, scenario.Ends: false, scenario.Quiet: false}},
		{"watch cut, forced meanwhile", meanwhile(WatchCut, ""), map[scenario.Rule]bool{scenario.Zero: true, scenario.Deadline: true, scenario.OnlyShorter: false, scenario.Ends: false}},
		{"watch cut, forced later", before(WatchCut), map[scenario.Rule]bool{scenario.Zero: false, scenario.Deadline: false}},
		{"kubelet stopped", meanwhile(KubeletStopped, ""), map[scenario.Rule]bool{scenario.Zero: false, scenario.Deadline: false, scenario.Kept: false}},
		{"runtime restarted", meanwhile(RuntimeRestarted, ""), map[scenario.Rule]bool{scenario.Zero: true, scenario.Deadline: true, scenario.OneTerm: false, scenario.Ends: false,
			scenario.RuntimeCalls: false}},
		{"list fails", meanwhile(CallFails, "ListContainers"), map[scenario.Rule]bool{scenario.Deadline: true, scenario.Ends: false}},
		{"stop of others fails", meanwhile(CallFails, "StopContainer"), map[scenario.Rule]bool{scenario.Deadline: false, scenario.Zero: false}},
		{"disk full", meanwhile(DiskFull, ""), map[scenario.Rule]bool{scenario.Deadline: false, scenario.Zero: false, scenario.Prompt: false, scenario.NoLeftovers: false}},
	} {
		j := Judge(h, s, []Disturbance{c.d})
		for rule, want := range c.dropped {
			if _, got := j.Dropped[rule]; got != want {
				t.Errorf("%s: %s dropped: %t, want %t", c.name, rule, got, want)
			}
		}
		for rule, outcome := range outcomes(j) {
			if outcome == scenario.Broken {
				t.Errorf("%s: %s is broken: %s", c.name, rule, find(t, j, rule).Why)
			}
		}
	}
}

// A continued kubelet may make one stop call that it was about to make, if a shorter one follows at once.
func TestACallCrosses(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	asked := second(h)
	h.Events = slices.Clone(h.Events)
	for i, e := range h.Events {
		switch e.Kind {
		case history.APIDelete, history.APIDeleted, history.APIPod, history.ControlSaw:
		default:
			if e.At.After(asked) {
				h.Events[i].At = e.At.Add(3 * time.Second)
			}
		}
	}
	i := slices.IndexFunc(h.Events, func(e history.Event) bool {
		return e.Kind == history.CRICall && e.Call == "StopContainer" && e.Grace != nil && *e.Grace == 0
	})
	zero := h.Events[i]
	d := Disturbance{Kind: KubeletStopped, From: asked.Add(-500 * time.Millisecond), To: zero.At.Add(-20 * time.Millisecond)}
	old := zero
	old.Grace, old.CallID, old.At = history.Seconds(13), 99, zero.At.Add(-10*time.Millisecond)
	crossing := h
	crossing.Events = slices.Insert(slices.Clone(h.Events), i, old)
	alone := h
	alone.Events = slices.Clone(h.Events)
	alone.Events[i].Grace = old.Grace
	for _, c := range []struct {
		name string
		h    history.History
		d    Disturbance
		want scenario.Outcome
	}{
		{"crossed", crossing, d, scenario.Invalid},
		{"crossed, but nothing was stopped", crossing, Disturbance{Kind: DiskFull, From: d.From, To: d.To}, scenario.Broken},
		{"no shorter one follows", alone, d, scenario.Broken},
		{"long continued", crossing, Disturbance{Kind: KubeletStopped, From: d.From, To: d.To.Add(-2 * time.Second)}, scenario.Broken},
	} {
		j := Judge(c.h, s, []Disturbance{c.d})
		got := scenario.Invalid
		if _, dropped := j.Dropped[scenario.Zero]; !dropped {
			got = find(t, j, scenario.Zero).Outcome
		}
		if got != c.want {
			t.Errorf("%s: R4 %s, want %s; dropped: %v", c.name, got, c.want, j.Dropped)
		}
	}
}

// A disturbance that came after the pod's end, or was over before the first request, did not hit it.
func TestHit(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	first, end := asked(h)
	for name, c := range map[string]struct {
		from, to time.Time
		hit      bool
	}{
		"before":         {first.Add(-time.Minute), first.Add(-2 * time.Second), false},
		"until it began": {first.Add(-time.Minute), first, true},
		"meanwhile":      {first.Add(time.Second), first.Add(2 * time.Second), true},
		"after":          {end.Add(time.Second), end.Add(2 * time.Second), false},
	} {
		if j := Judge(h, s, []Disturbance{{Kind: KubeletStopped, From: c.from, To: c.to}}); (len(j.Disturbed) > 0) != c.hit {
			t.Errorf("%s: hit by %v, want %t", name, j.Disturbed, c.hit)
		}
	}
}

// A disturbance that goes on when the pod has ended counts until then.
func TestGoesOn(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	first, end := asked(h)
	j := Judge(h, s, []Disturbance{{Kind: APIRestarted, From: first.Add(time.Second)}})
	found := false
	for _, e := range j.History.Events {
		if e.Kind == history.ControlLate && e.Message == string(APIRestarted) {
			found = true
			if want := end.Sub(first.Add(time.Second)).Seconds(); e.Late != want {
				t.Errorf("it took %.2f s, want %.2f s", e.Late, want)
			}
		}
	}
	if !found {
		t.Error("it is not in the history that was judged")
	}
}

// A container that ended before a restart of the kubelet is not held to the deadline that counts from the restart.
func TestEndedBeforeTheRestart(t *testing.T) {
	h, s := recorded(t, "fixed", "shorten-once")
	_, end := asked(h)
	for name, c := range map[string]struct {
		from time.Time
		drop bool
	}{"killed after its container": {end.Add(-100 * time.Millisecond), true}, "killed before": {second(h).Add(4 * time.Second), false}} {
		j := Judge(h, s, []Disturbance{{Kind: KubeletKilled, From: c.from, To: c.from.Add(50 * time.Millisecond)}})
		if _, got := j.Dropped[scenario.Deadline]; got != c.drop {
			t.Errorf("%s: R1 dropped: %t, want %t", name, got, c.drop)
		}
	}
}

// A fault that struck a call of the pod itself counts, whatever the ledger says.
func TestStruck(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	if j := Judge(h, s, nil); len(j.Dropped) > 0 || len(j.Disturbed) > 0 {
		t.Errorf("dropped without a disturbance: %v", j.Dropped)
	}
	h.Events = slices.Clone(h.Events)
	for i, e := range h.Events {
		if e.Kind == history.CRICall && e.Call == "StartContainer" {
			h.Events[i].Reason = "fault: delay"
		}
	}
	if j := Judge(h, s, nil); len(j.Dropped) > 0 {
		t.Errorf("dropped for a slow start: %v", j.Dropped)
	}
	for i, e := range h.Events {
		if e.Kind == history.CRICall && e.Call == "StopContainer" {
			h.Events[i].Reason = "fault: hang"
			break
		}
	}
	j := Judge(h, s, nil)
	if _, ok := j.Dropped[scenario.Deadline]; !ok {
		t.Errorf("R1 is judged with a runtime that hangs: %v", j.Dropped)
	}
	if _, ok := j.Dropped[scenario.Ends]; ok {
		t.Error("R11 is not judged")
	}
}

// The ledger returns what still had an effect, counts the pods that were hit, and knows what is going on.
func TestLedger(t *testing.T) {
	var l Ledger
	over := l.begin(Plan{Kind: KubeletStopped})
	begin := l.All()[0].From
	if got := l.Between(begin, time.Now()); len(got) != 1 {
		t.Errorf("what goes on is not in the list: %v", got)
	}
	over(nil)
	d := l.All()[0]
	for name, c := range map[string]struct {
		from, to time.Time
		want     int
	}{
		"during":                   {d.From, d.To, 1},
		"before":                   {d.From.Add(-time.Minute), d.From.Add(-time.Second), 0},
		"while it still acts":      {d.To.Add(500 * time.Millisecond), d.To.Add(time.Minute), 1},
		"when its effect was over": {d.To.Add(1500 * time.Millisecond), d.To.Add(time.Minute), 0},
	} {
		if got := l.Between(c.from, c.to); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	l.hit([]Disturbance{d})
	if got := l.All()[0].Pods; got != 1 {
		t.Errorf("%d pods hit", got)
	}
	l.begin(Plan{Kind: DiskFull})
	if lost := l.lost(d.From.Add(-time.Second)); lost > time.Since(d.From) {
		t.Errorf("lost %v", lost)
	}
}

// A call that begins when the observation has ended, and a removal, does not keep a pod from being over; any other one that has not
// returned by then does.
func TestOver(t *testing.T) {
	h, s := recorded(t, "fixed", "force-while-terminating")
	_, end := asked(h)
	before := end.Add(-time.Millisecond)
	for _, c := range []struct {
		call string
		at   time.Time
		over bool
	}{
		{"StopContainer", end, true}, {"StopContainer", before, false}, {"RemoveContainer", before, true}, {"RemovePodSandbox", before, true},
		{"PodSandboxStatus", before, true},
	} {
		busy := h
		busy.Events = append(slices.Clone(h.Events), history.Event{At: c.at, Kind: history.CRICall, Pod: h.Pod, Container: "main", Call: c.call, CallID: 999})
		if j := Judge(busy, s, nil); j.Over != c.over {
			t.Errorf("%s %v before the end: over: %t, want %t", c.call, end.Sub(c.at), j.Over, c.over)
		}
	}
}
