// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/unixsock"
)

// Start is the first word of the first line of a container's main process. The end of the connection that carried it is
// recorded as a Line with Reason EOF: the main process is gone, whatever the runtime reports.
const Start = "START"

// EOF is the Reason of the event for the end of a main process's connection. Its At is when the server noticed that: usually
// within a millisecond after the kernel closed the dead process's socket, later on a busy machine. The exact time of the exit
// is that of history.ContainerExit.
const EOF = "EOF"

// maxLine is the maximum length of a line in bytes.
const maxLine = 64 << 10

// Message is one line on the socket.
type Message struct {
	Pod       string    `json:"pod"`
	Container string    `json:"container"`
	Word      string    `json:"word"` // START, TERM, HOOK-START, ...; becomes Event.Reason
	At        time.Time `json:"at"`   // RFC 3339 with nanoseconds
	Message   string    `json:"message,omitempty"`
}

// Server listens for lines until it is closed.
type Server struct {
	listener *net.UnixListener
	sink     history.Sink
	trouble  func(error)

	wait  sync.WaitGroup
	mu    sync.Mutex
	ended bool
	conns map[net.Conn]struct{}
}

// Serve listens on a unix socket at path and adds every line to sink. Any user may connect: a container's process need not be
// root. A connection that sends anything but lines is closed, and trouble (may be nil) is called. The server ends with ctx or
// Close.
func Serve(ctx context.Context, path string, sink history.Sink, trouble func(error)) (*Server, error) {
	listener, err := unixsock.Listen(path, 0o666)
	if err != nil {
		return nil, fmt.Errorf("line server: %w", err)
	}
	if trouble == nil {
		trouble = func(error) {}
	}
	s := &Server{listener: listener, sink: sink, trouble: trouble, conns: map[net.Conn]struct{}{}}
	stop := context.AfterFunc(ctx, s.end)
	s.wait.Go(func() {
		defer stop()
		s.accept()
	})
	return s, nil
}

// Close stops listening, closes every connection and returns when all goroutines have ended. Lines sent before are still
// recorded.
func (s *Server) Close() error {
	s.end()
	s.wait.Wait()
	return nil
}

// end drains the open connections: it reads what is buffered and waits for nothing more.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	_ = s.listener.Close() // removes the socket file
	for conn := range s.conns {
		if unix, ok := conn.(*net.UnixConn); ok {
			_ = unix.CloseRead() // a read returns what is buffered, then EOF
		}
	}
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			s.mu.Lock()
			ended := s.ended
			s.mu.Unlock()
			if !ended {
				s.trouble(fmt.Errorf("line server: %w", err))
			}
			if ended || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		s.mu.Lock()
		if s.ended {
			s.mu.Unlock()
			_ = conn.Close()
			return
		}
		s.conns[conn] = struct{}{}
		s.wait.Go(func() { s.serve(conn) })
		s.mu.Unlock()
	}
}

func (s *Server) serve(conn net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
		_ = conn.Close()
	}()
	in := bufio.NewScanner(conn)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	var main *Message
	for in.Scan() {
		var m Message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			s.trouble(fmt.Errorf("line server: not a line: %.80q: %w", in.Bytes(), err))
			return
		}
		if m.Pod == "" || m.Word == "" || m.At.IsZero() {
			s.trouble(fmt.Errorf("line server: a line needs pod, word and at: %.200q", in.Bytes()))
			return
		}
		if m.Word == Start {
			main = &m
		}
		s.sink.Add(history.Event{Kind: history.Line, At: m.At, Pod: m.Pod, Container: m.Container, Reason: m.Word, Message: m.Message})
	}
	if err := in.Err(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) {
		s.trouble(fmt.Errorf("line server: %w", err))
	}
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if main != nil && !ended {
		s.sink.Add(history.Event{Kind: history.Line, At: time.Now(), Pod: main.Pod, Container: main.Container, Reason: EOF})
	}
}
