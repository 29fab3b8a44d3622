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
