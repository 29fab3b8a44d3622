// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"net"
	"sync"
)

// link forwards TCP connections from one address of the node to another until it is cut.
type link struct {
	addr net.Addr // where it listens

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// newLink listens at from and forwards connections to the address to, until the process ends.
func newLink(from, to string) (*link, error) {
	listener, err := net.Listen("tcp", from)
	if err != nil {
		return nil, err
	}
	l := &link{addr: listener.Addr(), conns: map[net.Conn]bool{}}
	go func() {
		for {
			outer, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(outer, to)
		}
	}()
	return l, nil
}

// carry forwards one connection. While the link is cut it closes the connection at once, as if nothing listened on the
// host.
func (l *link) carry(outer net.Conn, to string) {
	defer l.drop(outer)
	if !l.keep(outer) {
		return
	}
	inner, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer l.drop(inner)
	if !l.keep(inner) {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { pipe(inner, outer) })
	wg.Go(func() { pipe(outer, inner) })
	wg.Wait()
}

func (l *link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cut {
		l.conns[conn] = true
	}
	return !l.cut
}

func (l *link) drop(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
	conn.Close()
}

// set cuts the link and closes all its connections, or joins it again.
func (l *link) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	if cut {
		for conn := range l.conns {
			conn.Close()
		}
	}
}

// Link cuts the kubelet off from the API server, or reconnects it.
func (s *supervisor) Link(cut bool, _ *None) error {
	if s.link == nil {
		return errors.New("the kubelet's link to the API server is not open yet")
	}
	s.link.set(cut)
	return nil
}
