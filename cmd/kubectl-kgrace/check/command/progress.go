// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// progress prints lines as they come; on a terminal only the last one.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	shown    bool
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if file, ok := out.(*os.File); ok {
		info, err := file.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// Write takes one line.
func (p *progress) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSpace(string(line))
	format := "check: %s\n"
	if p.terminal {
		format = "\r\033[Kcheck: %s"
	}
	p.shown = true
	if _, err := fmt.Fprintf(p.out, format, text); err != nil {
		return 0, err
	}
	return len(line), nil
}

// end clears the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal && p.shown {
		fmt.Fprint(p.out, "\r\033[K")
	}
	p.shown = false
}
