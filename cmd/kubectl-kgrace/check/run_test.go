// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// outcome is the outcome of a run in virtual time.
type outcome struct {
	Report
	err  error
	took time.Duration
}

// try runs a check against a fake API in virtual time and fails if it leaves anything.
func try(t *testing.T, kubelets map[string]*kubelet, change func(*fakeAPI, *Config)) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		f := newFakeAPI(kubelets)
		c := Config{Client: f.client(t), Image: DefaultImage, User: 65532, Grace: DefaultGrace, Parallel: DefaultParallel, StartTimeout: time.Minute}
		if change != nil {
			change(f, &c)
		}
		start := time.Now()
		o.Report, o.err = Run(ctx, c)
		o.took = time.Since(start)
		if left := f.left(); len(left) > 0 && !f.denied["delete pods"] && !f.denied["delete namespaces"] {
			t.Errorf("left: %v", left)
		}
		for _, k := range kubelets {
			if !isClosed(k.dead) {
				close(k.dead) // ends what processes are left
			}
		}
		time.Sleep(time.Minute)
	})
	return o
}

// want compares verdicts, given as "probe=verdict".
func (o outcome) want(t *testing.T, node string, verdict Verdict, results ...string) {
	t.Helper()
	i := slices.IndexFunc(o.Nodes, func(n NodeReport) bool { return n.Node == node })
	if i < 0 {
		t.Fatalf("no node %s: %v", node, o.err)
	}
	n := o.Nodes[i]
	if n.Verdict != verdict {
		t.Errorf("%s is %s, want %s: %+v", node, n.Verdict, verdict, n)
	}
	for _, want := range results {
		probe, v, _ := strings.Cut(want, "=")
		if !slices.ContainsFunc(n.Results, func(r Result) bool { return r.Probe == probe && string(r.Verdict) == v }) {
			t.Errorf("%s: want %s, got %+v", node, want, n.Results)
		}
	}
}

// reasons returns all reasons of the report.
func (o outcome) reasons() (all string) {
	for _, n := range o.Nodes {
		all += n.Why + "\n" + n.Hint + "\n"
		for _, r := range n.Results {
			all += r.Why + "\n"
		}
	}
	return all
}

func TestArms(t *testing.T) {
	o := try(t, map[string]*kubelet{"stock": {start: 2 * time.Second}, "fixed": {fixed: true, start: 3 * time.Second}, "crio": {fixed: true, term: true}},
		func(_ *fakeAPI, c *Config) { c.Hooks = true })
	if o.err != nil || len(o.Missing) > 0 {
		t.Fatal(o.err, o.Missing)
	}
	hooks := func(v string) (all []string) {
		for _, p := range []string{Shortened, Forced, Zero} {
			all = append(all, p+"="+v, hookPrefix+p+"="+v)
		}
		return all
	}
	o.want(t, "stock", Affected, hooks("affected")...)
	o.want(t, "fixed", Fixed, hooks("fixed")...)
	o.want(t, "crio", Fixed, hooks("fixed")...)
	if o.Verdict() != Affected {
		t.Error(o.Verdict())
	}
	for _, n := range o.Nodes {
		if n.Node == "stock" && n.Cause != CauseKubelet {
			t.Errorf("cause %q", n.Cause)
		}
		if n.OrphanSeconds == nil || (*n.OrphanSeconds > 30) != (n.Node == "stock") {
			t.Errorf("%s: orphans for %v", n.Node, n.OrphanSeconds)
		}
	}
	if o.took > 75*time.Second {
		t.Errorf("took %v", o.took)
	}
}

func TestMany(t *testing.T) {
	all := map[string]*kubelet{}
	for i := range 20 {
		all["n"+string(rune('a'+i))] = &kubelet{fixed: i%2 == 0, start: 2 * time.Second}
	}
	peak := 0
	o := try(t, all, func(f *fakeAPI, c *Config) {
		c.Parallel = 10
		f.fault = func(string, string) *http.Response { peak = max(peak, f.peak); return nil }
	})
	if o.err != nil || o.took > 3*time.Minute {
		t.Errorf("%v, took %v", o.err, o.took)
	}
	if peak > 10*5 {
		t.Errorf("%d pods at a time", peak)
	}
	for _, n := range o.Nodes {
		if want := map[bool]Verdict{true: Fixed, false: Affected}[all[n.Node].fixed]; n.Verdict != want {
			t.Errorf("%+v", n)
		}
	}
}

func TestRuntimeToldApart(t *testing.T) {
	o := try(t, map[string]*kubelet{"n": {fixed: true, holds: true, runtime: "cri-o://1.30.2"}}, nil)
	o.want(t, "n", Affected, "shortened=affected", "forced=affected", "zero=fixed")
	if n := o.Nodes[0]; n.Cause != CauseRuntime || !strings.Contains(n.Hint, "cri-o#8030") {
		t.Errorf("%+v", n)
	}
}

// TestCouldNotTell tests cases without a verdict, on both arms.
func TestCouldNotTell(t *testing.T) {
	for name, tc := range map[string]struct {
		kubelet kubelet
		change  func(*fakeAPI, *Config)
		why     string
	}{
		"image":             {kubelet{wrong: "ImagePullBackOff"}, nil, "--image"},
		"no user ID":        {kubelet{wrong: "CreateContainerConfigError"}, nil, "--user -1"},
		"never runs":        {kubelet{start: time.Hour}, nil, "--start-timeout"},
		"slow":              {kubelet{slow: 9 * time.Second}, nil, "too slow"},
		"process obeys":     {kubelet{obeys: true}, nil, "does not ignore TERM"},
		"deaf at that time": {kubelet{deaf: settle + 2500*time.Millisecond}, nil, "did not go"},
		"not Ready in the end": {kubelet{}, func(f *fakeAPI, _ *Config) {
			f.fault = at(settle+20*time.Second, func() { f.nodes["n"].Status.Conditions[0].Status = corev1.ConditionUnknown })
		}, "is not Ready"},
		"becomes another": {kubelet{}, func(f *fakeAPI, _ *Config) {
			f.fault = at(settle+20*time.Second, func() { f.nodes["n"].Status.NodeInfo.KubeletVersion = "v1.37.3" })
		}, "became v1.37.3"},
		"node dies":         {kubelet{}, func(f *fakeAPI, _ *Config) { f.kill(settle + 4*time.Second) }, "did not go"},
		"dies and logs end": {kubelet{cut: true}, func(f *fakeAPI, _ *Config) { f.kill(settle + 4*time.Second) }, "did not go"},
		"API server refuses": {kubelet{}, func(f *fakeAPI, _ *Config) {
			f.fault = throttle("DELETE", settle+2500*time.Millisecond, 15*time.Second)
		}, "delete: too many requests"},
	} {
		for _, fixed := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " fixed", false: " stock"}[fixed], func(t *testing.T) {
				k := tc.kubelet
				k.fixed = fixed
				o := try(t, map[string]*kubelet{"n": &k}, tc.change)
				if fixed && (strings.HasPrefix(name, "not Ready") || name == "becomes another") {
					return // a fixed node is done by then
				}
				o.want(t, "n", Unknown)
				if !strings.Contains(o.reasons(), tc.why) {
					t.Errorf("got %s want %q", o.reasons(), tc.why)
				}
			})
		}
	}
}

// TestDiesAfterTheControl: only verdicts from before the death count.
func TestDiesAfterTheControl(t *testing.T) {
	for _, cut := range []bool{false, true} {
		die := func(f *fakeAPI, _ *Config) { f.kill(settle + 11*time.Second) }
		o := try(t, map[string]*kubelet{"n": {cut: cut}}, die)
		o.want(t, "n", Affected, "shortened=could not tell", "forced=could not tell", "zero=affected")
		if want := map[bool]string{true: "the witness on the same node was not heard", false: "its log had not ended"}[cut]; !strings.Contains(o.reasons(), want) {
			t.Errorf("got %s want %q", o.reasons(), want)
		}
	}
}

// TestLogsThatEnd: a kubelet that cannot follow logs, as often in kind clusters, reports that in the log, if at all. On both
// arms neither the end of a log before the delete nor its end with such a text counts as the end of a process.
func TestLogsThatEnd(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		for lines, text := range map[int]string{2: "", 10: "", 11: "failed to create fsnotify watcher: too many open files", 25: "failed to watch: too many open files"} {
			o := try(t, map[string]*kubelet{"n": {fixed: fixed, logs: lines, logsText: text}}, nil)
			if n := o.Nodes[0]; n.Verdict == Fixed {
				t.Errorf("fixed %v, %d lines, %q: %+v", fixed, lines, text, n)
			}
			for _, r := range o.Nodes[0].Results {
				if r.Probe != Shortened && r.Verdict != Unknown && !(lines == 2 && r.Probe == Forced) {
					t.Errorf("fixed %v, %d lines, %q: %+v", fixed, lines, text, r)
				}
			}
		}
	}
}

// TestLateSecondDelete: if the API server is too busy for the second delete, only zero has a verdict.
func TestLateSecondDelete(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		o := try(t, map[string]*kubelet{"n": {fixed: fixed}}, func(f *fakeAPI, _ *Config) {
			f.fault = throttle("DELETE", settle+2500*time.Millisecond, 9500*time.Millisecond)
		})
		o.want(t, "n", map[bool]Verdict{true: Unknown, false: Affected}[fixed], "shortened=could not tell", "forced=could not tell")
		if !strings.Contains(o.reasons(), "the API server took 9.0 s for the second delete") {
			t.Error(o.reasons())
		}
	}
}

// kill ends all nodes after the given time.
func (f *fakeAPI) kill(after time.Duration) {
	time.AfterFunc(after, func() {
		for _, k := range f.kubelets {
			if !isClosed(k.dead) {
				close(k.dead)
			}
		}
	})
}

// at calls do at the first request after the given time.
func at(after time.Duration, do func()) func(string, string) *http.Response {
	start := time.Now()
	return func(string, string) *http.Response {
		if do != nil && time.Since(start) > after {
			do()
			do = nil
		}
		return nil
	}
}

// throttle refuses requests with a method for a while, like an overloaded server.
func throttle(method string, after, length time.Duration) func(string, string) *http.Response {
	start := time.Now()
	return func(m, _ string) *http.Response {
		if since := time.Since(start); (method == "" || m == method) && since > after && since < after+length {
			r := status(429, "TooManyRequests", "too many requests")
			r.Header.Set("Retry-After", "1")
			return r
		}
		return nil
	}
}

// TestThrottled: a run waits for a server that sometimes refuses.
func TestThrottled(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		o := try(t, map[string]*kubelet{"n": {fixed: fixed}}, func(f *fakeAPI, _ *Config) {
			n := 0
			f.fault = func(string, string) *http.Response {
				if n++; n%3 == 0 {
					r := status(429, "TooManyRequests", "too many requests")
					r.Header.Set("Retry-After", "1")
					return r
				}
				return nil
			}
		})
		o.want(t, "n", map[bool]Verdict{true: Fixed, false: Affected}[fixed])
	}
}

var errStop = errors.New("stop")

// TestInterrupted stops a run at several moments; nothing may be left (see try).
func TestInterrupted(t *testing.T) {
	for name, stopAt := range map[string]func(method, path string, since time.Duration) bool{
		"as rights are asked": func(_, path string, _ time.Duration) bool { return strings.Contains(path, "selfsubject") },
		"as the namespace is": func(m, path string, _ time.Duration) bool {
			return m == "POST" && strings.HasSuffix(path, "/namespaces")
		},
		"as the third pod is":   func(m, path string, _ time.Duration) bool { return m == "POST" && strings.HasSuffix(path, "/pods") },
		"as pods start":         func(_, _ string, since time.Duration) bool { return since > time.Second },
		"as pods settle":        func(_, _ string, since time.Duration) bool { return since > 4*time.Second },
		"between two deletes":   func(_, _ string, since time.Duration) bool { return since > 8*time.Second },
		"as pods end":           func(_, _ string, since time.Duration) bool { return since > 20*time.Second },
		"as the namespace goes": func(m, path string, _ time.Duration) bool { return m == "DELETE" && !strings.Contains(path, "/pods") },
	} {
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				k := &kubelet{start: 3 * time.Second}
				f := newFakeAPI(map[string]*kubelet{"n": k})
				start, n := time.Now(), 0
				f.fault = func(method, path string) *http.Response {
					if stopAt(method, path, time.Since(start)) {
						if n++; n == 3 || !strings.HasSuffix(path, "/pods") {
							stop(errStop)
						}
					}
					return nil
				}
				go func() { // something has to ask, so that the moment is seen
					for range 300 {
						time.Sleep(200 * time.Millisecond)
						f.mu.Lock()
						if stopAt("", "", time.Since(start)) {
							stop(errStop)
						}
						f.mu.Unlock()
					}
				}()
				_, err := Run(ctx, Config{Client: f.client(t), Image: DefaultImage, Grace: DefaultGrace, Parallel: 2, StartTimeout: time.Minute})
				took = time.Since(start)
				if !errors.Is(err, errStop) && name != "as the namespace goes" {
					t.Errorf("got %v", err)
				}
				if left := f.left(); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				close(k.dead)
				time.Sleep(time.Minute)
			})
			if name != "as the namespace goes" && took > 25*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestServiceAccountLate: the service account of a new namespace appears a moment after it.
func TestServiceAccountLate(t *testing.T) {
	for refusals, want := range map[int]Verdict{3: Fixed, 1000: Unknown} {
		n := 0
		o := try(t, map[string]*kubelet{"n": {fixed: true}}, func(f *fakeAPI, _ *Config) {
			f.fault = func(method, path string) *http.Response {
				if method == "POST" && strings.HasSuffix(path, "/pods") {
					if n++; n <= refusals {
						return status(403, "Forbidden", `pods "x" is forbidden: error looking up service account ns/default: serviceaccount "default" not found`)
					}
				}
				return nil
			}
		})
		o.want(t, "n", want)
		if want == Unknown && n != 31 {
			t.Errorf("%d tries", n)
		}
	}
}
