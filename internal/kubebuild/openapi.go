// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Up to v1.22 upstream's repository does not contain the OpenAPI definitions that kube-apiserver links: its makefiles
// generate them before a build. So does this file, with the same generator, which the tree itself requires. The result is
// stored in the output directory and laid over the tree for that build.
const (
	openAPIDir  = "pkg/generated/openapi"
	openAPIFile = "zz_generated.openapi.go"
	openAPITool = "k8s.io/kube-openapi/cmd/openapi-gen"
	openAPIMark = "+k8s:openapi-gen="
	// openAPIFormat is part of the binary's inputs. Raise it when the way the file is generated changes.
	openAPIFormat = "openapi 1"
)

// lacksOpenAPI reports whether a tree has the package of the definitions but not the definitions.
func lacksOpenAPI(tree string) bool {
	if _, err := os.Stat(filepath.Join(tree, openAPIDir, "doc.go")); err != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(tree, openAPIDir, openAPIFile))
	return os.IsNotExist(err)
}

// generateOpenAPI writes into dir the definitions of all marked types that pkg links, and an overlay for go build that adds
// them to the tree. It writes nothing into the tree.
func generateOpenAPI(ctx context.Context, tree, pkg, dir, toolchain string) (overlay string, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	generator := filepath.Join(dir, "openapi-gen")
	if _, err := tool.Go(ctx, tree, toolchain, nil, "build", "-o", generator, openAPITool); err != nil {
		return "", err
	}
	packages, err := markedPackages(ctx, tree, pkg, toolchain)
	if err != nil {
		return "", err
	}
	// The generator runs the go command, hence the environment.
	if _, err := tool.Run(ctx, tool.Cmd{Dir: tree, Env: tool.GoEnv(toolchain), Args: []string{generator, "--logtostderr",
		"--input-dirs", strings.Join(packages, ","), "--output-package", "k8s.io/kubernetes/" + openAPIDir,
		"--output-file-base", strings.TrimSuffix(openAPIFile, ".go"), "--output-base", filepath.Join(dir, "out"),
		"--go-header-file", filepath.Join("hack", "boilerplate", "boilerplate.generatego.txt"),
		"--report-filename", filepath.Join(dir, "violations"),
	}}); err != nil {
		return "", err
	}
	made := filepath.Join(dir, "out", "k8s.io", "kubernetes", openAPIDir, openAPIFile)
	if _, err := os.Stat(made); err != nil {
		return "", fmt.Errorf("%s did not write the requested file: %w", openAPITool, err)
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(tree, openAPIDir, openAPIFile): made}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o644)
}

// markedPackages returns the packages that pkg links and that request OpenAPI definitions, for all or some of their types.
func markedPackages(ctx context.Context, tree, pkg, toolchain string) ([]string, error) {
	out, err := tool.Go(ctx, tree, toolchain, nil, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}{{range .GoFiles}}\t{{.}}{{end}}{{end}}", pkg)
	if err != nil {
		return nil, err
	}
	var marked []string
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 3 || !strings.HasPrefix(fields[0], "k8s.io/") {
			continue
		}
		for _, file := range fields[2:] {
			data, err := os.ReadFile(filepath.Join(fields[1], file))
			if err != nil {
				return nil, err
			}
			if bytes.Contains(data, []byte(openAPIMark)) {
				marked = append(marked, fields[0])
				break
			}
		}
	}
	if len(marked) == 0 {
		return nil, fmt.Errorf("no package that %s links requests OpenAPI definitions (%s)", pkg, openAPIMark)
	}
	return marked, nil
}
