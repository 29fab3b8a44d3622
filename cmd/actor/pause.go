// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/kgrace/kgrace/internal/actor"
)

// pause is the process of a sandbox: it holds the namespaces, reaps orphans, and ends on TERM.
func pause(actor.Command, io.Writer) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	children := make(chan os.Signal, 1) // one is enough: each reap takes all
	signal.Notify(children, syscall.SIGCHLD)

	for {
		reap()
		select {
		case <-signals:
			return 0
		case <-children:
		}
	}
}

func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}
