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

	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Place is where the scenarios of one arm run: a node that is up and serves, with what records its runtime's calls and its
// containers' lines. The API is recorded from outside.
type Place interface {
	// Client is an administrator's, without rate limits.
	Client() kubernetes.Interface
	// NodeName is the name in the API of the node that runs the scenarios' pods.
	NodeName() string
	// LinesDir is the folder that every container mounts, as the node names it; the line server's socket in it is LinesSocket.
	LinesDir() string
	// ManifestsDir is the folder for the manifests of static pods, as this machine names it.
	ManifestsDir() string

	// KillKubelet ends the kubelet with SIGKILL; StartKubelet and RestartRuntime return when what they start serves.
	KillKubelet(ctx context.Context) error
	StartKubelet(ctx context.Context) error
	RestartRuntime(ctx context.Context) error

	// Recording says why the recording is not whole; nil while it is.
	Recording() error
	// Lost is closed when the node ended by itself; Err then says why.
	Lost() <-chan struct{}
	Err() error
	// Close takes the node and its recording down.
	Close(ctx context.Context) error
}

// What only some places can do.
type (
	// faulty is a place whose runtime can be made to fail.
	faulty interface {
		Inject(fault criproxy.Fault) (remove func(), err error)
	}
	// severable is a place whose kubelet can be cut off from the API server.
	severable interface {
		CutKubeletOff(ctx context.Context) error
		LetKubeletList(ctx context.Context) error
	}
	// logging is a place whose programs' logs are gone with it.
	logging interface {
		ExportLogs(dir string) error
	}
	// clustered is a place with a control plane of its own: controllers, a scheduler, kubectl.
	clustered interface {
		// Drain runs `kubectl drain --force --grace-period=0` of the node for the namespace's pods with these labels; Uncordon
		// lets the node take pods again.
		Drain(ctx context.Context, selector string) error
		Uncordon(ctx context.Context) error
	}
)

// Opener makes the place of an arm, recording into the sink from before the kubelet starts, with a control beside the kubelet
// (package control). The place outlives the call: its
// recording ends with ctx or Close.
type Opener func(ctx context.Context, arm verdict.Arm, record history.Sink) (Place, error)
