// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"io"
	"net"
	"testing"
)

// echo listens and sends every connection back what it receives.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func says(conn net.Conn) error {
	if _, err := conn.Write([]byte("x")); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return err
}

func TestLinkIsCutAndJoined(t *testing.T) {
	l, err := newLink("127.0.0.1:0", echo(t))
	if err != nil {
		t.Fatal(err)
	}
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", l.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	before := dial()
	if err := says(before); err != nil {
		t.Fatalf("joined: %v", err)
	}
	l.set(true)
	if err := says(before); err == nil {
		t.Error("a connection outlived the cut")
	}
	if err := says(dial()); err == nil {
		t.Error("a new connection is carried while the link is cut")
	}
	l.set(false)
	if err := says(dial()); err != nil {
		t.Errorf("joined again: %v", err)
	}
}
