// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// serveSilence listens on the port and answers no request. It reports HTTP-START when a request arrives and HTTP-GONE when its
// client has gone.
func serveSilence(r *reporter, port int) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("--http-port: %w", err)
	}
	server := &http.Server{Handler: silence(r)} // no time limits: requests must hang
	go func() {
		err := server.Serve(listener)
		fmt.Fprintf(r.errs, "actor run: http: %v\n", err)
	}()
	return nil
}

func silence(r *reporter) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		what := request.Method + " " + request.URL.Path
		_ = r.report("HTTP-START", what)
		<-request.Context().Done()
		_ = r.report("HTTP-GONE", what)
		panic(http.ErrAbortHandler) // close the connection without an answer
	})
}
