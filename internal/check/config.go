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
	// DefaultImage has a shell and sleep, which is all that a pod needs.
	DefaultImage = "busybox:1.37"
	// DefaultGrace is the spec's grace period: far from Short and its tolerances, and short enough to wait for.
	DefaultGrace = 45
	// Short is what the second delete of a probe asks for, in seconds, and the control's only one.
	Short = 6
	// between is the time from a probe's first delete to its second one.
	between = 3 * time.Second
	// minGrace leaves a gap between what a fixed and an affected kubelet do.
	minGrace, maxGrace = 20, 600
	// maxNodes is where a run wants to be told that all of them are meant.
	maxNodes = 50
	// DefaultParallel nodes are checked side by side: some fifty pods at a time.
	DefaultParallel = 10
)

// Client is the part of the API that is used.
type Client struct {
	Core corev1.CoreV1Interface
	Auth authorizationv1.AuthorizationV1Interface
}

// NewClient keeps within 20 requests a second, 40 at once; a server that asks for less is waited for.
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

// Config says what to check, and how.
type Config struct {
	Client Client
	// Namespace that exists and takes the pods; "" for one of its own, with a random name.
	Namespace string
	// Nodes by name; none for all that are ready, run Linux and fit Selector.
	Nodes    []string
	Selector string
	// All allows more than 50 nodes, Tainted nodes with taints, which the pods then tolerate.
	All, Tainted bool
	// HostNetwork gives the pods the node's network, for a node that has none for pods. Pod Security's baseline forbids it.
	HostNetwork bool
	// Image of the pods.
	Image string
	// User is the pods' user ID; negative leaves it to the cluster.
	User int64
	// Grace is the pods' grace period in seconds.
	Grace int64
	// Hooks repeats every probe with a preStop hook that never ends.
	Hooks bool
	// Parallel is how many nodes are checked at a time.
	Parallel int
	// StartTimeout bounds the start of a node's pods, image pull included.
	StartTimeout time.Duration
	// Progress receives a line for each step; nil for none.
	Progress io.Writer
}

// Validate says what is wrong with it as a command line.
func (c *Config) Validate() error {
	switch {
	case c.Grace < minGrace || c.Grace > maxGrace:
		return fmt.Errorf("grace period of %d s: want %d to %d, so that a shortened one can be told from it", c.Grace, minGrace, maxGrace)
	case c.Image == "":
		return fmt.Errorf("no image: name one that has a shell and sleep, for example %s", DefaultImage)
	case c.Parallel < 1:
		return fmt.Errorf("%d nodes at a time: want at least 1", c.Parallel)
	case c.StartTimeout <= 0:
		return fmt.Errorf("start timeout of %v: want more than 0", c.StartTimeout)
	case len(c.Nodes) > 0 && c.Selector != "":
		return errors.New("nodes by name and by selector: give one of them")
	}
	return nil
}

func (c *Config) logf(format string, args ...any) {
	if c.Progress != nil {
		fmt.Fprintf(c.Progress, format+"\n", args...)
	}
}

// nodeTime is an upper bound for one node: start, the probes, what the API server takes for them.
func (c *Config) nodeTime() time.Duration {
	return c.StartTimeout + settle + probeTime(c.Grace) + time.Minute
}

// runTime is an upper bound for so many nodes.
func (c *Config) runTime(nodes int) time.Duration {
	waves := (nodes + c.Parallel - 1) / c.Parallel
	return time.Duration(max(waves, 1))*c.nodeTime() + 2*time.Minute
}
