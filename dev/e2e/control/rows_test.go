package control

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// A row that is opened with the keyboard shows what came and what was answered,
// without a secret, and the request as a command; the filter finds it.
func TestOpenRow(t *testing.T) {
	b, srv := visit(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ExpiredToken)
	b.Until(`document.querySelectorAll("#rows .row").length === 2`)
	b.keys("#r1 summary", kb.Enter)
	b.Until(`document.querySelector("#r1 .curl")`)
	opened := b.text("#r1")
	for _, want := range []string{"[user token of applicant 7]", "application/json", "true", "curl -H \"Authorization: Bearer $TOKEN\"", applied(srv.Demo.AppliedJob)} {
		if !strings.Contains(opened, want) {
			t.Errorf("the row lacks %s: %s", want, opened)
		}
	}
	if strings.Contains(opened, srv.Demo.ApplicantToken) {
		t.Errorf("the row shows the token: %s", opened)
	}
	if s := b.text("#r2"); !strings.Contains(s, "refused: the token has expired") {
		t.Errorf("a refusal is not explained: %s", s)
	}
	b.Run(`document.querySelector("#row-filter").value = "refused"; document.querySelector("#row-filter").dispatchEvent(new Event("input"))`)
	b.Until(`!document.querySelector("#r1") && document.querySelector("#r2") && document.querySelector("#shown").textContent === "1 of 2 fit"`)
	get(t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	b.Until(`!document.querySelector("#r3") && document.querySelector("#shown").textContent === "1 of 3 fit"`)
	b.quiet()
}

// Records made with the forms appear on the board, and requests find them.
func TestForms(t *testing.T) {
	b, srv := visit(t)
	b.Run(`document.querySelectorAll("#jobs > details").forEach((d) => d.open = true)`)
	b.keys(`[data-post=publish] [name="job.title"]`, "Lighthouse Keeper")
	b.keys(`[data-post=publish] [name="job.location"]`, "hamburg")
	b.Until(`[...document.querySelector("#towns").options].some((o) => o.value === "Hamburg")`)
	b.click(`[data-post=publish] button`)
	b.Until(`document.querySelector("#made").textContent.includes("Added Lighthouse Keeper")`)
	b.Until(`document.querySelector("#job-list").textContent.includes("Lighthouse Keeper")`)
	var job jobboardtest.Job
	for _, j := range srv.Snapshot().Jobs {
		if j.Title == "Lighthouse Keeper" {
			job = j
		}
	}
	if job.Location.Lat != "53.550556" || job.Language != "en" || job.Internal {
		t.Errorf("%+v", job)
	}
	b.keys(`[data-post=postings] [name=job_id]`, fmt.Sprint(job.ID))
	b.keys(`[data-post=postings] [name=title]`, "Keeper, second ad")
	b.click(`[data-post=postings] button`)
	b.Until(`document.querySelector("#made").textContent.includes("Keeper, second ad")`)
	b.keys(`[data-post=applicants] [name=name]`, "Lena"+kb.Enter)
	b.Until(`document.querySelector("#made").textContent.includes("Added Lena")`)
	b.Until(`document.querySelectorAll(".person").length === 3`)
	status, body := get(t, srv, "/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=keeper", srv.Demo.ClientToken)
	if status != http.StatusOK || strings.Count(body, "jobPostingId") != 2 {
		t.Errorf("%d %s", status, body)
	}
	b.quiet()
}

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
