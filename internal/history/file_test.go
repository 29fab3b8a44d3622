// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() History {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	code := int32(137)
	return History{
		Header: Header{
			Scenario: "shorten-once", Arm: "fixed", Level: "node", Minor: "v1.37", Pod: "p1",
			Versions: map[string]string{"kubelet": "v1.37.2+grace.1"},
		},
		Events: []Event{
			{Seq: 1, At: at, Kind: Armed, Pod: "p1"},
			{Seq: 2, At: at, Kind: APIDelete, Pod: "p1", Grace: Seconds(0)},
			{Seq: 3, At: at, Kind: APIPod, Pod: "p1", Grace: Seconds(60), Deletion: &at, Reason: "MODIFIED", Message: "Running"},
			{Seq: 4, At: at, Kind: CRICall, Pod: "p1", Container: "main", ContainerID: "abc", Call: "StopContainer", CallID: 7, Grace: Seconds(60)},
			{Seq: 5, At: at, Kind: CRIReturn, Pod: "p1", Container: "main", ContainerID: "abc", Call: "StopContainer", CallID: 7, Error: "Canceled"},
			{Seq: 6, At: at, Kind: ContainerExit, Pod: "p1", Container: "main", ContainerID: "abc", ExitCode: &code},
			{Seq: 7, At: at, Kind: Line, Pod: "p1", Container: "main", Reason: "TERM", Message: "a \"quoted\"\nline"},
			{Seq: 8, At: at, Kind: KubeletEvent, Pod: "p1", Reason: "Killing", Count: 1},
			{Seq: 9, At: at, Kind: Finished, Pod: "p1"},
		},
	}
}

func TestFileRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there", "yet.jsonl")
	want := sample()
	if err := WriteFile(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was read differs from what was written (-want +got):\n%s", diff)
	}
	// Zero and unset must also differ on disk.
	if g := got.Events[1].Grace; g == nil || *g != 0 {
		t.Errorf("grace 0 came back as %v", g)
	}
	if got.Events[0].Grace != nil {
		t.Errorf("an unset grace came back as %d", *got.Events[0].Grace)
	}
}

func TestWriteFileReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "h.jsonl")
	for range 2 {
		if err := WriteFile(path, sample()); err != nil {
			t.Fatal(err)
		}
	}
	// A failed write leaves the old file and nothing else.
	bad := sample()
	bad.Events[0].At = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC) // JSON has no such year
	if err := WriteFile(path, bad); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("writing an invalid time: got error %v, expected one that names %s", err, path)
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("the old file is damaged: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("expected the file alone, found %v", entries)
	}
}

func TestCorruptFilesAreRefused(t *testing.T) {
	var whole bytes.Buffer
	if err := write(&whole, sample()); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(whole.String(), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	join := func(parts ...[]string) string {
		var all []string
		for _, p := range parts {
			all = append(all, p...)
		}
		return strings.Join(all, "")
	}
	change := func(line int, old, new string) string {
		c := append([]string(nil), lines...)
		if !strings.Contains(c[line-1], old) {
			t.Fatalf("line %d has no %q: %s", line, old, c[line-1])
		}
		c[line-1] = strings.Replace(c[line-1], old, new, 1)
		return join(c)
	}
	tests := []struct {
		name, text string
		line       int
		why        string
	}{
		{"empty", "", 1, "empty"},
		{"header is not JSON", "hello\n", 1, "header"},
		{"header of another format", change(1, `"history":1`, `"history":2`), 1, "format"},
		{"header missing", join(lines[1:]), 1, "header"},
		{"garbage in the middle", join(lines[:3], []string{"\x00\x00\n"}, lines[4:]), 4, "event"},
		{"unknown field", change(3, `"kind"`, `"kidn"`), 3, "kidn"},
		{"unknown kind", change(3, `"api.delete"`, `"api.delte"`), 3, "api.delte"},
		{"no time", change(3, `"2026-01-02T03:04:05.678901234Z"`, `"0001-01-01T00:00:00Z"`), 3, "time"},
		{"two objects on a line", change(3, "}\n", "}{}\n"), 3, "follows"},
		{"empty line", join(lines[:2], []string{"\n"}, lines[2:]), 3, "empty"},
		{"line lost", join(lines[:4], lines[5:]), 5, "missing"},
		{"cut inside the last line", strings.TrimSuffix(whole.String(), "\"}\n"), 10, "cut short"},
		{"only the last newline missing", strings.TrimSuffix(whole.String(), "\n"), 10, "cut short"},
		{"cut at the end of a line", join(lines[:9]), 9, "expects 9 events, the file has 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadFile(path)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("got error %v, expected a CorruptError", err)
			}
			if corrupt.File != path || corrupt.Line != tt.line || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("got %q, expected %s, line %d and %q", err, path, tt.line, tt.why)
			}
		})
	}
}

func TestHandWrittenHeaderNeedsNoCount(t *testing.T) {
	text := `{"history":1,"scenario":"s","arm":"stock","level":"node","minor":"v1.37"}
{"seq":1,"at":"2026-01-02T03:04:05Z","kind":"harness.armed","pod":"p"}
`
	h, err := Read(strings.NewReader(text), "x")
	if err != nil {
		t.Fatal(err)
	}
	if h.Scenario != "s" || len(h.Events) != 1 {
		t.Errorf("got %+v", h)
	}
}

func TestByTime(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := History{Events: []Event{
		{Seq: 1, At: at.Add(2), Kind: Line},
		{Seq: 2, At: at, Kind: Line},
		{Seq: 3, At: at.Add(2), Kind: CRICall},
	}}
	var order []int
	for _, e := range h.ByTime() {
		order = append(order, e.Seq)
	}
	if diff := cmp.Diff([]int{2, 1, 3}, order); diff != "" {
		t.Error(diff)
	}
	if lines := h.Select(Line); len(lines) != 2 || lines[0].Seq != 2 {
		t.Errorf("Select: %+v", lines)
	}
	if h.Events[0].Seq != 1 {
		t.Error("ByTime changed the history itself")
	}
}
