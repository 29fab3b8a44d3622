// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// Node is a node that is up, or was up when Attach found it.
type Node struct {
	dir   string
	state *state

	init *initProcess // this and the following fields are zero in an attached Node

	dialect      dialect
	kubeletFlags []string
	kubeletDisk  int64

	lostOnce sync.Once
	lost     chan struct{}
	err      error
	down     atomic.Bool // Down has begun; programs end on purpose from now on
}

// Attach returns the node of a directory, running or crashed, from the state file that Up left there. If there is no such
// file, the error satisfies IsNoNode.
func Attach(dir string) (*Node, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s, err := readState(dir)
	if err != nil {
		return nil, err
	}
	return newNode(dir, s), nil
}

// IsNoNode reports whether err means that a directory holds no node.
func IsNoNode(err error) bool { return errors.Is(err, errNoNode) }

func newNode(dir string, s *state) *Node {
	return &Node{dir: dir, state: s, lost: make(chan struct{})}
}

// NodeName returns the node's name in the API.
func (n *Node) NodeName() string { return n.state.Name }

// Owner returns the pid of the process that the node ends with (Config.ParentDeath), or 0 if there is none or it is gone.
func (n *Node) Owner() int {
	s := n.state
	if s.OwnerPID == 0 || !s.alive() {
		return 0
	}
	if start, err := startTime(s.OwnerPID); err != nil || start != s.OwnerStart {
		return 0
	}
	return s.OwnerPID
}

// Dir returns the node's directory.
func (n *Node) Dir() string { return n.dir }

// Logs returns the directory of the programs' logs; Down keeps it.
func (n *Node) Logs() string { return filepath.Join(n.dir, "logs") }

// RunDir returns the short directory that holds the node's sockets. Its path is the same on the host and inside the node.
func (n *Node) RunDir() string { return n.state.RunDir }

// LinesDir returns the directory that scenario pods mount by hostPath.
func (n *Node) LinesDir() string { return filepath.Join(n.state.RunDir, "lines") }

// ManifestsDir returns the kubelet's directory for the manifests of static pods.
func (n *Node) ManifestsDir() string { return n.paths().manifests() }

// ContainerdSocket returns the path of containerd's own socket, which the host can connect to.
func (n *Node) ContainerdSocket() string { return containerdSocket(n.state.RunDir) }

// RuntimeEndpoint returns the path of the socket that the kubelet uses.
func (n *Node) RuntimeEndpoint() string { return n.state.RuntimeEndpoint }

// APIServer returns the URL of the API server on the host.
func (n *Node) APIServer() string { return n.state.APIServer }

// Kubeconfig returns the path of an administrator's kubeconfig that works from the host.
func (n *Node) Kubeconfig() string { return filepath.Join(n.dir, "admin.kubeconfig") }

// RESTConfig returns an administrator's client configuration without client-side rate limits: a harness that sends twenty
// deletes at once must not throttle itself.
func (n *Node) RESTConfig() *rest.Config {
	return &rest.Config{
		Host:      n.state.APIServer,
		QPS:       -1,
		UserAgent: "kgrace",
		TLSClientConfig: rest.TLSClientConfig{
			CAFile:   n.paths().cert(certCA),
			CertFile: n.paths().cert(certAdmin),
			KeyFile:  n.paths().key(certAdmin),
		},
	}
}

func (n *Node) paths() paths { return paths{dir: n.dir, runDir: n.state.RunDir} }

// Lost returns a channel that is closed when the node, or one of its programs, ends without Down; Err then returns the
// reason. It works only for the process that called Up; an attached Node has Status.
func (n *Node) Lost() <-chan struct{} { return n.lost }

// Err returns nil until Lost is closed.
func (n *Node) Err() error {
	select {
	case <-n.lost:
		return n.err
	default:
		return nil
	}
}

func (n *Node) setLost(err error) {
	n.lostOnce.Do(func() {
		n.err = err
		close(n.lost)
	})
}
