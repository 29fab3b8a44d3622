// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Goals of the fixed arm.
const (
	// promptly is the time, in seconds, from a force to the first stop call with no grace.
	promptly = 0.5
	// window is the stop window of R5, in seconds; rounding a stop's timeout up is within it.
	window = 2.0
	// grain is the resolution for comparing timestamps of different programs.
	grain = 0.05
	// atRest is how much of stock's figures the fixed kubelet may have while nobody is hurried.
	atRest = 1.05
	// perContainer is how many goroutines the stop calls of a container may take while a shorter one is out: one each.
	perContainer = 2
	// perKill is how many the kill of a pod may take, which outlives the attempt that began it.
	perKill = 1
	// passing is how many goroutines may be on their way in or out when a profile is taken; fewer than one a pod.
	passing = 5
)

// LastRatio returns how many times as long as the last pod of the runtime alone a pod of the fixed arm may take to die.
func LastRatio(pods int) float64 {
	if pods <= 110 {
		return 1.3
	}
	return 1.5
}

// leftAllowed returns the goroutines that a kubelet may have when all pods are gone: what it had before the first one, some for
// connections and informers that it opened since, and less than one for four containers.
func leftAllowed(empty, pods int) int { return empty + opened + pods/4 }

// opened is how many goroutines a stock kubelet keeps after its first pods.
const opened = 30

// Check is one goal, judged.
type Check struct {
	Pods    int             `json:"pods"`
	Part    string          `json:"part,omitempty"`
	Column  Column          `json:"column"`
	Goal    string          `json:"goal"`
	Found   string          `json:"found"`
	Verdict verdict.Verdict `json:"verdict"`
}

// Judge judges the goals of a run.
func Judge(r Results) []Check {
	var all []Check
	for _, w := range r.Waves {
		alone, ok := r.Wave(w.Pods, Alone, w.Part)
		j := judging{wave: w, add: func(goal, found string, v verdict.Verdict) {
			all = append(all, Check{w.Pods, w.Part, w.Column, goal, found, v})
		}}
		if !j.ended() || w.Column == Alone {
			continue
		}
		j.oneTerm()
		j.acts()
		if ok && len(alone.alive()) == 0 {
			j.alone = &alone
		}
		if stock, ok := r.Wave(w.Pods, Stock, w.Part); ok && len(stock.alive()) == 0 {
			j.stock = &stock
		}
		if w.Part == Shorten {
			j.notEarly()
			j.inWindow()
			continue
		}
		j.first()
		j.last()
		j.sinceRead()
	}
	for _, pods := range r.Pods {
		all = append(all, r.judgeFigures(pods)...)
	}
	return all
}

// Wave returns a wave of a run.
func (r Results) Wave(pods int, column Column, part string) (Wave, bool) {
	i := slices.IndexFunc(r.Waves, func(w Wave) bool { return w.Pods == pods && w.Column == column && w.Part == part })
	if i < 0 {
		return Wave{}, false
	}
	return r.Waves[i], true
}

type judging struct {
	wave  Wave
	alone *Wave
	stock *Wave
	add   func(goal, found string, v verdict.Verdict)
}

// kept is the verdict on something that both arms are to hold.
func kept(good bool) verdict.Verdict {
	if good {
		return verdict.Kept
	}
	return verdict.Regressed
}

// repaired is the verdict on something that stock breaks.
func (j judging) repaired(good bool) verdict.Verdict {
	switch {
	case j.wave.Column == Stock && good:
		return verdict.NotReproduced
	case j.wave.Column == Stock:
		return verdict.Reproduced
	case good:
		return verdict.Repaired
	}
	return verdict.StillBroken
}

// ended: every pod ends.
func (j judging) ended() bool {
	alive := j.wave.alive()
	var failed []string
	for _, l := range j.wave.Lives {
		if l.Failed != "" {
			failed = append(failed, l.Pod+": "+l.Failed)
		}
	}
	switch {
	case len(failed) > 0:
		j.add("every request is answered", strings.Join(failed, "; "), verdict.Invalid)
		return false
	case len(alive) == 0:
		j.add("every pod ends", fmt.Sprintf("all %d", j.wave.Pods), verdict.Kept)
		return true
	case j.wave.Column == Alone:
		j.add("every pod ends", fmt.Sprintf("%d still lived", len(alive)), verdict.Invalid)
		return false
	}
	j.add("every pod ends", fmt.Sprintf("%d still lived: %s", len(alive), strings.Join(alive, ", ")), verdict.Regressed)
	return false
}

func (j judging) oneTerm() {
	most := 0
	for _, l := range j.wave.Lives {
		most = max(most, l.Terms)
	}
	j.add("at most one TERM each", fmt.Sprintf("at most %d", most), kept(most <= 1))
}

// acts judges the kubelet by what it has read: each request has its stop call promptly. The kill of a running pod is not judged: it
// waits until the pod cache is newer than the pod's last sync, and the runtime is slow to list so many containers, on stock as well.
// That the loop itself is not held up is measured by kgrace bench: it is what UpdatePod costs.
func (j judging) acts() {
	if j.wave.Part == ForceRunning {
		return
	}
	goal := fmt.Sprintf("every stop call asked for within %.1f s of the sync loop's reading its request", promptly)
	last, ok := j.wave.LastRead()
	if !ok {
		j.add(goal, unread, verdict.Invalid)
		return
	}
	a := j.wave.Acted
	if a.After == nil {
		j.add(goal, a.Pod+": none", j.repaired(false))
		return
	}
	found := fmt.Sprintf("the slowest, %s, after %.2f s; the last request was read at %.2f s", a.Pod, *a.After, last)
	j.inTime(goal, found, *a.After-promptly, a.Lost)
}

// unread is found where requests are missing in the kubelet's log.
const unread = "the kubelet's log does not tell when it read each request"

// first judges when the kubelet first asked the runtime to kill. On stock it judges the first death: its first stop call has a
// grace period.
func (j judging) first() {
	goal := fmt.Sprintf("first kill asked for within %.1f s of its force", promptly)
	dead, _ := j.wave.First()
	if j.wave.Column == Stock {
		j.add(goal, fmt.Sprintf("first dead after %.2f s", dead), j.repaired(dead <= promptly))
		return
	}
	a := j.wave.Asked
	if a == nil {
		j.add(goal, fmt.Sprintf("never; first dead after %.2f s", dead), j.repaired(false))
		return
	}
	found := fmt.Sprintf("after %.2f s, timeout %d; first dead after %.2f s", a.After, a.Timeout, dead)
	saw := 0.0
	if a.Saw != nil {
		saw = *a.Saw
		found += fmt.Sprintf("; a control beside the kubelet saw the force after %.2f s", saw)
	}
	switch {
	case a.Timeout != 0:
		j.add(goal, found, j.repaired(false))
	case a.After <= promptly:
		j.add(goal, found, j.repaired(true))
	case a.After-max(a.Lost, saw) <= promptly:
		j.add(goal, found+fmt.Sprintf("; the machine was late for %.2f s", max(a.Lost, saw)), verdict.Invalid)
	default:
		j.add(goal, found, j.repaired(false))
	}
}

// last judges when the last pod was dead. Where the runtime alone needs little, the kubelet has the time that it has for the first
// pod. A sync loop that read the last request late leaves open what the fix did; sinceRead judges that.
func (j judging) last() {
	if j.wave.Column == Stock && j.wave.Part == ForceRunning {
		return // stock adds its two seconds, which is much or little of what the runtime needs
	}
	limit := LastRatio(j.wave.Pods)
	goal := fmt.Sprintf("last dead at most %.1f × the runtime alone, or %.1f s more", limit, promptly)
	if j.alone == nil {
		j.add(goal, unmeasured, verdict.Invalid)
		return
	}
	last, _ := j.wave.Last()
	measure, _ := j.alone.Last()
	found := fmt.Sprintf("%.2f s; the runtime alone %.2f s: %.2f ×", last, measure, last/measure)
	if last > limit*measure && last <= measure+promptly {
		found += fmt.Sprintf(", but only %.2f s more", last-measure)
	}
	late := last - max(limit*measure, measure+promptly)
	if read, ok := j.wave.LastRead(); ok && late > j.wave.Lost && late <= read && j.wave.Column == Fixed {
		j.add(goal, found+fmt.Sprintf("; the sync loop read the last request at %.2f s", read), verdict.Invalid)
		return
	}
	j.inTime(goal, found, late, j.wave.Lost)
}

// unmeasured is found where no run of the runtime alone ended all pods.
const unmeasured = "there is no measure of the runtime alone"

// sinceRead judges how long the slowest pod took from when the sync loop had read its request until it was dead; the program that
// ends the pods of the runtime alone reads all requests at once. The kill of a running pod waits for the pod cache, so it is held
// against stock's where that takes longer.
func (j judging) sinceRead() {
	if j.wave.Column == Stock && j.wave.Part == ForceRunning {
		return
	}
	limit := LastRatio(j.wave.Pods)
	goal := fmt.Sprintf("dead at most %.1f × the runtime alone, or %.1f s more, after its request was read", limit, promptly)
	if j.alone == nil {
		j.add(goal, unmeasured, verdict.Invalid)
		return
	}
	if _, ok := j.wave.LastRead(); !ok {
		j.add(goal, unread, verdict.Invalid)
		return
	}
	measure, _ := j.alone.Last()
	by := "the runtime alone"
	if j.wave.Part == ForceRunning && j.stock != nil && j.stock.Died != nil && *j.stock.Died.After-stocksLeast > measure {
		measure, by = *j.stock.Died.After-stocksLeast, fmt.Sprintf("stock, less its %d s,", stocksLeast)
	}
	slowest, took := j.wave.Died, *j.wave.Died.After
	found := fmt.Sprintf("the slowest, %s, after %.2f s; %s %.2f s: %.2f ×", slowest.Pod, took, by, measure, took/measure)
	if took > limit*measure && took <= measure+promptly {
		found += fmt.Sprintf(", but only %.2f s more", took-measure)
	}
	j.inTime(goal, found, took-max(limit*measure, measure+promptly), slowest.Lost)
}

// inTime judges how many seconds late a pod was; a machine that was late for as long could be the reason.
func (j judging) inTime(goal, found string, late, lost float64) {
	if late > 0 && late <= lost && j.wave.Column != Stock {
		j.add(goal, found+fmt.Sprintf("; the machine was late for %.2f s", lost), verdict.Invalid)
		return
	}
	j.add(goal, found, j.repaired(late <= 0))
}
