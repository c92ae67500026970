package control

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// agree has the person agree or not to what the page asks from now on.
func (b *browser) agree(yes bool) {
	b.T.Helper()
	b.Run(fmt.Sprintf(`window.confirm = (question) => { document.body.dataset.question = question; return %t; }`, yes))
}

// The page says what was done, and a reset asks first.
func TestResetByClick(t *testing.T) {
	b, srv := visit(t)
	job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: `Keeper "of" <b>bees</b>`})
	b.open(b.page, 1280, 900)
	get(t, srv, "/api/rest/nonsense", "")
	b.Until(`document.querySelector("#r1")`)
	b.unfold(fmt.Sprintf(`[data-job="%d"] .danger`, job.ID))
	b.click(fmt.Sprintf(`[data-job="%d"] .danger`, job.ID))
	b.Until(`document.querySelector("#told").textContent === 'Deleted Keeper "of" <b>bees</b>.'`)
	if j, _ := srv.Job(job.ID); j.Status != jobboardtest.Deleted {
		t.Errorf("the job is %q", j.Status)
	}
	b.agree(false)
	b.click(`header .danger`)
	b.Until(`document.body.dataset.question.includes("lost")`)
	b.agree(true)
	b.click(`.presets button`)
	b.Until(`document.querySelector("#told").hidden && document.querySelector("#planted .list")`)
	if _, ok := srv.Job(job.ID); !ok || srv.Count() != 1 {
		t.Error("it was reset, although the person did not agree")
	}
	b.click(`header .danger`)
	b.Until(`document.querySelector("#told").textContent === "Reset." && document.querySelector("#rows").childElementCount === 0`)
	b.Until(`document.querySelector("#shown").textContent === "0" && !document.querySelector("#silent").hidden && document.querySelector("#planted .empty")`)
	b.Until(fmt.Sprintf(`!document.querySelector('[data-job="%d"]')`, job.ID))
	if _, ok := srv.Job(job.ID); ok || srv.Count() != 0 {
		t.Error("it was not reset")
	}
	get(t, srv, "/api/rest/nonsense", "")
	b.Until(`document.querySelector("#r2")`)
	b.click(`#journal [data-do="DELETE requests"]`)
	b.Until(`document.querySelector("#told").textContent === "Cleared the journal." && document.querySelector("#rows").childElementCount === 0`)
	b.quiet()
}

// The filter finds what is no longer on the page, says how many fit, and shows older ones.
func TestFilterAsksTheWholeJournal(t *testing.T) {
	b, srv := visit(t)
	get(t, srv, "/api/rest/first-of-all", "")
	for i := range 450 {
		get(t, srv, fmt.Sprintf("/api/rest/%s", []string{"even", "odd"}[i%2]), "")
	}
	b.open(b.page, 1280, 900)
	b.Until(`!document.querySelector("#r1") && document.querySelectorAll("#rows .row").length === 200`)
	b.keys("#row-filter", "FIRST-of")
	b.Until(`document.querySelector("#r1") && document.querySelector("#shown").textContent === "1 of 451 fit" && document.querySelector("#older").hidden`)
	sift := func(text string) {
		b.Run(`{ const f = document.querySelector("#row-filter"); f.value = ` + quote(text) + `; f.dispatchEvent(new Event("input")); }`)
	}
	sift("even")
	b.Until(`document.querySelector("#shown").textContent === "225 of 451 fit, the newest 200 shown"`)
	get(t, srv, "/api/rest/even", "")
	get(t, srv, "/api/rest/odd", "")
	b.Until(`document.querySelector("#r452") && !document.querySelector("#r453") && document.querySelector("#shown").textContent === "226 of 453 fit, the newest 200 shown"`)
	b.click("#older")
	b.Until(`document.querySelector("#shown").textContent === "226 of 453 fit" && document.querySelector("#older").hidden && document.querySelector("#r2")`)
	if order := eval[bool](b, `[...document.querySelectorAll("#rows .row")].every((r, i, all) => !i || Number(all[i-1].id.slice(1)) > Number(r.id.slice(1)))`); !order {
		t.Error("the rows are not in order")
	}
	sift("")
	b.Until(`document.querySelector("#shown").textContent === "453, the newest 200 shown" && !document.querySelector("#r2") && document.querySelector("#r453")`)
	b.quiet()
}

// For an unknown town the field shows an error, until another is typed.
func TestWrongTown(t *testing.T) {
	b, srv := visit(t)
	b.unfold(`[data-post=publish]`)
	b.keys(`[name="job.title"]`, "Keeper")
	b.keys(`[name="job.location"]`, "Berlni"+kb.Enter)
	b.Until(`document.querySelector("#no-town").textContent === "There is no town Berlni."`)
	if !eval[bool](b, `document.activeElement.name === "job.location" && document.activeElement.getAttribute("aria-invalid") === "true" && document.querySelector("#problem").hidden`) {
		t.Error("the field is not told to be wrong")
	}
	b.Picture("wrong-town")
	b.set(`[name="job.location"]`, "Berlin, DE")
	b.click(`[data-post=publish] button:not([type])`)
	b.Until(`document.querySelector("#made").textContent.includes("Added Keeper") && document.querySelector("#no-town").textContent === ""`)
	jobs := srv.Snapshot().Jobs
	if at := jobs[len(jobs)-1].Location; at.City != "Berlin" || !strings.HasPrefix(at.Lat, "52.") {
		t.Errorf("it is at %+v", at)
	}
	b.click(`.presets button`)
	b.Until(`document.querySelector("#made").hidden`)
	b.quiet()
}

// A new job has a text, a company and questions, and a job is edited where it stands: what was not
// touched stays.
func TestJobsByForm(t *testing.T) {
	b, srv := visit(t)
	company := srv.Snapshot().Companies[0].ID
	b.unfold(`[data-post=publish]`)
	b.keys(`[name="job.title"]`, "Keeper")
	b.set(`[name="job.company_id"]`, company)
	b.keys(`[data-post=publish] [name=text]`, "<p>Keep bees.</p>")
	b.set(`[data-post=publish] [name="job.questions"]`, "YESNO Afraid?\nWhy?\nCATALOG Where? | Berlin | Vienna")
	b.click(`[data-post=publish] button:not([type])`)
	b.Until(`document.querySelector("#made").textContent.includes("Added Keeper")`)
	st := srv.Snapshot()
	job, posting := st.Jobs[len(st.Jobs)-1], st.Postings[len(st.Postings)-1]
	const want = `[{1 YESNO Afraid? [{1 Yes} {2 No}]} {2 TEXT Why? []} {3 CATALOG Where? [{1 Berlin} {2 Vienna}]}]`
	if got := fmt.Sprint(job.Questions); got != want || job.CompanyID != company || posting.Config["platform_internalAdText"][0] != "<p>Keep bees.</p>" {
		t.Errorf("%s, want %s; %+v %+v", got, want, job, posting)
	}

	id := srv.Demo.OpenJob
	before, _ := srv.Job(id)
	form := fmt.Sprintf(`[data-patch="jobs/%d"]`, id)
	b.Run(`document.querySelector(` + quote(form) + `).closest("li").querySelectorAll("details").forEach((d) => d.open = true)`)
	b.set(form+` [name=title]`, "Head Nurse")
	b.click(form + ` button`)
	b.Until(`document.querySelector("#told").textContent === "Saved Head Nurse."`)
	after, _ := srv.Job(id)
	if after.Title != "Head Nurse" {
		t.Errorf("the title is %q", after.Title)
	}
	after.Title = before.Title
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v\nbefore %+v", after, before)
	}
	b.quiet()
}
