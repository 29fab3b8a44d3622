// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

type fixture struct {
	server *Server
	path   string
	log    *history.Log

	mu       sync.Mutex
	troubles []string
	told     chan struct{}
}

func serve(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{path: filepath.Join(t.TempDir(), "l.sock"), told: make(chan struct{}, 16)}
	recorder := history.NewRecorder()
	var err error
	if f.log, err = recorder.Open(history.Header{Scenario: "s", Pod: "p"}); err != nil {
		t.Fatal(err)
	}
	f.server, err = Serve(context.Background(), f.path, recorder, func(err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.troubles = append(f.troubles, err.Error())
		f.told <- struct{}{}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.server.Close() })
	return f
}

func (f *fixture) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", f.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

const stamp = "2026-01-02T03:04:05.678901234Z"

func text(word string) string {
	return fmt.Sprintf(`{"pod":"p","container":"main","word":%q,"at":%q,"message":"m"}`+"\n", word, stamp)
}

func send(t *testing.T, conn net.Conn, s string) {
	t.Helper()
	if _, err := conn.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) wait(t *testing.T, word string) history.Event {
	t.Helper()
	e, err := f.log.Wait(t.Context(), word, func(e history.Event) bool { return e.Reason == word })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLinesBecomeEvents(t *testing.T) {
	f := serve(t)
	conn := f.dial(t)
	send(t, conn, text("START")+text("TERM"))
	e := f.wait(t, "TERM")
	at, _ := time.Parse(time.RFC3339Nano, stamp)
	if e.Kind != history.Line || !e.At.Equal(at) || e.Container != "main" || e.Message != "m" {
		t.Errorf("got %+v", e)
	}
	// A line may come in pieces.
	whole := text("LATER")
	send(t, conn, whole[:20])
	send(t, conn, whole[20:])
	f.wait(t, "LATER")
}

func TestEndOfTheMainProcessIsRecorded(t *testing.T) {
	f := serve(t)
	main, hook := f.dial(t), f.dial(t)
	send(t, hook, text("HOOK-START"))
	send(t, main, text("START")+text("TERM")) // and killed right after: the lines must still arrive
	_ = hook.Close()
	_ = main.Close()
	if e := f.wait(t, EOF); e.Container != "main" || e.At.IsZero() {
		t.Errorf("got %+v", e)
	}
	f.wait(t, "HOOK-START")
	var order []string
	for _, e := range f.log.History().Events {
		if e.Reason != "HOOK-START" {
			order = append(order, e.Reason)
		}
	}
	if got := strings.Join(order, " "); got != "START TERM EOF" {
		t.Errorf("recorded %s, expected the main process's lines, then its end, and no end of the hook", got)
	}
}

func TestGarbageIsTold(t *testing.T) {
	for name, bad := range map[string]string{
		"not JSON":  "hello\n",
		"no pod":    `{"word":"X","at":"` + stamp + `"}` + "\n",
		"no time":   `{"pod":"p","word":"X"}` + "\n",
		"too long":  strings.Repeat("x", maxLine+1),
		"cut short": text("HALF")[:15],
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t)
			conn := f.dial(t)
			// The server may disconnect while the rest is still being written.
			_, _ = conn.Write([]byte(bad))
			_ = conn.Close()
			<-f.told
			// It still serves others.
			send(t, f.dial(t), text("FINE"))
			f.wait(t, "FINE")
		})
	}
}

func TestCloseDrains(t *testing.T) {
	f := serve(t)
	conn := f.dial(t)
	send(t, conn, text("START"))
	f.wait(t, "START")
	const n = 100
	for range n {
		send(t, conn, text("TERM"))
	}
	_ = f.server.Close()
	got := 0
	for _, e := range f.log.History().Events {
		switch e.Reason {
		case "TERM":
			got++
		case EOF:
			t.Error("closing the server was recorded as the end of a process")
		}
	}
	if got != n {
		t.Errorf("%d of %d lines sent before Close were recorded", got, n)
	}
	if _, err := net.Dial("unix", f.path); err == nil {
		t.Error("the server still listens")
	}
}

func TestServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Serve(ctx, filepath.Join(t.TempDir(), "l.sock"), history.NewRecorder(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.wait.Wait()
}
