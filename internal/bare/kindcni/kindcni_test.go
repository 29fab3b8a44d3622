// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func nodeOf(name, address string, cidrs ...string) node {
	var n node
	data := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"podCIDRs":[%s]},"status":{"addresses":[{"type":"Hostname","address":%q},{"type":"InternalIP","address":%q}]}}`,
		name, quoted(cidrs), name, address)
	if err := json.Unmarshal([]byte(data), &n); err != nil {
		panic(err)
	}
	return n
}

func quoted(all []string) string {
	var q []string
	for _, s := range all {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return strings.Join(q, ",")
}

func set(nodes ...node) map[string]node {
	all := map[string]node{}
	for _, n := range nodes {
		all[n.Metadata.Name] = n
	}
	return all
}

// runs records commands; those that match fail return an error.
type runs struct {
	done []string
	fail string
}

func (r *runs) run(_ context.Context, args ...string) error {
	line := strings.Join(args, " ")
	r.done = append(r.done, line)
	if r.fail != "" && strings.Contains(line, r.fail) {
		return errors.New("refused")
	}
	return nil
}

func (r *runs) take() []string {
	done := r.done
	r.done = nil
	return done
}

func newKeeper(t *testing.T, r *runs) *keeper {
	return &keeper{self: "10.0.0.1", subnets: []string{"10.244.0.0/16"}, confDir: t.TempDir(), run: r.run, routes: map[string]string{}}
}

func TestKeep(t *testing.T) {
	r := &runs{fail: " -C "}
	k := newKeeper(t, r)
	self, b, c := nodeOf("a", "10.0.0.1"), nodeOf("b", "10.0.0.2", "10.244.1.0/24"), nodeOf("c", "10.0.0.3", "10.244.2.0/24")
	if err := k.keep(t.Context(), set(self, b)); err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(k.confDir, "10-kgrace.conflist")
	if _, err := os.Stat(conf); err == nil {
		t.Error("a configuration is there before the node has a range")
	}
	done := r.take()
	if len(done) != 3 || !strings.Contains(done[1], "-A POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16") || done[2] != "ip route replace 10.244.1.0/24 via 10.0.0.2" {
		t.Errorf("%q", done)
	}
	// The node gets its range, one node joins, one leaves: only the changes are made.
	self = nodeOf("a", "10.0.0.1", "10.244.0.0/24")
	if err := k.keep(t.Context(), set(self, c)); err != nil {
		t.Fatal(err)
	}
	if done := r.take(); !slices.Equal(done, []string{"ip route replace 10.244.2.0/24 via 10.0.0.3", "ip route delete 10.244.1.0/24"}) {
		t.Errorf("%q", done)
	}
	data, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Plugins []struct {
			Type string
			IPAM struct{ Ranges [][]struct{ Subnet string } }
		}
	}
	if err := json.Unmarshal(data, &written); err != nil || written.Plugins[0].IPAM.Ranges[0][0].Subnet != "10.244.0.0/24" {
		t.Errorf("%s, %v", data, err)
	}
	if err := k.keep(t.Context(), set(self, c)); err != nil || len(r.take()) > 0 {
		t.Errorf("nothing changed, got %q, %v", r.done, err)
	}
	if left, _ := filepath.Glob(filepath.Join(k.confDir, ".*")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

func TestRouteThatFailsIsTriedAgain(t *testing.T) {
	r := &runs{fail: "route replace"}
	k := newKeeper(t, r)
	nodes := set(nodeOf("a", "10.0.0.1", "10.244.0.0/24"), nodeOf("b", "10.0.0.2", "10.244.1.0/24"))
	if err := k.keep(t.Context(), nodes); err == nil {
		t.Error("no error for a refused route")
	}
	r.fail, r.done = "", nil
	if err := k.keep(t.Context(), nodes); err != nil || !slices.Contains(r.done, "ip route replace 10.244.1.0/24 via 10.0.0.2") {
		t.Errorf("%q, %v", r.done, err)
	}
}

func TestIPv6(t *testing.T) {
	r := &runs{fail: " -C "}
	k := &keeper{self: "fc00::1", subnets: []string{"fd00:10:244::/56"}, confDir: t.TempDir(), run: r.run, routes: map[string]string{}}
	if err := k.keep(t.Context(), set(nodeOf("a", "fc00::1", "fd00:10:244::/64"), nodeOf("b", "fc00::2", "fd00:10:244:1::/64", "10.244.1.0/24"))); err != nil {
		t.Fatal(err)
	}
	if done := r.take(); len(done) != 3 || !strings.HasPrefix(done[1], "ip6tables ") || done[2] != "ip route replace fd00:10:244:1::/64 via fc00::2" {
		t.Errorf("%q", done)
	}
	if !strings.Contains(string(k.conf), `"::/0"`) {
		t.Errorf("%s", k.conf)
	}
}

func TestWatchNodes(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}`)
			return
		}
		if r.URL.Query().Get("resourceVersion") != "7" {
			t.Errorf("watch from %s", r.URL.RawQuery)
		}
		fmt.Fprint(w, `{"type":"ADDED","object":{"metadata":{"name":"b"}}}{"type":"BOOKMARK","object":{}}{"type":"DELETED","object":{"metadata":{"name":"a"}}}`)
	}))
	defer server.Close()
	c := &client{base: server.URL, http: server.Client(), dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, "token"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []string
	if err := c.watchNodes(t.Context(), func(nodes map[string]node) error {
		var names []string
		for name := range nodes {
			names = append(names, name)
		}
		slices.Sort(names)
		seen = append(seen, strings.Join(names, "+"))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []string{"a", "a+b", "b"}) {
		t.Errorf("%q", seen)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "token"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.watchNodes(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "who are you") {
		t.Errorf("%v", err)
	}
}
