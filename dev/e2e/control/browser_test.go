package control

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
)

// browser is a browser that shows the mock server's page.
type browser struct {
	*browsertest.Browser
	// complaints holds what the page's console and the browser's log said, which
	// must be nothing.
	complaints chan string
	page       string // its address
}

// look is how a page is shown.
type look struct {
	width int64
	dark  bool
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{Browser: browsertest.New(t, "en", 3*time.Minute), complaints: make(chan string, 1000)}
	b.Listen(b.hear)
	browsertest.Call(b.Browser, log.Enable, cdp.Empty{})
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

func eval[T any](b *browser, js string) T {
	b.T.Helper()
	return browsertest.Eval[T](b.Browser, js)
}

// open shows a page at a size, and waits until it hears from the server.
func (b *browser) open(url string, width, height int64) {
	b.T.Helper()
	b.Do(chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	b.Until(`document.getElementById("live").className === "on"`)
}

// click clicks with the mouse where an element is.
func (b *browser) click(selector string) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Context, 15*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.T.Fatalf("click on %s: %v", selector, err)
	}
}

// keys types into an element.
func (b *browser) keys(selector, text string) {
	b.T.Helper()
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (b *browser) set(selector, value string) {
	b.T.Helper()
	b.Do(chromedp.SetValue(chromedp.CSS(selector), value))
}

// unfold opens the details that hold a selector.
func (b *browser) unfold(selector string) {
	b.T.Helper()
	b.Run(`document.querySelector(` + quote(selector) + `).closest("details").open = true`)
}

func (b *browser) text(selector string) string {
	b.T.Helper()
	return eval[string](b, `document.querySelector(`+quote(selector)+`).textContent`)
}

func (b *browser) value(selector string) string {
	b.T.Helper()
	return eval[string](b, `document.querySelector(`+quote(selector)+`).value`)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }

// quiet fails the test for anything that the page complained about.
func (b *browser) quiet() {
	b.T.Helper()
	for {
		select {
		case said := <-b.complaints:
			b.T.Errorf("the page complains: %s", said)
		default:
			return
		}
	}
}
