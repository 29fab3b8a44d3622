// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/history/stream"
)

// Cluster is a cluster that is up.
type Cluster struct {
	config Config
	layout layout
	lock   *flock.Flock
	*Plain
	made bool

	control, worker nodes.Node
	rest            *rest.Config
	client          kubernetes.Interface
	calls, beside   *stream.Follower
	lines           *lines.Server

	unwatch  context.CancelFunc // stops watching the nodes' containers
	watching sync.WaitGroup
	lostOnce sync.Once
	lost     chan struct{}

	mu      sync.Mutex
	err     error // why it is lost
	trouble error // of the line server
}

// Client returns an administrator's client.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// RESTConfig returns an administrator's client configuration without client-side rate limits.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.rest) }

// NodeName returns the worker's name.
func (c *Cluster) NodeName() string { return c.worker.String() }

// LinesDir returns the worker's path of the directory for the lines of containers.
func (c *Cluster) LinesDir() string { return inLines }

// ManifestsDir returns this machine's path of the directory for the worker's static pods.
func (c *Cluster) ManifestsDir() string { return c.layout.manifests() }

// Recording returns an error if the recording is incomplete.
func (c *Cluster) Recording() error {
	c.mu.Lock()
	trouble := c.trouble
	c.mu.Unlock()
	return errors.Join(trouble, c.calls.Err(), c.beside.Err())
}

// Lost returns a channel that is closed when a node's container ends by itself; Err then returns the reason.
func (c *Cluster) Lost() <-chan struct{} { return c.lost }

// Err returns nil until Lost is closed.
func (c *Cluster) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Cluster) setLost(err error) {
	c.lostOnce.Do(func() {
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
		close(c.lost)
	})
}

// ExportLogs writes the nodes' logs and the worker's runtime calls into a directory.
func (c *Cluster) ExportLogs(dir string) error {
	if err := c.Export(dir); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(c.layout.record(), recordFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recordFile), data, 0o644)
}
