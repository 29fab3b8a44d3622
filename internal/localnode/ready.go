// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

// startProgram has pid 1 start a program.
func (n *Node) startProgram(ctx context.Context, name string, more ...string) error {
	if name == ProgramKubelet {
		more = n.kubeletFlags
	}
	if name == ProgramAPIServer {
		more = tokenFlags(n.paths())
	}
	p, err := program(n.paths(), name, n.state.Name, "", more...)
	if err != nil {
		return err
	}
	if err := n.init.call(ctx, "Start", p, &None{}); err != nil {
		return n.failed(name, "cannot be started", err)
	}
	return nil
}

func (n *Node) startControlPlane(ctx context.Context, c *Config) error {
	if err := n.startProgram(ctx, ProgramEtcd); err != nil {
		return err
	}
	if err := n.init.call(ctx, "WaitHTTP", etcdURL+"/readyz", &None{}); err != nil {
		return n.failed(ProgramEtcd, "is not ready", err)
	}
	c.logf("etcd is ready")
	if err := n.startProgram(ctx, ProgramAPIServer); err != nil {
		return err
	}
	if err := n.waitAPIServer(ctx); err != nil {
		return err
	}
	c.logf("kube-apiserver is ready")
	return nil
}

func (n *Node) waitAPIServer(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		return err
	}
	if err := poll(ctx, func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}); err != nil {
		return n.failed(ProgramAPIServer, "is not ready", err)
	}
	return nil
}

func (n *Node) startRuntime(ctx context.Context, c *Config, snapshotter string) error {
	if err := n.startProgram(ctx, ProgramContainerd); err != nil {
		return err
	}
	conn, err := n.dialRuntime()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := n.waitRuntime(ctx, conn); err != nil {
		return err
	}
	load, err := program(n.paths(), ProgramCtr, c.Name, snapshotter)
	if err != nil {
		return err
	}
	if err := n.init.call(ctx, "Run", load, &None{}); err != nil {
		return n.failed(ProgramCtr, "cannot import the node's images", err)
	}
	for _, file := range c.Images {
		if err := n.importImages(ctx, snapshotter, file); err != nil {
			return err
		}
	}
	// containerd's CRI service learns of imported images asynchronously, through events; the kubelet must find them at once.
	images := runtimeapi.NewImageServiceClient(conn)
	for _, image := range []string{actor.Image, actor.PauseImage} {
		if err := poll(ctx, func(ctx context.Context) error {
			r, err := images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: image}})
			if err == nil && r.Image == nil {
				err = fmt.Errorf("image %s is missing", image)
			}
			return err
		}); err != nil {
			return n.failed(ProgramContainerd, "does not list an imported image", err)
		}
	}
	c.logf("containerd is ready")
	return nil
}

func (n *Node) dialRuntime() (*grpc.ClientConn, error) {
	return grpc.NewClient("unix://"+n.ContainerdSocket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
}

func (n *Node) waitRuntime(ctx context.Context, conn *grpc.ClientConn) error {
	runtimeService := runtimeapi.NewRuntimeServiceClient(conn)
	if err := poll(ctx, func(ctx context.Context) error {
		conn.ResetConnectBackoff()
		_, err := runtimeService.Version(ctx, &runtimeapi.VersionRequest{})
		return err
	}); err != nil {
		return n.failed(ProgramContainerd, "is not ready", err)
	}
	return nil
}

func (n *Node) startKubelet(ctx context.Context, c *Config) error {
	if err := n.startProgram(ctx, ProgramKubelet); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		return err
	}
	var last string
	if err := until(ctx, client, "nodes", c.Name, &v1.Node{}, func(object runtime.Object) bool {
		ready := readyCondition(object.(*v1.Node))
		last = ready.Message
		return ready.Status == v1.ConditionTrue
	}); err != nil {
		if last != "" {
			err = fmt.Errorf("%w (message of the node's condition Ready: %s)", err, last)
		}
		return n.failed(ProgramKubelet, "has not made the node Ready", err)
	}
	if err := until(ctx, client, "namespaces", v1.NamespaceDefault, &v1.Namespace{}, func(runtime.Object) bool { return true }); err != nil {
		return n.failed(ProgramAPIServer, "has not made the namespace default", err)
	}
	return nil
}

func readyCondition(node *v1.Node) v1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == v1.NodeReady {
			return c
		}
	}
	return v1.NodeCondition{Message: "the kubelet has not reported yet"}
}

// until watches one object until wanted returns true.
func until(ctx context.Context, client kubernetes.Interface, resource, name string, kind runtime.Object, wanted func(runtime.Object) bool) error {
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), resource, v1.NamespaceAll, fields.OneTermEqualSelector("metadata.name", name))
	_, err := watchtools.UntilWithSync(ctx, source, kind, nil, func(e watch.Event) (bool, error) {
		return e.Type != watch.Deleted && wanted(e.Object), nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// poll calls ask until it returns nil. It is for conditions that offer no event to wait for, such as a server that does not
// listen yet.
func poll(ctx context.Context, ask func(context.Context) error) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := ask(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (last answer: %v)", context.Cause(ctx), err)
		case <-time.After(probeInterval):
		}
	}
}
