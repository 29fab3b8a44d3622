// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"encoding/json"
	"errors"
	"os"
	"sync"

	"github.com/kgrace/kgrace/internal/history"
)

// line is one line of the file. Exactly one of its fields is set.
type line struct {
	// Begun is the pid of a writer that starts here.
	Begun int            `json:"begun,omitempty"`
	Event *history.Event `json:"event,omitempty"`
	// Trouble is the reason why the recording is incomplete from here on.
	Trouble string `json:"trouble,omitempty"`
}

// Writer appends lines to a file. It is a history.Sink; each Add is one write. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	file *os.File
	err  error
}

var _ history.Sink = (*Writer)(nil)

// Append opens a file for appending, creates it if needed, and records the start of the writer.
func Append(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: file}
	if err := w.put(line{Begun: os.Getpid()}); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// Add implements history.Sink. Err returns its errors.
func (w *Writer) Add(e history.Event) { _ = w.put(line{Event: &e}) }

// Trouble records why the recording is incomplete.
func (w *Writer) Trouble(why error) error { return w.put(line{Trouble: why.Error()}) }

// Err returns the errors of all writes; nil if there were none.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close closes the file and returns the errors of all writes and of the close.
func (w *Writer) Close() error {
	err := w.file.Close()
	return errors.Join(w.Err(), err)
}

func (w *Writer) put(l line) error {
	text, err := json.Marshal(l)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		// One write per line, so that lines of concurrent appenders do not mix.
		_, err = w.file.Write(append(text, '\n'))
		w.err = errors.Join(w.err, err)
	}
	return err
}
