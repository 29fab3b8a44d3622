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

package imagefile

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Image is one image of the file.
type Image struct {
	// Names are the whole references, with a tag, under which it is found: "example.org/name:tag".
	Names []string
	// Layers from the lowest to the highest.
	Layers []*Layer
	// Entrypoint, Cmd, Env, User, WorkingDir and Labels as in an image's configuration. The working folder is / by default.
	Entrypoint, Cmd, Env []string
	User, WorkingDir     string
	Labels               map[string]string
	// Arch is the architecture as Go calls it; "" is that of this program.
	Arch string
}

// WriteFile writes the images to a file, whole or not at all.
func WriteFile(file string, images ...Image) (err error) {
	out, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	if err := write(out, filepath.Dir(file), images); err != nil {
		return errors.Join(fmt.Errorf("image file %s: %w", file, err), out.Close())
	}
	if err := errors.Join(out.Chmod(0o644), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}

// write writes the images; temporary files go to dir.
func write(out io.Writer, dir string, images []Image) error {
	type manifest struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if len(images) == 0 {
		return errors.New("no images")
	}
	w := tar.NewWriter(out)
	done := map[*Layer]*packed{}
	defer func() {
		for _, p := range done {
			p.file.Close()
		}
	}()
	var manifests []manifest
	written := map[string]bool{}
	for _, i := range images {
		if err := i.check(); err != nil {
			return err
		}
		m := manifest{RepoTags: i.Names}
		var digests []string
		for _, l := range i.Layers {
			if done[l] == nil {
				p, err := l.pack(dir)
				if err != nil {
					return err
				}
				done[l] = p
			}
			p := done[l]
			name := p.digest + ".tar"
			m.Layers, digests = append(m.Layers, name), append(digests, "sha256:"+p.digest)
			if written[name] {
				continue
			}
			written[name] = true
			if err := entry(w, name, io.NewSectionReader(p.file, 0, p.size), p.size); err != nil {
				return err
			}
		}
		config, err := json.Marshal(i.config(digests))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(config)
		m.Config = hex.EncodeToString(sum[:]) + ".json"
		if !written[m.Config] {
			written[m.Config] = true
			if err := entry(w, m.Config, bytes.NewReader(config), int64(len(config))); err != nil {
				return err
			}
		}
		manifests = append(manifests, m)
	}
	data, err := json.Marshal(manifests)
	if err != nil {
		return err
	}
	if err := entry(w, "manifest.json", bytes.NewReader(data), int64(len(data))); err != nil {
		return err
	}
	return w.Close()
}

// check refuses what a runtime would refuse later, with less to say.
func (i Image) check() error {
	if len(i.Names) == 0 || len(i.Layers) == 0 {
		return fmt.Errorf("image %v: want a name and a layer", i.Names)
	}
	for _, name := range i.Names {
		if last := name[strings.LastIndex(name, "/")+1:]; !strings.Contains(last, ":") || strings.ContainsAny(name, " @") {
			return fmt.Errorf("image %q: want name:tag, without a digest", name)
		}
	}
	return nil
}

// config is the image's configuration. Maps are marshalled in the order of their keys, so equal images have equal ids.
func (i Image) config(layers []string) map[string]any {
	arch, dir := i.Arch, i.WorkingDir
	if arch == "" {
		arch = runtime.GOARCH
	}
	if dir == "" {
		dir = "/"
	}
	config := map[string]any{"WorkingDir": dir}
	for key, list := range map[string][]string{"Entrypoint": i.Entrypoint, "Cmd": i.Cmd, "Env": i.Env} {
		if len(list) > 0 {
			config[key] = slices.Clone(list)
		}
	}
	if i.User != "" {
		config["User"] = i.User
	}
	if len(i.Labels) > 0 {
		config["Labels"] = i.Labels
	}
	return map[string]any{"architecture": arch, "os": "linux", "config": config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": layers}}
}

func entry(w *tar.Writer, name string, content io.Reader, size int64) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := io.Copy(w, content)
	return err
}
