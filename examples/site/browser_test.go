package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/browsertest"
)

// check holds the page against axe, and against its own width.
func check(b *browsertest.Browser, axe, name string) {
	b.T.Helper()
	b.CheckAxe(axe, name)
	if browsertest.Eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		b.T.Errorf("%s is wider than its window", name)
	}
	b.Picture(name)
}

// The whole way of an applicant, in both languages, on a telephone and on a
// desk, with the keyboard alone.
func TestInBrowser(t *testing.T) {
	axe := browsertest.NeedAxe(t)
	for _, language := range []string{"de", "en"} {
		for _, width := range []int64{400, 1280} {
			t.Run(fmt.Sprintf("%s-%d", language, width), func(t *testing.T) {
				b := browsertest.New(t, language, 3*time.Minute)
				b.Dark(language == "en")
				v, fake := start(t)
				b.Do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(v.origin+"/"))
				b.Until(fmt.Sprintf("document.documentElement.lang === %q", language))
				check(b, axe, "list")

				b.TabTo("#near")
				b.Press("Berlin" + kb.Enter)
				b.Until(`document.querySelector("path.area")`)
				check(b, axe, "near")
				b.TabTo(fmt.Sprintf("a[href^='/job/%d/']", fake.Demo.OpenJob))
				b.Press(kb.Enter)
				b.Until(`document.querySelector(".advertisement")`)
				check(b, axe, "job")

				b.TabTo("a.button")
				b.Press(kb.Enter)
				b.Until(`document.querySelector("button[name=applicant]")`)
				b.TabTo(fmt.Sprintf("button[name=applicant][value='%d']", fake.Demo.Applicant))
				b.Press(kb.Enter)
				b.Until(`location.pathname.startsWith("/job/") && document.querySelector("a.button[href^='/apply/']")`)
				check(b, axe, "signed-in")
				b.TabTo("a.button[href^='/apply/']")
				b.Press(kb.Enter)
				b.Until(`document.querySelector("form.application")`)
				check(b, axe, "form")

				b.TabTo("form.application button")
				b.Press(kb.Enter)
				b.Until(`document.getElementById("problems") && document.activeElement.matches("[aria-invalid]")`)
				if !browsertest.Eval[bool](b, `document.activeElement === document.querySelector("[aria-invalid]")`) {
					t.Error("the focus is not on the first problem")
				}
				check(b, axe, "problems")
				for browsertest.Eval[bool](b, `document.activeElement.matches("form.application [required]")`) {
					if browsertest.Eval[bool](b, `document.activeElement.matches("select")`) {
						b.Press(kb.ArrowDown)
					} else {
						b.Press("55 000")
					}
					b.Press(kb.Tab)
				}
				b.TabTo("form.application button")
				b.Press(kb.Enter)
				b.Until(`document.getElementById("complete")`)
				check(b, axe, "complete")
			})
		}
	}
}
