package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// findBrowser gives the path of a Chromium. Where there is none the tests are
// skipped, and in CI they fail: there it is an oversight.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	const why = "there is no chromium here (Debian: apt-get install chromium), so the page is not tested in a browser"
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// browser is one headless Chromium with one tab.
type browser struct {
	t   *testing.T
	ctx context.Context
	// complaints are what the page's console and the browser's log said, which
	// must be nothing.
	complaints chan string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findBrowser(t)),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, // a container's root has none
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true),
	)
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(endAlloc)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	b := &browser{t: t, ctx: ctx, complaints: make(chan string, 1000)}
	b.do() // starts it
	b.ctx, end = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(end)
	if err := chromedp.Listen(b.ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	return b
}

func (b *browser) hear(ev any) {
	var said string
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		said = ev.ExceptionDetails.Text
		if x := ev.ExceptionDetails.Exception; x != nil {
			said += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		said = "console." + string(ev.Type)
	case *log.EventEntryAdded:
		said = ev.Entry.Text + " " + ev.Entry.URL
	default:
		return
	}
	select {
	case b.complaints <- said:
	default:
	}
}

// do takes steps in the browser, none of which may fail.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *browser, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// eval gives the value of an expression in the page.
func eval[T any](b *browser, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// js runs a statement in the page.
func (b *browser) js(js string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](js)); err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
}

// open shows a page at a size, and waits until it hears from the server.
func (b *browser) open(url string, width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	b.until(`document.getElementById("live").className === "on"`)
}

func (b *browser) dark(yes bool) {
	b.t.Helper()
	scheme := "light"
	if yes {
		scheme = "dark"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// until waits for a condition in the page. It asks from outside, because the
// page's policy forbids to put a script into it.
func (b *browser) until(js string) {
	b.t.Helper()
	waitFor(b.t, js, func() bool {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		return ok && err == nil // an error: the page is just changing
	})
}

// waitFor waits for what somebody else brings about.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it never came true that %s", what)
		}
	}
}

// click clicks with the mouse where an element is.
func (b *browser) click(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 15*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.t.Fatalf("click on %s: %v", selector, err)
	}
}

// keys types into an element.
func (b *browser) keys(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (b *browser) set(selector, value string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(selector), value))
}

// unfold opens the details that hold a selector.
func (b *browser) unfold(selector string) {
	b.t.Helper()
	b.js(`document.querySelector(` + quote(selector) + `).closest("details").open = true`)
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	return eval[string](b, `document.querySelector(`+quote(selector)+`).textContent`)
}

func (b *browser) value(selector string) string {
	b.t.Helper()
	return eval[string](b, `document.querySelector(`+quote(selector)+`).value`)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }

// quiet fails the test for anything that the page complained about.
func (b *browser) quiet() {
	b.t.Helper()
	for {
		select {
		case said := <-b.complaints:
			b.t.Errorf("the page complains: %s", said)
		default:
			return
		}
	}
}

// picture keeps a picture of the whole page where JOBBOARD_PICTURES names a
// directory.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("JOBBOARD_PICTURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
