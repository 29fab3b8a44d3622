// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// method describes a CRI method.
type method struct {
	name          string // StopContainer
	runtime       bool   // of RuntimeService, not ImageService
	read          bool   // read-only
	clientStreams bool
	serverStreams bool
	request       protoreflect.MessageType
	response      protoreflect.MessageType
}

// methodTable maps paths on the wire to methods.
type methodTable map[string]*method

// methods contains every method of CRI v1, under its path there and under that of v1alpha2, which kubelets up to 1.22
// speak: v1 began as a copy of it, message by message and field by field, and has only been extended. Calls with any other
// path are forwarded undecoded.
var methods = buildMethods(
	runtimev1.RuntimeService_ServiceDesc.ServiceName,
	runtimev1.ImageService_ServiceDesc.ServiceName,
)

func buildMethods(services ...string) methodTable {
	table := methodTable{}
	for _, name := range services {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
		if err != nil {
			panic("criproxy: the CRI package does not register its own service: " + err.Error())
		}
		list := d.(protoreflect.ServiceDescriptor).Methods()
		for i := range list.Len() {
			m := list.Get(i)
			one := &method{
				name:          string(m.Name()),
				runtime:       name == runtimev1.RuntimeService_ServiceDesc.ServiceName,
				read:          onlyLooks(string(m.Name())),
				clientStreams: m.IsStreamingClient(),
				serverStreams: m.IsStreamingServer(),
				request:       messageType(m.Input()),
				response:      messageType(m.Output()),
			}
			table["/"+name+"/"+one.name] = one
			table["/"+alpha(name)+"/"+one.name] = one
		}
	}
	return table
}

// alpha returns the v1alpha2 name of a service of CRI v1.
func alpha(service string) string {
	return strings.Replace(service, "runtime.v1.", "runtime.v1alpha2.", 1)
}

func messageType(d protoreflect.MessageDescriptor) protoreflect.MessageType {
	t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		panic("criproxy: the CRI package does not register its own message: " + err.Error())
	}
	return t
}

// onlyLooks reports whether a call changes nothing and is frequent.
func onlyLooks(name string) bool {
	switch name {
	case "Version", "RuntimeConfig", "GetContainerEvents", "ImageFsInfo", "ListMetricDescriptors":
		return true
	}
	for _, prefix := range []string{"List", "Stream"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"Status", "Stats", "Metrics"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// slow is the time above which a read-only call is recorded.
const slow = 100 * time.Millisecond

// slowLook returns the record of a slow read-only call, for which its caller had to wait. A call that streams events is
// slow by design and has no record.
func (m *method) slowLook(entered time.Time, took time.Duration) (history.Event, bool) {
	e := history.Event{Kind: history.CRISlow, At: entered, Call: m.name, Late: took.Seconds()}
	return e, took >= slow && !m.serverStreams
}

// decode decodes a message, or returns nil if it does not parse; the runtime reports that error.
func decode(t protoreflect.MessageType, data []byte) proto.Message {
	m := t.New().Interface()
	if err := proto.Unmarshal(data, m); err != nil {
		return nil
	}
	return m
}
