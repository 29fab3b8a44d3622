// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
	// ProgramPTP and ProgramHostLocal are CNI plugins. A node that has both gives its pods a network; without them it runs
	// only hostNetwork pods.
	ProgramPTP       = "ptp"
	ProgramHostLocal = "host-local"
	// ProgramActor is the static program of cmd/actor; BuildActor builds it. Both images contain it.
	ProgramActor = "actor"
	// ProgramBeside is the static program of cmd/beside; BuildBeside builds it. It is optional (StartBeside).
	ProgramBeside = "beside"
	// ProgramStopper is the same program in place of the kubelet (StartStopper).
	ProgramStopper = "stopper"
)

// startTimeout bounds Up. A node is Ready in about five seconds on two idle cores; the rest is for machines that compile
// something at the same time. The error names the program that was not ready in time.
const startTimeout = 90 * time.Second

// Config describes one node.
type Config struct {
	// Dir is the node's directory, created if missing. Every node needs its own.
	Dir string
	// Name is the node's name in the API, its host name and part of its cgroups' names: a DNS label of at most 40 characters.
	Name string
	// Bin maps each program (the Program constants) to its absolute path.
	Bin map[string]string

	// RuntimeEndpoint is the path of the CRI socket that the kubelet uses for runtime and images; "" means containerd's own. A
	// server must listen there before the kubelet starts: start it in BeforeKubelet.
	RuntimeEndpoint string
	// BeforeKubelet, if set, runs once containerd serves and the API server is ready, before the kubelet starts. The node's
	// sockets, LinesDir and RESTConfig are valid. An error takes the node down.
	BeforeKubelet func(ctx context.Context, node *Node) error

	// MaxPods is the number of pods that the kubelet admits; 0 keeps its default, 110.
	MaxPods int

	// Images are further image files, in the format of `docker save`, to import into the node.
	Images []string
	// Token, if set, is a bearer token that authenticates a client to the API server as an administrator.
	Token string

	// KubeletDisk, if above 0, gives the kubelet's directory a disk of its own, in memory, of so many bytes; it can be filled
	// (FillKubeletDisk).
	KubeletDisk int64

	// ParentDeath ties the node to the calling process: when that process ends for any reason, the node's processes end at
	// once. The next Up or Down of the same Dir removes the remaining cgroups and directories. While Up runs, ParentDeath always
	// applies.
	ParentDeath bool

	// Log receives progress, one line per step; nil discards it.
	Log io.Writer
}

var nodeName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// CheckName returns an error if name is not a valid node name.
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
		return errors.New("no directory given for the node (Config.Dir)")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	if strings.Contains(dir, ":") {
		return fmt.Errorf("the node's directory %s contains a ':', which separates entries of a search path: choose another", dir)
	}
	c.Dir = dir
	if c.RuntimeEndpoint != "" {
		if err := unixsock.CheckPath(c.RuntimeEndpoint); err != nil {
			return fmt.Errorf("runtime endpoint: %w", err)
		}
	}
	if strings.ContainsAny(c.Token, "\",\n\r") {
		return errors.New("the bearer token (Config.Token) contains a quote, a comma or a line break, which a token file cannot contain")
	}
	if (c.Bin[ProgramPTP] == "") != (c.Bin[ProgramHostLocal] == "") {
		return fmt.Errorf("a network for pods needs both CNI plugins, %s and %s, but only one is given", ProgramPTP, ProgramHostLocal)
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	c.Log = &lockedWriter{w: c.Log}
	return nil
}

// lockedWriter serializes the writes of concurrent steps.
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
