// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// finalize replaces the namespace controller, which a single node lacks: it removes a deleted namespace once its pods are gone.
func finalize(ctx context.Context, client kubernetes.Interface) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		all, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for i := range all.Items {
			n := &all.Items[i]
			if n.DeletionTimestamp == nil {
				continue
			}
			if pods, err := client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{}); err == nil && len(pods.Items) == 0 {
				n.Spec.Finalizers = nil
				_, _ = client.CoreV1().Namespaces().Finalize(ctx, n, metav1.UpdateOptions{})
			}
		}
	}
}

// TestOwnNamespace: runs with a namespace of their own, two at once and some interrupted, leave nothing.
func TestOwnNamespace(t *testing.T) {
	bin := program(t)
	n := up(t, "fixed")
	api := client(t, n)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go finalize(ctx, api)
	c := newChecker(t, bin, n.Kubeconfig(), "--tainted", "--host-network")
	done := make(chan outcome)
	for range 2 {
		go func() { done <- c.run(t.Context(), t, nil) }()
	}
	for range 2 {
		o := <-done
		o.want(t, 0, n.NodeName(), all("fixed")...)
	}
	nothingLeft(t, api)
	for _, after := range []time.Duration{30 * time.Millisecond, 200 * time.Millisecond, 2 * time.Second, 6 * time.Second, 10 * time.Second} {
		stop := make(chan struct{})
		timer := time.AfterFunc(after, func() { close(stop) })
		if o := c.run(t.Context(), t, stop); o.code != 3 && o.code != -1 || o.took > after+10*time.Second {
			t.Errorf("after %v: code %d, took %v", after, o.code, o.took)
		}
		timer.Stop()
		nothingLeft(t, api)
	}
}

// TestAdmitted: Pod Security of the API server admits the pods of a dry run to a restricted namespace, and refuses those that
// need more.
func TestAdmitted(t *testing.T) {
	bin := program(t)
	n := up(t, "fixed")
	api := client(t, n)
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "restricted", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if _, err := api.CoreV1().Namespaces().Create(t.Context(), space, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for flag, refused := range map[string]bool{"--hooks": false, "--host-network": true, "--user=0": true} {
		printed, err := exec.CommandContext(t.Context(), bin, "check", "--dry-run", "--namespace", space.Name, "--node", n.NodeName(), flag).Output()
		if err != nil {
			t.Fatal(err)
		}
		pods := 0
		for _, doc := range strings.Split(string(printed), "---\n")[1:] {
			var p corev1.Pod
			if err := yaml.Unmarshal([]byte(doc), &p); err != nil || p.Kind != "Pod" {
				continue
			}
			pods++
			p.Name = strings.ToLower(p.Name)
			_, err := api.CoreV1().Pods(space.Name).Create(t.Context(), &p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "PodSecurity") {
				t.Errorf("%s, %s: %v", flag, p.Name, err)
			}
		}
		if pods < 5 {
			t.Errorf("%s: %d pods", flag, pods)
		}
	}
}
