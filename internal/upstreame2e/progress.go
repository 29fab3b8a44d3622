// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// dot is what Ginkgo prints for a finished spec.
const dot = "•"

// beat logs every half minute how many specs are done according to the suites' logs, until stop is called. Some releases
// also send progress themselves.
func (s suite) beat(total int) (stop func()) {
	if s.Repo.Progress == nil {
		return func() {}
	}
	return tool.Heartbeat(time.Now(), func(running time.Duration) {
		fmt.Fprintf(s.Repo.Progress, "upstream-e2e: %s: running for %s, %d of %d specs done\n", s.arm, running, s.done(), total)
	})
}

// done counts the finished specs in the logs of this arm.
func (s suite) done() (n int) {
	logs, _ := filepath.Glob(filepath.Join(s.logs(), string(s.arm)+"-*", logFile))
	for _, log := range logs {
		if data, err := os.ReadFile(log); err == nil {
			n += strings.Count(string(data), dot)
		}
	}
	return n
}

// listen starts a server to which e2e.test reports finished specs: upstream's own way to follow a suite.
func (s suite) listen(total int) (url string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var mu sync.Mutex
	done := map[string]bool{}
	begin := time.Now()
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, ask *http.Request) {
		var said struct {
			Msg string `json:"msg"`
		}
		if json.NewDecoder(ask.Body).Decode(&said) != nil || s.Repo.Progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		verb, text, _ := strings.Cut(said.Msg, " ")
		if (verb == "PASSED" || verb == "FAILED") && text != "" && !done[text] {
			done[text] = true
			fmt.Fprintf(s.Repo.Progress, "upstream-e2e: %s: %d of %d, after %s: %s %s\n", s.arm, len(done), total, time.Since(begin).Round(time.Second), strings.ToLower(verb), text)
		}
	})}
	go server.Serve(listener)
	return "http://" + listener.Addr().String(), server.Close, nil
}
