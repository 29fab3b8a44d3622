// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"io"
	"time"

	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

const (
	// DefaultImage has a shell and sleep; the pods need nothing else.
	DefaultImage = "busybox:1.37"
	// DefaultGrace is the spec's grace period: far from Short and its tolerances, and short enough to wait for.
	DefaultGrace = 45
	// Short is the grace period in seconds of a probe's second delete, and of the control's only one.
	Short = 6
	// between is the time from a probe's first delete to its second.
	between = 3 * time.Second
	// minGrace leaves a gap between the times of a fixed and an affected kubelet.
	minGrace, maxGrace = 20, 600
	// maxNodes is the number of nodes above which a run needs All.
	maxNodes = 50
	// DefaultParallel nodes are checked concurrently: about fifty pods at a time.
	DefaultParallel = 10
)

// Client is the part of the API that a check uses.
type Client struct {
	Core corev1.CoreV1Interface
	Auth authorizationv1.AuthorizationV1Interface
}

// NewClient returns a client that sends at most 20 requests a second, in bursts of 40, and waits when the server asks for it.
func NewClient(config *rest.Config) (Client, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 20, 40
	core, err := corev1.NewForConfig(config)
	if err != nil {
		return Client{}, err
	}
	auth, err := authorizationv1.NewForConfig(config)
	return Client{Core: core, Auth: auth}, err
}

// Config configures a run.
type Config struct {
	Client Client
	// Namespace for the pods, which must exist; "" for a new one with a random name.
	Namespace string
	// Nodes by name; none for all that are Ready, run Linux and match Selector.
	Nodes    []string
	Selector string
	// All allows more than 50 nodes, Tainted nodes with taints, which the pods then tolerate.
	All, Tainted bool
	// HostNetwork puts the pods on the node's network, for a node without a pod network. Pod Security's baseline forbids it.
	HostNetwork bool
	// Image of the pods.
	Image string
	// User is the pods' user ID; negative leaves it to the cluster.
	User int64
	// Grace is the pods' grace period in seconds.
	Grace int64
	// Hooks repeats every probe with a preStop hook that never ends.
	Hooks bool
	// Parallel is the number of nodes checked at a time.
	Parallel int
	// StartTimeout bounds the start of a node's pods, image pull included.
	StartTimeout time.Duration
	// Progress receives a line for each step; nil for none.
	Progress io.Writer
}

// Validate returns a usage error if the configuration is invalid.
func (c *Config) Validate() error {
	switch {
	case c.Grace < minGrace || c.Grace > maxGrace:
		return fmt.Errorf("grace period of %d s: want %d to %d, so that a shortened one differs from it", c.Grace, minGrace, maxGrace)
	case c.Image == "":
		return fmt.Errorf("no image: name one that has a shell and sleep, for example %s", DefaultImage)
	case c.Parallel < 1:
		return fmt.Errorf("%d nodes at a time: want at least 1", c.Parallel)
	case c.StartTimeout <= 0:
		return fmt.Errorf("start timeout of %v: want more than 0", c.StartTimeout)
	case len(c.Nodes) > 0 && c.Selector != "":
		return errors.New("nodes by name and by selector: want only one of them")
	}
	return nil
}

func (c *Config) logf(format string, args ...any) {
	if c.Progress != nil {
		fmt.Fprintf(c.Progress, format+"\n", args...)
	}
}

// nodeTime is an upper bound for one node: the start, the probes and the API server's time for them.
func (c *Config) nodeTime() time.Duration {
	return c.StartTimeout + settle + probeTime(c.Grace) + time.Minute
}

// runTime is an upper bound for the given number of nodes.
func (c *Config) runTime(nodes int) time.Duration {
	waves := (nodes + c.Parallel - 1) / c.Parallel
	return time.Duration(max(waves, 1))*c.nodeTime() + 2*time.Minute
}
