// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/history/stream"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/verdict"
)

// RealNode is the place at the node level: a node with its recorders.
type RealNode struct {
	*localnode.Node
	client kubernetes.Interface
	proxy  *criproxy.Proxy
	lines  *lines.Server
	beside *stream.Follower

	mu      sync.Mutex
	trouble error
}

// openNode brings the arm's node up and records from before the kubelet starts.
func (r *Run) openNode(ctx context.Context, arm verdict.Arm, record history.Sink) (Place, error) {
	return OpenRealNode(ctx, localnode.Config{
		Dir: filepath.Join(r.options.Nodes, "regress-"+string(arm)), Name: "regress-" + string(arm), Bin: r.options.Bin[arm], Log: progress{r},
	}, record)
}

// OpenRealNode brings a node up and records from before the kubelet starts. It sets the config's runtime endpoint, and ties the
// node to this process. The recording ends with ctx or Close.
func OpenRealNode(ctx context.Context, c localnode.Config, record history.Sink) (_ *RealNode, err error) {
	n := &RealNode{}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close(context.WithoutCancel(ctx)))
		}
	}()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	c.RuntimeEndpoint, c.ParentDeath = filepath.Join(c.Dir, "cri.sock"), true
	// The context of the callback ends with the start; the recording must outlive it.
	c.BeforeKubelet = func(_ context.Context, node *localnode.Node) error { return n.record(ctx, c, node, record) }
	if n.Node, err = localnode.Up(ctx, c); err != nil {
		return nil, err
	}
	if n.client, err = kubernetes.NewForConfig(n.RESTConfig()); err != nil {
		return nil, err
	}
	if n.beside, err = stream.Follow(ctx, n.BesideRecord(), record); err != nil {
		return nil, err
	}
	if err := n.StartBeside(ctx); err != nil {
		return nil, err
	}
	return n, nil
}

func (n *RealNode) record(ctx context.Context, c localnode.Config, node *localnode.Node, record history.Sink) (err error) {
	n.proxy, err = criproxy.Start(ctx, criproxy.Options{
		Listen: c.RuntimeEndpoint, Upstream: node.ContainerdSocket(), Record: record, Log: c.Log,
	})
	if err != nil {
		return err
	}
	n.lines, err = lines.Serve(ctx, filepath.Join(node.LinesDir(), linesSocket), record, func(err error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.trouble = errors.Join(n.trouble, err)
	})
	return err
}

// Client implements Place.
func (n *RealNode) Client() kubernetes.Interface { return n.client }

// Inject adds a fault to the calls between kubelet and runtime.
func (n *RealNode) Inject(fault criproxy.Fault) (func(), error) { return n.proxy.Inject(fault) }

// Recording implements Place.
func (n *RealNode) Recording() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(n.trouble, n.proxy.ExitsErr(), n.beside.Err())
}

// ExportLogs copies the logs of the node's programs, which the next run would replace, over those of an earlier run.
func (n *RealNode) ExportLogs(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(n.Logs()))
}

// Close implements Place.
func (n *RealNode) Close(ctx context.Context) error {
	var errs []error
	if n.Node != nil {
		errs = append(errs, n.Down(ctx))
	}
	if n.beside != nil {
		// Recording has already returned its error.
		_ = n.beside.Close()
	}
	if n.lines != nil {
		errs = append(errs, n.lines.Close())
	}
	if n.proxy != nil {
		errs = append(errs, n.proxy.Close())
	}
	return errors.Join(errs...)
}
