// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// moments groups the events of a history by time.
func moments(h history.History, until time.Time) (all []moment) {
	w := wording{pod: h.Pod, alive: map[string]bool{}, asked: map[int64]string{}}
	events := h.ByTime()
	for len(events) > 0 && (until.IsZero() || events[0].At.Before(until)) {
		n := 1
		for n < len(events) && events[n].At.Equal(events[0].At) {
			n++
		}
		all = append(all, moment{at: events[0].At, words: w.moment(events[:n])})
		events = events[n:]
	}
	return all
}

// wording converts events to texts that are equal in two runs.
type wording struct {
	pod string
	// alive are the live containers, without those that exit at the current time.
	alive map[string]bool
	// asked are the running calls, by number.
	asked map[int64]string
}

func (w *wording) moment(events []history.Event) (words []string) {
	for _, e := range events {
		if e.Kind == history.ContainerExit {
			delete(w.alive, w.name(e))
		}
	}
	// Keep only the last status of each pod in each phase of its deletion.
	written := map[string]string{}
	for _, e := range events {
		one := w.of(e)
		if e.Kind == history.APIPod && e.Reason == "MODIFIED" {
			written[w.object(e)] = one
			continue
		}
		words = append(words, one)
	}
	for _, e := range events {
		switch {
		case e.Kind == history.Line && e.Reason == "START":
			w.alive[w.name(e)] = true
		case e.Kind == history.ContainerExit:
			delete(w.alive, w.name(e))
		}
	}
	words = slices.AppendSeq(words, maps.Values(written))
	slices.Sort(words)
	return words
}

func (w *wording) of(e history.Event) string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	add := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + value)
		}
	}
	add("", e.Call)
	b.WriteString(w.object(e))
	add("", e.Container)
	add("id ", short(e.ContainerID))
	if e.ExitCode != nil {
		add("code ", strconv.Itoa(int(*e.ExitCode)))
	}
	add("", e.Reason)
	add("error ", e.Error)
	add("", message(e))
	if e.Count > 1 && e.Reason != failedKillPod { // the kubelet counts each order of its errors separately
		add("times ", strconv.Itoa(int(e.Count)))
	}
	add("status ", anonymous(e.Status))
	switch e.Kind {
	case history.CRICall:
		if e.Call == "StopContainer" || e.Call == "StopPodSandbox" {
			add("while there live ", w.living(w.name(e)))
		}
		w.asked[e.CallID] = b.String()
	case history.CRIReturn:
		// The call distinguishes a return from others at the same time.
		add("to ", strings.TrimPrefix(w.asked[e.CallID], string(history.CRICall)+" "))
	}
	return b.String()
}

const failedKillPod = "FailedKillPod"

// message returns an event's message without the parts that differ between runs.
func message(e history.Event) string {
	switch {
	case e.Error == "Canceled", e.Error == "DeadlineExceeded":
		// The text depends on whether client or server noticed first.
		return ""
	case e.Reason == failedKillPod:
		// The containers are killed concurrently, so their errors have no order.
		begin, list, found := strings.Cut(strings.TrimSuffix(e.Message, "]"), ": [")
		if found {
			all := strings.Split(list, ", failed to ")
			all[0] = strings.TrimPrefix(all[0], "failed to ")
			slices.Sort(all)
			return anonymous(begin + ": failed to " + strings.Join(all, ", failed to "))
		}
	}
	return anonymous(e.Message)
}

// object describes an event's pod and the state of its deletion.
func (w *wording) object(e history.Event) (words string) {
	if e.Pod != w.pod {
		words += " pod " + e.Pod
	}
	if e.Grace != nil {
		words += " grace " + strconv.FormatInt(*e.Grace, 10)
	}
	if e.Deletion != nil {
		words += " deletion " + e.Deletion.Format(time.RFC3339)
	}
	return words
}

// name returns a container name that is unique in the scenario.
func (w *wording) name(e history.Event) string {
	if e.Pod == w.pod {
		return e.Container
	}
	return e.Pod + "/" + e.Container
}

// short returns a prefix of an id that is long enough to be unique.
func short(id string) string { return id[:min(len(id), 8)] }

// living lists the live containers except the one that a call is about.
func (w *wording) living(but string) string {
	var names []string
	for name := range w.alive {
		if name != but {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "[" + strings.Join(names, " ") + "]"
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func anonymous(text string) string {
	if strings.Count(text, "-") < 4 {
		return text
	}
	return uid.ReplaceAllString(text, "UID")
}
