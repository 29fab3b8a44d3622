// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/cri-client/pkg/logs"

	"github.com/kgrace/kgrace/internal/history"
)

// drain is how long to wait for the rest of a log: its reader looks once a second whether the container still runs.
const drain = 5 * time.Second

// readers read the logs of a sequence's containers.
type readers struct {
	mu     sync.Mutex
	errs   []error
	group  sync.WaitGroup
	cancel []context.CancelFunc
}

func (r *readers) add(read func(context.Context) error) {
	ctx, cancel := context.WithCancel(quiet(context.Background()))
	r.mu.Lock()
	r.cancel = append(r.cancel, cancel)
	r.mu.Unlock()
	r.group.Go(func() {
		if err := read(ctx); err != nil && ctx.Err() == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.errs = append(r.errs, err)
		}
	})
}

// wait returns when the readers have read all, which is soon after their containers have ended.
func (r *readers) wait() error {
	over := make(chan struct{})
	go func() {
		r.group.Wait()
		close(over)
	}()
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
		r.end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}

// end ends the readers.
func (r *readers) end() {
	r.mu.Lock()
	for _, cancel := range r.cancel {
		cancel()
	}
	r.mu.Unlock()
	r.group.Wait()
}

// logDirectory is the directory of the sandbox's logs, on the host.
func (p *player) logDirectory() string {
	if p.Logs == "" {
		return ""
	}
	return filepath.Join(p.Logs, p.sequence.Name)
}

// read adds the lines of a container's log to the history, until the container has ended.
func (p *player) read(id, name string) {
	p.logs.add(func(ctx context.Context) error {
		n, err := p.readLines(ctx, id, name, true, 0)
		if _, gone := p.Runtime.ContainerStatus(ctx, id, false); gone == nil || ctx.Err() != nil {
			return err
		}
		// A step has removed it. Its last lines may have come after the reader was at the end of the log and before it asked for
		// the container, and the log may be gone too.
		if _, err = p.readLines(ctx, id, name, false, n); p.hasLog(name) {
			return err
		}
		return nil
	})
}

func (p *player) logPath(name string) string { return filepath.Join(p.logDirectory(), name+".log") }

// hasLog is asked because ReadLogs does not wrap the error of a file that is not there.
func (p *player) hasLog(name string) bool {
	_, err := os.Stat(p.logPath(name))
	return err == nil
}

// readLines adds the lines of a container's log after the first skip ones to the history, and returns how many the log has.
func (p *player) readLines(ctx context.Context, id, name string, follow bool, skip int) (n int, err error) {
	reader, writer := io.Pipe()
	var group sync.WaitGroup
	var bad error
	group.Go(func() {
		lines := bufio.NewScanner(reader)
		for ; lines.Scan(); n++ {
			if bad == nil && n >= skip {
				bad = p.line(name, lines.Bytes())
			}
		}
		_, _ = io.Copy(io.Discard, reader)
	})
	options := &logs.LogOptions{Follow: follow, Timestamp: true}
	err = logs.ReadLogs(ctx, p.logPath(name), id, options, p.Runtime, writer, writer)
	_ = writer.Close()
	group.Wait()
	return n, errors.Join(err, bad)
}

// line adds a line of a log, which begins with its time.
func (p *player) line(container string, text []byte) error {
	stamp, rest, _ := bytes.Cut(text, []byte(" "))
	at, err := time.Parse(time.RFC3339Nano, string(stamp))
	if err != nil {
		return fmt.Errorf("log of container %s: %q does not begin with a time: %w", container, text, err)
	}
	word, message, _ := strings.Cut(string(rest), " ")
	p.Log.Add(history.Event{Kind: history.Line, At: at, Pod: p.sequence.Name, Container: container, Reason: word, Message: message})
	return nil
}
