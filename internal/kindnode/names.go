// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// imageNames are the names of the images that a node's own pods use. They differ between releases, so they are read from
// the components that request the images.
type imageNames struct {
	// kubeadm's images, keyed by the last part of the name: kube-apiserver, kube-controller-manager, kube-scheduler,
	// kube-proxy, coredns, etcd.
	kubeadm map[string]string
	// pause is the sandbox image in kind's containerd configuration, which kind uses in place of kubeadm's.
	pause string
	// network and storage are the images in the manifests that kind puts into every node image.
	network string
	storage []string
}

// controlPlane are the images that kubeadm must list.
var controlPlane = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "coredns", "etcd"}

// all returns all names.
func (n *imageNames) all() []string {
	all := append([]string{n.pause, n.network}, n.storage...)
	for _, name := range controlPlane {
		all = append(all, n.kubeadm[name])
	}
	return all
}

// askNames queries kubeadm and reads kind's module, extracted at kindDir.
func askNames(ctx context.Context, kubeadm, version, kindDir string) (*imageNames, error) {
	// Without a version kubeadm would ask the network for the newest.
	out, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: os.Environ(), Args: []string{kubeadm, "config", "images", "list", "--kubernetes-version", version}})
	if err != nil {
		return nil, err
	}
	n := &imageNames{kubeadm: map[string]string{}}
	for _, name := range strings.Fields(out) {
		repository, _, _ := strings.Cut(path.Base(name), ":")
		n.kubeadm[repository] = name
	}
	for _, want := range controlPlane {
		if n.kubeadm[want] == "" {
			return nil, fmt.Errorf("kubeadm %s lists no image for %s; its list:\n%s", version, want, out)
		}
	}
	config, err := os.ReadFile(filepath.Join(kindDir, containerdConfig))
	if err != nil {
		return nil, err
	}
	if n.pause, err = sandboxImage(string(config)); err != nil {
		return nil, err
	}
	constants, err := stringConstants(filepath.Join(kindDir, "pkg", "build", "nodeimage"))
	if err != nil {
		return nil, err
	}
	n.network = constants["kindnetdImage"]
	n.storage = []string{constants["storageProvisionerImage"], constants["storageHelperImage"]}
	if n.network == "" || n.storage[0] == "" || n.storage[1] == "" {
		return nil, errors.New("kind's module no longer declares the images of its network and storage manifests (kindnetdImage, storageProvisionerImage, storageHelperImage in pkg/build/nodeimage)")
	}
	return n, nil
}

// containerdConfig is the file in kind's module that becomes /etc/containerd/config.toml on every node.
const containerdConfig = "images/base/files/etc/containerd/config.toml"

var sandboxLine = regexp.MustCompile(`(?m)^\s*sandbox_image\s*=\s*"([^"]+)"`)

func sandboxImage(config string) (string, error) {
	m := sandboxLine.FindStringSubmatch(config)
	if m == nil {
		return "", fmt.Errorf("%s in kind's module sets no sandbox_image", containerdConfig)
	}
	return m[1], nil
}

// stringConstants returns the plain string constants of a Go package.
func stringConstants(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s contains no Go files (%v)", dir, err)
	}
	all := map[string]string{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if len(v.Names) != len(v.Values) {
					continue
				}
				for i, name := range v.Names {
					lit, ok := v.Values[i].(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						continue
					}
					if all[name.Name], err = strconv.Unquote(lit.Value); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return all, nil
}
