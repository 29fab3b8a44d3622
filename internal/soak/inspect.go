// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/regress"
)

// site is a real node that can be looked into from outside.
type site struct{ *regress.RealNode }

// Directories of the node's programs as they are inside it.
var podDirectories = []string{"/var/lib/kubelet/pods", "/var/log/pods"}

// Inspect returns what is on the node because of pods.
func (s site) Inspect(ctx context.Context) (State, error) {
	var state State
	status, err := s.Status(ctx)
	if err != nil {
		return state, err
	}
	ids, err := s.runtimes(ctx, &state)
	if err != nil {
		return state, fmt.Errorf("ask the runtime what is left: %w", err)
	}
	if state.Processes, err = strangers(status, ids); err != nil {
		return state, err
	}
	if state.Cgroups, err = podCgroups(status.Cgroup); err != nil {
		return state, err
	}
	mounts, err := mountinfo.PidMountInfo(status.InitPID)
	if err != nil {
		return state, fmt.Errorf("mounts of the node: %w", err)
	}
	for _, m := range mounts {
		state.Mounts = append(state.Mounts, m.Mountpoint)
	}
	for _, dir := range podDirectories {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/root%s", status.InitPID, dir))
		if err != nil && !os.IsNotExist(err) {
			return state, err
		}
		for _, e := range entries {
			state.Directories = append(state.Directories, filepath.Join(dir, e.Name()))
		}
	}
	var pods corev1.PodList
	if err := s.kubelet("pods").Do(ctx).Into(&pods); err != nil {
		return state, fmt.Errorf("ask the kubelet for its pods: %w", err)
	}
	for _, pod := range pods.Items {
		state.Pods = append(state.Pods, pod.Name)
	}
	metrics, err := s.kubelet("metrics").DoRaw(ctx)
	if err != nil {
		return state, fmt.Errorf("ask the kubelet for its metrics: %w", err)
	}
	state.Workers = working(string(metrics))
	return state, nil
}

// working returns the series of metrics about pods that the kubelet works on, or that it has lost, which are not 0.
func working(metrics string) (all []string) {
	for line := range strings.Lines(metrics) {
		line = strings.TrimSpace(line)
		if series, value, ok := strings.Cut(line, " "); ok && strings.HasPrefix(series, "kubelet_working_pods{") && value != "0" {
			all = append(all, line)
		}
	}
	return all
}

// runtimes adds the sandboxes and containers that the runtime has, and returns the sandboxes' IDs.
func (s site) runtimes(ctx context.Context, state *State) (ids []string, err error) {
	conn, err := grpc.NewClient("unix://"+s.ContainerdSocket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	runtime := runtimev1.NewRuntimeServiceClient(conn)
	list, err := runtime.ListPodSandbox(ctx, &runtimev1.ListPodSandboxRequest{})
	if err != nil {
		return nil, err
	}
	for _, one := range list.GetItems() {
		ids = append(ids, one.GetId())
		state.Sandboxes = append(state.Sandboxes, one.GetMetadata().GetName())
	}
	all, err := runtime.ListContainers(ctx, &runtimev1.ListContainersRequest{})
	for _, one := range all.GetContainers() {
		state.Containers = append(state.Containers, one.GetMetadata().GetName()+" "+one.GetId())
	}
	return ids, err
}

// strangers returns the processes of a node that are none of its programs. A shim that has no process and whose sandbox the runtime
// does not have is the runtime's loss: containerd, killed just when it started the shim, does not know of it, and no kubelet ever did.
func strangers(status localnode.Status, sandboxes []string) (all []string, err error) {
	ours := map[int]bool{status.InitPID: true}
	for _, c := range status.Components {
		ours[c.PID] = true
	}
	parents := map[int]int{}
	names := map[int]string{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, name, parent, ok := parseStat(string(data))
		if ok {
			parents[pid], names[pid] = parent, name
		}
	}
	children := map[int]int{}
	for _, parent := range parents {
		children[parent]++
	}
	for pid, name := range names {
		if children[pid] == 0 && name == shimName && !slices.ContainsFunc(sandboxes, func(id string) bool { return isShimOf(pid, id) }) {
			continue
		}
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == status.InitPID && !ours[pid] {
				all = append(all, name+" "+strconv.Itoa(pid))
				break
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// shimName is the name of containerd's shims in proc_pid_stat(5), which has 15 bytes of it.
const shimName = "containerd-shim"

// isShimOf reports whether a process has an ID among its arguments.
func isShimOf(pid int, id string) bool {
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && slices.Contains(strings.Split(string(args), "\x00"), id)
}

// parseStat reads pid, command and parent of proc_pid_stat(5). The command may contain anything.
func parseStat(stat string) (pid int, name string, parent int, ok bool) {
	open, closed := strings.Index(stat, "("), strings.LastIndex(stat, ")")
	if open < 0 || closed < open {
		return 0, "", 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(stat[:open]))
	fields := strings.Fields(stat[closed+1:])
	if err != nil || len(fields) < 2 {
		return 0, "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return pid, stat[open+1 : closed], parent, err == nil
}

// podCgroups returns the cgroups of pods below the node's own, in every hierarchy.
func podCgroups(node string) (all []string, err error) {
	roots, err := filepath.Glob("/sys/fs/cgroup/*/" + node)
	if err != nil {
		return nil, err
	}
	for _, root := range append(roots, filepath.Join("/sys/fs/cgroup", node)) {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil // it has just gone
			case err != nil:
				return err
			case e.IsDir() && strings.HasPrefix(e.Name(), "pod") && !strings.HasPrefix(e.Name(), "pods"):
				all = append(all, path)
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
