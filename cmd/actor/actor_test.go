// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
)

// asActor makes the test binary run as actor, so that tests use real processes and signals.
const asActor = "KGRACE_TEST_AS_ACTOR"

func TestMain(m *testing.M) {
	if os.Getenv(asActor) != "" {
		os.Exit(dispatch(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

// stage is a line server and its history.
type stage struct {
	t      *testing.T
	socket string
	server *lines.Server
	log    *history.Log
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, socket: filepath.Join(t.TempDir(), "l.sock")}
	recorder := history.NewRecorder()
	var err error
	if s.log, err = recorder.Open(history.Header{Scenario: "s", Pod: "p"}); err != nil {
		t.Fatal(err)
	}
	s.server, err = lines.Serve(context.Background(), s.socket, recorder, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

// start runs the program with the stage's identity.
func (s *stage) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	s.t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asActor+"=1", "KGRACE_POD=p", "KGRACE_CONTAINER=c", "KGRACE_SOCKET="+s.socket)
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, errs
}

func (s *stage) wait(word, message string) history.Event {
	s.t.Helper()
	e, err := s.log.Wait(s.t.Context(), word, func(e history.Event) bool {
		return e.Reason == word && (message == "" || e.Message == message)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

func (s *stage) words() string {
	var words []string
	for _, e := range s.log.History().Events {
		words = append(words, e.Reason)
	}
	return strings.Join(words, " ")
}

func (s *stage) signal(cmd *exec.Cmd, sig os.Signal) {
	s.t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func TestRunEndsOnTerm(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("run", "--exit-code", "3")
	s.wait("START", "")
	s.signal(cmd, syscall.SIGTERM)
	if code := exitCode(t, cmd); code != 3 {
		t.Errorf("exit code %d", code)
	}
	s.wait("EOF", "")
	if got := s.words(); got != "START TERM EXIT EOF" {
		t.Errorf("lines %s", got)
	}
	if e := s.wait("EXIT", ""); e.Message != "code 3, on TERM, signals 1" || e.Pod != "p" || e.Container != "c" {
		t.Errorf("got %+v", e)
	}
}

func TestStubbornCountsAndStays(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("run", "--stubborn")
	s.wait("START", "")
	for _, n := range []string{"1", "2", "3"} {
		s.signal(cmd, syscall.SIGTERM)
		s.wait("TERM", n)
	}
	// Other signals are reported and ignored, not counted.
	s.signal(cmd, syscall.SIGHUP)
	s.wait("HUP", "ignored")
	s.signal(cmd, syscall.SIGKILL)
	_ = cmd.Wait()
	s.wait("EOF", "")
	if got := s.words(); got != "START TERM TERM TERM HUP EOF" {
		t.Errorf("lines %s", got)
	}
}

func TestRunEndsAfterTerm(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("run", "--exit-after-term", "300ms")
	s.wait("START", "")
	s.signal(cmd, syscall.SIGTERM)
	term := s.wait("TERM", "1")
	s.signal(cmd, syscall.SIGTERM) // counted, changes nothing
	s.wait("TERM", "2")
	if code := exitCode(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if e := s.wait("EXIT", ""); e.At.Sub(term.At).Milliseconds() < 300 {
		t.Errorf("ended %s after TERM, before its time", e.At.Sub(term.At))
	}
}

func TestRunEndsByItself(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("run", "--exit-after", "1ms", "--exit-code", "7")
	if code := exitCode(t, cmd); code != 7 {
		t.Errorf("exit code %d", code)
	}
	s.wait("EXIT", "code 7, by itself, signals 0")
}

func TestRunEndsAtAHooksWord(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("run", "--stubborn")
	s.wait("START", "")
	s.signal(cmd, endSignal)
	if code := exitCode(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.wait("EXIT", "code 0, at a hook's word, signals 0")
}

func TestHookOfAnotherWord(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("hook", "--for", "1ms", "--word", "POSTSTART", "--exit-code", "1")
	if code := exitCode(t, cmd); code != 1 {
		t.Errorf("exit code %d", code)
	}
	s.wait("POSTSTART-END", "")
}

func TestHook(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("hook", "--for", "1ms")
	if code := exitCode(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.wait("HOOK-END", "")

	// A killed hook reports nothing more, but earlier lines arrive.
	s = newStage(t)
	cmd, _ = s.start("hook", "--for", "forever")
	s.wait("HOOK-START", "for forever")
	s.signal(cmd, syscall.SIGKILL)
	_ = cmd.Wait()
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.words(); got != "HOOK-START" {
		t.Errorf("lines %s", got)
	}
}

func TestMark(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("mark", "--word", "PROBE", "--message", "x")
	if code := exitCode(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.wait("PROBE", "x")
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	cmd, errs := s.start("mark")
	if code := exitCode(t, cmd); code != exitFailed || !strings.Contains(errs.String(), "could not report") {
		t.Errorf("with no server: exit code %d, %s", code, errs)
	}
}

func TestNoServerKeepsNothingFromEnding(t *testing.T) {
	s := newStage(t)
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	cmd, errs := s.start("run", "--exit-after", "1ms")
	if code := exitCode(t, cmd); code != 0 || !strings.Contains(errs.String(), "START") {
		t.Errorf("exit code %d, standard error %q; expected 0 and the lines that could not be sent", code, errs)
	}
}

// The worst server accepts connections and never reads: the socket's buffer fills up.
func TestServerThatNeverReadsIsGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	r := &reporter{pod: "p", container: "c", socket: path, errs: io.Discard}
	// Longer than any buffer on the way: without a deadline the write would never return.
	if err := r.report("WORD", strings.Repeat("x", 16<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, expected the end of patience", err)
	}
}

func TestReporterConnectsAgain(t *testing.T) {
	s := newStage(t)
	r := &reporter{pod: "p", container: "c", socket: s.socket, errs: io.Discard}
	if err := r.report("ONE", ""); err != nil {
		t.Fatal(err)
	}
	_ = r.conn.Close()
	if err := r.report("TWO", ""); err != nil {
		t.Fatal(err)
	}
	s.wait("TWO", "")
}

func TestHTTPNeverAnswers(t *testing.T) {
	s := newStage(t)
	r := &reporter{pod: "p", container: "c", socket: s.socket, errs: io.Discard}
	url := startSilence(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() { failed <- get(ctx, url+"/stop") }()
	s.wait("HTTP-START", "GET /stop")
	select {
	case err := <-failed:
		t.Fatalf("the request ended: %v", err)
	default:
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.wait("HTTP-GONE", "GET /stop")
}

func TestPauseReapsAndEnds(t *testing.T) {
	s := newStage(t)
	cmd, _ := s.start("pause")
	// A TERM before the handler is installed kills the process (-1). Process 1 of a namespace would ignore it.
	s.signal(cmd, syscall.SIGTERM)
	if code := exitCode(t, cmd); code != 0 && code != -1 {
		t.Errorf("exit code %d", code)
	}
}

func TestBadUsage(t *testing.T) {
	t.Setenv("KGRACE_POD", "")
	good := []string{"--pod", "p", "--container", "c", "--socket", "/s"}
	for _, tt := range []struct {
		args []string
		why  string
	}{
		{nil, "no command"},
		{[]string{"walk"}, `unknown command "walk"`},
		{[]string{"run"}, "missing"},
		{append([]string{"run", "--stubborn", "--exit-after-term", "1s"}, good...), "exclude"},
		{append([]string{"run", "--http-port", "70000"}, good...), "70000"},
		{append([]string{"run", "--exit-code", "256"}, good...), "256"},
		{append([]string{"run", "--nonsense"}, good...), "nonsense"},
		{append([]string{"hook", "--for", "ever"}, good...), `"ever"`},
		{append([]string{"hook", "--for", "-1s"}, good...), `"-1s"`},
		{append([]string{"mark", "--word", ""}, good...), "--word"},
		{append(append([]string{"mark"}, good...), "rest"), `"rest"`},
		{[]string{"pause", "now"}, `"now"`},
	} {
		errs := &bytes.Buffer{}
		if code := dispatch(tt.args, errs); code != actor.ExitUsage || !strings.Contains(errs.String(), tt.why) {
			t.Errorf("actor %v: exit code %d, %q; expected %d and a word on %s", tt.args, code, errs, actor.ExitUsage, tt.why)
		}
	}
}
