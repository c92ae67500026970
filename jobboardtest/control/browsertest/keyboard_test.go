package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// press presses keys wherever the focus is.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// tabTo moves the focus with the tabulator key to what matches, where it can be
// seen.
func (b *browser) tabTo(selector string) {
	b.t.Helper()
	for range 700 {
		if b.focused(selector) {
			if !eval[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
				b.t.Errorf("the focus on %s cannot be seen", selector)
			}
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("the tabulator does not reach %s", selector)
}

func (b *browser) focused(selector string) bool {
	b.t.Helper()
	return eval[bool](b, `document.activeElement.matches(`+quote(selector)+`)`)
}

// stays fails the test where the focus is not on what matches.
func (b *browser) stays(selector string) {
	b.t.Helper()
	if !b.focused(selector) {
		b.t.Errorf("the focus is not on %s, it is on %s", selector, eval[string](b, `document.activeElement.outerHTML.slice(0, 120)`))
	}
}

// instead types in the place of what a field holds.
func (b *browser) instead(text string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl, chromedp.ModifierShift)))
	b.press(kb.Delete + text)
}

// Everything that the page does is done with the keyboard alone, and the focus
// stays where the person works.
func TestByKeyboardAlone(t *testing.T) {
	for _, look := range []struct {
		width int64
		dark  bool
	}{{1280, false}, {400, true}} {
		t.Run(fmt.Sprintf("%d-dark-%t", look.width, look.dark), func(t *testing.T) {
			b, srv := visit(t)
			d := srv.Demo
			b.dark(look.dark)
			b.open(eval[string](b, `location.href`), look.width, 900)
			get(t, srv, applied(d.AppliedJob), d.ApplicantToken)
			get(t, srv, applied(d.AppliedJob), d.ExpiredToken)
			b.until(`document.querySelectorAll("#rows .row").length === 2`)

			b.tabTo(`nav a[href="#journal"]`)
			b.press(kb.Enter + kb.Tab)
			b.stays(`#journal button`)
			b.journalByKeyboard(srv)
			b.faultsByKeyboard(srv)
			b.switchesByKeyboard(srv)
			b.jobsByKeyboard(srv)
			b.peopleByKeyboard(srv)
			b.formsByKeyboard(srv)

			now := srv.Now()
			b.tabTo(`[data-do="POST clock/advance"]`)
			b.press(kb.Enter)
			waitFor(t, "a minute passes", func() bool { return srv.Now().Sub(now) >= time.Minute })
			b.until(`!("busy" in document.activeElement.dataset)`)
			b.press(kb.Enter) // the same button again, without looking for it
			waitFor(t, "another minute passes", func() bool { return srv.Now().Sub(now) >= 2*time.Minute })
			b.tabTo(`header .danger`)
			b.press(kb.Enter)
			waitFor(t, "all is as it was", func() bool { return srv.Now().Sub(now) < time.Minute && len(srv.Requests()) == 0 })
			b.stays(`header .danger`)
			b.quiet()
		})
	}
}

func (b *browser) journalByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	b.tabTo(`#row-filter`)
	b.press("expired")
	b.until(`document.querySelector("#shown").textContent === "1 of 2"`)
	b.press(kb.Escape)
	b.until(`document.querySelector("#shown").textContent === ""`)
	b.tabTo(`#r1 summary`)
	b.press(kb.Enter)
	b.until(`document.querySelector("#r1 .curl")`)
	// A request that comes meanwhile takes nothing away.
	get(b.t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	b.until(`document.querySelector("#r3 .state")?.textContent === "200"`)
	b.stays(`#r1 summary`)
	b.tabTo(`#r1 [data-copy]`)
	b.press(kb.Enter)
	b.until(`document.querySelector("#r1 [data-copy]").textContent !== "Copy as curl"`)
	b.tabTo(`[data-do="DELETE requests"]`)
	b.press(" ")
	b.until(`document.querySelectorAll("#rows .row").length === 0`)
}

func (b *browser) faultsByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	const preset = `.presets button:nth-of-type(2)`
	b.tabTo(`#fault-operation`)
	b.press("applied")
	b.tabTo(preset)
	for n := 1; n <= 2; n++ {
		b.press(kb.Enter)
		waitFor(b.t, "a fault is planted", func() bool { return len(srv.Faults()) == n })
		b.until(`!("busy" in document.activeElement.dataset)`)
		b.stays(preset)
	}
	if status, _ := get(b.t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken); status != 503 {
		b.t.Errorf("status %d, want the planted fault's", status)
	}
	b.until(`document.querySelectorAll("#planted .list li").length === 1`)
	b.tabTo(`details[data-key=own] summary`)
	b.press(kb.Enter)
	b.tabTo(`#own-fault`)
	b.instead(`{"status": 418}`)
	b.tabTo(`#plant`)
	b.press(kb.Enter)
	b.until(`document.querySelectorAll("#planted .list li").length === 2`)
	b.tabTo(`#planted .list button`)
	b.press(kb.Enter)
	b.until(`document.querySelectorAll("#planted .list li").length === 1`)
	b.stays(`#planted button`) // the next one's
	b.press(kb.Enter)
	waitFor(b.t, "no fault is left", func() bool { return len(srv.Faults()) == 0 })
	b.until(`document.querySelector("#planted .empty")`)
	b.stays(`#planted`)
}

func (b *browser) switchesByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	b.tabTo(`[data-switch=quoted_ids]`)
	for _, on := range []bool{true, false} {
		b.press(" ")
		waitFor(b.t, "the switch moves", func() bool { return srv.Variants().QuotedIDs == on })
		b.until(fmt.Sprintf(`document.querySelector("[data-switch=quoted_ids]").checked === %t`, on))
		b.stays(`[data-switch=quoted_ids]`)
	}
	b.tabTo(`[data-switch=dates]`)
	b.press(kb.ArrowDown)
	waitFor(b.t, "dates are written another way", func() bool { return srv.Variants().Dates != "" })
	b.stays(`[data-switch=dates]`)
	b.tabTo(`[data-switch=page_size]`)
	b.instead("3" + kb.Enter)
	waitFor(b.t, "pages hold 3", func() bool { return srv.Variants().PageSize == 3 })
	srv.SetVariants(jobboardtest.Variants{})
	b.until(`document.querySelector("[data-switch=page_size]").defaultValue !== "3"`)
}

func (b *browser) jobsByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	b.tabTo(`#filter`)
	b.press(fmt.Sprint(srv.Demo.OpenJob))
	b.until(`document.querySelectorAll("#job-list > li").length === 1`)
	b.tabTo(`#job-list summary`)
	b.press(kb.Enter)
	for _, step := range []struct{ label, state string }{{"Deactivate", "inactive"}, {"Activate", "open"}} {
		b.tabTo(`#job-list button`)
		for range 10 {
			if b.text(":focus") == step.label {
				break
			}
			b.press(kb.Tab)
		}
		b.press(kb.Enter)
		b.until(fmt.Sprintf(`document.querySelector("#job-list .state").textContent === %q`, step.state))
		b.stays(`#job-list *`)
	}
	b.tabTo(`#filter`)
	b.press(kb.Escape)
	b.until(`document.querySelectorAll("#job-list > li").length > 20`)
	b.tabTo(`[data-filter]`)
	place := b.text(":focus")
	b.press(kb.Enter)
	b.until(`document.querySelector("#filter").value === ` + quote(place) + ` && document.querySelectorAll("#job-list > li").length < 20`)
	b.until(`!("busy" in document.activeElement.dataset)`)
	b.stays(`[data-filter="` + place + `"]`)
	b.press(kb.Enter)
	b.until(`document.querySelector("#filter").value === "" && document.querySelectorAll("#job-list > li").length > 20`)
}

func (b *browser) peopleByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	d := srv.Demo
	hasApplied := func() bool {
		_, body := get(b.t, srv, applied(d.OpenJob), d.ApplicantToken)
		return body == "true"
	}
	b.tabTo(fmt.Sprintf(`[data-applicant="%d"] .apply input`, d.Applicant))
	b.press(fmt.Sprint(d.OpenJob) + kb.Enter)
	waitFor(b.t, "the applicant has applied", hasApplied)
	b.until(fmt.Sprintf(`document.querySelector('[data-applicant="%d"] .applications').textContent.includes("%d")`, d.Applicant, d.OpenJob))
	withdraw := fmt.Sprintf(`[data-do="POST applications/withdraw"][data-json*='"job_id":%d}']`, d.OpenJob)
	b.tabTo(withdraw)
	b.press(kb.Enter)
	b.until(`!document.querySelector(` + quote(withdraw) + `)`)
	b.stays(fmt.Sprintf(`[data-applicant="%d"] *`, d.Applicant))
}

func (b *browser) formsByKeyboard(srv *jobboardtest.Server) {
	b.t.Helper()
	open := func(key string) {
		b.tabTo(`[data-key=` + key + `] > summary`)
		b.press(kb.Enter)
	}
	open("new-job")
	b.tabTo(`[name="job.title"]`)
	b.press("Lighthouse Keeper")
	b.tabTo(`[name="job.location"]`)
	b.press("Hamb")
	b.tabTo(`[name="job.internal"]`)
	b.press(" ")
	b.tabTo(`[data-post=publish] button`)
	b.press(kb.Enter)
	b.until(`document.querySelector("#made").textContent.includes("Added Lighthouse Keeper")`)
	b.stays(`[data-post=publish] button`)
	var job jobboardtest.Job
	for _, j := range srv.Snapshot().Jobs {
		if j.Title == "Lighthouse Keeper" {
			job = j
		}
	}
	if job.Location.City != "Hamburg" || !job.Internal {
		b.t.Errorf("%+v", job)
	}
	open("new-posting")
	b.tabTo(`[name=job_id]`)
	b.press(fmt.Sprint(job.ID))
	b.tabTo(`[data-post=postings] [name=title]`)
	b.press("Keeper by night" + kb.Enter)
	b.until(`document.querySelector("#made").textContent.includes("Keeper by night")`)
	open("new-applicant")
	b.tabTo(`[data-post=applicants] [name=name]`)
	b.press("Lena" + kb.Enter)
	b.until(`document.querySelector("#made").textContent.includes("Added Lena")`)
	b.until(`document.querySelectorAll(".person").length === 3`)
}

// With everything open the tabulator comes by every control, once around, and by
// each with a frame to be seen.
func TestEveryControlIsReached(t *testing.T) {
	b, srv := visit(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSubscribe})
	b.keys("#filter", fmt.Sprint(srv.Demo.OpenJob))
	b.until(`document.querySelectorAll("#job-list > li").length === 1 && document.querySelector("#planted button")`)
	b.js(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	b.until(`document.querySelector("#r1 .curl")`)
	b.js(`(() => { let n = 0; for (const e of document.querySelectorAll("a[href], button, input, select, textarea, summary")) if (e.getClientRects().length) e.dataset.mark = ++n; document.activeElement.blur(); })()`)
	all := eval[int](b, `document.querySelectorAll("[data-mark]").length`)
	if all < 80 {
		t.Fatalf("only %d controls", all)
	}
	for range all + 20 { // what is scrolled is reached too
		b.press(kb.Tab)
		b.js(`(() => { const e = document.activeElement; if (getComputedStyle(e).outlineStyle !== "none") delete e.dataset.mark; })()`)
	}
	for _, left := range eval[[]string](b, `[...document.querySelectorAll("[data-mark]")].map((e) => e.outerHTML.slice(0, 120))`) {
		t.Errorf("not reached, or not seen: %s", left)
	}
}
