// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// initArg0 is argv[0] of the node's pid 1, by which MaybeInit and readers of ps recognize it.
	initArg0 = "kgrace-node-init"

	// Descriptors that pid 1 inherits from the parent.
	controlFD  = 3
	listenerFD = 4
)

// initHooked records that this program calls MaybeInit: executing one that does not would run the program a second time.
var initHooked bool

// MaybeInit must be the first call of main, and of TestMain in a test package that starts nodes. In a process that was
// executed as the pid 1 of a node it never returns; everywhere else it does nothing.
func MaybeInit() {
	initHooked = true
	if filepath.Base(os.Args[0]) != initArg0 || os.Getpid() != 1 {
		return
	}
	if err := runInit(); err != nil {
		fmt.Fprintln(os.Stderr, initArg0+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runInit serves the parent's requests until the parent is gone or, once detached, until a SIGTERM.
//
// The connection shows that the parent is alive: the kernel closes its end when the parent dies, even by SIGKILL.
// PR_SET_PDEATHSIG would not work: it fires when the thread that forked ends, which in a Go program may happen at any time.
func runInit() error {
	os.Clearenv()
	file := os.NewFile(controlFD, "control")
	conn, err := net.FileConn(file)
	if err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	file.Close()
	unix.CloseOnExec(listenerFD)

	s := newSupervisor()
	server := rpc.NewServer()
	if err := server.RegisterName(rpcName, s); err != nil {
		return err
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, unix.SIGTERM, unix.SIGINT)
	signal.Ignore(unix.SIGHUP, unix.SIGPIPE)
	// ServeConn itself returns only when every request is answered, and one of them waits for a program to end.
	gone := make(chan struct{})
	go server.ServeConn(&watchedConn{Conn: conn, gone: sync.OnceFunc(func() { close(gone) })})
	for {
		select {
		case <-term:
			return nil
		case <-gone:
			if !s.detached.Load() {
				return errors.New("the program that started this node has ended, and so has the node")
			}
			gone = nil
		}
	}
}

// watchedConn calls gone when a read fails: the other end is closed.
type watchedConn struct {
	net.Conn
	gone func()
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.gone()
	}
	return n, err
}
