// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Phase summarizes the state of a node.
type Phase string

const (
	Starting Phase = "starting" // Up has not finished
	Ready    Phase = "ready"    // every program runs and the API reports Ready
	Degraded Phase = "degraded" // alive, but a program ended, or the API reports NotReady or does not answer
	Crashed  Phase = "crashed"  // its pid 1 is gone; Down removes what is left
)

// Status is the state of a node as seen from outside.
type Status struct {
	Name  string `json:"name"`
	Phase Phase  `json:"phase"`
	// Message explains why the phase is not Ready.
	Message string `json:"message,omitempty"`

	Dir              string      `json:"dir"`
	Kubeconfig       string      `json:"kubeconfig"`
	APIServer        string      `json:"apiServer"`
	ContainerdSocket string      `json:"containerdSocket"`
	RuntimeEndpoint  string      `json:"runtimeEndpoint"`
	RunDir           string      `json:"runDir"`
	Cgroup           string      `json:"cgroup"`
	Logs             string      `json:"logs"`
	Kubelet          string      `json:"kubelet"` // the binary
	InitPID          int         `json:"initPID"`
	Components       []Component `json:"components"`
}

// Status inspects the node: its processes, and its condition in the API (for at most two seconds). The pids are the host's.
// A node that is not Ready is not an error.
func (n *Node) Status(ctx context.Context) (Status, error) {
	s := n.state
	status := Status{
		Name: s.Name, Dir: n.dir, Kubeconfig: n.Kubeconfig(), APIServer: s.APIServer, ContainerdSocket: n.ContainerdSocket(),
		RuntimeEndpoint: s.RuntimeEndpoint, RunDir: s.RunDir, Cgroup: s.Cgroup, Logs: n.Logs(), Kubelet: s.Kubelet, InitPID: s.InitPID,
		Components: []Component{},
	}
	data, err := os.ReadFile(n.paths().components())
	if err == nil {
		err = json.Unmarshal(data, &status.Components)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return status, fmt.Errorf("component table of node %s: %w", s.Name, err)
	}
	if !s.alive() {
		status.Phase, status.Message = Crashed, "its pid 1 and every other process of the node have ended"
		for i := range status.Components {
			c := &status.Components[i]
			if c.PID = 0; c.Running {
				c.Running, c.Exit = false, "ended with the node"
			}
		}
		return status, nil
	}
	pids := hostPIDs(s.InitPID)
	var ended []string
	for i := range status.Components {
		c := &status.Components[i]
		c.PID = pids[c.PID]
		if !c.Running {
			ended = append(ended, c.Name+" ("+c.Exit+")")
		}
	}
	switch ready, why := n.apiReady(ctx); {
	case !s.Ready:
		status.Phase, status.Message = Starting, why
	case len(ended) > 0:
		status.Phase, status.Message = Degraded, "ended: "+strings.Join(ended, ", ")
	case !ready:
		status.Phase, status.Message = Degraded, why
	default:
		status.Phase = Ready
	}
	return status, nil
}

func (n *Node) apiReady(ctx context.Context) (ready bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	client, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		return false, err.Error()
	}
	node, err := client.CoreV1().Nodes().Get(ctx, n.state.Name, metav1.GetOptions{})
	if err != nil {
		return false, "the API server: " + err.Error()
	}
	condition := readyCondition(node)
	return condition.Status == "True", "node condition Ready: " + condition.Message
}

// hostPIDs maps the pids that children of a namespace's pid 1 have inside the namespace to their pids here
// (proc_pid_status(5), NSpid: one number per namespace, outermost first).
func hostPIDs(init int) map[int]int {
	pids := map[int]int{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", init))
	for _, file := range files {
		children, _ := os.ReadFile(file)
		for child := range strings.FieldsSeq(string(children)) {
			if outer, err := strconv.Atoi(child); err == nil {
				if inner := innerPID(outer); inner > 0 {
					pids[inner] = outer
				}
			}
		}
	}
	return pids
}

func innerPID(outer int) int {
	proc, err := procfs.NewProc(outer)
	if err != nil {
		return 0
	}
	status, err := proc.NewStatus()
	if err != nil || len(status.NSpids) == 0 {
		return 0
	}
	return int(status.NSpids[len(status.NSpids)-1])
}
