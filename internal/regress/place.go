// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"

	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Place is where the scenarios of one arm run: a node that is up and serves, with recorders of its runtime's calls and of
// its containers' lines. The API is recorded from outside.
type Place interface {
	// Client returns an administrator's client without rate limits.
	Client() kubernetes.Interface
	// NodeName returns the API name of the node that runs the scenarios' pods.
	NodeName() string
	// LinesDir returns the node's path of the directory that every container mounts; it contains the line server's socket
	// LinesSocket.
	LinesDir() string
	// ManifestsDir returns this machine's path of the directory for the manifests of static pods.
	ManifestsDir() string

	// KillKubelet kills the kubelet with SIGKILL; StartKubelet and RestartRuntime return when the program serves.
	KillKubelet(ctx context.Context) error
	StartKubelet(ctx context.Context) error
	RestartRuntime(ctx context.Context) error

	// Recording returns an error if the recording is incomplete.
	Recording() error
	// Lost returns a channel that is closed when the node ends by itself; Err then returns the reason.
	Lost() <-chan struct{}
	Err() error
	// Close stops the node and its recording.
	Close(ctx context.Context) error
}

// Optional capabilities of a place.
type (
	// faulty is a place that can inject faults into its runtime.
	faulty interface {
		Inject(fault criproxy.Fault) (remove func(), err error)
	}
	// severable is a place that can cut its kubelet off from the API server.
	severable interface {
		CutKubeletOff(ctx context.Context) error
		LetKubeletList(ctx context.Context) error
	}
	// logging is a place whose programs' logs vanish with it.
	logging interface {
		ExportLogs(dir string) error
	}
	// clustered is a place with a control plane of its own: controllers, a scheduler, kubectl.
	clustered interface {
		// Drain runs `kubectl drain --force --grace-period=0` on the node for the namespace's pods with these labels; Uncordon
		// makes the node schedulable again.
		Drain(ctx context.Context, selector string) error
		Uncordon(ctx context.Context) error
	}
)

// Opener opens the place of an arm. It starts a control beside the kubelet (package control) and records into the sink from
// before the kubelet starts. The place outlives the call; its recording ends with ctx or Close.
type Opener func(ctx context.Context, arm verdict.Arm, record history.Sink) (Place, error)
