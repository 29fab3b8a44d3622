// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// RunLabel names the run that a pod or namespace belongs to.
	RunLabel = "kgrace.test/check"
	// UntilAnnotation is the time until which a run may use an object; after that it was left behind.
	UntilAnnotation = "kgrace.test/check-until"
	container       = "probe"
)

// Words of a pod's log.
const (
	wordAlive = "alive"
	wordTerm  = "term"
	wordHook  = "hook"
)

// script ignores TERM, and other signals that an image may name as its stop signal, and prints that one came. wait returns on a
// signal, sleep does not. A sleep without fractions takes whole seconds, too coarse for a verdict on zero.
const script = `trap 'echo ` + wordTerm + `' TERM INT QUIT
trap 'echo ` + wordHook + `' USR1
while :; do
  echo ` + wordAlive + `
  { sleep 0.2 2>/dev/null || sleep 1; } & wait $!
done`

// hook signals the process that it started, and never ends.
const hook = `kill -USR1 1; while :; do sleep 1; done`

// podSpec describes one pod.
type podSpec struct {
	name, run, node string
	hook            bool
	until           time.Time
}

// pod returns a pod that meets Pod Security's restricted level, requests next to nothing, and names its node, so that a
// cordoned node can be checked too.
func (c *Config) pod(s podSpec) *corev1.Pod {
	no, yes := false, true
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: s.name, Labels: map[string]string{RunLabel: s.run},
			Annotations: map[string]string{UntilAnnotation: s.until.UTC().Format(time.RFC3339)}},
		Spec: corev1.PodSpec{
			NodeName:                      s.node,
			HostNetwork:                   c.HostNetwork,
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &c.Grace,
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot:   &yes,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name:    container,
				Image:   c.Image,
				Command: []string{"sh", "-c", script},
				Resources: corev1.ResourceRequirements{
					Requests: resources("5m", "8Mi"),
					Limits:   resources("100m", "32Mi"),
				},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: &no,
					ReadOnlyRootFilesystem:   &yes,
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
	if c.User >= 0 {
		p.Spec.SecurityContext.RunAsUser, p.Spec.SecurityContext.RunAsGroup = &c.User, &c.User
	}
	if c.Tainted {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	if s.hook {
		p.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Exec: &corev1.ExecAction{Command: []string{"sh", "-c", hook}}}}
	}
	return p
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

// namespace returns a namespace that enforces the restricted level if the pods meet it.
func (c *Config) namespace(name, run string, until time.Time) *corev1.Namespace {
	level := "restricted"
	if c.HostNetwork {
		level = "privileged"
	}
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels:      map[string]string{RunLabel: run, "pod-security.kubernetes.io/enforce": level},
			Annotations: map[string]string{UntilAnnotation: until.UTC().Format(time.RFC3339)}},
	}
}
