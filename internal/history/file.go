// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// format is the version of the file format; the first line contains it.
const format = 1

// maxLine is the maximum length of a line in bytes; a longer one is corrupt.
const maxLine = 4 << 20

// firstLine is the content of the first line.
type firstLine struct {
	Format int `json:"history"`
	Header
	// Events is the number of lines that follow, which detects a file cut at the end of a line. Files written by hand may omit
	// it.
	Events *int `json:"events,omitempty"`
}

// CorruptError reports where a file is not a valid history.
type CorruptError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s:%d: not a history: %v", e.File, e.Line, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// write writes the history as JSON lines: the header, then one event per line.
func write(w io.Writer, h History) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	n := len(h.Events)
	if err := enc.Encode(firstLine{Format: format, Header: h.Header, Events: &n}); err != nil {
		return err
	}
	for i, e := range h.Events {
		e.Seq = i + 1
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	return out.Flush()
}

// WriteFile writes the history to path and creates its directory if needed. A reader sees the old file or the complete new one,
// never a part.
func WriteFile(path string, h History) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
			err = fmt.Errorf("write history %s: %w", path, err)
		}
	}()
	if err := write(tmp, h); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// ReadFile reads a history. If the file is incomplete or malformed, the error is a *CorruptError with the file and the line.
func ReadFile(path string) (History, error) {
	f, err := os.Open(path)
	if err != nil {
		return History{}, fmt.Errorf("read history: %w", err)
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a history; name is the file name for errors. See ReadFile.
func Read(r io.Reader, name string) (History, error) {
	in := bufio.NewReader(r)
	var h History
	var first firstLine
	line := 0
	corrupt := func(why string, args ...any) (History, error) {
		return History{}, &CorruptError{File: name, Line: line, Err: fmt.Errorf(why, args...)}
	}
	for {
		line++
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return corrupt("%w", err)
		}
		if line == 1 {
			if err := strictly(text, &first); err != nil {
				return corrupt("header: %w", err)
			}
			if first.Format != format {
				return corrupt(`header: "history": %d; this program reads format %d`, first.Format, format)
			}
			h.Header = first.Header
			if len(h.Versions) == 0 {
				h.Versions = nil // as it is written
			}
			continue
		}
		var e Event
		if err := strictly(text, &e); err != nil {
			return corrupt("event: %w", err)
		}
		if e.Seq != line-1 {
			return corrupt("event has seq %d, expected %d: lines are missing or out of order", e.Seq, line-1)
		}
		if !known[e.Kind] {
			return corrupt("event has unknown kind %q", e.Kind)
		}
		if e.At.IsZero() {
			return corrupt("event has no time")
		}
		h.Events = append(h.Events, e)
	}
	if line == 1 {
		return corrupt("the file is empty")
	}
	if first.Events != nil && *first.Events != len(h.Events) {
		line--
		return corrupt("the header expects %d events, the file has %d: it was cut short", *first.Events, len(h.Events))
	}
	return h, nil
}

// readLine returns the next line without its newline, or io.EOF if there is none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(text, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
			if len(text) > maxLine {
				return nil, fmt.Errorf("the line is longer than %d bytes", maxLine)
			}
		case errors.Is(err, io.EOF) && len(text) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, errors.New("the last line has no newline: the file was cut short while it was written")
		default:
			return nil, err
		}
	}
}

// strictly decodes exactly one JSON object.
func strictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("the line is empty")
		}
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data follows the JSON object")
	}
	return nil
}
