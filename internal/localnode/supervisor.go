// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

const rpcName = "Node"

// supervisor is the pid 1 of a node: its exported methods are the net/rpc service. The parent decides the order of the
// calls.
type supervisor struct {
	detached atomic.Bool
	runDir   string
	cgroup   string // the node's
	cgroups  []hierarchy
	// link is the kubelet's connection to the API server.
	link *link

	// mu is held from before a fork until the child is in the table, and while children are reaped, so that no exit is handled
	// before its process is known.
	mu       sync.Mutex
	children map[int]*Component
	table    []*Component
	exits    chan Component
}

// None is the argument or reply of a method that has none.
type None struct{}

// Program is a program to start inside the node.
type Program struct {
	Name string
	Argv []string // Argv[0] is an absolute path
	Env  []string
	Log  string // file that output is appended to
}

// Component is one program of the node, as pid 1 sees it.
type Component struct {
	Name string `json:"name"`
	// PID is the host's pid in a Status, the pid inside the node in the node's own record.
	PID     int       `json:"pid"`
	Running bool      `json:"running"`
	Exit    string    `json:"exit,omitempty"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	Log     string    `json:"log"`

	once  bool // runs once; not a part of the node
	meant bool // ended on request
	code  int
	done  chan struct{}
}

func newSupervisor() *supervisor {
	s := &supervisor{children: map[int]*Component{}, exits: make(chan Component, 64)}
	chld := make(chan os.Signal, 1)
	signal.Notify(chld, unix.SIGCHLD)
	go func() {
		for range chld {
			s.reap()
		}
	}()
	return s
}

// reap collects every child that has ended: programs, and the orphans that pid 1 inherits (containerd's shims).
func (s *supervisor) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		c := s.children[pid]
		if c == nil {
			continue
		}
		delete(s.children, pid)
		c.Running, c.Ended, c.Exit, c.code = false, time.Now(), describe(status), status.ExitStatus()
		close(c.done)
		if !c.once {
			s.save()
		}
		if !c.once && !c.meant {
			s.exits <- *c
		}
	}
}

func describe(status unix.WaitStatus) string {
	if status.Signaled() {
		return "ended by signal " + unix.SignalName(status.Signal())
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

// save writes the table for Status; mu is held.
func (s *supervisor) save() {
	data, err := json.Marshal(s.table)
	if err == nil {
		err = renameio.WriteFile(paths{runDir: s.runDir}.components(), data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "component table:", err)
	}
}

func (s *supervisor) start(p Program, once bool) (*Component, error) {
	log, err := os.OpenFile(p.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	proc, err := os.StartProcess(p.Argv[0], p.Argv, &os.ProcAttr{Dir: "/", Env: p.Env, Files: []*os.File{null, log, log}})
	if err != nil {
		return nil, err
	}
	c := &Component{Name: p.Name, PID: proc.Pid, Running: true, Started: time.Now(), Log: p.Log, once: once, done: make(chan struct{})}
	s.children[proc.Pid] = c
	if !once {
		// A restarted program replaces the entry of the one that was ended.
		s.table = slices.DeleteFunc(s.table, func(old *Component) bool { return old.Name == c.Name && old.meant })
		s.table = append(s.table, c)
		s.save()
	}
	// A program that has ended already is reaped once mu is free.
	if err := enterCgroups(s.cgroups, filepath.Join(s.cgroup, leaf(p.Name)), proc.Pid); err != nil && !errors.Is(err, unix.ESRCH) {
		return nil, fmt.Errorf("enter its cgroup: %w", err)
	}
	return c, proc.Release() // reap waits for it
}

// Start starts a program of the node.
func (s *supervisor) Start(p Program, _ *None) error {
	_, err := s.start(p, false)
	return err
}

// Run runs a program to its end; an exit status other than 0 is an error.
func (s *supervisor) Run(p Program, _ *None) error {
	c, err := s.start(p, true)
	if err != nil {
		return err
	}
	<-c.done
	if c.code != 0 {
		return errors.New(c.Exit)
	}
	return nil
}

// NextExit returns when a program of the node ends.
func (s *supervisor) NextExit(_ None, c *Component) error {
	*c = <-s.exits
	return nil
}

// probeInterval is the pause between two checks of a condition that offers no event to wait for.
const probeInterval = 20 * time.Millisecond

// WaitHTTP returns when a GET of url inside the node returns 200. It has no timeout of its own: the parent bounds it.
func (s *supervisor) WaitHTTP(url string, _ *None) error {
	client := http.Client{Timeout: time.Second}
	for {
		if response, err := client.Get(url); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(probeInterval)
	}
}

// Detach lets the node outlive its parent.
func (s *supervisor) Detach(None, *None) error {
	s.detached.Store(true)
	return nil
}
