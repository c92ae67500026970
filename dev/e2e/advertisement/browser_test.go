package advertisement

import (
	"fmt"
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

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
)

// A browser keeps account of what happens in it.
type browser struct {
	*browsertest.Browser

	mu       sync.Mutex
	scripts  []string // that were compiled
	requests []string // that were sent, or tried
	said     []string // console, log, dialogs, failed scripts, violations of the policy
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{Browser: browsertest.New(t, "en", 15*time.Minute)}
	b.Listen(b.hear)
	browsertest.Call(b.Browser, log.Enable, cdp.Empty{})
	browsertest.Call(b.Browser, runtime.Enable, cdp.Empty{})
	browsertest.Call(b.Browser, network.Enable, network.EnableParams{})
	browsertest.Call(b.Browser, page.Enable, page.EnableParams{})
	browsertest.Call(b.Browser, debugger.Enable, debugger.EnableParams{})
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

func eval[T any](b *browser, js string) T {
	b.T.Helper()
	return browsertest.Eval[T](b.Browser, js)
}

// open shows a page and waits until it is loaded, with all that it loads.
func (b *browser) open(url string) {
	b.T.Helper()
	b.happened()
	b.Do(chromedp.Navigate(url))
}

// only returns the nodes that do not belong to the page itself.
func only(requests []string, url string) []string {
	var others []string
	for _, r := range requests {
		if !strings.HasSuffix(r, " "+url) {
			others = append(others, r)
		}
	}
	return others
}
