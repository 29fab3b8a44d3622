// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/podspec"
)

// Between a request and its stop call are the API server, the watch, and the kubelet's sync loop, which among other things lists all
// containers every two seconds. None of this is the fix's. What the fix decides begins when the loop reads the request. The kubelet
// logs that at -v=2 (pkg/kubelet/kubelet.go, syncLoopIteration), in klog's format, which has no year and no zone.
var loopRead = regexp.MustCompile(`^I(\d{4} \d\d:\d\d:\d\d\.\d{6}) .*"SyncLoop (DELETE|REMOVE)" source="api" pods=(.*)$`)

// podNames matches the pods of such a line: namespace/name, before Kubernetes 1.27 name_namespace(UID).
var podNames = regexp.MustCompile(podspec.Namespace + `/([a-z0-9-]+)|([a-z0-9-]+)_` + podspec.Namespace + `\(`)

// readLoop returns when the sync loop read changes of pods' deletions, of a log that a kubelet of this machine wrote since from.
func readLoop(log io.Reader, from time.Time) (all []history.Event, err error) {
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return all, nil // a line without an end is still being written
		}
		if err != nil {
			return nil, err
		}
		m := loopRead.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		at, err := time.ParseInLocation("0102 15:04:05.000000", m[1], time.Local)
		if err != nil {
			return nil, err
		}
		at = at.AddDate(from.In(time.Local).Year(), 0, 0)
		if at.Before(from.Add(-24 * time.Hour)) {
			at = at.AddDate(1, 0, 0) // it is a new year
		}
		if at.Before(from) {
			continue
		}
		for _, pod := range podNames.FindAllStringSubmatch(m[3], -1) {
			all = append(all, history.Event{Kind: history.KubeletRead, At: at, Pod: pod[1] + pod[2], Reason: m[2]})
		}
	}
}

// readLoop adds to a wave what the kubelet's sync loop read since its first request.
func (w *wave) readLoop(from time.Time) error {
	log, err := os.Open(filepath.Join(w.Logs(), localnode.ProgramKubelet+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	all, err := readLoop(log, from)
	for _, e := range all {
		w.node.recorder.Add(e)
	}
	return err
}
