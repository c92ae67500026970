package site

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/e2e/browsertest"
)

// check holds the page against axe, light and dark, and against its own width, and the
// names on its map against each other.
func check(b *browsertest.Browser, axe, name string) {
	b.T.Helper()
	for _, dark := range []bool{true, false} {
		b.Dark(dark)
		b.CheckAxe(axe, fmt.Sprintf("%s, dark %t", name, dark))
	}
	for _, over := range browsertest.Eval[[]string](b, `(() => {
		const boxes = [...document.querySelectorAll(".map text, .map circle")].map((e) => [e, e.getBoundingClientRect()]);
		const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
		return boxes.flatMap(([e, box], i) => boxes.filter(([o, other], k) => e.tagName === "text" && (k > i || o.tagName !== "text") &&
			o !== e && meet(box, other)).map(([o]) => e.textContent + " on " + o.textContent));
	})()`) {
		b.T.Errorf("%s: the map writes %s", name, over)
	}
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
				for name, path := range map[string]string{
					"closed": fmt.Sprintf("/job/%d/", fake.Demo.ClosedJob), "unknown": "/job/99999/", "nothing-found": "/?text=zzzz&near=Atlantis",
					"second-page": "/?order=oldest&place=Hamburg",
				} {
					b.Do(chromedp.Navigate(v.origin + path))
					check(b, axe, name)
				}
			})
		}
	}
}
