// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// facts are the recorded parts of a request.
type facts struct {
	pod, container string
	id             string // of the container
	grace          *int64
	message        string
}

// factsOf extracts from a request what a history needs. request may be nil.
func (n *names) factsOf(request proto.Message) facts {
	switch r := request.(type) {
	case *runtimev1.RunPodSandboxRequest:
		return facts{pod: r.GetConfig().GetMetadata().GetName()}
	case *runtimev1.CreateContainerRequest:
		config := r.GetConfig()
		o := ownerOf(config.GetMetadata(), config.GetLabels())
		if o.pod == "" {
			o.pod = r.GetSandboxConfig().GetMetadata().GetName()
		}
		if o.pod == "" {
			_, o.pod = n.sandbox(r.GetPodSandboxId())
		}
		return facts{pod: o.pod, container: o.container}
	case *runtimev1.StopContainerRequest:
		f := n.aboutContainer(r.GetContainerId())
		f.grace = history.Seconds(r.GetTimeout())
		return f
	case *runtimev1.ExecSyncRequest:
		f := n.aboutContainer(r.GetContainerId())
		f.message = strings.Join(r.GetCmd(), " ")
		return f
	case *runtimev1.ExecRequest:
		f := n.aboutContainer(r.GetContainerId())
		f.message = strings.Join(r.GetCmd(), " ")
		return f
	case *runtimev1.PullImageRequest:
		return facts{pod: r.GetSandboxConfig().GetMetadata().GetName(), message: r.GetImage().GetImage()}
	case interface{ GetContainerId() string }:
		return n.aboutContainer(r.GetContainerId())
	case interface{ GetPodSandboxId() string }:
		id, pod := n.sandbox(r.GetPodSandboxId())
		return facts{pod: pod, message: "sandbox " + id}
	default:
		return facts{}
	}
}

func (n *names) aboutContainer(id string) facts {
	full, o := n.container(id)
	return facts{pod: o.pod, container: o.container, id: full}
}

// event returns the record of a call or of its return.
func (f facts) event(kind history.Kind, at time.Time, call string, id int64) history.Event {
	return history.Event{
		Kind: kind, At: at, Call: call, CallID: id,
		Pod: f.pod, Container: f.container, ContainerID: f.id,
		Grace: f.grace, Message: f.message,
	}
}

// learn extracts from a reply what later calls need: names, and exits of containers. It completes the facts of the call
// with those that only the reply contains.
func (p *Proxy) learn(f *facts, request, reply proto.Message) {
	switch r := reply.(type) {
	case *runtimev1.RunPodSandboxResponse:
		p.names.learnSandbox(r.GetPodSandboxId(), f.pod)
		f.message = "sandbox " + r.GetPodSandboxId()
	case *runtimev1.CreateContainerResponse:
		f.id = r.GetContainerId()
		create, _ := request.(*runtimev1.CreateContainerRequest)
		p.names.learnContainer(f.id, create.GetPodSandboxId(), owner{pod: f.pod, container: f.container})
	case interface {
		GetContainers() []*runtimev1.Container // of a list or, since 1.36, of a stream
	}:
		p.names.learnContainers(r.GetContainers())
	case *runtimev1.ListPodSandboxResponse:
		p.names.learnSandboxes(r.GetItems())
	case interface {
		GetPodSandboxes() []*runtimev1.PodSandbox // of a stream
	}:
		p.names.learnSandboxes(r.GetPodSandboxes())
	case *runtimev1.PodSandboxStatusResponse:
		p.names.learnSandbox(r.GetStatus().GetId(), r.GetStatus().GetMetadata().GetName())
	case *runtimev1.ContainerStatusResponse:
		p.exits.seen(r.GetStatus())
	}
}
