// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/actor"
)

// patience is the timeout of connecting and of writing. The server is on the same machine and only reads; a slower one is gone,
// and the process must not wait for it to end.
const patience = 200 * time.Millisecond

// reporter sends lines. Safe for concurrent use.
type reporter struct {
	pod, container, socket string
	errs                   io.Writer

	mu   sync.Mutex
	conn net.Conn
}

func newReporter(c actor.Command, errs io.Writer) *reporter {
	return &reporter{pod: c.Pod, container: c.Container, socket: c.Socket, errs: errs}
}

// line is the JSON form of a line on the socket; the line server has the same type.
type line struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Word      string `json:"word"`
	At        string `json:"at"`
	Message   string `json:"message,omitempty"`
}

// report sends one line, stamped now, and returns when the kernel has it or when it cannot be sent. It reconnects once. Lines
// that cannot be sent go to standard error, which the runtime keeps as the container's log.
func (r *reporter) report(word, message string) error {
	text, err := json.Marshal(line{
		Pod: r.pod, Container: r.container, Word: word, Message: message,
		At: time.Now().Format(time.RFC3339Nano),
	})
	if err != nil {
		return err
	}
	text = append(text, '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 2 {
		if err = r.send(text); err == nil {
			return nil
		}
	}
	fmt.Fprintf(r.errs, "actor: could not report: %v: %s", err, text)
	return err
}

func (r *reporter) send(text []byte) error {
	if r.conn == nil {
		conn, err := net.DialTimeout("unix", r.socket, patience)
		if err != nil {
			return err
		}
		r.conn = conn
	}
	err := r.conn.SetWriteDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = r.conn.Write(text)
	}
	if err != nil {
		_ = r.conn.Close()
		r.conn = nil
	}
	return err
}
