// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"io"
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// loopbackUp brings the loopback device up and adds the node's address to it. No other device is needed: every pod uses the
// node's network.
func loopbackUp(ip string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	up, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	up.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, up); err != nil {
		return err
	}
	address, err := unix.NewIfreq("lo:node")
	if err != nil {
		return err
	}
	if err := address.SetInet4Addr(net.ParseIP(ip).To4()); err != nil {
		return err
	}
	return unix.IoctlIfreq(fd, unix.SIOCSIFADDR, address)
}

// forward forwards each connection of listener to addr inside the node.
func forward(listener net.Listener, addr string) {
	for {
		outer, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer outer.Close()
			inner, err := net.Dial("tcp", addr)
			if err != nil {
				return
			}
			defer inner.Close()
			var wg sync.WaitGroup
			wg.Go(func() { pipe(inner, outer) })
			wg.Go(func() { pipe(outer, inner) })
			wg.Wait()
		}()
	}
}

// pipe copies until EOF and passes the EOF on.
func pipe(to, from net.Conn) {
	io.Copy(to, from)
	to.(*net.TCPConn).CloseWrite()
}
