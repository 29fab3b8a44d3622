// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// needBrowser makes a missing browser a failure; hack/verify-report.sh sets it.
const needBrowser = "KGRACE_NEED_BROWSER"

// browser is a headless Chromium with one page.
type browser struct {
	t   *testing.T
	ctx context.Context
	// events are what the page did. What it did before the answer to a command is there once the command has returned.
	events chan any
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
	ctx, stop := chromedp.NewContext(context.Background(), chromedp.WithErrorf(t.Logf), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true)))
	b := &browser{t: t, ctx: ctx, events: make(chan any, 10000)}
	t.Cleanup(func() {
		ending, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_ = chromedp.Cancel(ending)
		stop()
	})
	if err := chromedp.Listen(ctx, func(event any) {
		select {
		case b.events <- event:
		default: // a page that does so much has failed already
		}
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

// call sends a command of the DevTools protocol and returns its answer.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	answer, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
	return answer
}

// do carries out steps in order.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// happened returns what the page did since it was opened or since the last call.
func (b *browser) happened() []any {
	var all []any
	for {
		select {
		case event := <-b.events:
			all = append(all, event)
		default:
			return all
		}
	}
}

// media sets the medium, "" for the screen, and the colour scheme.
func (b *browser) media(medium, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// show opens a page at a width and in a colour scheme and waits until it is loaded.
func (b *browser) show(url string, width int, scheme string) {
	b.t.Helper()
	b.happened()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: 844, DeviceScaleFactor: 1, Mobile: width < 600})
	b.media("", scheme)
	b.do(chromedp.Navigate(url))
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// picture writes a PNG of a part of the page, in pixels of the page.
func (b *browser) picture(path string, x, y, width, height float64) {
	b.t.Helper()
	beyond := true
	shot := call(b, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{CaptureBeyondViewport: &beyond,
		Clip: &cdppage.Viewport{X: x, Y: y, Width: width, Height: height, Scale: 1}})
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
