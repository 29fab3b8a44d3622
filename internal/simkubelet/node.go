//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/kubelet"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simapi"
)

// nodeName is the name of the node in every bubble.
const nodeName = "sim"

// Node is a node in memory: the arm's kubelet, a simulated runtime, and the API. It lives in one synctest bubble.
type Node struct {
	API     *simapi.Server
	Runtime *sim.Runtime
	Kubelet *kubelet.Kgrace // nil while none runs

	sink      history.Sink
	dir       string
	manifests map[string][]byte
	// kill ends the open connections of a kubelet's process.
	kill func()
}

// Up creates a node whose events go to sink.
func Up(ctx context.Context, behaviour sim.Behaviour, sink history.Sink) (*Node, error) {
	enter()
	dir, err := os.MkdirTemp("", "kgrace-sim-")
	if err != nil {
		return nil, err
	}
	n := &Node{sink: sink, dir: dir, manifests: map[string][]byte{}}
	n.Runtime = sim.New(sim.Options{Behaviour: behaviour, Sink: sink, SandboxLatency: sandboxLatency})
	n.API = simapi.New(sink, nodeObject())
	if err := n.StartKubelet(ctx); err != nil {
		return nil, errors.Join(err, n.Down())
	}
	return n, nil
}

// StartKubelet starts the kubelet, for the first time or after StopKubelet: its files persist, its memory does not.
func (n *Node) StartKubelet(ctx context.Context) (err error) {
	client, conn, recorder := n.API.Client(), connect(ctx, n.Runtime), newEvents(n.sink)
	n.kill = func() {
		conn.end()
		client.Kill()
		recorder.kill()
	}
	runtime, images := services(conn)
	n.Kubelet, err = kubelet.NewKgrace(ctx, kubelet.KgraceOptions{
		Node: nodeName, Dir: n.dir, Client: client, Pods: n.API.Pods(nodeName),
		Runtime: runtime, Images: images, HTTP: conn, Recorder: recorder, Began: recorder.began, Manifests: n.manifests,
	})
	if err != nil {
		return fmt.Errorf("start the kubelet: %w", err)
	}
	return nil
}

// StopKubelet ends the kubelet as SIGKILL would. Some of its goroutines may keep waiting for a while, but have no effect.
func (n *Node) StopKubelet() {
	n.kill()
	n.Kubelet.Stop(synctest.Wait)
	n.Kubelet = nil
}

// SetManifest writes the manifest of a static pod; nil removes it.
func (n *Node) SetManifest(ctx context.Context, name string, data []byte) error {
	n.manifests[name] = data
	if data == nil {
		delete(n.manifests, name)
	}
	if n.Kubelet == nil {
		return nil
	}
	return n.Kubelet.SetManifests(ctx, n.manifests)
}

// Down ends the node.
func (n *Node) Down() error {
	if n.Kubelet != nil {
		n.StopKubelet()
	}
	n.Runtime.Stop()
	// Let all remaining timers expire, such as stock's sleep hooks, which are never cancelled; nothing else can happen any
	// more, so this costs nothing.
	time.Sleep(dusk)
	return os.RemoveAll(n.dir)
}

// sandboxLatency is the time that stopping a sandbox takes; a real one takes some tens of milliseconds. Other effects of a
// container's exit, such as the end of a hook in it, come before that.
const sandboxLatency = 3 * time.Millisecond

// dusk is longer than any grace of the catalogue.
const dusk = 3 * time.Hour

func nodeObject() *corev1.Node {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("2k"), // a crowd is larger than a kubelet's default
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: nodeName, ResourceVersion: "1", Labels: map[string]string{
			corev1.LabelOSStable: runtime.GOOS, corev1.LabelArchStable: runtime.GOARCH, corev1.LabelHostname: nodeName}},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.1"}, {Type: corev1.NodeHostName, Address: nodeName}},
		},
	}
}
