// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// A pushed image has the registry's digest. The registry implements the minimum that the engine needs.
func TestRealPush(t *testing.T) {
	r, e := real(t)
	var mu sync.Mutex
	manifests, uploads, patched := map[string][]byte{}, 0, 0
	blobs := map[string]int{} // sizes, by digest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(q.Body)
		switch {
		case q.URL.Path == "/v2/":
		case q.Method == http.MethodHead:
			size, ok := blobs[path.Base(q.URL.Path)]
			if !ok {
				http.NotFound(w, q)
				return
			}
			w.Header().Set("Content-Length", strconv.Itoa(size))
			w.Header().Set("Docker-Content-Digest", path.Base(q.URL.Path))
		case q.Method == http.MethodPost:
			uploads++
			w.Header().Set("Location", fmt.Sprintf("%s%d", q.URL.Path, uploads))
			w.WriteHeader(http.StatusAccepted)
		case q.Method == http.MethodPatch:
			patched = len(body)
			w.Header().Set("Location", q.URL.Path)
			w.Header().Set("Range", fmt.Sprintf("0-%d", len(body)-1))
			w.WriteHeader(http.StatusAccepted)
		case strings.Contains(q.URL.Path, "/manifests/"):
			manifests[path.Base(q.URL.Path)] = body
			w.Header().Set("Docker-Content-Digest", "sha256:"+sha256OfBytes(body))
			w.WriteHeader(http.StatusCreated)
		default:
			blobs[q.URL.Query().Get("digest")] = patched + len(body)
			w.Header().Set("Docker-Content-Digest", q.URL.Query().Get("digest"))
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer server.Close()
	name := strings.TrimPrefix(server.URL, "http://") + "/team/node:v1"
	t.Cleanup(func() { _, _ = e.Docker(context.Background(), "image", "rm", name) })
	if err := e.Import(t.Context(), tarOf(t, imagefile.File{Path: "/x", Data: []byte("x")}), name); err != nil {
		t.Fatal(err)
	}
	b := &builder{o: Options{Repo: r, Image: name}, e: e}
	if err := checkRegistry(name); err != nil {
		t.Error(err)
	}
	digest, err := b.push(t.Context())
	if want := "sha256:" + sha256OfBytes(manifests["v1"]); err != nil || digest != want || len(manifests["v1"]) == 0 {
		t.Errorf("%s, %v; the registry has %s", digest, err, want)
	}
}
