// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// freshness is how long to wait for a line of a process that prints five a second.
const freshness = 3 * time.Second

// life is the log of a process. Times of lines are the node's, written by its runtime; seen is this machine's.
type life struct {
	done chan struct{} // closed when the log ended

	mu      sync.Mutex
	lines   int
	mark    time.Time // of the first term or hook
	marked  string
	last    time.Time // of the last line
	seen    time.Time // when it came
	changed chan struct{}
	err     error // why the log ended before the container; nil once it ended by itself
}

// listen opens a pod's log and follows it until the container ends or ctx does.
func listen(ctx context.Context, pods typedcorev1.PodInterface, name string) (*life, error) {
	stream, err := pods.GetLogs(name, &corev1.PodLogOptions{Container: container, Follow: true, Timestamps: true}).Stream(ctx)
	if err != nil {
		return nil, err
	}
	l := &life{done: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer stream.Close()
		err := l.read(stream)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.err = err
	}()
	return l, nil
}

func (l *life) read(stream io.Reader) error {
	lines := bufio.NewScanner(stream)
	var broken error
	for lines.Scan() {
		stamp, word, _ := strings.Cut(lines.Text(), " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		switch {
		case err == nil && (word == wordAlive || word == wordTerm || word == wordHook):
			l.add(at, word)
		case err != nil && !strings.Contains(strings.ToLower(strings.ReplaceAll(lines.Text(), " ", "")), "notfound"):
			// A kubelet that can no longer follow a log, for example with too many open files, writes an error into the log and ends the
			// stream normally. "Not found" for the container is a normal end.
			broken = errors.New(oneLine(lines.Text()))
			if strings.Contains(lines.Text(), "too many open files") {
				broken = fmt.Errorf("%w; raise fs.inotify.max_user_instances on the node", broken)
			}
		}
	}
	return errors.Join(lines.Err(), broken)
}

// fresh waits for one more line.
func (l *life) fresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	n := l.count()
	if l.until(ctx, func(l *life) bool { return l.lines > n }) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return fmt.Errorf("its log broke off before the delete: %w", l.err)
	}
	return errors.New("its log ended, or stood still, before the delete")
}

func (l *life) add(at time.Time, word string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines++
	l.last, l.seen = at, time.Now()
	if word != wordAlive && l.marked == "" {
		l.mark, l.marked = at, word
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// until waits for a state of the log and reports whether it came before the log or ctx ended.
func (l *life) until(ctx context.Context, good func(*life) bool) bool {
	for {
		l.mu.Lock()
		ok, changed := good(l), l.changed
		l.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-l.done:
			l.mu.Lock()
			defer l.mu.Unlock()
			return good(l)
		case <-ctx.Done():
			return false
		}
	}
}

// heard waits until a process has printed the given number of lines.
func (l *life) heard(ctx context.Context, lines int) error {
	if l.until(ctx, func(l *life) bool { return l.lines >= lines }) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(fmt.Errorf("its log has %d lines, want %d: the image needs sh and sleep", l.lines, lines), l.err)
}

func (l *life) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}

// after waits until a line is younger than t, on the node's clock.
func (l *life) after(ctx context.Context, t time.Time) bool {
	return l.until(ctx, func(l *life) bool { return l.last.After(t) })
}
