// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// strict decodes as an API server with fieldValidation=Strict does.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// render builds a kustomization as kubectl does, and returns the objects that it makes. Its faults are those of kustomize, fields that
// an object does not have, and files in its directory that it does not name.
func render(files filesys.FileSystem, dir string) (objects []runtime.Object, faults []string) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
	if err != nil {
		return nil, []string{err.Error()}
	}
	data, err := made.AsYaml()
	if err != nil {
		return nil, []string{err.Error()}
	}
	objects, faults = decode(data)
	return objects, append(faults, unnamed(files, dir)...)
}

// decode decodes the documents of a manifest.
func decode(data []byte) (objects []runtime.Object, faults []string) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, faults
		}
		if err != nil {
			return objects, append(faults, err.Error())
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		objects = append(objects, object)
	}
}

// unnamed returns a fault for each manifest in the directory of a kustomization that it does not name: it is never applied.
func unnamed(files filesys.FileSystem, dir string) (faults []string) {
	var k types.Kustomization
	data, err := files.ReadFile(path.Join(dir, "kustomization.yaml"))
	if err == nil {
		err = k.Unmarshal(data)
	}
	if err != nil {
		return []string{err.Error()}
	}
	names, err := files.ReadDir(dir)
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		if name != "kustomization.yaml" && strings.HasSuffix(name, ".yaml") && !slices.Contains(k.Resources, name) {
			faults = append(faults, fmt.Sprintf("%s is in the directory, but not in the kustomization", name))
		}
	}
	return faults
}

// ofType returns the objects of one type.
func ofType[T runtime.Object](objects []runtime.Object) (found []T) {
	for _, o := range objects {
		if one, ok := o.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

// checkKustomizations checks a kustomization of ci/, and that each change to a file of its directory causes the named fault.
func checkKustomizations(t *testing.T, dir string, check func(filesys.FileSystem, string) []string, files map[string][]spoiled) {
	t.Helper()
	if faults := check(inMemory(t), dir); len(faults) > 0 {
		t.Errorf("%s:\n  %s", dir, strings.Join(faults, "\n  "))
	}
	for file, cases := range files {
		for _, c := range cases {
			copied := inMemory(t)
			data, err := copied.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.old) {
				t.Errorf("%s has no %q", file, c.old)
				continue
			}
			if err := copied.WriteFile(file, []byte(strings.Replace(string(data), c.old, c.new, 1))); err != nil {
				t.Fatal(err)
			}
			faults := check(copied, dir)
			if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("%s with %q: got %q, want %q", file, c.new, faults, c.want)
			}
		}
	}
}

// inMemory returns the files under ci/.
func inMemory(t *testing.T) filesys.FileSystem {
	t.Helper()
	files := filesys.MakeFsInMemory()
	err := fs.WalkDir(os.DirFS(root), "ci", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		return files.WriteFile(path, data)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestOverlay names a registry and a tag as adopters do; all Jobs must use them.
func TestOverlay(t *testing.T) {
	for dir, name := range map[string]string{"ci/indexed-job/kind": "kgrace-shards", "ci/check/job": "kgrace-check"} {
		files := inMemory(t)
		overlay := "resources: [../" + dir + "]\nimages: [{name: " + name + ", newName: registry.example/" + name + ", newTag: v2}]\n"
		if err := files.WriteFile("my/kustomization.yaml", []byte(overlay)); err != nil {
			t.Fatal(err)
		}
		objects, faults := render(files, "my")
		if len(faults) > 0 {
			t.Errorf("%s: %q", dir, faults)
		}
		for _, j := range ofType[*batchv1.Job](objects) {
			for _, c := range j.Spec.Template.Spec.Containers {
				if want := "registry.example/" + name + ":v2"; c.Image != want {
					t.Errorf("%s: job %s, container %s: image %s, want %s", dir, j.Name, c.Name, c.Image, want)
				}
			}
		}
	}
}
