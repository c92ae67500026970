package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// needed returns a tool that these tests need. Without it they are skipped,
// and in CI they fail: there it is an oversight.
func needed(t *testing.T, what, path string, err error) string {
	t.Helper()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s: %v", what, err)
		}
		t.Skipf("%s: %v", what, err)
	}
	return path
}

// tab is one tab of a headless Chromium.
type tab struct {
	t   *testing.T
	ctx context.Context
	axe string
}

func newTab(t *testing.T, width, height int64, language string, dark bool) *tab {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	needed(t, "apt-get install chromium", chromium, err)
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	needed(t, "npm ci", "", err)
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("accept-lang", language),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	b := &tab{t: t, ctx: ctx, axe: string(axe)}
	b.do() // starts it
	b.ctx, end = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(end)
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	call(b, emulation.SetEmulatedMedia, media)
	b.do(chromedp.EmulateViewport(width, height))
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

func eval[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", js, err)
	}
	return v
}

// until waits for a condition in the page.
func (b *tab) until(js string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("document.readyState === 'complete' && !!("+js+")"))
		if ok && err == nil { // an error: the page is just changing
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatalf("it never came true that %s in\n%s", js, eval[string](b, `document.body.innerText`))
		}
	}
}

// keys presses keys wherever the focus is.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// tabTo moves the focus with the tabulator key until it is on what matches.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 120 {
		if eval[bool](b, `document.activeElement.matches(`+fmt.Sprintf("%q", selector)+`)`) {
			if !eval[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
				b.t.Errorf("the focus on %s cannot be seen", selector)
			}
			return
		}
		b.keys(kb.Tab)
	}
	b.t.Fatalf("the tabulator does not reach %s", selector)
}

// check holds the page against axe, and against its own width.
func (b *tab) check(name string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](b.axe))
	found := eval[string](b, `axe.run().then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.help + " " + v.nodes.map(n => n.html).join(" ")).join("\n"))`)
	if found != "" {
		b.t.Errorf("%s: axe finds\n%s", name, found)
	}
	if eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.t.Errorf("%s is wider than its window", name)
	}
	if dir := os.Getenv("JOBBOARD_PICTURES"); dir != "" {
		data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			b.t.Fatal(err)
		}
		file := filepath.Join(dir, strings.ReplaceAll(b.t.Name(), "/", "-")+"-"+name+".png")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}

// The whole way of an applicant, in both languages, on a telephone and on a
// desk, with the keyboard alone.
func TestInBrowser(t *testing.T) {
	for _, language := range []string{"de", "en"} {
		for _, width := range []int64{400, 1280} {
			t.Run(fmt.Sprintf("%s-%d", language, width), func(t *testing.T) {
				v, fake := start(t)
				b := newTab(t, width, 900, language, language == "en")
				b.do(chromedp.Navigate(v.origin + "/"))
				b.until(fmt.Sprintf("document.documentElement.lang === %q", language))
				b.check("list")

				b.tabTo("#near")
				b.keys("Berlin" + kb.Enter)
				b.until(`document.querySelector("circle.area")`)
				b.check("near")
				job := fmt.Sprintf("/jobs/%d", fake.Demo.OpenJob)
				b.tabTo(fmt.Sprintf("a[href=%q]", job))
				b.keys(kb.Enter)
				b.until(`document.querySelector(".advertisement")`)
				b.check("job")

				b.tabTo("a.button")
				b.keys(kb.Enter)
				b.until(`document.querySelector("button[name=applicant]")`)
				b.tabTo(fmt.Sprintf("button[name=applicant][value='%d']", fake.Demo.Applicant))
				b.keys(kb.Enter)
				b.until(`location.pathname.startsWith("/jobs/") && document.querySelector("a.button[href$='/apply']")`)
				b.check("signed-in")
				b.tabTo("a.button[href$='/apply']")
				b.keys(kb.Enter)
				b.until(`document.querySelector("form.application")`)
				b.check("form")

				b.tabTo("form.application button")
				b.keys(kb.Enter)
				b.until(`document.getElementById("problems") && document.activeElement.matches("[aria-invalid]")`)
				if !eval[bool](b, `document.activeElement === document.querySelector("[aria-invalid]")`) {
					t.Error("the focus is not on the first problem")
				}
				b.check("problems")
				for eval[bool](b, `document.activeElement.matches("form.application [required]")`) {
					if eval[bool](b, `document.activeElement.matches("select")`) {
						b.keys(kb.ArrowDown)
					} else {
						b.keys("55 000")
					}
					b.keys(kb.Tab)
				}
				b.tabTo("form.application button")
				b.keys(kb.Enter)
				b.until(`document.getElementById("complete")`)
				b.check("complete")
			})
		}
	}
}
