// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// fakeAPI is an in-memory API server with the requests of a check, and a kubelet for each node. It is an http.RoundTripper, so
// that the client is real and time can be virtual.
type fakeAPI struct {
	mu         sync.Mutex
	version    int
	nodes      map[string]*corev1.Node
	namespaces map[string]*corev1.Namespace
	pods       map[string]*corev1.Pod // by namespace/name
	processes  map[string]*process    // by namespace/name, also when the object is gone
	kubelets   map[string]*kubelet    // by node
	events     []event
	changed    chan struct{}

	// denied holds the rights that the user lacks, as "verb resource"; mute hides them from access reviews.
	denied map[string]bool
	mute   bool
	// fault answers a request instead of the server; nil lets it through.
	fault    func(method, path string) *http.Response
	requests []string
	peak     int // pods at a time
}

type event struct {
	version int
	data    []byte
}

func newFakeAPI(kubelets map[string]*kubelet) *fakeAPI {
	f := &fakeAPI{nodes: map[string]*corev1.Node{}, namespaces: map[string]*corev1.Namespace{}, pods: map[string]*corev1.Pod{},
		processes: map[string]*process{}, kubelets: kubelets, changed: make(chan struct{}), denied: map[string]bool{}}
	for name, k := range kubelets {
		k.dead = make(chan struct{})
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.NodeInfo = corev1.NodeSystemInfo{OperatingSystem: "linux", KubeletVersion: "v1.37.2", ContainerRuntimeVersion: "containerd://2.3.4"}
		if k.runtime != "" {
			n.Status.NodeInfo.ContainerRuntimeVersion = k.runtime
		}
		f.nodes[name] = n
	}
	return f
}

// client returns a real client.
func (f *fakeAPI) client(t *testing.T) Client {
	t.Helper()
	c, err := NewClient(&rest.Config{Host: "http://fake", Transport: f})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *fakeAPI) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req.Method+" "+req.URL.Path)
	if f.fault != nil {
		if r := f.fault(req.Method, req.URL.Path); r != nil {
			return r, nil
		}
	}
	r := f.serve(req, body)
	// The request took effect even if the client has gone in the meantime.
	return r, req.Context().Err()
}

// serve is called with the lock.
func (f *fakeAPI) serve(req *http.Request, body []byte) *http.Response {
	path := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if path[0] == "apis" {
		var review authorizationv1.SelfSubjectAccessReview
		decode(body, &review)
		a := review.Spec.ResourceAttributes
		resource := a.Resource
		if a.Subresource != "" {
			resource += "/" + a.Subresource
		}
		review.Status.Allowed = f.mute || !f.denied[a.Verb+" "+resource]
		return answer(201, review)
	}
	path = path[2:] // api/v1
	space := ""
	if path[0] == "namespaces" && len(path) > 2 {
		space, path = path[1], path[2:]
	}
	resource, name := path[0], ""
	if len(path) > 1 {
		name = path[1]
	}
	if len(path) > 2 {
		resource += "/" + path[2]
	}
	verb := map[string]string{"GET": "get", "POST": "create", "DELETE": "delete"}[req.Method]
	query := req.URL.Query()
	if verb == "get" && name == "" {
		verb = "list"
		if query.Get("watch") != "" {
			verb = "watch"
		}
	}
	if f.denied[verb+" "+resource] {
		return status(403, metav1.StatusReasonForbidden, fmt.Sprintf("%s is forbidden: user cannot %s it", resource, verb))
	}
	switch resource {
	case "nodes":
		return f.serveNodes(name)
	case "nodes/proxy":
		return f.metrics(name)
	case "namespaces":
		return f.serveNamespaces(verb, name, body)
	case "pods/log":
		return f.log(req.Context(), space+"/"+name)
	}
	return f.servePods(req.Context(), verb, space, name, query.Get("labelSelector"), query.Get("resourceVersion"), body)
}

func (f *fakeAPI) serveNodes(name string) *http.Response {
	if name == "" {
		list := corev1.NodeList{}
		for _, n := range slices.Sorted(maps.Keys(f.nodes)) {
			list.Items = append(list.Items, *f.nodes[n])
		}
		return answer(200, list)
	}
	if n := f.nodes[name]; n != nil {
		return answer(200, n)
	}
	return notFound(name)
}

func (f *fakeAPI) serveNamespaces(verb, name string, body []byte) *http.Response {
	switch verb {
	case "create":
		n := &corev1.Namespace{}
		decode(body, n)
		f.namespaces[n.Name] = n
		return answer(201, n)
	case "list":
		list := corev1.NamespaceList{}
		for _, n := range f.namespaces {
			list.Items = append(list.Items, *n)
		}
		return answer(200, list)
	}
	n := f.namespaces[name]
	if n == nil {
		return notFound(name)
	}
	if verb == "delete" {
		for key, p := range f.pods {
			if p.Namespace == name {
				f.removeObject(key)
			}
		}
		delete(f.namespaces, name)
	}
	return answer(200, n)
}

func (f *fakeAPI) servePods(ctx context.Context, verb, space, name, selector, version string, body []byte) *http.Response {
	key := space + "/" + name
	label, value, _ := strings.Cut(selector, "=")
	switch verb {
	case "create":
		p := &corev1.Pod{}
		decode(body, p)
		p.Namespace, p.UID = space, types.UID("uid of "+p.Name)
		key = space + "/" + p.Name
		if f.pods[key] != nil {
			return status(409, metav1.StatusReasonAlreadyExists, key+" is there")
		}
		if f.namespaces[space] == nil && space != "default" {
			return notFound(space)
		}
		f.pods[key] = p
		f.peak = max(f.peak, len(f.pods))
		f.tell("ADDED", p)
		f.processes[key] = newProcess(p, f.kubelets[p.Spec.NodeName])
		go f.processes[key].run(f, key)
		return answer(201, p)
	case "list":
		list := corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(f.version)}}
		for _, p := range f.pods {
			if l, ok := p.Labels[label]; p.Namespace == space && (label == "" || ok && (value == "" || l == value)) {
				list.Items = append(list.Items, *p)
			}
		}
		return answer(200, list)
	case "watch":
		from, _ := strconv.Atoi(version)
		return f.watch(ctx, from)
	}
	p := f.pods[key]
	if p == nil {
		return notFound(key)
	}
	if verb == "get" {
		return answer(200, p)
	}
	var o metav1.DeleteOptions
	decode(body, &o)
	return f.deletePod(key, p, o)
}

// deletePod behaves like the API server's pod strategy.
func (f *fakeAPI) deletePod(key string, p *corev1.Pod, o metav1.DeleteOptions) *http.Response {
	if o.Preconditions == nil || o.Preconditions.UID == nil || *o.Preconditions.UID != p.UID {
		return status(409, metav1.StatusReasonConflict, "the UID does not fit")
	}
	grace := *o.GracePeriodSeconds
	if p.DeletionTimestamp != nil && grace >= *p.DeletionGracePeriodSeconds {
		return answer(200, p)
	}
	first := time.Now()
	if p.DeletionTimestamp != nil {
		first = p.DeletionTimestamp.Add(-time.Duration(*p.DeletionGracePeriodSeconds) * time.Second)
	}
	p = p.DeepCopy()
	at := metav1.NewTime(first.Add(time.Duration(grace) * time.Second))
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, &grace
	f.pods[key] = p
	f.processes[key].deletes <- grace
	if grace == 0 {
		f.removeObject(key)
	} else {
		f.tell("MODIFIED", p)
	}
	return answer(200, p)
}

// removeObject is called with the lock.
func (f *fakeAPI) removeObject(key string) {
	if p := f.pods[key]; p != nil {
		delete(f.pods, key)
		f.tell("DELETED", p)
	}
}

// setPod changes a pod if it still exists.
func (f *fakeAPI) setPod(key string, change func(*corev1.Pod)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.pods[key]; p != nil {
		p = p.DeepCopy()
		change(p)
		f.pods[key] = p
		f.tell("MODIFIED", p)
	}
}

// left returns the objects that a run has not removed.
func (f *fakeAPI) left() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append(slices.Sorted(maps.Keys(f.pods)), slices.Sorted(maps.Keys(f.namespaces))...)
}

func (f *fakeAPI) tell(kind string, p *corev1.Pod) {
	f.version++
	p.ResourceVersion = strconv.Itoa(f.version)
	data, _ := json.Marshal(map[string]any{"type": kind, "object": typed(p)})
	f.events = append(f.events, event{f.version, append(data, '\n')})
	close(f.changed)
	f.changed = make(chan struct{})
}

// watch sends all pods, whatever the selector: a run looks only at its own names.
func (f *fakeAPI) watch(ctx context.Context, from int) *http.Response {
	return stream(ctx, func(out io.Writer) error {
		for {
			f.mu.Lock()
			events, changed := f.events, f.changed
			f.mu.Unlock()
			for _, e := range events {
				if e.version > from {
					from = e.version
					if _, err := out.Write(e.data); err != nil {
						return err
					}
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// stream returns a response with a streamed body.
func stream(ctx context.Context, feed func(io.Writer) error) *http.Response {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(feed(writer)) }()
	context.AfterFunc(ctx, func() { writer.CloseWithError(ctx.Err()) })
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: reader}
}

func answer(code int, thing any) *http.Response {
	data, _ := json.Marshal(typed(thing))
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(data))}
}

// typed sets kind and API version.
func typed(thing any) any {
	switch o := thing.(type) {
	case *corev1.Pod:
		o = o.DeepCopy()
		o.APIVersion, o.Kind = "v1", "Pod"
		return o
	case corev1.PodList:
		o.APIVersion, o.Kind = "v1", "PodList"
		return o
	}
	return thing
}

func status(code int, reason metav1.StatusReason, message string) *http.Response {
	return answer(code, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Message: message,
		Reason: reason, Code: int32(code)})
}

// decode decodes a request body; the client sends protobuf by default.
func decode(body []byte, into runtime.Object) {
	if bytes.HasPrefix(body, []byte("k8s\x00")) {
		_, _, _ = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(body, nil, into)
		return
	}
	_ = json.Unmarshal(body, into)
}

func notFound(what string) *http.Response {
	return status(404, metav1.StatusReasonNotFound, what+" not found")
}
