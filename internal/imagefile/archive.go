// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// WriteFile writes the images to a file atomically. It sets all dates, including the images' own, to at; the zero time
// leaves them without a date.
func WriteFile(file string, at time.Time, images ...Image) (err error) {
	out, err := renameio.NewPendingFile(file, renameio.WithTempDir(filepath.Dir(file)), renameio.WithStaticPermissions(0o644))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Cleanup()) }()
	if err := write(out, filepath.Dir(file), at, images); err != nil {
		return fmt.Errorf("image file %s: %w", file, err)
	}
	return out.CloseAtomicallyReplace()
}

// write writes the images; temporary files are created in dir.
func write(out io.Writer, dir string, at time.Time, images []Image) error {
	if len(images) == 0 {
		return errors.New("no images")
	}
	c := contents{dir: dir, at: at, opened: map[Layer]*blob{}, known: map[string]bool{}, repositories: map[string]map[string]string{}}
	defer c.close()
	for _, i := range images {
		if err := c.add(i); err != nil {
			return err
		}
	}
	// The tags come first: kind reads only the first list of tags that it finds, and from the other list, manifest.json, it
	// would take only the tags of the first image.
	repositories, err := json.Marshal(c.repositories)
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(c.manifest)
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	for _, e := range append([]entry{data("repositories", repositories), data("manifest.json", manifest)}, c.entries...) {
		h := &tar.Header{Name: e.name, Mode: 0o644, ModTime: at, Typeflag: tar.TypeReg}
		if err := put(w, h, e.content, e.size); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return w.Close()
}

// contents is the content of a file.
type contents struct {
	dir    string
	at     time.Time
	opened map[Layer]*blob
	// repositories lists the tags of each repository; the format also requires the top layer's directory, which no reader uses.
	repositories map[string]map[string]string
	manifest     []manifestEntry
	entries      []entry
	known        map[string]bool // the names of the entries
}

type manifestEntry struct {
	Config   string
	RepoTags []string
	Layers   []string
}

type entry struct {
	name    string
	content io.Reader
	size    int64
}

func data(name string, content []byte) entry {
	return entry{name, bytes.NewReader(content), int64(len(content))}
}

// add adds an image: its configuration, named by its digest, and those of its layers that are missing.
func (c *contents) add(i Image) error {
	if err := i.check(); err != nil {
		return err
	}
	var diffs, names []string
	var layers []entry
	for _, l := range i.Layers {
		b, err := c.open(l)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(b.diff, "sha256:") + "/layer.tar"
		diffs, names = append(diffs, b.diff), append(names, name)
		layers = append(layers, entry{name, io.NewSectionReader(b.file, 0, b.size), b.size})
	}
	for _, name := range i.Names {
		repository, tag := split(name)
		if c.repositories[repository] == nil {
			c.repositories[repository] = map[string]string{}
		}
		if _, twice := c.repositories[repository][tag]; twice {
			return fmt.Errorf("image %s occurs twice", name)
		}
		c.repositories[repository][tag] = strings.TrimSuffix(names[len(names)-1], "/layer.tar")
	}
	config, err := i.config(c.at, diffs)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(config)
	m := manifestEntry{Config: hex.EncodeToString(sum[:]) + ".json", RepoTags: i.Names, Layers: names}
	c.manifest = append(c.manifest, m)
	for _, e := range append([]entry{data(m.Config, config)}, layers...) {
		if !c.known[e.name] {
			c.known[e.name] = true
			c.entries = append(c.entries, e)
		}
	}
	return nil
}

// open opens a layer, once for all images that contain it.
func (c *contents) open(l Layer) (*blob, error) {
	if c.opened[l] == nil {
		b, err := l.open(c.dir, c.at)
		if err != nil {
			return nil, err
		}
		c.opened[l] = b
	}
	return c.opened[l], nil
}

func (c *contents) close() {
	for _, b := range c.opened {
		b.file.Close()
	}
}
