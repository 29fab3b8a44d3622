// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/unixsock"
)

// Options configure a proxy.
type Options struct {
	// Listen is the path of the unix socket that the proxy serves on, Upstream that of the runtime. The runtime need not be up
	// yet.
	Listen   string
	Upstream string
	// Record receives the events; nil discards them. It must be fast, because calls wait for it.
	Record history.Sink
	// Reads also records read-only calls (lists, statuses, stats, versions). The kubelet makes several a second.
	Reads bool
	// Log receives one line per notable event (runtime gone, subscribed again); nil discards them.
	Log io.Writer
}

// Proxy is a running proxy.
type Proxy struct {
	record history.Sink
	reads  bool

	server   *grpc.Server
	upstream *grpc.ClientConn
	calls    atomic.Int64
	names    *names
	faults   fault.Set
	exits    *exits

	cancel context.CancelFunc
	wait   sync.WaitGroup

	logMu sync.Mutex
	log   io.Writer
}

// Start listens and returns; the proxy serves until ctx ends or Close. It connects to the runtime in the background and
// stays connected.
func Start(ctx context.Context, options Options) (*Proxy, error) {
	if options.Listen == options.Upstream {
		return nil, fmt.Errorf("criproxy: listening on the runtime's own socket %q would call itself; use another path for Listen", options.Listen)
	}
	if err := unixsock.CheckPath(options.Upstream); err != nil {
		return nil, fmt.Errorf("criproxy: upstream: %w", err)
	}
	p := &Proxy{record: options.Record, reads: options.Reads, log: options.Log, names: newNames()}
	if p.record == nil {
		p.record = history.SinkFunc(func(history.Event) {})
	}
	if p.log == nil {
		p.log = io.Discard
	}
	listener, err := unixsock.Listen(options.Listen, 0o600)
	if err != nil {
		return nil, fmt.Errorf("criproxy: %w", err)
	}
	p.upstream, err = dial(options.Upstream)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("criproxy: upstream %s: %w", options.Upstream, err)
	}
	ctx, p.cancel = context.WithCancel(ctx)
	p.exits = newExits(p)
	p.server = grpc.NewServer(
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(p.handle),
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.WaitForHandlers(true),
		// The proxy must not restrict the caller's keepalive: accept any.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Millisecond, PermitWithoutStream: true}),
	)
	p.upstream.Connect()
	p.wait.Go(func() { p.exits.follow(ctx) })
	p.wait.Go(func() {
		if err := p.server.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			p.logf("criproxy: serving on %s ended: %v", options.Listen, err)
		}
	})
	p.wait.Go(func() {
		<-ctx.Done()
		p.server.Stop() // cancels the calls in progress and waits for them
		_ = p.upstream.Close()
	})
	return p, nil
}

// Close ends the calls in progress (the caller gets Unavailable, the runtime a cancelled call), removes the socket and
// returns when nothing of the proxy is left running.
func (p *Proxy) Close() error {
	p.cancel()
	p.wait.Wait()
	return nil
}

// ExitsErr returns the reason why the proxy does not follow the runtime's container events; nil while it does, or while the
// runtime is not up yet. The error is permanent: the proxy does not ask again a runtime that does not implement them.
func (p *Proxy) ExitsErr() error { return p.exits.failure() }

func dial(path string) (*grpc.ClientConn, error) {
	return grpc.NewClient("unix://"+path,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithAuthority("localhost"),
		grpc.WithIdleTimeout(0), // the proxy monitors the connection: it must not go idle
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(), // a call reaches the runtime once, or fails
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(math.MaxInt32),
			grpc.MaxCallSendMsgSize(math.MaxInt32),
		),
	)
}

func (p *Proxy) logf(format string, args ...any) {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	_, _ = fmt.Fprintf(p.log, format+"\n", args...)
}
