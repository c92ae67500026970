package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// findBrowser gives the path of a Chromium. Where there is none the tests are
// skipped, and with JOBBOARD_NEED_BROWSER they fail.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	const why = "there is no chromium here (Debian: apt-get install chromium)"
	if os.Getenv("JOBBOARD_NEED_BROWSER") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// A browser is one headless Chromium with one tab, which keeps account of what
// happens there.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	scripts  []string // that were compiled
	requests []string // that were sent, or tried
	said     []string // console, log, dialogs, failed scripts, violations of the policy
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
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	b.ctx, end = context.WithTimeout(ctx, 15*time.Minute)
	t.Cleanup(end)
	if err := chromedp.Listen(b.ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	call(b, page.Enable, page.EnableParams{})
	call(b, debugger.Enable, debugger.EnableParams{})
	return b
}

func (b *browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *debugger.EventScriptParsed:
		b.scripts = append(b.scripts, fmt.Sprintf("%s line %d, %d characters", ev.URL, ev.StartLine, ev.Length))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, fmt.Sprintf("%s %s", ev.Type, ev.Request.URL))
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, "socket "+ev.URL)
	case *page.EventJavascriptDialogOpening:
		b.said = append(b.said, "dialog: "+ev.Message)
	case *page.EventWindowOpen:
		b.said = append(b.said, "window: "+ev.URL)
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, "console."+string(ev.Type))
	case *log.EventEntryAdded:
		b.said = append(b.said, ev.Entry.Text+" "+ev.Entry.URL)
	}
}

// happened returns and forgets what happened since it was last asked.
func (b *browser) happened() (scripts, requests, said []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	scripts, requests, said = b.scripts, b.requests, b.said
	b.scripts, b.requests, b.said = nil, nil, nil
	return scripts, requests, said
}

func call[P, R any](b *browser, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// eval gives the value of an expression in the page, a promise's too.
func eval[T any](b *browser, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.300s: %v", js, err)
	}
	return v
}

// open shows a page and waits until it is loaded, with all that it loads.
func (b *browser) open(url string) {
	b.t.Helper()
	b.happened()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		b.t.Fatal(err)
	}
}

// only returns what is not the page itself.
func only(requests []string, url string) []string {
	var others []string
	for _, r := range requests {
		if !strings.HasSuffix(r, " "+url) {
			others = append(others, r)
		}
	}
	return others
}
