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

package report

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// needBrowser makes a missing browser a failure; hack/verify-report.sh sets it.
const needBrowser = "KGRACE_NEED_BROWSER"

// browser is a headless Chromium with one page, controlled over a pair of pipes.
type browser struct {
	t       *testing.T
	in      *bufio.Reader
	out     io.Writer
	next    int
	session string
	// events are the reports of the page since the last query.
	events []message
}

// message is a message of the DevTools protocol.
type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// openBrowser starts the browser, or skips the test if none is installed. The browser ends with the test.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser is not started with -short")
	}
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		if os.Getenv(needBrowser) != "" {
			t.Fatal("no chromium, chromium-browser or google-chrome on PATH: apt-get install chromium")
		}
		t.Skip("no chromium, chromium-browser or google-chrome on PATH, so the page is not checked in a browser")
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: files that the browser still writes while it is killed must not fail the test.
	profile, err := os.MkdirTemp("", "kgrace-browser-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	// Use a process group: the browser is many processes, and all of them must end with the test. (If the test dies, the
	// browser ends with its pipe.)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	b := &browser{t: t, in: bufio.NewReader(ourIn), out: ourOut}
	t.Cleanup(func() {
		_, _ = b.try("Browser.close", nil)
		_ = ourOut.Close()
		exited := make(chan struct{})
		go func() { _ = cmd.Wait(); close(exited) }()
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			cancel()
			<-exited
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cancel()
		_ = ourIn.Close()
		for range 20 {
			if err = os.RemoveAll(profile); err == nil {
				return
			}
		}
		t.Logf("left behind: %v", err)
	})
	var target struct{ TargetID, SessionID string }
	b.ask("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.ask("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.ask(domain+".enable", nil, nil)
	}
	return b
}

// ask sends a command and waits for its answer; reports of the page in the meantime are kept.
func (b *browser) ask(method string, params, into any) {
	b.t.Helper()
	result, err := b.try(method, params)
	if err == nil && into != nil {
		err = json.Unmarshal(result, into)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

func (b *browser) try(method string, params any) (json.RawMessage, error) {
	b.next++
	id := b.next
	data, err := json.Marshal(map[string]any{"id": id, "method": method, "params": orEmpty(params)})
	if err == nil && b.session != "" && !strings.HasPrefix(method, "Browser.") {
		data, err = json.Marshal(map[string]any{"id": id, "method": method, "params": orEmpty(params), "sessionId": b.session})
	}
	if err != nil {
		return nil, err
	}
	if _, err := b.out.Write(append(data, 0)); err != nil {
		return nil, err
	}
	for {
		m, err := b.read()
		switch {
		case err != nil:
			return nil, err
		case m.ID != id:
			b.events = append(b.events, m)
		case m.Error != nil:
			return nil, errors.New(m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}

func orEmpty(params any) any {
	if params == nil {
		return struct{}{}
	}
	return params
}

func (b *browser) read() (message, error) {
	var m message
	data, err := b.in.ReadBytes(0)
	if err != nil {
		return m, fmt.Errorf("the browser has exited: %w", err)
	}
	return m, json.Unmarshal(data[:len(data)-1], &m)
}

// show opens a page at a width and in a colour scheme and waits until it is loaded.
func (b *browser) show(url string, width int, scheme string) {
	b.t.Helper()
	b.events = nil
	b.ask("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.ask("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.ask("Page.navigate", map[string]any{"url": url}, nil)
	for {
		for _, e := range b.events {
			if e.Method == "Page.loadEventFired" {
				return
			}
		}
		m, err := b.read()
		if err != nil {
			b.t.Fatal(err)
		}
		b.events = append(b.events, m)
	}
}

// evaluate runs an expression in the page; it may be a promise.
func (b *browser) evaluate(expression string, into any) {
	b.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails json.RawMessage `json:"exceptionDetails"`
	}
	b.ask("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	if err := json.Unmarshal(answer.Result.Value, into); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// press presses a key of the keyboard.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		down["text"] = "\r"
	}
	b.ask("Input.dispatchKeyEvent", down, nil)
	b.ask("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// picture writes a PNG of a part of the page, in pixels of the page.
func (b *browser) picture(path string, x, y, width, height float64) {
	b.t.Helper()
	var shot struct{ Data string }
	b.ask("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true,
		"clip": map[string]any{"x": x, "y": y, "width": width, "height": height, "scale": 1}}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
