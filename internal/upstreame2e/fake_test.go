// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// fakeVar makes this test binary an e2e.test that runs nothing. Its value is a list of specs, one per line: "state text",
// where words in the text trigger further behaviour.
const fakeVar = "KGRACE_TEST_FAKE_E2E"

func TestMain(m *testing.M) {
	if specs, ok := os.LookupEnv(fakeVar); ok {
		os.Exit(fakeE2E(specs, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeE2E parses the flags that this package passes to e2e.test and writes the report that it would write.
func fakeE2E(specs string, args []string) int {
	var focus []*regexp.Regexp
	options := map[string]string{}
	for _, arg := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		options[name] = cmp.Or(value, "true")
		if name == "ginkgo.focus" {
			focus = append(focus, regexp.MustCompile(value))
		}
	}
	if options["list-images"] != "" {
		fmt.Println("example.org/e2e/busybox:1\nexample.org/e2e/agnhost:2\nexample.org/e2e/perl:5\nexample.org/e2e/agnhost:1\nexample.org/pause:3\nexample.org/e2e/nginx:1")
		return 0
	}
	report := types.Report{SuiteDescription: "Kubernetes e2e suite"}
	code := 0
	for _, line := range strings.Split(specs, "\n") {
		state, text, _ := strings.Cut(line, " ")
		if text == "" {
			continue
		}
		s := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: text, State: types.SpecStateSkipped, RunTime: time.Second,
			IsSerial: strings.Contains(text, "[Serial]")}
		chosen := false
		for _, f := range focus {
			chosen = chosen || f.MatchString(report.SuiteDescription+" "+text)
		}
		if chosen && options["ginkgo.dry-run"] == "" {
			if s.State = states[state]; s.State.Is(types.SpecStateFailureStates) {
				code = 1
				s.Failure.Message = "because of " + text
			}
			if strings.Contains(text, "HANGS") {
				time.Sleep(time.Hour)
			}
			if strings.Contains(text, "CRASHES") {
				return 2
			}
			verb := map[bool]string{true: "FAILED", false: "PASSED"}[s.State.Is(types.SpecStateFailureStates)]
			if answer, err := http.Post(options["progress-report-url"], "application/json", strings.NewReader(fmt.Sprintf(`{"msg":"%s %s"}`, verb, text))); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}
		report.SpecReports = append(report.SpecReports, s)
	}
	if strings.Contains(specs, "NOT READY") {
		report.SpecReports = append(report.SpecReports, types.SpecReport{LeafNodeType: types.NodeTypeSynchronizedBeforeSuite, State: types.SpecStateFailed,
			Failure: types.Failure{Message: "nodes are not ready"}})
		code = 1
	}
	if err := reporters.GenerateJSONReport(report, options["ginkgo.json-report"]); err != nil {
		fmt.Println(err)
		return 2
	}
	return code
}

var states = map[string]types.SpecState{"passed": types.SpecStatePassed, "failed": types.SpecStateFailed, "skipped": types.SpecStateSkipped,
	"timedout": types.SpecStateTimedout, "panicked": types.SpecStatePanicked}

// fake makes this test binary the e2e.test of a test.
func fake(t *testing.T, specs ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakeVar, strings.Join(specs, "\n"))
	return self
}

// elf64 returns the smallest ELF file: a header, and program headers of the given types.
func elf64(types ...byte) []byte {
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x01\x01")
	header[16], header[18], header[20] = 2, 62, 1 // an executable, for amd64
	header[32], header[52], header[54], header[56] = 64, 64, 56, byte(len(types))
	for _, kind := range types {
		program := make([]byte, 56)
		program[0] = kind
		header = append(header, program...)
	}
	return header
}

// programs returns files that pass as static programs.
func programs(t *testing.T) imagefile.Tools {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, elf64(1), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	p := imagefile.Tools{Agnhost: path("agnhost"), Busybox: path("busybox"), Fetch: path("fetch"), Actor: path("pause"), Certs: dir,
		Applets: []string{"busybox", "sh", "sleep", "wget"}}
	path("localhost.crt")
	path("localhost.key")
	return p
}
