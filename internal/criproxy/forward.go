// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// handle handles every call: the server has no service of its own, so all calls are unknown to it.
func (p *Proxy) handle(_ any, down grpc.ServerStream) error {
	entered := time.Now()
	path, ok := grpc.MethodFromServerStream(down)
	if !ok {
		return status.Error(codes.Internal, "criproxy: a call without a method")
	}
	m := methods[path]
	if m == nil || m.clientStreams {
		return p.pump(down, path)
	}
	var in frame
	if err := down.RecvMsg(&in); err != nil {
		return err
	}
	c := &call{proxy: p, method: m, path: path, down: down, in: in, id: p.calls.Add(1)}
	c.request = decode(m.request, in.data)
	c.facts = p.names.factsOf(c.request)
	fault := p.faults.Strike(m.name, c.facts.pod, c.facts.container, c.request)

	recorded := !m.read || p.reads || fault != nil
	if recorded {
		e := c.facts.event(history.CRICall, entered, m.name, c.id)
		if fault != nil {
			e.Reason = fault.Name()
		}
		p.record.Add(e)
	}
	var err error
	if fault != nil {
		err = fault.CarryOut(down.Context())
	}
	if err == nil {
		err = c.forward()
	}
	if recorded {
		p.record.Add(c.returned(err))
	} else if e, ok := m.slowLook(entered, time.Since(entered)); ok {
		p.record.Add(e)
	}
	// The proxy sends a unary reply after it has recorded the return, so that everything the caller does next is recorded
	// later.
	if err == nil && c.reply != nil {
		return down.SendMsg(c.reply)
	}
	return err
}

// call is one call with a single request.
type call struct {
	proxy   *Proxy
	method  *method
	path    string
	id      int64
	down    grpc.ServerStream
	in      frame
	request proto.Message // decoded; nil if it did not parse
	facts   facts

	reply    *frame // of a unary call
	exitCode *int32 // of the command of an ExecSync
}

// forward makes the call to the runtime, under the caller's own context: its deadline and its cancellation apply there.
func (c *call) forward() error {
	ctx, cancel := context.WithCancel(outgoing(c.down.Context()))
	defer cancel()
	up, err := c.proxy.upstream.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, c.path, grpc.ForceCodecV2(rawCodec{}))
	if err != nil {
		return err
	}
	// An io.EOF from sending means that the call is over; receiving then returns the reason.
	if err := up.SendMsg(&c.in); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := up.CloseSend(); err != nil {
		return err
	}
	return c.receive(up)
}

// receive passes on the replies. It keeps a unary reply for the end.
func (c *call) receive(up grpc.ClientStream) error {
	defer func() { c.down.SetTrailer(up.Trailer()) }()
	header, err := up.Header()
	if err == nil {
		err = c.down.SetHeader(withoutReserved(header))
	}
	if err != nil {
		return err
	}
	if c.method.serverStreams && len(header) > 0 {
		if err := c.down.SendHeader(nil); err != nil {
			return err
		}
	}
	for {
		out := new(frame)
		if err := up.RecvMsg(out); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			c.reply = nil
			return err
		}
		c.learn(out.data)
		if !c.method.serverStreams {
			c.reply = out
			continue
		}
		if err := c.down.SendMsg(out); err != nil {
			return err
		}
	}
}

func (c *call) learn(data []byte) {
	switch c.method.name {
	case "GetContainerEvents":
		return // the proxy has a subscription of its own
	case "ExecSync":
		if r, ok := decode(c.method.response, data).(*runtimev1.ExecSyncResponse); ok {
			code := r.GetExitCode()
			c.exitCode = &code
		}
		return
	}
	if c.method.runtime {
		c.proxy.learn(&c.facts, c.request, decode(c.method.response, data))
	}
}

// returned returns the record of the call's end. For an error the message is the text of the status, except for the image
// service, because a registry's message may contain credentials.
func (c *call) returned(err error) history.Event {
	e := c.facts.event(history.CRIReturn, time.Now(), c.method.name, c.id)
	e.ExitCode = c.exitCode
	if err != nil {
		s := status.Convert(err)
		e.Error = s.Code().String()
		if c.method.runtime {
			e.Message = strings.TrimSpace(s.Message())
		}
	}
	return e
}

// pump forwards a call of unknown shape, both directions at once. It records the call by its path.
func (p *Proxy) pump(down grpc.ServerStream, path string) (err error) {
	id := p.calls.Add(1)
	p.record.Add(facts{}.event(history.CRICall, time.Now(), path, id))
	defer func() {
		e := facts{}.event(history.CRIReturn, time.Now(), path, id)
		if err != nil {
			e.Error = status.Code(err).String()
		}
		p.record.Add(e)
	}()
	ctx, cancel := context.WithCancel(outgoing(down.Context()))
	defer cancel()
	up, err := p.upstream.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, path, grpc.ForceCodecV2(rawCodec{}))
	if err != nil {
		return err
	}
	p.wait.Go(func() {
		for {
			in := new(frame)
			if err := down.RecvMsg(in); err != nil {
				if errors.Is(err, io.EOF) {
					_ = up.CloseSend()
				} else {
					cancel()
				}
				return
			}
			if err := up.SendMsg(in); err != nil {
				return // the receiving side gets the reason
			}
		}
	})
	defer func() { down.SetTrailer(up.Trailer()) }()
	header, err := up.Header()
	if err != nil {
		return err
	}
	if len(header) > 0 {
		if err := down.SendHeader(withoutReserved(header)); err != nil {
			return err
		}
	}
	for {
		out := new(frame)
		if err := up.RecvMsg(out); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := down.SendMsg(out); err != nil {
			return err
		}
	}
}

// outgoing copies the caller's metadata to the call to the runtime.
func outgoing(ctx context.Context) context.Context {
	md, ok := metadata.FromIncomingContext(ctx)
	if !ok {
		return ctx
	}
	return metadata.NewOutgoingContext(ctx, withoutReserved(md))
}

// withoutReserved copies metadata without keys that belong to a connection or to gRPC itself; gRPC sets those anew.
func withoutReserved(md metadata.MD) metadata.MD {
	out := md.Copy()
	for key := range out {
		switch {
		case strings.HasPrefix(key, ":"), key == "content-type", key == "user-agent", key == "te",
			key == "grpc-accept-encoding", key == "grpc-encoding", key == "grpc-timeout":
			delete(out, key)
		}
	}
	return out
}
