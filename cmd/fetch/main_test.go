// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/none" {
			w.WriteHeader(http.StatusNotFound)
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	}))
	defer server.Close()
	t.Chdir(t.TempDir())
	host := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		line string
		code int
		out  string
		errs string
	}{
		{"curl " + server.URL + "/echo?msg=prestop", 0, "GET /echo?msg=prestop ", ""},
		{"curl -q -s -g --connect-timeout 15 -m 3 " + host + "/x", 0, "GET /x ", ""},
		{"curl -sS -X PUT -d a=b " + host, 0, "PUT / a=b", ""},
		{"curl " + host + "/none", 0, "GET /none ", ""},
		{"curl -f " + host + "/none", 1, "", "404"},
		{"wget -O- --post-data={\"Source\":\"prestop\"} " + host + "/write", 0, "POST /write {\"Source\":\"prestop\"}", ""},
		{"wget -q -O - -T 5 " + host + "/x", 0, "GET /x ", ""},
		{"wget -qO- " + host + "/none", 1, "", "404"},
		{"wget -q " + host + "/x", 0, "", ""},
		{"curl", 2, "", "want one address"},
		{"curl --proxy x " + host, 2, "", "unknown flag: --proxy"},
		{"nc " + host, 2, "", "curl, wget or nmeter"},
		{"curl http://127.0.0.1:1/", 1, "", "connect"},
	} {
		var out, errs bytes.Buffer
		args := strings.Fields(c.line)
		if code := fetch(args[0], args[1:], &out, &errs); code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q, %q", c.line, code, out.String(), errs.String(), c.code, c.out, c.errs)
		}
	}
	var now bytes.Buffer
	if code := fetch("nmeter", []string{"-d0", "%3t"}, &now, io.Discard); code != 0 || len(now.String()) != len("15:04:05.000\n") {
		t.Errorf("nmeter: exit %d, %q", code, now.String())
	}
	if data, err := os.ReadFile("index.html"); err != nil || string(data) != "GET /x " {
		t.Errorf("wget without -O: %q, %v", data, err)
	}
}
