// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/history/stream"
	"github.com/kgrace/kgrace/internal/localnode"
)

// Up creates a cluster and returns when both nodes are Ready and the worker has the actor's image. The recording begins
// before its kubelet starts and ends with ctx or Close. If Up fails or is interrupted, nothing is left.
func Up(ctx context.Context, config Config) (_ *Cluster, err error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	c := &Cluster{config: config, lost: make(chan struct{})}
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
	c.Plain = newPlain(config.Name, c.layout.kubeconfig(), c.config.Log)
	if err := c.clear(); err != nil {
		return nil, err
	}
	if err := c.record(ctx); err != nil {
		return nil, err
	}
	begin := time.Now()
	starting, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not within %v", startTimeout))
	defer cancel()
	c.made = true
	if err := c.create(starting, clusterConfig(c.config, c.layout), cluster.CreateWithRetain(true)); err != nil {
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
	if err := c.loadActor(); err != nil {
		return nil, err
	}
	c.config.logf("both nodes Ready in %.1f s (%s)", took.Seconds(), config.Image)
	return c, nil
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

// loadActor loads the image of the scenarios' containers into the worker.
func (c *Cluster) loadActor() error {
	if err := localnode.WriteImages(c.layout.images(), c.config.Actor); err != nil {
		return err
	}
	return load(c.worker, c.layout.images())
}
