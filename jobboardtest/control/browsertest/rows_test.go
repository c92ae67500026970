package browsertest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// A row that is opened with the keyboard shows what came and what was answered,
// without a secret, and the request as a command; the filter finds it.
func TestOpenRow(t *testing.T) {
	b, srv := visit(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ExpiredToken)
	b.until(`document.querySelectorAll("#rows .row").length === 2`)
	b.keys("#r1 summary", kb.Enter)
	b.until(`document.querySelector("#r1 .curl")`)
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
	b.js(`document.querySelector("#row-filter").value = "refused"; document.querySelector("#row-filter").dispatchEvent(new Event("input"))`)
	b.until(`document.querySelector("#r1").hidden && !document.querySelector("#r2").hidden && document.querySelector("#shown").textContent === "1 of 2"`)
	get(t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	b.until(`document.querySelector("#r3")?.hidden && document.querySelector("#shown").textContent === "1 of 3"`)
	b.quiet()
}

// What the forms make is on the board, and can be asked for.
func TestForms(t *testing.T) {
	b, srv := visit(t)
	b.js(`document.querySelectorAll("#jobs > details").forEach((d) => d.open = true)`)
	b.keys(`[data-post=publish] [name="job.title"]`, "Lighthouse Keeper")
	b.js(`(() => { const s = document.querySelector('[name="job.location"]'); s.value = [...s.options].find((o) => o.text === "Hamburg").value; })()`)
	b.click(`[data-post=publish] button`)
	b.until(`document.querySelector("#made").textContent.includes("Added Lighthouse Keeper")`)
	b.until(`document.querySelector("#job-list").textContent.includes("Lighthouse Keeper")`)
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
	b.until(`document.querySelector("#made").textContent.includes("Keeper, second ad")`)
	b.keys(`[data-post=applicants] [name=name]`, "Lena"+kb.Enter)
	b.until(`document.querySelector("#made").textContent.includes("Added Lena")`)
	b.until(`document.querySelectorAll(".person").length === 3`)
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

// axe gives the source of axe-core, which npm has.
func axe(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm, which has axe-core")
	}
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, "axe-core@4.10.3")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("axe-core cannot be had: %v\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// An independent checker finds nothing serious on the page, light and dark, wide
// and narrow, with everything open, nor on the page for signing in.
func TestAxe(t *testing.T) {
	b, srv := visit(t)
	source := axe(t)
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	get(t, srv, "/api/rest/nonsense", "")
	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSearch})
	page := srv.BaseURL + control.Path + "/"
	for _, at := range []string{page, srv.AuthURL() + "?response_type=code&client_id=11&redirect_uri=http://127.0.0.1:1/&state=s"} {
		for _, width := range []int64{400, 1280} {
			for _, dark := range []bool{false, true} {
				b.dark(dark)
				if at == page {
					b.open(at, width, 900)
					b.js(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
					b.until(`document.querySelector("#r1 .curl")`)
				} else {
					b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(at))
					b.until(`document.querySelector("button[value='7']")`)
				}
				b.js(source)
				found := eval[[]string](b, `axe.run().then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.html)))`)
				for _, f := range found {
					t.Errorf("%s at %d, dark %t: %s", at, width, dark, f)
				}
			}
		}
	}
}
