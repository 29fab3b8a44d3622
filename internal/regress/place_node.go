/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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

// realNode is the place at the node level.
type realNode struct {
	*localnode.Node
	client kubernetes.Interface
	proxy  *criproxy.Proxy
	lines  *lines.Server
	beside *stream.Follower

	mu      sync.Mutex
	trouble error
}

// openNode brings the arm's node up and records from before the kubelet starts.
func (r *Run) openNode(ctx context.Context, arm verdict.Arm, record history.Sink) (_ Place, err error) {
	n := &realNode{}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close(context.WithoutCancel(ctx)))
		}
	}()
	dir := filepath.Join(r.options.Nodes, "regress-"+string(arm))
	endpoint := filepath.Join(dir, "cri.sock")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	n.Node, err = localnode.Up(ctx, localnode.Config{
		Dir: dir, Name: "regress-" + string(arm), Bin: r.options.Bin[arm],
		RuntimeEndpoint: endpoint, ParentDeath: true, Log: progress{r},
		// This context ends with the start; the recording must outlive it.
		BeforeKubelet: func(_ context.Context, node *localnode.Node) error { return n.record(ctx, r, node, endpoint, record) },
	})
	if err != nil {
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

func (n *realNode) record(ctx context.Context, r *Run, node *localnode.Node, endpoint string, record history.Sink) (err error) {
	n.proxy, err = criproxy.Start(ctx, criproxy.Options{
		Listen: endpoint, Upstream: node.ContainerdSocket(), Record: record, Log: progress{r},
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

func (n *realNode) Client() kubernetes.Interface { return n.client }

func (n *realNode) Inject(fault criproxy.Fault) (func(), error) { return n.proxy.Inject(fault) }

func (n *realNode) Recording() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(n.trouble, n.proxy.ExitsErr(), n.beside.Err())
}

// ExportLogs copies the logs of the node's programs, which the next run would replace, over those of an earlier run.
func (n *realNode) ExportLogs(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(n.Logs()))
}

func (n *realNode) Close(ctx context.Context) error {
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
