// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
)

func TestImagesThatKindWouldNotFind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.tar")
	layers := []imagefile.Layer{&imagefile.Files{{Path: "/x"}}}
	of := func(names ...string) (images []imagefile.Image) {
		for _, name := range names {
			images = append(images, imagefile.Image{Names: []string{name}, Layers: layers})
		}
		return images
	}
	for want, images := range map[string][]imagefile.Image{
		"no images":           nil,
		"a name and a layer":  {{Names: []string{"r.example/a:v1"}}},
		"occurs twice":        of("r.example/a:v1", "r.example/a:v1"),
		"has no registry":     of("kindest/node:v1"),
		"a:v1\" has no regis": of("a:v1"),
		"want name:tag":       of("r.example:5000/a"),
	} {
		if err := writeImages(file, time.Unix(0, 0), images); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := writeImages(file, time.Unix(0, 0), of("r.example/a:v1", "r.example/a:v2", "r.example:5000/b:v1")); err != nil {
		t.Error(err)
	}
}
