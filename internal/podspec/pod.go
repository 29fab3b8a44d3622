// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import (
	"encoding/json"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/scenario"
)

const (
	// Namespace is the namespace of the scenarios' pods.
	Namespace = "regression"
	// LinesSocket is the line server's socket in the node's lines directory, which every container mounts.
	LinesSocket = "lines.sock"
	// LinesMount is the mount path of that directory in containers.
	LinesMount = "/lines"
	// Finalizer is the finalizer of a pod that has one.
	Finalizer = "kgrace.test/held"
	// Touched is the annotation that a step sets to make the kubelet sync the pod.
	Touched = "kgrace.test/touched"
)

// Pod returns the API object of a scenario's pod on a node. linesDir is the node's directory for the lines of containers; ""
// omits the volume, for levels where containers need no directory to report lines.
func Pod(s scenario.Scenario, node, linesDir string) *corev1.Pod {
	hostDir := corev1.HostPathDirectory
	no := false
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: s.ID, Namespace: Namespace},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			HostNetwork:                   true,
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &s.Pod.Grace,
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Volumes: []corev1.Volume{{Name: "lines", VolumeSource: corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: linesDir, Type: &hostDir}}}},
		},
	}
	if s.Pod.Static {
		pod.Spec.NodeName = ""
		// As static pods have it; with a fixed UID and no restarts, the pod's own end would prevent its next start.
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
		pod.UID = types.UID(s.Pod.UID)
	}
	if s.Pod.Restarts {
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if s.Pod.Finalizer {
		pod.Finalizers = []string{Finalizer}
	}
	for _, step := range s.Steps {
		if _, ok := step.Do.(scenario.Taint); ok {
			pod.Spec.Tolerations = nil
		}
	}
	if s.Scheduled() {
		pod.Spec.NodeName = ""
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	}
	for _, c := range s.Pod.Sidecars {
		one := containerOf(s.ID, c)
		restartable(&one)
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, one)
	}
	for _, c := range s.Pod.Containers {
		pod.Spec.Containers = append(pod.Spec.Containers, containerOf(s.ID, c))
	}
	if linesDir == "" {
		deaf(pod)
	}
	return pod
}

// Manifest returns the manifest of a scenario's static pod: the first one, or the one that replaces it. linesDir is as for Pod.
func Manifest(s scenario.Scenario, linesDir string, changed bool) ([]byte, error) {
	pod := Pod(s, "", linesDir)
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	if changed {
		pod.Labels = map[string]string{"kgrace.test/manifest": "changed"}
	}
	return json.Marshal(pod)
}

// deaf removes the volume of the lines.
func deaf(pod *corev1.Pod) {
	pod.Spec.Volumes = nil
	for _, all := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range all {
			all[i].VolumeMounts = nil
		}
	}
}

func containerOf(pod string, c scenario.Container) corev1.Container {
	args := []string{"run"}
	switch {
	case c.Fails:
		args = append(args, "--exit-after", "0s", "--exit-code", "1")
	case c.Ends > 0:
		args = append(args, "--exit-after", c.Ends.String())
	case c.Stubborn:
		args = append(args, "--stubborn")
	case c.ExitAfter > 0:
		args = append(args, "--exit-after-term", c.ExitAfter.String())
	default:
		args = append(args, "--exit-on-term")
	}
	one := corev1.Container{
		Name:            c.Name,
		Image:           actor.Image,
		ImagePullPolicy: corev1.PullNever,
		Command:         []string{actor.Path},
		Env: []corev1.EnvVar{
			{Name: "KGRACE_POD", Value: pod},
			{Name: "KGRACE_CONTAINER", Value: c.Name},
			{Name: "KGRACE_SOCKET", Value: filepath.Join(LinesMount, LinesSocket)},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "lines", MountPath: LinesMount}},
	}
	if c.Port > 0 {
		args = append(args, "--http-port", strconv.Itoa(c.Port))
		one.Ports = []corev1.ContainerPort{{ContainerPort: int32(c.Port), HostPort: int32(c.Port)}}
	}
	if c.Pull {
		one.ImagePullPolicy = corev1.PullAlways
	}
	if c.Probe > 0 {
		one.ReadinessProbe = execProbe([]string{actor.Path, "mark", "--word", "PROBE"})
		// A probe that starts with the pod would race with the kubelet's notice that the container runs.
		one.ReadinessProbe.InitialDelaySeconds = 2
		one.ReadinessProbe.PeriodSeconds = int32(c.Probe.Seconds())
		one.ReadinessProbe.TimeoutSeconds = 5
	}
	if c.Sick > 0 {
		one.LivenessProbe = execProbe([]string{actor.Path, "mark", "--word", "SICK", "--exit-code", "1"})
		one.LivenessProbe.InitialDelaySeconds, one.LivenessProbe.PeriodSeconds = int32(c.Sick.Seconds()), 1
		one.LivenessProbe.FailureThreshold = 1
	}
	if c.Hook != nil {
		handler := &lifecycleHandler{}
		switch c.Hook.Kind {
		case scenario.HookExec:
			handler.Exec = &corev1.ExecAction{Command: hookCommand(c.Hook)}
		case scenario.HookSleep:
			sleep(handler, int64(c.Hook.Takes.Seconds()))
		case scenario.HookHTTP:
			args = append(args, "--http-port", strconv.Itoa(scenario.HTTPPort))
			// For a hook without a host the kubelet asks the runtime for the pod's address, and a pod in the host's network has
			// none there. Both are in the node's network namespace.
			handler.HTTPGet = &corev1.HTTPGetAction{Host: "127.0.0.1", Path: "/stop", Port: intstr.FromInt(scenario.HTTPPort)}
		}
		one.Lifecycle = &corev1.Lifecycle{PreStop: handler}
	}
	if c.PostStart != nil {
		if one.Lifecycle == nil {
			one.Lifecycle = &corev1.Lifecycle{}
		}
		one.Lifecycle.PostStart = &lifecycleHandler{Exec: &corev1.ExecAction{
			Command: append(hookCommand(c.PostStart), "--word", scenario.PostStartWord)}}
	}
	one.Args = args
	return one
}

// hookCommand returns the command line of an exec hook.
func hookCommand(h *scenario.Hook) []string {
	takes := "forever"
	if h.Takes > 0 {
		takes = h.Takes.String()
	}
	command := []string{actor.Path, "hook", "--for", takes}
	if h.Fails {
		command = append(command, "--exit-code", "1")
	}
	if h.EndsMain > 0 {
		command = append(command, "--end-main", h.EndsMain.String())
	}
	return command
}
