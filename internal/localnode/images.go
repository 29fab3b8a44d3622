/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package localnode

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// writeImages writes one archive in the form of `docker save` with the node's two images. They share one layer that holds
// nothing but the static program at actor. The same program gives the same bytes.
func writeImages(file, actor string) error {
	program, err := os.ReadFile(actor)
	if err != nil {
		return err
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	if err := addFile(w, "actor", 0o755, program); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}

	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := writeArchive(out, layer.Bytes(), []image{
		{ActorImage, []string{"/actor"}},
		{PauseImage, []string{"/actor", "pause"}},
	}); err != nil {
		return fmt.Errorf("image archive %s: %w", file, err)
	}
	return out.Close()
}

type image struct {
	tag        string
	entrypoint []string
}

// writeArchive writes images of one common layer.
func writeArchive(out io.Writer, layer []byte, images []image) error {
	type manifest struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	w := tar.NewWriter(out)
	layerFile := digest(layer) + ".tar"
	if err := addFile(w, layerFile, 0o644, layer); err != nil {
		return err
	}
	var manifests []manifest
	for _, i := range images {
		config, err := json.Marshal(map[string]any{
			"architecture": runtime.GOARCH,
			"os":           "linux",
			"config":       map[string]any{"Entrypoint": i.entrypoint, "WorkingDir": "/"},
			"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest(layer)}},
		})
		if err != nil {
			return err
		}
		configFile := digest(config) + ".json"
		if err := addFile(w, configFile, 0o644, config); err != nil {
			return err
		}
		manifests = append(manifests, manifest{configFile, []string{i.tag}, []string{layerFile}})
	}
	data, err := json.Marshal(manifests)
	if err != nil {
		return err
	}
	if err := addFile(w, "manifest.json", 0o644, data); err != nil {
		return err
	}
	return w.Close()
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func addFile(w *tar.Writer, name string, mode int64, data []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeReg, Mode: mode, Size: int64(len(data)), Format: tar.FormatUSTAR}); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}
