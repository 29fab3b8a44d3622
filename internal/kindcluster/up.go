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

package kindcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/history/stream"
	"github.com/kgrace/kgrace/internal/localnode"
)

// Up makes a cluster and returns when both nodes are Ready and the worker has the actor's image. The recording begins before
// its kubelet starts and ends with ctx or Close. Failed or interrupted, it leaves nothing.
func Up(ctx context.Context, config Config) (_ *Cluster, err error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	c := &Cluster{config: config, lost: make(chan struct{})}
	c.provider = newProvider(&c.config)
	defer func() {
		if err != nil {
			if c.made && config.Logs != "" {
				c.config.logf("the nodes' logs go to %s", config.Logs)
				err = errors.Join(err, c.ExportLogs(config.Logs))
			}
			err = errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		}
	}()
	if c.lock, err = take(config.Name); err != nil {
		return nil, err
	}
	if err := sweep(config.Name); err != nil {
		return nil, err
	}
	if c.layout, err = newLayout(config.Name); err != nil {
		return nil, err
	}
	if err := c.clear(); err != nil {
		return nil, err
	}
	if err := c.record(ctx); err != nil {
		return nil, err
	}
	begin := time.Now()
	starting, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not within %v", startTimeout))
	defer cancel()
	if err := c.create(starting); err != nil {
		return nil, err
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	c.watchNodes(ctx)
	if err := c.ready(starting); err != nil {
		return nil, fmt.Errorf("cluster %s: nodes are not Ready: %w", config.Name, err)
	}
	took := time.Since(begin)
	if err := c.load(); err != nil {
		return nil, err
	}
	c.config.logf("both nodes Ready in %.1f s (%s)", took.Seconds(), config.Image)
	return c, nil
}

func newProvider(config *Config) *cluster.Provider {
	return cluster.NewProvider(cluster.ProviderWithDocker(), cluster.ProviderWithLogger(logger{config}))
}

// clear deletes what an earlier run left under the name, which this one alone may use now.
func (c *Cluster) clear() error {
	left, err := c.provider.ListNodes(c.config.Name)
	if err != nil {
		return fmt.Errorf("ask the Docker engine for nodes: %w", err)
	}
	if len(left) == 0 {
		return nil
	}
	c.config.logf("an earlier run was killed and left it; deleting it first")
	return c.provider.Delete(c.config.Name, c.layout.kubeconfig())
}

func (c *Cluster) record(ctx context.Context) (err error) {
	c.calls, err = stream.Follow(ctx, filepath.Join(c.layout.record(), recordFile), c.config.Record)
	if err != nil {
		return err
	}
	c.beside, err = stream.Follow(ctx, filepath.Join(c.layout.record(), besideFile), c.config.Record)
	if err != nil {
		return err
	}
	c.lines, err = lines.Serve(ctx, filepath.Join(c.layout.lines(), c.config.LinesSocket), c.config.Record, func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.trouble = errors.Join(c.trouble, err)
	})
	return err
}

// create has kind make the cluster. kind does not listen to a context: when that ends, the nodes are deleted under its hands.
func (c *Cluster) create(ctx context.Context) error {
	config := clusterConfig(c.config, c.layout)
	c.config.logf("creating it")
	c.made = true
	done := make(chan error, 1)
	go func() {
		done <- c.provider.Create(c.config.Name, cluster.CreateWithV1Alpha4Config(config),
			cluster.CreateWithKubeconfigPath(c.layout.kubeconfig()), cluster.CreateWithRetain(true))
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		// Close deletes again, whatever was still being made.
		_ = c.provider.Delete(c.config.Name, c.layout.kubeconfig())
		<-done
		return fmt.Errorf("cluster %s: interrupted while it was created: %w", c.config.Name, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("cluster %s: %w%s", c.config.Name, err, said(err))
	}
	return nil
}

func (c *Cluster) connect() error {
	all, err := c.provider.ListNodes(c.config.Name)
	if err != nil {
		return err
	}
	for _, n := range all {
		switch role, err := n.Role(); {
		case err != nil:
			return err
		case role == "worker":
			c.worker = n
		default:
			c.control = n
		}
	}
	if c.worker == nil || c.control == nil {
		return fmt.Errorf("cluster %s has %v, expected a control plane and a worker", c.config.Name, all)
	}
	text, err := c.provider.KubeConfig(c.config.Name, false)
	if err != nil {
		return err
	}
	if c.rest, err = clientcmd.RESTConfigFromKubeConfig([]byte(text)); err != nil {
		return err
	}
	c.rest.QPS, c.rest.UserAgent = -1, "kgrace"
	c.client, err = kubernetes.NewForConfig(c.rest)
	return err
}

// load gives the worker the image of the scenarios' containers.
func (c *Cluster) load() error {
	if err := localnode.WriteImages(c.layout.images(), c.config.Actor); err != nil {
		return err
	}
	archive, err := os.Open(c.layout.images())
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := nodeutils.LoadImageArchive(c.worker, archive); err != nil {
		return fmt.Errorf("load the containers' image: %w%s", err, said(err))
	}
	return nil
}
