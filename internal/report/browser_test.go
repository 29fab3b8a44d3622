// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pictures names a directory for pictures of the page, for manual inspection: at desktop and phone width, light and dark.
// pictured names a page other than the golden one.
const (
	pictures = "KGRACE_REPORT_PICTURES"
	pictured = "KGRACE_REPORT_PAGE"
)

// faultsInPage inspects the page in the browser and returns its faults, one per line.
const faultsInPage = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.body.querySelectorAll('*')].find(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest('.scroll'));
    faults.push('the page is ' + root.scrollWidth + ' px wide in ' + root.clientWidth + ' px: ' + (wide ? wide.outerHTML.slice(0, 120) : ''));
  }
  const ids = new Set();
  for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) faults.push('two elements with id ' + e.id);
    ids.add(e.id);
  }
  for (const a of document.querySelectorAll('a[href^="#"], use')) {
    const to = a.getAttribute('href').slice(1);
    if (!ids.has(to)) faults.push('nothing has the id ' + to);
  }
  for (const svg of document.querySelectorAll('svg[role=img]')) {
    for (const id of svg.getAttribute('aria-labelledby').split(' ')) {
      const e = document.getElementById(id);
      if (!e || !e.textContent.trim()) faults.push('a drawing has no ' + id);
    }
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(t => ({text: t.textContent, class: t.getAttribute('class'), box: t.getBoundingClientRect()}));
    for (const [i, a] of texts.entries()) {
      if (a.box.left < box.left - 1 || a.box.right > box.right + 1 || a.box.bottom > box.bottom + 1)
        faults.push(svg.querySelector('title').textContent + ': "' + a.text + '" is cut off');
      for (const b of texts.slice(i + 1))
        if (a.box.left < b.box.right && b.box.left < a.box.right && a.box.top + 2 < b.box.bottom && b.box.top + 2 < a.box.bottom)
          faults.push(svg.querySelector('title').textContent + ': "' + a.text + '" and "' + b.text + '" overlap');
    }
  }
  return faults;
})()`

// TestPageInABrowser checks the golden page in a real browser: no network requests, no console messages, nothing wider than a
// phone, no label cut off or overlapping, and everything reachable by keyboard.
func TestPageInABrowser(t *testing.T) {
	file := filepath.Join("testdata", "golden.html")
	if other := os.Getenv(pictured); other != "" {
		file = other
	}
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	for _, width := range []int{360, 390, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%d %s", width, scheme), func(t *testing.T) {
				b.t = t
				b.show("file://"+file, width, scheme)
				for _, fault := range b.faults() {
					t.Error(fault)
				}
				opened := evaluate[int](b, `[...document.querySelectorAll('details')].map(e => e.open = true).length`)
				for _, fault := range b.faults() {
					t.Errorf("with all %d lists open: %s", opened, fault)
				}
				ground := evaluate[string](b, `getComputedStyle(document.body).backgroundColor`)
				if dark := ground != "rgb(250, 249, 245)"; dark != (scheme == "dark") {
					t.Errorf("the background is %s in the %s scheme", ground, scheme)
				}
				if dir := os.Getenv(pictures); dir != "" {
					b.pictures(filepath.Join(dir, fmt.Sprintf("%d-%s", width, scheme)))
				}
			})
		}
	}
	t.Run("keyboard", func(t *testing.T) {
		b.t = t
		b.show("file://"+file, 390, "light")
		reachable, want := 0, evaluate[int](b, `[...document.querySelectorAll('a[href], summary, select, button, [tabindex="0"]')].filter(e => e.checkVisibility()).length`)
		seen := map[string]bool{}
		for range want + 1 {
			b.do(chromedp.KeyEvent(kb.Tab))
			at := evaluate[struct{ Path, Outline string }](b, `(() => { const e = document.activeElement; return {
				Path: e === document.body ? '' : [...document.querySelectorAll('*')].indexOf(e) + ' ' + e.outerHTML.slice(0, 80),
				Outline: getComputedStyle(e).outlineStyle}; })()`)
			if at.Path == "" || seen[at.Path] {
				continue
			}
			seen[at.Path] = true
			reachable++
			if at.Outline == "none" {
				t.Errorf("no outline on the focused element: %s", at.Path)
			}
		}
		if reachable != want {
			t.Errorf("Tab reaches %d of %d links, lists and scrolled parts", reachable, want)
		}
	})
	t.Run("filter", func(t *testing.T) {
		b.t = t
		b.show("file://"+file, 390, "light")
		shown := func() [2]int {
			return evaluate[[2]int](b, `['.rows tbody tr', '.scenario'].map(s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()).length)`)
		}
		all := shown()
		for id, attribute := range map[string]string{"by-rule": "data-rules", "by-family": "data-family", "by-verdict": "data-verdicts"} {
			evaluate[bool](b, fmt.Sprintf(`(document.getElementById(%q).focus(), true)`, id))
			b.do(chromedp.KeyEvent(kb.ArrowDown))
			value := evaluate[string](b, fmt.Sprintf(`document.getElementById(%q).value`, id))
			want := evaluate[[2]int](b, fmt.Sprintf(`['.rows tbody tr', '.scenario'].map(s => [...document.querySelectorAll(s)].filter(e => e.getAttribute(%q).split(' ').includes(%q)).length)`, attribute, value))
			if got := shown(); value == "" || got != want || got == all || got[0] == 0 {
				t.Errorf("%s, by the arrow key: %q shows %v rows and drawings of %v, want %v", id, value, got, all, want)
			}
			evaluate[bool](b, `(document.querySelector('.filter button').focus(), true)`)
			b.do(chromedp.KeyEvent(kb.Enter))
			if got := shown(); got != all {
				t.Errorf("%s: after the reset there are %v of %v", id, got, all)
			}
		}
	})
	t.Run("links", func(t *testing.T) {
		b.t = t
		b.show("file://"+file, 390, "light")
		lost := evaluate[[]string](b, `[...document.querySelectorAll('.notes a')].filter(a => {
			const to = document.getElementById(a.hash.slice(1));
			const words = a.textContent.match(/: (\S+) on (stock|fixed)/);
			return !to || !to.checkVisibility() || !to.textContent.includes(words[2]) || to.closest('.scenario').querySelector('h2').id !== words[1];
		}).map(a => a.textContent)`)
		for _, link := range lost {
			t.Errorf("%q does not lead to its row", link)
		}
	})
	t.Run("print", func(t *testing.T) {
		b.t = t
		b.show("file://"+file, 718, "dark") // A4 without its margins
		b.media("print", "dark")
		cut := evaluate[int](b, `[...document.querySelectorAll('.matrix, pre, figure')].filter(e => e.getBoundingClientRect().right > 719).length`)
		if cut > 0 {
			t.Errorf("%d parts are wider than the paper", cut)
		}
		ink := evaluate[string](b, `getComputedStyle(document.body).color`)
		if ink != "rgb(29, 35, 41)" {
			t.Errorf("it prints in %s", ink)
		}
		background := true
		if pdf := call(b, cdppage.PrintToPDF, cdppage.PrintToPDFParams{PrintBackground: &background}); len(pdf.Data) < 1000 {
			t.Errorf("the print is %d bytes long", len(pdf.Data))
		}
	})
}

// TestBrowserSeesFaults breaks the page on purpose, to show that the checks detect faults.
func TestBrowserSeesFaults(t *testing.T) {
	b := openBrowser(t)
	golden, err := os.ReadFile(filepath.Join("testdata", "golden.html"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"too wide":     {"</main>", `<div style="width:600px">x</div></main>`, "px wide in 390 px"},
		"request":      {"</main>", `<img src="http://127.0.0.1:9/x.png" alt=""></main>`, "Content Security Policy"},
		"free request": {`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">`, `<img src="http://127.0.0.1:9/x.png" alt="">`, "asks for http://127.0.0.1:9/x.png"},
		"script":       {"</main>", `<script>console.log(1)</script></main>`, "Content Security Policy"},
		"dead link":    {"</main>", `<a href="#nowhere">x</a></main>`, "nothing has the id nowhere"},
		"same id":      {"</main>", `<p id="matrix">x</p></main>`, "two elements with id matrix"},
		"overlap":      {`class="of ask">`, `class="of ask">MMMMMMMMMMMMMMMMMMMM`, "overlap"},
		"cut off":      {`class="tick">0 s<`, `class="tick" dx="-40">0 s<`, "is cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			if !strings.Contains(string(golden), c.old) {
				t.Fatalf("the golden page has no %q", c.old)
			}
			file := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(golden), c.old, c.new)), 0o644); err != nil {
				t.Fatal(err)
			}
			b.show("file://"+file, 390, "light")
			if faults := strings.Join(b.faults(), "\n"); !strings.Contains(faults, c.want) {
				t.Errorf("seen: %s\nwant: %s", faults, c.want)
			}
		})
	}
}

// faults returns the faults of the current page.
func (b *browser) faults() []string {
	faults := evaluate[[]string](b, faultsInPage)
	for _, event := range b.happened() {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file://") && !strings.HasPrefix(e.Request.URL, "data:") {
				faults = append(faults, "the page asks for "+e.Request.URL)
			}
		case *log.EventEntryAdded:
			faults = append(faults, "console: "+e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			faults = append(faults, fmt.Sprintf("console: %s of %d values", e.Type, len(e.Args)))
		case *runtime.EventExceptionThrown:
			faults = append(faults, "console: "+e.ExceptionDetails.Text)
		}
	}
	return faults
}

// pictures writes pictures of the page, screen by screen.
func (b *browser) pictures(prefix string) {
	size := evaluate[struct{ W, H float64 }](b, `({W: document.documentElement.clientWidth, H: document.documentElement.scrollHeight})`)
	const screen = 1500
	for i := 0; float64(i)*screen < size.H; i++ {
		y := float64(i) * screen
		b.picture(fmt.Sprintf("%s-%02d.png", prefix, i), 0, y, size.W, min(screen, size.H-y))
	}
}
