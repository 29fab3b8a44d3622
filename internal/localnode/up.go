// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// undoTimeout bounds the cleanup after a start that failed or was interrupted; the cleanup continues when ctx has ended.
const undoTimeout = 30 * time.Second

// Up starts a node and returns when it is Ready and its namespace `default` exists. On failure it undoes everything and
// returns an error with the program that failed and the last lines of its log. It first removes what a crashed node left in
// c.Dir; it refuses if a node there is running.
func Up(ctx context.Context, c Config) (*Node, error) {
	begin := time.Now()
	if err := c.complete(); err != nil {
		return nil, err
	}
	if c.Bin == nil {
		c.Bin = map[string]string{} // all missing
	}
	if err := check(ctx, &c); err != nil {
		return nil, err
	}
	told, err := readDialect(ctx, c.Bin)
	if err != nil {
		return nil, &CheckError{Problems: []error{err}}
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := lock(c.Dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	switch old, err := Attach(c.Dir); {
	case IsNoNode(err):
	case err != nil:
		return nil, err
	case old.state.alive():
		return nil, fmt.Errorf("node %s is up in %s (pid 1 is %d on this machine): take it down first", old.state.Name, c.Dir, old.state.InitPID)
	default:
		c.logf("removing the leftovers of a crashed node")
		if err := old.remove(ctx); err != nil {
			return nil, err
		}
	}

	n, err := newState(&c)
	if err != nil {
		return nil, err
	}
	n.dialect, n.kubeletDisk = told, c.KubeletDisk
	err = n.start(ctx, &c)
	if err == nil {
		c.logf("Ready after %.1f s", time.Since(begin).Seconds())
		return n, nil
	}
	undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return nil, errors.Join(err, n.remove(undo))
}

// newState chooses unused names and records them before anything has them.
func newState(c *Config) (*Node, error) {
	boot, err := bootID()
	if err != nil {
		return nil, err
	}
	random := make([]byte, 3)
	rand.Read(random)
	id := hex.EncodeToString(random)
	s := &state{
		Version: stateVersion, Name: c.Name, Created: time.Now().UTC(),
		RunDir: runDirPrefix + id, Cgroup: cgroupPrefix + c.Name + "-" + id,
		BootID: boot, RuntimeEndpoint: c.RuntimeEndpoint, Kubelet: c.Bin[ProgramKubelet],
	}
	if c.ParentDeath {
		s.OwnerPID = os.Getpid()
		if s.OwnerStart, err = startTime(s.OwnerPID); err != nil {
			return nil, err
		}
	}
	if s.RuntimeEndpoint == "" {
		s.RuntimeEndpoint = containerdSocket(s.RunDir)
	}
	return newNode(c.Dir, s), s.write(c.Dir)
}

func (n *Node) start(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not within %s", startTimeout))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	if err := n.startNamespaces(ctx, c); err != nil {
		return n.explain(ctx, err)
	}
	go n.watchExits(fail)

	snapshotter := "overlayfs"
	if err := n.init.call(ctx, "ProbeOverlay", overlayDir, &None{}); err != nil {
		c.logf("no overlay file system in %s (%v): containerd will copy instead", n.dir, err)
		snapshotter = "native"
	}
	var err error
	if n.kubeletFlags, err = writeConfigs(n.paths(), n.dialect, n.state.Cgroup, n.state.RuntimeEndpoint, snapshotter, c.MaxPods); err != nil {
		return err
	}

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return n.startControlPlane(groupCtx, c) })
	group.Go(func() error { return n.startRuntime(groupCtx, c, snapshotter) })
	if err := group.Wait(); err != nil {
		return n.explain(ctx, err)
	}
	if c.BeforeKubelet != nil {
		if err := c.BeforeKubelet(ctx, n); err != nil {
			return n.explain(ctx, fmt.Errorf("before the kubelet's start: %w", err))
		}
	}
	if err := n.startKubelet(ctx, c); err != nil {
		return n.explain(ctx, err)
	}
	if !c.ParentDeath {
		if err := n.init.call(ctx, "Detach", None{}, &None{}); err != nil {
			return n.explain(ctx, err)
		}
	}
	n.state.Ready = true
	return n.state.write(n.dir)
}

// startNamespaces writes the node's files, creates its cgroups and starts its pid 1.
func (n *Node) startNamespaces(ctx context.Context, c *Config) error {
	// The kernel chooses the port. pid 1 inherits the socket, so it stays open as long as the node lives.
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	n.state.APIServer = "https://" + listener.Addr().String()
	if err := n.state.write(n.dir); err != nil {
		return err
	}
	if err := n.writeFiles(c); err != nil {
		return err
	}
	all, err := hierarchies()
	if err != nil {
		return err
	}
	if err := createCgroups(all, n.state.Cgroup); err != nil {
		return fmt.Errorf("create the node's cgroups: %w", err)
	}

	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer socket.Close()
	log, err := os.Create(n.paths().log("init"))
	if err != nil {
		return err
	}
	defer log.Close()
	if n.init, err = startInit(socket, log); err != nil {
		return err
	}
	// A crash before this write is harmless: pid 1 ends with this process until it is detached.
	n.state.InitPID = n.init.cmd.Process.Pid
	if n.state.InitStart, err = startTime(n.state.InitPID); err != nil {
		return err
	}
	if err := n.state.write(n.dir); err != nil {
		return err
	}
	if err := enterCgroups(all, filepath.Join(n.state.Cgroup, leafRemote), n.state.InitPID); err != nil {
		return fmt.Errorf("enter the node's cgroups: %w", err)
	}
	setup := Setup{Hostname: c.Name, RunDir: n.state.RunDir, Cgroup: n.state.Cgroup, Data: n.paths().binds(), Sysctl: n.paths().data("sysctl"),
		Memory: map[string]int64{kubeletDir: c.KubeletDisk}}
	visible := []string{n.state.RunDir, n.dir, filepath.Dir(n.state.RuntimeEndpoint)}
	for _, path := range c.Bin {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		visible = append(visible, filepath.Dir(path))
	}
	for _, dir := range visible {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return fmt.Errorf("directory that the node must see: %w", err)
		}
		if !slices.Contains(setup.Keep, dir) {
			setup.Keep = append(setup.Keep, dir)
		}
	}
	if err := n.init.call(ctx, "Setup", setup, &None{}); err != nil {
		return fmt.Errorf("prepare the node's namespaces: %w", err)
	}
	return nil
}

// writeFiles writes every file that the programs read.
func (n *Node) writeFiles(c *Config) error {
	p := n.paths()
	if err := os.Mkdir(p.runDir, 0o700); err != nil {
		return err
	}
	if err := p.makeDirs(); err != nil {
		return err
	}
	// One directory with the names under which the programs look for each other.
	for name, path := range c.Bin {
		if err := os.Symlink(path, p.bin(name)); err != nil {
			return err
		}
	}
	if err := writePKI(p, c.Name, time.Now()); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	if err := writeTokens(p, c.Token); err != nil {
		return err
	}
	if err := writeKubeconfig(p, p.kubeconfig(), certAdmin, n.state.APIServer, c.Name); err != nil {
		return err
	}
	if err := writeKubeconfig(p, p.etc("kubelet.kubeconfig"), certNode, "https://"+kubeletLinkAddr, c.Name); err != nil {
		return err
	}
	return WriteImages(p.data("images.tar"), c.Bin[ProgramActor])
}

// watchExits reports the first program that ends, or the end of pid 1, to a start that is under way and to Lost.
func (n *Node) watchExits(fail context.CancelCauseFunc) {
	for {
		var c Component
		err := n.init.call(context.Background(), "NextExit", None{}, &c)
		if n.down.Load() {
			return
		}
		if err != nil {
			<-n.init.done // the connection ends a moment before the process does
		} else {
			err = &ProgramError{Program: c.Name, Err: errors.New(c.Exit), Log: c.Log}
		}
		fail(err)
		n.setLost(err)
		if c.Name == "" {
			return
		}
	}
}
