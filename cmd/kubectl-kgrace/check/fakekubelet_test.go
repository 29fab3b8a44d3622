// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// kubelet configures the behaviour of a node's kubelet and runtime.
type kubelet struct {
	fixed   bool
	half    bool   // honours a shorter delete, but no force, of a terminating pod
	holds   bool   // the runtime lets a second stop wait for the first
	term    bool   // the runtime sends TERM before it kills, also for a timeout of 0
	runtime string // as the node names it
	// start is how long a pod takes to run; wrong, if set, is the reason why it never runs.
	start time.Duration
	wrong string
	// slow delays every action of the kubelet; after deaf it sees no more deletes.
	slow time.Duration
	deaf time.Duration
	// logs is the number of lines before a log ends, with the kubelet's message at its end.
	logs     int
	logsText string
	// obeys: the process ends on TERM.
	obeys bool
	// dead is closed when the node dies; with cut, logs then end normally.
	dead chan struct{}
	cut  bool
}

// process is a pod's process with its log.
type process struct {
	pod     *corev1.Pod
	kubelet *kubelet
	deletes chan int64
	ended   chan struct{}

	mu      sync.Mutex
	lines   []string
	changed chan struct{}
	orphan  bool
}

func newProcess(p *corev1.Pod, k *kubelet) *process {
	return &process{pod: p, kubelet: k, deletes: make(chan int64, 10), ended: make(chan struct{}), changed: make(chan struct{})}
}

func (p *process) say(word string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, time.Now().UTC().Format(time.RFC3339Nano)+" "+word)
	close(p.changed)
	p.changed = make(chan struct{})
}

// run is the life of a pod. The kubelet is stock unless it is fixed.
func (p *process) run(f *fakeAPI, key string) {
	k := p.kubelet
	defer func() {
		select {
		case <-k.dead:
			if !k.cut {
				return // the log neither goes on nor ends
			}
		default:
		}
		close(p.ended)
	}()
	born := time.Now()
	select {
	case <-time.After(k.start):
	case <-k.dead:
		return
	case <-p.deletes: // before it ran
		time.Sleep(k.slow) // in the bubble, as all times of the fake kubelet
		f.mu.Lock()
		f.removeObject(key)
		f.mu.Unlock()
		return
	}
	if k.wrong != "" {
		f.setPod(key, func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: k.wrong, Message: "so it is"}}}}
		})
		select {
		case <-k.dead:
		case <-p.deletes:
			f.mu.Lock()
			f.removeObject(key)
			f.mu.Unlock()
		}
		return
	}
	f.setPod(key, func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	})
	hooked := p.pod.Spec.Containers[0].Lifecycle != nil
	var begin time.Time
	var kill, term <-chan time.Time
	// in kills a container after the given time or, if it has a hook, sends TERM then and kills it after the window.
	in := func(left time.Duration) {
		if hooked {
			term, left = time.After(left), left+window
		}
		kill = time.After(left)
	}
	for words := time.NewTicker(200 * time.Millisecond); ; {
		select {
		case <-words.C:
			p.say(wordAlive)
		case <-k.dead:
			return
		case <-term:
			p.say(wordTerm)
		case <-kill:
			time.Sleep(100 * time.Millisecond) // in the bubble: from the death to the removal of the object
			f.mu.Lock()
			f.removeObject(key)
			f.mu.Unlock()
			return
		case grace := <-p.deletes:
			if k.deaf > 0 && time.Since(born) > k.deaf {
				continue
			}
			time.Sleep(k.slow) // in the bubble: a kubelet that takes its time
			p.mu.Lock()
			p.orphan = grace == 0
			p.mu.Unlock()
			asked := time.Duration(grace) * time.Second
			switch {
			case begin.IsZero() && grace == 0 && k.fixed:
				if k.term {
					p.say(wordTerm)
				}
				return
			case begin.IsZero():
				begin = time.Now()
				if hooked {
					p.say(wordHook)
				} else {
					p.say(wordTerm)
				}
				in(max(asked, time.Second))
				if !hooked && asked < window {
					kill = time.After(window)
				}
				if k.obeys {
					kill = time.After(0)
				}
			case k.half && grace == 0:
			case k.fixed && !k.holds && grace == 0:
				return
			case k.fixed && !k.holds:
				in(max(0, time.Until(begin.Add(asked))))
			}
		}
	}
}

// log follows a process, even without its pod, and ends a moment after it.
func (f *fakeAPI) log(ctx context.Context, key string) *http.Response {
	if f.pods[key] == nil {
		return notFound(key)
	}
	p := f.processes[key]
	return stream(ctx, func(out io.Writer) error {
		for next := 0; ; {
			p.mu.Lock()
			lines, changed := p.lines, p.changed
			p.mu.Unlock()
			for ; next < len(lines); next++ {
				if p.kubelet.logs > 0 && next >= p.kubelet.logs && !strings.HasSuffix(key, witnessName) {
					_, err := io.WriteString(out, p.kubelet.logsText)
					return err
				}
				if _, err := io.WriteString(out, lines[next]+"\n"); err != nil {
					return err
				}
			}
			select {
			case <-changed:
			case <-p.ended:
				p.mu.Lock()
				more := next < len(p.lines)
				p.mu.Unlock()
				if !more {
					time.Sleep(700 * time.Millisecond) // in the bubble: a log's connection ends after the process
					return nil
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// metrics counts the orphans of a node.
func (f *fakeAPI) metrics(node string) *http.Response {
	n := 0
	for _, p := range f.processes {
		p.mu.Lock()
		if p.pod.Spec.NodeName == node && p.orphan && !isClosed(p.ended) {
			n++
		}
		p.mu.Unlock()
	}
	text := fmt.Sprintf("# HELP kubelet_working_pods x\nkubelet_working_pods{config=\"desired\",lifecycle=\"sync\",static=\"\"} 3\n"+
		"kubelet_working_pods{config=\"orphan\",lifecycle=\"terminating\",static=\"\"} %d\nkubelet_working_pods{config=\"orphan\",lifecycle=\"terminating\",static=\"true\"} 0\n", n)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
}
