// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/kgrace/kgrace/internal/kindnode"
)

// Plain is a cluster without additions: no recorder, no mounts, kubelets as kubeadm sets them up. It is for programs that
// bring their own tests.
type Plain struct {
	name, kubeconfig string
	log              io.Writer
	provider         *cluster.Provider
}

func newPlain(name, kubeconfig string, log io.Writer) *Plain {
	p := &Plain{name: name, kubeconfig: kubeconfig, log: log}
	p.provider = cluster.NewProvider(cluster.ProviderWithDocker(), cluster.ProviderWithLogger(logger{p}))
	return p
}

// readyWait bounds the time from kubeadm's end until the nodes of a plain cluster are Ready: seconds on an idle machine.
const readyWait = 3 * time.Minute

// UpPlain creates a cluster of one node from an image that the Docker engine has, or can pull, and returns when it is
// Ready. It first deletes what an earlier run left under the name. It writes the kubeconfig to dir. If it fails or is
// interrupted, nothing is left.
func UpPlain(ctx context.Context, name, image, dir string, log io.Writer) (*Plain, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	p := newPlain(name, filepath.Join(dir, name+".kubeconfig"), log)
	if err := p.clear(); err != nil {
		return nil, err
	}
	begin := time.Now()
	err := p.create(ctx, kindnode.ClusterConfig(kindnode.ClusterOptions{Name: name, Image: image}),
		cluster.CreateWithWaitForReady(readyWait), cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false))
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.logf("up after %.0f s (%s)", time.Since(begin).Seconds(), image)
	return p, nil
}

// clear deletes what an earlier run left under the name.
func (p *Plain) clear() error {
	left, err := p.provider.ListNodes(p.name)
	if err != nil {
		return fmt.Errorf("list the nodes in the Docker engine: %w", err)
	}
	if len(left) == 0 {
		return nil
	}
	p.logf("deleting the leftovers of a killed run first")
	return p.provider.Delete(p.name, p.kubeconfig)
}

// create has kind create the cluster. kind ignores contexts: when ctx ends, create deletes the nodes while kind still works
// on them. The caller deletes again, for nodes created meanwhile.
func (p *Plain) create(ctx context.Context, config *v1alpha4.Cluster, options ...cluster.CreateOption) error {
	p.logf("creating it")
	options = append(options, cluster.CreateWithV1Alpha4Config(config), cluster.CreateWithKubeconfigPath(p.kubeconfig))
	done := make(chan error, 1)
	go func() { done <- p.provider.Create(p.name, options...) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("cluster %s: %w%s", p.name, err, said(err))
		}
		return nil
	case <-ctx.Done():
		_ = p.provider.Delete(p.name, p.kubeconfig)
		<-done
		return fmt.Errorf("cluster %s: interrupted while it was created: %w", p.name, context.Cause(ctx))
	}
}

// Kubeconfig returns the path of an administrator's kubeconfig.
func (p *Plain) Kubeconfig() string { return p.kubeconfig }

// Load loads the images of a file into every node.
func (p *Plain) Load(file string) error {
	all, err := p.provider.ListNodes(p.name)
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := load(n, file); err != nil {
			return err
		}
	}
	return nil
}

// load loads the images of a file into a node.
func load(n nodes.Node, file string) error {
	archive, err := os.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := nodeutils.LoadImageArchive(n, archive); err != nil {
		return fmt.Errorf("load %s into %s: %w%s", file, n, err, said(err))
	}
	return nil
}

// Export writes the nodes' logs into a directory.
func (p *Plain) Export(dir string) error { return p.provider.CollectLogs(p.name, dir) }

// Close deletes the cluster.
func (p *Plain) Close() error {
	if err := p.provider.Delete(p.name, p.kubeconfig); err != nil {
		return fmt.Errorf("delete cluster %s: %w; `kind delete cluster --name %[1]s` or `docker rm -f -v` of its nodes also works", p.name, err)
	}
	if err := os.Remove(p.kubeconfig); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.logf("deleted")
	return nil
}

func (p *Plain) logf(format string, args ...any) {
	fmt.Fprintf(p.log, "cluster %s: "+format+"\n", append([]any{p.name}, args...)...)
}

// logger turns warnings of kind's packages into progress lines and discards the rest.
type logger struct{ p *Plain }

var _ log.Logger = logger{}

func (l logger) Warn(message string)          { l.p.logf("kind: %s", strings.TrimSpace(message)) }
func (l logger) Warnf(f string, args ...any)  { l.p.logf("kind: "+strings.TrimSpace(f), args...) }
func (l logger) Error(message string)         { l.Warn(message) }
func (l logger) Errorf(f string, args ...any) { l.Warnf(f, args...) }
func (logger) V(log.Level) log.InfoLogger     { return log.NoopInfoLogger{} }
