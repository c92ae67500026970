package control

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// On a phone the journal is within the first screen and a half, and the address
// of the board leads to the page.
func TestFirstScreens(t *testing.T) {
	b, srv := visit(t)
	b.open(srv.BaseURL+"/", 400, 800)
	if at := eval[string](b, `location.pathname`); !strings.HasSuffix(at, control.Path+"/") {
		t.Errorf("/ leads to %s", at)
	}
	if top := eval[float64](b, `document.querySelector("#journal").getBoundingClientRect().top`); top > 600 {
		t.Errorf("the journal begins at %v", top)
	}
}

// An independent checker finds nothing serious on the page, light and dark, wide
// and narrow, with everything open, nor on the page for signing in.
func TestAxe(t *testing.T) {
	b, srv := visit(t)
	axe := browsertest.NeedAxe(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	get(t, srv, "/api/rest/nonsense", "")
	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSearch})
	page := srv.BaseURL + control.Path + "/"
	looks := testenv.Some(t, 2, []look{{400, false}, {400, true}, {1280, false}, {1280, true}})
	for _, at := range []string{page, srv.AuthURL + "?response_type=code&client_id=11&redirect_uri=http://127.0.0.1:1/&state=s"} {
		for _, look := range looks {
			b.Dark(look.dark)
			if at == page {
				b.open(at, look.width, 900)
				b.Run(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
				b.Until(`document.querySelector("#r1 .curl")`)
			} else {
				b.Do(chromedp.EmulateViewport(look.width, 900), chromedp.Navigate(at))
				b.Until(`document.querySelector("button[value='7']")`)
			}
			// A link in a line of text is as high as the line.
			if small := eval[[]string](b, `[...document.querySelectorAll("a, button, input, select, textarea, summary")].filter((e) => {
				const r = e.getBoundingClientRect();
				return e.getClientRects().length && (r.width < 23.9 || r.height < 23.9) && !(e.tagName === "A" && e.closest("dd, .list, p:not(.links)"));
			}).map((e) => e.outerHTML.slice(0, 120) + " " + e.getBoundingClientRect().height)`); len(small) > 0 {
				t.Errorf("%s at %d: %d targets are below 24 px: %.1000q", at, look.width, len(small), small)
			}
			b.CheckAxe(axe, fmt.Sprintf("%s at %d, dark %t", at, look.width, look.dark))
		}
	}
}
