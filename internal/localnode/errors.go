// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ProgramError reports a program of the node that failed, with the end of its log.
type ProgramError struct {
	Program string
	Err     error
	Log     string // path
}

func (e *ProgramError) Error() string {
	message := fmt.Sprintf("%s: %v", e.Program, e.Err)
	if e.Log == "" {
		return message
	}
	if tail := lastLines(e.Log, 12); tail != "" {
		return message + "\nlast lines of " + e.Log + ":\n" + tail
	}
	return message + " (log: " + e.Log + ")"
}

func (e *ProgramError) Unwrap() error { return e.Err }

func (n *Node) failed(program, what string, err error) error {
	return &ProgramError{Program: program, Err: fmt.Errorf("%s: %w", what, err), Log: n.paths().log(program)}
}

// explain returns the cause rather than the effect: when one program ends, the waits for the others are cut short.
func (n *Node) explain(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var ended *ProgramError
	if errors.As(cause, &ended) {
		return ended
	}
	if errors.Is(cause, errInitGone) {
		return &ProgramError{Program: "pid 1 of the node", Err: cause, Log: n.paths().log("init")}
	}
	if errors.Is(cause, context.Canceled) {
		return fmt.Errorf("interrupted while the node was starting: %w", cause)
	}
	return err
}

// lastLines returns the end of a file, indented, with long lines cut.
func lastLines(path string, count int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, end-64<<10), io.SeekStart)
	}
	data, _ := io.ReadAll(f)
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	lines = lines[max(0, len(lines)-count):]
	for i, line := range lines {
		if len(line) > 300 {
			line = line[:300] + "..."
		}
		lines[i] = "    " + line
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \n")
}
