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

package judge

import (
	"strings"

	"github.com/kgrace/kgrace/internal/history"
)

// quietRule judges R10 as far as events show it: no FailedKillPod, and one Killing event for each container; of pods deleted
// before they ran, no container that failed for a cancelled context.
func quietRule(f *facts) Finding {
	if f.scenario.Bursts() {
		return f.quietBurst()
	}
	for _, e := range f.kubelet {
		if e.Reason == "FailedKillPod" {
			return broken(e.At, "a FailedKillPod event at %s: %s", f.when(e.At), e.Message)
		}
	}
	for _, c := range f.containers {
		var killing []history.Event
		count := int32(0)
		for _, e := range f.kubelet {
			if e.Reason == "Killing" && about(e, c.Name) {
				killing = append(killing, e)
				count = max(count, e.Count)
			}
		}
		switch {
		case len(killing) == 0:
			return invalid("no Killing event of container %s was recorded", c.Name)
		case len(killing) > 1:
			return broken(killing[1].At, "%d Killing events of container %s, the second at %s",
				len(killing), c.Name, f.when(killing[1].At))
		case count > 1:
			return broken(killing[0].At, "a Killing event of container %s with count %d", c.Name, count)
		}
		if c.exit == nil {
			return invalid("the observation ended with container %s alive, so another event could still come", c.Name)
		}
	}
	return held("no FailedKillPod, one Killing event for each container")
}

// about says that an event names the container: by its field, or else as a word of its message.
func about(e history.Event, name string) bool {
	if e.Container != "" {
		return e.Container == name
	}
	for word := range strings.FieldsSeq(e.Message) {
		if strings.Trim(word, `.,:;"'`) == name {
			return true
		}
	}
	return false
}

// quietBurst: neither an event of the kubelet nor a container's status in the API tells of a cancelled context. A runtime that
// is asked to make and unmake many containers at once may fail in ways of its own, which are told and are nobody's fault here.
func (f *facts) quietBurst() Finding {
	seen := 0
	for _, e := range f.events {
		switch e.Kind {
		case history.APIContainer, history.KubeletEvent:
			seen++
			if strings.Contains(e.Message, "context canceled") {
				return broken(e.At, "at %s pod %s tells of a cancelled context: %s", f.when(e.At), e.Pod, e.Message)
			}
		}
	}
	if seen == 0 {
		return invalid("neither an event nor a container's status of these pods was seen")
	}
	return held("%d events and statuses, none tells of a cancelled context", seen)
}
