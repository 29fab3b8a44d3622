// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// removed is a runtime whose container ends when it is asked for, and is removed at once.
type removed struct {
	internalapi.RuntimeService
	end func()
}

func (r *removed) ContainerStatus(context.Context, string, bool) (*runtimev1.ContainerStatusResponse, error) {
	r.end()
	return nil, status.Error(codes.NotFound, "no such container")
}

// TestLogOfRemoved: a container writes its last line and is removed after its reader was at the end of the log.
func TestLogOfRemoved(t *testing.T) {
	const first, last = "2026-12-01T00:00:00Z stdout F TERM signals 1\n", "2026-12-01T00:00:01Z stdout F EXIT code 0\n"
	for name, one := range map[string]struct {
		end  func(t *testing.T, path string)
		want []string
	}{
		"a last line": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(first+last), 0o600); err != nil {
				t.Error(err)
			}
		}, []string{"TERM", "EXIT"}},
		"no other line":          {func(*testing.T, string) {}, []string{"TERM"}},
		"the log is removed too": {func(_ *testing.T, path string) { _ = os.Remove(path) }, []string{"TERM"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &player{sequence: Sequence{Name: "s"}}
			p.Logs = t.TempDir()
			if err := os.Mkdir(p.logDirectory(), 0o700); err != nil {
				t.Fatal(err)
			}
			path := p.logPath("main")
			if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
				t.Fatal(err)
			}
			log, err := history.NewRecorder().Open(history.Header{Scenario: name, Level: "sim", Pod: "s"})
			if err != nil {
				t.Fatal(err)
			}
			p.Log = log
			p.Runtime = &removed{end: func() { one.end(t, path) }}
			p.read("id", "main")
			if err := p.logs.wait(); err != nil {
				t.Error(err)
			}
			var got []string
			for _, e := range log.History().Events {
				got = append(got, e.Reason)
			}
			if diff := cmp.Diff(one.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
