// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kgrace/kgrace/internal/history"
)

// taken collects events and signals each one.
type taken struct {
	mu   sync.Mutex
	all  []history.Event
	more chan struct{}
}

func (t *taken) Add(e history.Event) {
	t.mu.Lock()
	t.all = append(t.all, e)
	t.mu.Unlock()
	t.more <- struct{}{}
}

func newTaken() *taken { return &taken{more: make(chan struct{}, 100)} }

func begin(t *testing.T, path string) *Writer {
	t.Helper()
	w, err := Append(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEventsComeAcross(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cri.jsonl")
	sink := newTaken()
	f, err := Follow(t.Context(), path, sink)
	if err != nil {
		t.Fatal(err)
	}
	w := begin(t, path)
	for _, pod := range []string{"one", "two"} {
		w.Add(history.Event{Kind: history.CRICall, Pod: pod, Grace: history.Seconds(0)})
		<-sink.more
	}
	w.Add(history.Event{Kind: history.CRICall, Pod: "last"}) // nobody waits for it
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if len(sink.all) != 3 || sink.all[1].Pod != "two" || sink.all[1].Grace == nil || *sink.all[1].Grace != 0 {
		t.Errorf("%+v", sink.all)
	}
}

func TestALineInPiecesIsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cri.jsonl")
	if err := os.WriteFile(path, []byte(`{"event":{"kind":"cri.call",`), 0o600); err != nil {
		t.Fatal(err)
	}
	sink := newTaken()
	f, err := Follow(t.Context(), path, sink)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("\"pod\":\"p\"}}\n"); err != nil {
		t.Fatal(err)
	}
	<-sink.more
	if err := errors.Join(file.Close(), f.Close()); err != nil || sink.all[0].Pod != "p" {
		t.Errorf("%+v, %v", sink.all, err)
	}
}

// Each of these makes the recording incomplete, so that it decides no scenario.
func TestHolesAreTold(t *testing.T) {
	for want, write := range map[string]func(t *testing.T, path string){
		"no container events": func(t *testing.T, path string) {
			w := begin(t, path)
			if err := errors.Join(w.Trouble(errors.New("no container events")), w.Close()); err != nil {
				t.Error(err)
			}
		},
		"was restarted": func(t *testing.T, path string) {
			for range 2 {
				if err := begin(t, path).Close(); err != nil {
					t.Error(err)
				}
			}
		},
		":1: not a line of events": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("what?\n"), 0o600); err != nil {
				t.Error(err)
			}
		},
	} {
		path := filepath.Join(t.TempDir(), "cri.jsonl")
		write(t, path)
		f, err := Follow(t.Context(), path, newTaken())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Follow(ctx, filepath.Join(t.TempDir(), "none"), newTaken())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-f.done
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Follow(t.Context(), filepath.Join(t.TempDir(), "no", "directory"), newTaken()); err == nil {
		t.Error("a missing directory was followed")
	}
}

func TestWriteErrorsAreKept(t *testing.T) {
	w := begin(t, filepath.Join(t.TempDir(), "cri.jsonl"))
	if err := w.file.Close(); err != nil {
		t.Fatal(err)
	}
	w.Add(history.Event{})
	if w.Err() == nil {
		t.Error("a failed write of an event was not reported")
	}
}
