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

package localnode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/unixsock"
)

// The programs that Config.Bin must name.
const (
	ProgramKubelet    = "kubelet"
	ProgramAPIServer  = "kube-apiserver"
	ProgramEtcd       = "etcd"
	ProgramContainerd = "containerd"
	ProgramShim       = "containerd-shim-runc-v2"
	ProgramCtr        = "ctr"
	ProgramRunc       = "runc"
	// ProgramPTP and ProgramHostLocal are CNI plugins. A node that is given both has a network for its pods; without them
	// it runs pods with hostNetwork only.
	ProgramPTP       = "ptp"
	ProgramHostLocal = "host-local"
	// ProgramActor is the static program of cmd/actor; BuildActor makes it. Both images hold it.
	ProgramActor = "actor"
	// ProgramBeside is the static program of cmd/beside; BuildBeside makes it. A node need not have it (StartBeside).
	ProgramBeside = "beside"
)

// Images that every node holds. Pods use them with imagePullPolicy Never or IfNotPresent.
const (
	// ActorImage has the actor program as its entry point.
	ActorImage = "kgrace.test/actor:v1"
	// PauseImage is the sandbox image, `actor pause`.
	PauseImage = "kgrace.test/pause:v1"
)

// startTimeout bounds Up. A node is Ready in about five seconds on two idle cores; the rest is for machines that
// compile something at the same time. What was being waited for when it ran out is named.
const startTimeout = 90 * time.Second

// Config describes one node.
type Config struct {
	// Dir is the node's folder; made if missing. Two nodes have two folders.
	Dir string
	// Name is the node's name in the API, its host name and part of the names of its cgroups: a DNS label of at most 40
	// characters.
	Name string
	// Bin holds the absolute path of every program (keys: the Program constants).
	Bin map[string]string

	// RuntimeEndpoint is the path of the CRI socket that the kubelet uses for runtime and images, "" for containerd's own.
	// Something must serve it when the kubelet starts: BeforeKubelet is the moment to begin.
	RuntimeEndpoint string
	// BeforeKubelet, if set, runs when containerd serves and the API server is ready, before the kubelet starts. The node's
	// sockets, LinesDir and RESTConfig are valid. An error undoes the node.
	BeforeKubelet func(ctx context.Context, node *Node) error

	// Images are more files of images, in the form of `docker save`, for the node to hold.
	Images []string
	// Token, if set, is a bearer token with which the API server takes a client for an administrator.
	Token string

	// ParentDeath ties the node's life to the calling process: when that ends, however it ends, the node's processes end at
	// once. What is left then (cgroups, folders) goes with the next Up or Down of the same Dir. During Up it is always so.
	ParentDeath bool

	// Log receives progress, one line a step; nil for none.
	Log io.Writer
}

var nodeName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// CheckName says why a name cannot be a node's.
func CheckName(name string) error {
	if !nodeName.MatchString(name) {
		return fmt.Errorf("node name %q: want a DNS label of at most 40 characters: lower case letters, digits, '-'", name)
	}
	return nil
}

func (c *Config) complete() error {
	if err := CheckName(c.Name); err != nil {
		return err
	}
	if c.Dir == "" {
		return errors.New("no folder given for the node (Config.Dir)")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	if strings.Contains(dir, ":") {
		return fmt.Errorf("the node's folder %s has a ':' in its name, which no search path can hold: choose another", dir)
	}
	c.Dir = dir
	if c.RuntimeEndpoint != "" {
		if err := unixsock.CheckPath(c.RuntimeEndpoint); err != nil {
			return fmt.Errorf("runtime endpoint: %w", err)
		}
	}
	if strings.ContainsAny(c.Token, "\",\n\r") {
		return errors.New("the bearer token (Config.Token) has a quote, a comma or a line break in it, which no token file can hold")
	}
	if (c.Bin[ProgramPTP] == "") != (c.Bin[ProgramHostLocal] == "") {
		return fmt.Errorf("a network for pods takes both CNI plugins, %s and %s, and one is given", ProgramPTP, ProgramHostLocal)
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	c.Log = &lockedWriter{w: c.Log}
	return nil
}

// lockedWriter lets the steps that run side by side share a writer that knows nothing of it.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (c *Config) logf(format string, args ...any) {
	fmt.Fprintf(c.Log, "node %s: "+format+"\n", append([]any{c.Name}, args...)...)
}
