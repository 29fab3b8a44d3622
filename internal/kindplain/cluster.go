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

package kindplain

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

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/exec"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/kgrace/kgrace/internal/kindnode"
)

// readyWait is how long nodes have to become Ready after kubeadm is done: seconds on an idle machine.
const readyWait = 3 * time.Minute

// Config describes a cluster.
type Config struct {
	// Name is the cluster's; what an earlier run left under it is deleted first.
	Name string
	// Image of all nodes: a name that the Docker engine has, or can pull.
	Image string
	// Workers are the nodes beside the control plane; with none, that is the only node and takes pods.
	Workers int
	// Dir gets the cluster's kubeconfig.
	Dir string
	// Log receives progress, one line a step; nil for none.
	Log io.Writer
}

// Cluster is one that is up.
type Cluster struct {
	config   Config
	provider *cluster.Provider
}

// Up makes a cluster and returns when its nodes are Ready. Failed or interrupted, it leaves nothing.
func Up(ctx context.Context, config Config) (_ *Cluster, err error) {
	if config.Name == "" || config.Image == "" || config.Dir == "" {
		return nil, errors.New("kindplain: want a name, an image and a folder")
	}
	if config.Log == nil {
		config.Log = io.Discard
	}
	c := &Cluster{config: config}
	c.provider = cluster.NewProvider(cluster.ProviderWithDocker(), cluster.ProviderWithLogger(quiet{c}))
	left, err := c.provider.ListNodes(config.Name)
	if err != nil {
		return nil, fmt.Errorf("ask the Docker engine for nodes: %w", err)
	}
	if len(left) > 0 {
		c.logf("an earlier run left it; deleting it first")
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	described := kindnode.ClusterConfig(kindnode.ClusterOptions{Name: config.Name, Image: config.Image, Workers: config.Workers})
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, err
	}
	begin := time.Now()
	c.logf("creating it of %s", config.Image)
	done := make(chan error, 1)
	go func() {
		done <- c.provider.Create(config.Name, cluster.CreateWithV1Alpha4Config(described), cluster.CreateWithKubeconfigPath(c.Kubeconfig()),
			cluster.CreateWithWaitForReady(readyWait), cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false))
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		// kind does not listen to a context: the nodes are deleted under its hands, and what it made meanwhile after it.
		_ = c.provider.Delete(config.Name, c.Kubeconfig())
		<-done
		return nil, errors.Join(ctx.Err(), c.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cluster %s: %w%s", config.Name, err, said(err)), c.Close())
	}
	c.logf("up after %.0f s", time.Since(begin).Seconds())
	return c, nil
}

// Kubeconfig is an administrator's.
func (c *Cluster) Kubeconfig() string {
	return filepath.Join(c.config.Dir, c.config.Name+".kubeconfig")
}

// Load gives every node the images in a file.
func (c *Cluster) Load(file string) error {
	all, err := c.provider.ListNodes(c.config.Name)
	if err != nil {
		return err
	}
	for _, n := range all {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		err = nodeutils.LoadImageArchive(n, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("load %s into %s: %w%s", file, n, err, said(err))
		}
	}
	return nil
}

// Export writes what the nodes logged into a folder.
func (c *Cluster) Export(dir string) error { return c.provider.CollectLogs(c.config.Name, dir) }

// Close deletes the cluster.
func (c *Cluster) Close() error {
	if err := c.provider.Delete(c.config.Name, c.Kubeconfig()); err != nil {
		return fmt.Errorf("delete cluster %s: %w; `kind delete cluster --name %[1]s` does it too", c.config.Name, err)
	}
	if err := os.Remove(c.Kubeconfig()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.logf("deleted")
	return nil
}

func (c *Cluster) logf(format string, args ...any) {
	fmt.Fprintf(c.config.Log, "cluster %s: "+format+"\n", append([]any{c.config.Name}, args...)...)
}

// said is what a command that kind ran had to say.
func said(err error) string {
	if failed := exec.RunErrorForError(err); failed != nil {
		lines := strings.Split(strings.TrimSpace(string(failed.Output)), "\n")
		return "\n" + strings.Join(lines[max(0, len(lines)-40):], "\n")
	}
	return ""
}

// quiet makes kind's warnings lines of progress and leaves out the rest.
type quiet struct{ c *Cluster }

func (q quiet) Warn(message string)       { q.c.logf("kind: %s", strings.TrimSpace(message)) }
func (q quiet) Warnf(f string, a ...any)  { q.Warn(fmt.Sprintf(f, a...)) }
func (q quiet) Error(message string)      { q.Warn(message) }
func (q quiet) Errorf(f string, a ...any) { q.Warnf(f, a...) }
func (quiet) V(log.Level) log.InfoLogger  { return log.NoopInfoLogger{} }
