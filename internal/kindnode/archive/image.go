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

package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Image is what an archive holds one or more of.
type Image struct {
	// Name in full, with registry and tag: kind does not find short ones.
	Name string
	Arch string // amd64, arm64
	// Layers from the bottom up. Images may share them.
	Layers     []Layer
	Entrypoint []string
	Env        []string
	Labels     map[string]string
}

type config struct {
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Created      time.Time `json:"created"`
	Config       struct {
		Entrypoint []string          `json:"Entrypoint,omitempty"`
		Env        []string          `json:"Env,omitempty"`
		Labels     map[string]string `json:"Labels,omitempty"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

type manifestEntry struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Write writes the images to file. The tags come first in it, as "repositories": kind reads no further than the first list
// of tags that it finds, and takes those of the first image only out of the other list, manifest.json.
func Write(file string, at time.Time, images []Image) error {
	if len(images) == 0 {
		return fmt.Errorf("%s: no images", file)
	}
	entries := []Entry{{Path: "/repositories"}, {Path: "/manifest.json"}}
	repositories := map[string]map[string]string{}
	var manifest []manifestEntry
	known := map[string]bool{}
	for _, image := range images {
		repository, tag, err := split(image.Name)
		if err != nil {
			return err
		}
		if repositories[repository] == nil {
			repositories[repository] = map[string]string{}
		}
		if _, twice := repositories[repository][tag]; twice {
			return fmt.Errorf("%s: image %s is there twice", file, image.Name)
		}
		if len(image.Layers) == 0 {
			return fmt.Errorf("%s: image %s has no layer", file, image.Name)
		}
		data, layers, err := image.config(at)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:]) + ".json"
		// The form wants the top layer's folder here; nobody looks it up.
		repositories[repository][tag] = strings.TrimSuffix(layers[len(layers)-1], "/layer.tar")
		manifest = append(manifest, manifestEntry{Config: name, RepoTags: []string{image.Name}, Layers: layers})
		if !known[name] {
			known[name] = true
			entries = append(entries, Entry{Path: "/" + name, Data: data})
		}
		for i, l := range image.Layers {
			if !known[layers[i]] {
				known[layers[i]] = true
				entries = append(entries, Entry{Path: "/" + layers[i], From: l.File})
			}
		}
	}
	var err error
	if entries[0].Data, err = json.Marshal(repositories); err != nil {
		return err
	}
	if entries[1].Data, err = json.Marshal(manifest); err != nil {
		return err
	}
	return writeTar(file, at, entries)
}

func (i *Image) config(at time.Time) (data []byte, layers []string, err error) {
	c := config{Architecture: i.Arch, OS: "linux", Created: at.UTC()}
	c.Config.Entrypoint, c.Config.Env, c.Config.Labels = i.Entrypoint, i.Env, i.Labels
	c.RootFS.Type = "layers"
	for _, l := range i.Layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, l.DiffID)
		layers = append(layers, strings.TrimPrefix(l.DiffID, "sha256:")+"/layer.tar")
	}
	data, err = json.Marshal(c)
	return data, layers, err
}

// split takes a name apart. The tag is behind the last colon that follows the last slash: a registry may have a port.
func split(name string) (repository, tag string, err error) {
	colon := strings.LastIndexByte(name, ':')
	if colon <= strings.LastIndexByte(name, '/') || colon == len(name)-1 || strings.Contains(name, "@") {
		return "", "", fmt.Errorf("image name %q; want registry/repository:tag", name)
	}
	if first, _, ok := strings.Cut(name, "/"); !ok || !strings.ContainsAny(first, ".:") {
		return "", "", fmt.Errorf("image name %q has no registry; write it in full", name)
	}
	return name[:colon], name[colon+1:], nil
}

func writeTar(file string, at time.Time, entries []Entry) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	tw := tar.NewWriter(f)
	if err := writeEntries(tw, at, entries); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return f.Close()
}
