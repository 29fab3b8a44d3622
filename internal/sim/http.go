// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Doer sends HTTP requests to the containers of a runtime without a network, like an http.Client without a timeout. The
// kubelet's preStop hooks use it.
type Doer struct{ rt *Runtime }

// HTTPDoer returns the Doer of a runtime.
func HTTPDoer(rt *Runtime) *Doer { return &Doer{rt} }

// Do sends one request. If no running container serves the port, the connection is refused. A request to a pod's own address
// goes to that pod; any other address is the node's, where the pods in the node's network listen. A server that never answers
// holds the request until the request's context or the server's process ends.
func (d *Doer) Do(request *http.Request) (*http.Response, error) {
	fail := func(err error) (*http.Response, error) {
		return nil, &url.Error{Op: titled(request.Method), URL: request.URL.String(), Err: err}
	}
	ctx := request.Context()
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	p := d.server(request.URL)
	if p == nil {
		return fail(&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
	}
	if request.URL.Scheme == "https" {
		return fail(http.ErrSchemeMismatch)
	}
	what := request.Method + " " + request.URL.Path
	if !p.tell("HTTP-START", what) {
		return fail(io.EOF)
	}
	var answer <-chan time.Time // nil: never
	if p.program.HTTPAnswers {
		timer := time.NewTimer(p.program.HTTPTakes)
		defer timer.Stop()
		answer = timer.C
	}
	select {
	case <-answer:
		return &http.Response{
			Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: request,
		}, nil
	case <-p.done:
		return fail(io.EOF)
	case <-ctx.Done():
		p.tell("HTTP-GONE", what)
		return fail(ctx.Err())
	}
}

// server returns the process that listens at a URL.
func (d *Doer) server(u *url.URL) *process {
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	d.rt.mu.Lock()
	defer d.rt.mu.Unlock()
	ip := ""
	for _, s := range d.rt.sandboxes.all() {
		if s.ip != "" && s.ip == u.Hostname() {
			ip = s.ip
		}
	}
	for _, c := range d.rt.containers.all() {
		if c.running() && c.main.program.HTTPPort == port && c.sandbox.ip == ip {
			return c.main
		}
	}
	return nil
}

// tell writes a line if the process is running.
func (p *process) tell(word, message string) bool {
	p.rt.mu.Lock()
	defer p.rt.mu.Unlock()
	if p.ended {
		return false
	}
	p.say(word, message)
	return true
}

// titled returns a method as an http.Client names it in its errors.
func titled(method string) string {
	if method == "" {
		return "Get"
	}
	return fmt.Sprint(method[:1], strings.ToLower(method[1:]))
}
