package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func (b *browser) focused(selector string) bool {
	b.T.Helper()
	return eval[bool](b, `document.activeElement.matches(`+quote(selector)+`)`)
}

// stays fails the test where the focus is not on what matches.
func (b *browser) stays(selector string) {
	b.T.Helper()
	if !b.focused(selector) {
		b.T.Errorf("the focus is not on %s, it is on %s", selector, eval[string](b, `document.activeElement.outerHTML.slice(0, 120)`))
	}
}

// instead types in the place of what a field holds.
func (b *browser) instead(text string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl, chromedp.ModifierShift)))
	b.Press(kb.Delete + text)
}

// Everything that the page does is done with the keyboard alone, and the focus
// stays where the person works.
func TestByKeyboardAlone(t *testing.T) {
	for _, look := range testenv.Some(t, 1, []look{{1280, false}, {400, true}}) {
		t.Run(fmt.Sprintf("%d-dark-%t", look.width, look.dark), func(t *testing.T) {
			b, srv := visit(t)
			d := srv.Demo
			b.Dark(look.dark)
			b.open(eval[string](b, `location.href`), look.width, 900)
			get(t, srv, applied(d.AppliedJob), d.ApplicantToken)
			get(t, srv, applied(d.AppliedJob), d.ExpiredToken)
			b.Until(`document.querySelectorAll("#rows .row").length === 2`)

			b.TabTo(`nav a[href="#journal"]`)
			b.Press(kb.Enter + kb.Tab)
			b.stays(`#journal button`)
			b.journalByKeyboard(srv)
			b.faultsByKeyboard(srv)
			b.switchesByKeyboard(srv)
			b.jobsByKeyboard(srv)
			b.peopleByKeyboard(srv)
			b.formsByKeyboard(srv)

			now := srv.Now()
			b.TabTo(`[data-do="POST clock/advance"]`)
			b.Press(kb.Enter)
			browsertest.WaitFor(t, "a minute passes", func() bool { return srv.Now().Sub(now) >= time.Minute })
			b.Until(`!("busy" in document.activeElement.dataset)`)
			b.Press(kb.Enter) // the same button again, still focused
			browsertest.WaitFor(t, "another minute passes", func() bool { return srv.Now().Sub(now) >= 2*time.Minute })
			b.agree(true)
			b.TabTo(`header .danger`)
			b.Press(kb.Enter)
			browsertest.WaitFor(t, "all is as it was", func() bool { return srv.Now().Sub(now) < time.Minute && len(srv.Requests()) == 0 })
			b.stays(`header .danger`)
			b.quiet()
		})
	}
}

func (b *browser) journalByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	b.TabTo(`#row-filter`)
	b.Press("expired")
	b.Until(`document.querySelector("#shown").textContent === "1 of 2 fit"`)
	b.Press(kb.Escape)
	b.Until(`document.querySelector("#shown").textContent === "2"`)
	b.TabTo(`#r1 summary`)
	b.Press(kb.Enter)
	b.Until(`document.querySelector("#r1 .curl")`)
	// A request that comes meanwhile takes nothing away.
	get(b.T, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	b.Until(`document.querySelector("#r3 .state")?.textContent === "200"`)
	b.stays(`#r1 summary`)
	b.TabTo(`#r1 [data-copy]`)
	b.Press(kb.Enter)
	b.Until(`document.querySelector("#r1 [data-copy]").textContent !== "Copy as curl"`)
	b.TabTo(`[data-do="DELETE requests"]`)
	b.Press(" ")
	b.Until(`document.querySelectorAll("#rows .row").length === 0`)
}

func (b *browser) faultsByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	const preset = `.presets button:nth-of-type(2)`
	b.TabTo(`#fault-operation`)
	b.Press("applied")
	b.TabTo(preset)
	for n := 1; n <= 2; n++ {
		b.Press(kb.Enter)
		browsertest.WaitFor(b.T, "a fault is planted", func() bool { return planted(b.T, srv) == n })
		b.Until(`!("busy" in document.activeElement.dataset)`)
		b.stays(preset)
	}
	if status, _ := get(b.T, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken); status != 503 {
		b.T.Errorf("status %d, want the planted fault's", status)
	}
	b.Until(`document.querySelectorAll("#planted .list li").length === 1`)
	b.TabTo(`details[data-key=own] summary`)
	b.Press(kb.Enter)
	b.TabTo(`#own-fault`)
	b.instead(`{"status": 418}`)
	b.TabTo(`#plant`)
	b.Press(kb.Enter)
	b.Until(`document.querySelectorAll("#planted .list li").length === 2`)
	b.TabTo(`#planted .list button`)
	b.Press(kb.Enter)
	b.Until(`document.querySelectorAll("#planted .list li").length === 1`)
	b.stays(`#planted button`) // the next one's
	b.Press(kb.Enter)
	browsertest.WaitFor(b.T, "no fault is left", func() bool { return planted(b.T, srv) == 0 })
	b.Until(`document.querySelector("#planted .empty")`)
	b.stays(`#planted`)
}

func (b *browser) switchesByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	b.TabTo(`[data-switch=quoted_ids]`)
	for _, on := range []bool{true, false} {
		b.Press(" ")
		browsertest.WaitFor(b.T, "the switch moves", func() bool { return srv.Variants().QuotedIDs == on })
		b.Until(fmt.Sprintf(`document.querySelector("[data-switch=quoted_ids]").checked === %t`, on))
		b.stays(`[data-switch=quoted_ids]`)
	}
	b.TabTo(`[data-switch=dates]`)
	b.Press(kb.ArrowDown)
	browsertest.WaitFor(b.T, "dates are written another way", func() bool { return srv.Variants().Dates != "" })
	b.stays(`[data-switch=dates]`)
	b.TabTo(`[data-switch=page_size]`)
	b.instead("3" + kb.Enter)
	browsertest.WaitFor(b.T, "pages hold 3", func() bool { return srv.Variants().PageSize == 3 })
	srv.SetVariants(jobboardtest.Variants{})
	b.Until(`document.querySelector("[data-switch=page_size]").defaultValue !== "3"`)
}

func (b *browser) jobsByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	b.TabTo(`#filter`)
	b.Press(fmt.Sprint(srv.Demo.OpenJob))
	b.Until(`document.querySelectorAll("#job-list > li").length === 1`)
	b.TabTo(`#job-list summary`)
	b.Press(kb.Enter)
	for _, step := range []struct{ label, state string }{{"Deactivate", "inactive"}, {"Activate", "open"}} {
		b.TabTo(`#job-list button`)
		for range 10 {
			if b.text(":focus") == step.label {
				break
			}
			b.Press(kb.Tab)
		}
		b.Press(kb.Enter)
		b.Until(fmt.Sprintf(`document.querySelector("#job-list .state").textContent === %q`, step.state))
		b.stays(`#job-list *`)
	}
	b.TabTo(`#filter`)
	b.Press(kb.Escape)
	b.Until(`document.querySelectorAll("#job-list > li").length > 20`)
	b.TabTo(`[data-filter]`)
	place := b.text(":focus")
	b.Press(kb.Enter)
	b.Until(`document.querySelector("#filter").value === ` + quote(place) + ` && document.querySelectorAll("#job-list > li").length < 20`)
	b.Until(`!("busy" in document.activeElement.dataset)`)
	b.stays(`[data-filter="` + place + `"]`)
	b.Press(kb.Enter)
	b.Until(`document.querySelector("#filter").value === "" && document.querySelectorAll("#job-list > li").length > 20`)
}

func (b *browser) peopleByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	d := srv.Demo
	hasApplied := func() bool {
		_, body := get(b.T, srv, applied(d.OpenJob), d.ApplicantToken)
		return body == "true"
	}
	b.TabTo(fmt.Sprintf(`[data-applicant="%d"] .apply input`, d.Applicant))
	b.Press(fmt.Sprint(d.OpenJob) + kb.Enter)
	browsertest.WaitFor(b.T, "the applicant has applied", hasApplied)
	b.Until(fmt.Sprintf(`document.querySelector('[data-applicant="%d"] .applications').textContent.includes("%d")`, d.Applicant, d.OpenJob))
	withdraw := fmt.Sprintf(`[data-do="POST applications/withdraw"][data-json*='"job_id":%d}']`, d.OpenJob)
	b.TabTo(withdraw)
	b.Press(kb.Enter)
	b.Until(`!document.querySelector(` + quote(withdraw) + `)`)
	b.stays(fmt.Sprintf(`[data-applicant="%d"] *`, d.Applicant))
}

func (b *browser) formsByKeyboard(srv *jobboardtest.Server) {
	b.T.Helper()
	open := func(key string) {
		b.TabTo(`[data-key=` + key + `] > summary`)
		b.Press(kb.Enter)
	}
	open("new-job")
	b.TabTo(`[name="job.title"]`)
	b.Press("Lighthouse Keeper")
	b.TabTo(`[name="job.location"]`)
	b.Press("Hamb")
	b.TabTo(`[name="job.internal"]`)
	b.Press(" ")
	b.TabTo(`[data-post=publish] button`)
	b.Press(kb.Enter)
	b.Until(`document.querySelector("#made").textContent.includes("Added Lighthouse Keeper")`)
	b.stays(`[data-post=publish] button`)
	var job jobboardtest.Job
	for _, j := range srv.Snapshot().Jobs {
		if j.Title == "Lighthouse Keeper" {
			job = j
		}
	}
	if job.Location.City != "Hamburg" || !job.Internal {
		b.T.Errorf("%+v", job)
	}
	open("new-posting")
	b.TabTo(`[name=job_id]`)
	b.Press(fmt.Sprint(job.ID))
	b.TabTo(`[data-post=postings] [name=title]`)
	b.Press("Keeper by night" + kb.Enter)
	b.Until(`document.querySelector("#made").textContent.includes("Keeper by night")`)
	open("new-applicant")
	b.TabTo(`[data-post=applicants] [name=name]`)
	b.Press("Lena" + kb.Enter)
	b.Until(`document.querySelector("#made").textContent.includes("Added Lena")`)
	b.Until(`document.querySelectorAll(".person").length === 3`)
}

// With everything open the tabulator comes by every control, once around, and by
// each with a frame to be seen.
func TestEveryControlIsReached(t *testing.T) {
	b, srv := visit(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSubscribe})
	b.keys("#filter", fmt.Sprint(srv.Demo.OpenJob))
	b.Until(`document.querySelectorAll("#job-list > li").length === 1 && document.querySelector("#planted button")`)
	b.Run(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
	b.Until(`document.querySelector("#r1 .curl")`)
	b.Run(`(() => { let n = 0; for (const e of document.querySelectorAll("a[href], button, input, select, textarea, summary")) if (e.getClientRects().length) e.dataset.mark = ++n; document.activeElement.blur(); })()`)
	all := eval[int](b, `document.querySelectorAll("[data-mark]").length`)
	if all < 80 {
		t.Fatalf("only %d controls", all)
	}
	for range all + 20 { // what is scrolled is reached too
		b.Press(kb.Tab)
		b.Run(`(() => { const e = document.activeElement; if (getComputedStyle(e).outlineStyle !== "none") delete e.dataset.mark; })()`)
	}
	for _, left := range eval[[]string](b, `[...document.querySelectorAll("[data-mark]")].map((e) => e.outerHTML.slice(0, 120))`) {
		t.Errorf("not reached, or not seen: %s", left)
	}
}
