// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/rpc"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// initProcess is the parent's end of a node's pid 1.
type initProcess struct {
	cmd  *exec.Cmd
	ctl  *rpc.Client
	done chan struct{} // closed when the process, and with it the node, has ended
}

// startInit executes this program again as pid 1 of new namespaces, where it only waits for requests.
func startInit(listener *os.File, log *os.File) (*initProcess, error) {
	if !initHooked {
		return nil, errors.New("localnode.MaybeInit was not called: it must be the first call of main (or TestMain)")
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	defer ours.Close()
	defer theirs.Close()

	cmd := &exec.Cmd{
		Path:       "/proc/self/exe",
		Args:       []string{initArg0},
		Env:        []string{},
		Stdout:     log,
		Stderr:     log,
		ExtraFiles: []*os.File{theirs, listener},
		SysProcAttr: &unix.SysProcAttr{
			Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
			// Ctrl-C at a terminal reaches only the caller, which then takes the node down in order.
			Setsid: true,
		},
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, unix.EPERM) {
			err = fmt.Errorf("%w: CAP_SYS_ADMIN is needed; run as root on the machine itself, or in a privileged container", err)
		}
		return nil, fmt.Errorf("start the node's pid 1 in namespaces of its own: %w", err)
	}
	p := &initProcess{cmd: cmd, done: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.done)
	}()
	conn, err := net.FileConn(ours)
	if err != nil {
		p.kill()
		return nil, err
	}
	p.ctl = rpc.NewClient(conn)
	return p, nil
}

// call makes one request; it returns early if ctx ends or pid 1 does.
func (p *initProcess) call(ctx context.Context, method string, args, reply any) error {
	call := p.ctl.Go(rpcName+"."+method, args, reply, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		if errors.Is(call.Error, rpc.ErrShutdown) || errors.Is(call.Error, io.ErrUnexpectedEOF) || errors.Is(call.Error, io.EOF) {
			return errInitGone
		}
		return call.Error
	case <-p.done:
		return errInitGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errInitGone = errors.New("the node's pid 1 ended")

// kill kills pid 1, a child of this process, and with it the whole node.
func (p *initProcess) kill() {
	p.cmd.Process.Kill()
	<-p.done
	if p.ctl != nil {
		p.ctl.Close()
	}
}
