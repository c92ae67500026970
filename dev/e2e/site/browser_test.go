// Package site goes through the example of a site in a headless Chromium.
package site

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/dev/e2e/program"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// start starts the site over a mock server of its own, and returns its address once it shows
// the jobs, and what the mock server holds: the demo data is the same in every mock server.
func start(t *testing.T, built string) (string, jobboardtest.DemoInfo) {
	t.Helper()
	origin := strings.TrimSuffix(program.Start(t, withoutSettings(), built, "-addr", "127.0.0.1:0"), "/")
	fake := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	for _, job := range []int64{fake.Demo.OpenJob, fake.Demo.ClosedJob} {
		browsertest.WaitFor(t, "the site knows a job", func() bool {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/job/%d/", origin, job), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			_ = resp.Body.Close()
			return resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusGone
		})
	}
	return origin, fake.Demo
}

// check holds the page against axe, light and dark, and against its own width.
func check(b *browsertest.Browser, axe, name string) {
	b.T.Helper()
	for _, scheme := range []string{"dark", "light"} {
		b.Dark(scheme == "dark")
		b.CheckAxe(axe, name+", "+scheme)
		b.Picture(name + "-" + scheme)
	}
	if browsertest.Eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.T.Errorf("%s is wider than its window", name)
	}
}

// The whole way of an applicant, in both languages, on a telephone and on a
// desk, with the keyboard alone.
func TestInBrowser(t *testing.T) {
	axe := browsertest.NeedAxe(t)
	browsertest.Need(t)
	built := program.Build(t, "market", "./examples/site")
	board, away := jobboardtest.New(t, jobboardtest.WithDemo()), jobboardtest.New(t, jobboardtest.WithDemo())
	away.Close()
	closed := addClosed(board)
	unoffered, outage := startFor(t, built, board), startFor(t, built, away)
	type visitor struct {
		language string
		width    int64
	}
	for _, v := range testenv.Some(t, 2, []visitor{{"de", 400}, {"de", 1280}, {"en", 400}, {"en", 1280}}) {
		t.Run(fmt.Sprintf("%s-%d", v.language, v.width), func(t *testing.T) {
			b := browsertest.New(t, v.language, 3*time.Minute)
			origin, demo := start(t, built)
			b.Do(chromedp.EmulateViewport(min(v.width, 390), 664), chromedp.Navigate(origin+"/"))
			b.Until(`document.querySelector(".card")`)
			if !browsertest.Eval[bool](b, `document.querySelector(".card").getBoundingClientRect().bottom <= 664`) {
				t.Error("the first screen of a telephone does not have the first job")
			}
			b.Do(chromedp.EmulateViewport(v.width, 900), chromedp.Navigate(origin+"/"))
			b.Until(fmt.Sprintf("document.documentElement.lang === %q", v.language))
			if v.width < 900 { // the field is folded
				b.TabTo(".where summary")
				b.Press(kb.Enter)
			}
			b.TabTo("#near")
			b.Press("Berlin" + kb.Enter)
			b.Until(`location.search.includes("near=Berlin") && document.querySelector(".card")`)
			b.TabTo(fmt.Sprintf("a[href^='/job/%d/']", demo.OpenJob))
			b.Press(kb.Enter)
			b.Until(`document.querySelector(".advertisement")`)
			b.Until(`document.querySelector("#apply a.button")?.href.includes("/board/job/")`)
			b.TabTo("header nav a[href^='/signin']")
			b.Press(kb.Enter)
			b.Until(`document.querySelector("button[name=applicant]")`)
			b.TabTo(fmt.Sprintf("button[name=applicant][value='%d']", demo.Applicant))
			b.Press(kb.Enter)
			b.Until(`location.pathname.startsWith("/job/") && document.querySelector("#status")`)
			b.TabTo("a[href='#apply']")
			b.Press(kb.Enter + kb.Tab)
			if !browsertest.Eval[bool](b, `document.activeElement.matches("#apply a.button")`) {
				t.Error("the link to the button does not lead there")
			}
			check(b, axe, "signed-in")
			for name, path := range states(demo) {
				b.Do(chromedp.Navigate(origin + path))
				check(b, axe, name)
			}
			job := fmt.Sprintf("/job/%d/", demo.OpenJob)
			b.Do(chromedp.Navigate(outage + job))
			check(b, axe, "outage")
			browsertest.WaitFor(t, "the site without a sign-in shows the job", func() bool {
				b.Do(chromedp.Navigate(unoffered + job))
				return browsertest.Eval[bool](b, `!!document.querySelector(".advertisement")`)
			})
			check(b, axe, "sign-in-not-offered")
			browsertest.WaitFor(t, "the page of a closed job leads on", func() bool {
				b.Do(chromedp.Navigate(unoffered + closed))
				return browsertest.Eval[bool](b, `!!document.querySelector("h3 a[href^='/job/']")`)
			})
			check(b, axe, "closed-leads-on")
		})
	}
}
