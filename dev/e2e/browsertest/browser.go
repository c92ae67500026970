// Package browsertest drives a headless Chromium for tests of pages: the mock
// server's page, a site's pages, and pages with cleaned advertisements.
//
// Tests are skipped without the browser, or without the npm packages of this
// folder.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Browser is one headless Chromium with one tab. A failing step ends the test.
type Browser struct {
	T       *testing.T
	Context context.Context // context of the tab, for chromedp
}

// Need returns the path of a Chromium. Call it before anything that takes long.
func Need(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	t.Skip("there is no chromium here (Debian: apt-get install chromium)")
	return ""
}

// New starts a browser that prefers a language, such as "de", and may run for
// at most most. The browser ends with the test.
func New(t *testing.T, language string, most time.Duration) *Browser {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(Need(t)),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, // root in a container cannot use the sandbox
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("accept-lang", language),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	b := &Browser{T: t, Context: ctx}
	b.Do() // starts the browser
	b.Context, end = context.WithTimeout(ctx, most)
	t.Cleanup(end)
	return b
}

// Listen calls hear with every event of the browser.
func (b *Browser) Listen(hear func(event any)) {
	b.T.Helper()
	if err := chromedp.Listen(b.Context, hear); err != nil {
		b.T.Fatal(err)
	}
}

// Do takes steps in the browser.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Context, steps...); err != nil {
		b.T.Fatal(err)
	}
}

// Call sends a command of the browser's protocol.
func Call[P, R any](b *Browser, command cdp.Command[P, R], params P) {
	b.T.Helper()
	if _, err := chromedp.Call(b.Context, command, params); err != nil {
		b.T.Fatal(err)
	}
}

// Eval returns the value of an expression in the page. It awaits a promise.
func Eval[V any](b *Browser, js string) V {
	b.T.Helper()
	v, err := chromedp.Run(b.Context, chromedp.Evaluate[V](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%.300s: %v", js, err)
	}
	return v
}

// Run runs a statement in the page.
func (b *Browser) Run(js string) {
	b.T.Helper()
	if _, err := chromedp.Run(b.Context, chromedp.Evaluate[chromedp.Void](js)); err != nil {
		b.T.Fatalf("%.300s: %v", js, err)
	}
}

// Until waits for a condition in the page. It polls from outside, because a
// page's policy may forbid injected scripts.
func (b *Browser) Until(js string) {
	b.T.Helper()
	ok := wait(b.T, func() bool {
		ok, err := chromedp.Run(b.Context, chromedp.Evaluate[bool]("document.readyState === 'complete' && !!("+js+")"))
		return ok && err == nil // an error means that the page is changing
	})
	if !ok {
		b.T.Fatalf("it never came true that %s in\n%.3000s", js, Eval[string](b, `document.body.innerText`))
	}
}

// WaitFor waits at most 30 seconds until ok returns true.
func WaitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !wait(t, ok) {
		t.Fatalf("it never came true that %s", what)
	}
}

// wait reports whether ok became true in time.
func wait(t *testing.T, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Dark sets whether the person prefers dark pages.
func (b *Browser) Dark(yes bool) {
	b.T.Helper()
	scheme := "light"
	if yes {
		scheme = "dark"
	}
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// Press presses keys in the focused element.
func (b *Browser) Press(keys string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// TabTo moves the focus with the tabulator key to an element that matches, and
// checks that the focus is visible.
func (b *Browser) TabTo(selector string) {
	b.T.Helper()
	const most = 700 // more than the controls of the fullest page
	for range most {
		if Eval[bool](b, `document.activeElement.matches(`+strconv.Quote(selector)+`)`) {
			if !Eval[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
				b.T.Errorf("the focus on %s cannot be seen", selector)
			}
			return
		}
		b.Press(kb.Tab)
	}
	b.T.Fatalf("the tabulator does not reach %s", selector)
}

// NeedAxe returns the source of axe-core, an independent checker of pages.
func NeedAxe(t *testing.T) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Dir(here)
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("there is no axe-core here (npm ci --prefix " + dir + ")")
	}
	return string(source)
}

// CheckAxe fails the test for every violation that axe finds in the page, by all its
// rules and of any impact. name is the page's name in failures.
func (b *Browser) CheckAxe(axe, name string) {
	b.T.Helper()
	b.Run(axe)
	found := Eval[[]string](b, `axe.run({rules: {"target-size": {enabled: true}}}).then((r) => r.violations
		.map((v) => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.html).join(" ")))`)
	for _, f := range found {
		b.T.Errorf("%s: axe finds %s", name, f)
	}
}

// Picture saves a picture of the whole page if JOBBOARD_PICTURES names a
// directory.
func (b *Browser) Picture(name string) {
	b.T.Helper()
	dir := os.Getenv("JOBBOARD_PICTURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(b.Context, chromedp.FullScreenshot(100))
	if err != nil {
		b.T.Fatal(err)
	}
	file := filepath.Join(dir, strings.ReplaceAll(b.T.Name(), "/", "-")+"-"+name+".png")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.T.Fatal(err)
	}
}
