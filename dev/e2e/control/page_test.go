package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// visit starts a mock server with the demo and opens its page.
func visit(t *testing.T, opts ...jobboardtest.Option) (*browser, *jobboardtest.Server) {
	t.Helper()
	browsertest.Need(t)
	srv := jobboardtest.NewServer(append([]jobboardtest.Option{jobboardtest.WithDemo()}, opts...)...)
	t.Cleanup(srv.Close)
	url := control.Mount(srv)
	b := newBrowser(t)
	b.page = url
	b.open(url, 1280, 900)
	return b, srv
}

func get(t *testing.T, srv *jobboardtest.Server, path, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequest("GET", srv.BaseURL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func applied(id int64) string { return fmt.Sprintf("/api/rest/v3/frontend/jobs/%d/applied", id) }

// On a phone and on a desk, in light and in dark, nothing sticks out sideways,
// the board is there, and texts can be told from their ground.
func TestLayout(t *testing.T) {
	b, srv := visit(t)
	url := srv.BaseURL + control.Path + "/"
	get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken)
	get(t, srv, "/api/rest/v2/frontend/jobboards/27828_extern/jobs?search="+strings.Repeat("long", 60), srv.Demo.ClientToken)
	get(t, srv, "/api/rest/nonsense", "")
	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpSubscribe, Times: 3})
	for _, size := range []struct {
		name   string
		width  int64
		height int64
	}{{"phone", 390, 844}, {"narrow", 320, 640}, {"desk", 1280, 900}} {
		for _, dark := range []bool{false, true} {
			name := size.name + map[bool]string{false: "-light", true: "-dark"}[dark]
			b.Dark(dark)
			b.open(url, size.width, size.height)
			b.Run(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
			wide := eval[struct{ Page, Window float64 }](b, `({Page: document.documentElement.scrollWidth, Window: window.innerWidth})`)
			if wide.Page > float64(size.width) || wide.Window != float64(size.width) {
				t.Errorf("%s: the page is %v wide in a window of %v", name, wide.Page, wide.Window)
			}
			// Clipped by a parent instead of scrolled.
			out := eval[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className)`)
			if len(out) > 0 {
				t.Errorf("%s: these stick out: %v", name, out)
			}
			if ratio := eval[float64](b, contrast); ratio < 4.5 {
				t.Errorf("%s: the faintest text has a contrast of %.2f to its ground, and should have 4.5", name, ratio)
			}
			if dark {
				if back := eval[string](b, `getComputedStyle(document.body).backgroundColor`); back != "rgb(16, 21, 28)" {
					t.Errorf("in the dark the ground is %s", back)
				}
			}
			b.Run(`document.querySelectorAll("details").forEach((d) => d.open = d.dataset.key === "job-2797227")`)
			b.Picture(name)
		}
	}
	count := eval[struct{ Jobs, Places, Rows, People int }](b, `({Jobs: document.querySelectorAll("#job-list > li").length,
		Places: document.querySelectorAll(".places button").length, Rows: document.querySelectorAll("#rows .row").length, People: document.querySelectorAll(".person").length})`)
	if count.Jobs != len(srv.Snapshot().Jobs) || count.Places < 6 || count.Rows != 3 || count.People != 2 {
		t.Errorf("the page shows %+v", count)
	}
	if s := b.text("#rows"); !strings.Contains(s, "section 4") || !strings.Contains(s, "user token of applicant 7") || strings.Contains(s, srv.Demo.ApplicantToken) {
		t.Errorf("the journal shows %s", s)
	}
	b.quiet()
}

// contrast gives the least contrast of a visible text to the ground below it.
const contrast = `(() => {
	const parse = (s) => s.match(/[\d.]+/g).map(Number);
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
	let least = 21;
	for (const e of document.querySelectorAll("body *:not(option)")) {
		if (!e.getClientRects().length || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(ground(e))].sort((x, y) => y - x);
		least = Math.min(least, (a + 0.05) / (b + 0.05));
	}
	return least;
})()`

// A fault that is clicked meets the next call, and the page shows that it did.
func TestFaultByClick(t *testing.T) {
	b, srv := visit(t)
	b.set("#fault-operation", "applied")
	b.click(`.presets button:nth-of-type(2)`)
	b.Until(`document.querySelector("#planted .list") && document.querySelector("#planted").textContent.includes("503")`)

	if status, _ := get(t, srv, "/api/rest/v2/frontend/jobboards/27828_extern/jobs", srv.Demo.ClientToken); status != 200 {
		t.Errorf("a search, which the fault is not for, has status %d", status)
	}
	if status, _ := get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken); status != 503 {
		t.Errorf("the next call has status %d", status)
	}
	if status, body := get(t, srv, applied(srv.Demo.AppliedJob), srv.Demo.ApplicantToken); status != 200 || body != "true" {
		t.Errorf("the call after it has status %d and %s", status, body)
	}
	b.Until(`document.querySelector("#planted").textContent.includes("None is planted")`)
	b.Until(`document.querySelectorAll("#rows .row").length === 3 && document.querySelector("#r2").textContent.includes("fault: status 503")`)

	// One of one's own, lifted by hand.
	b.unfold("#own-fault")
	b.set("#fault-operation", "")
	b.set("#fault-times", "0")
	b.set("#own-fault", `{"status": 418, "body": "short and stout"}`)
	b.click("#plant")
	b.Until(`document.querySelector("#planted").textContent.includes("418")`)
	for range 2 {
		if status, body := get(t, srv, applied(srv.Demo.AppliedJob), ""); status != 418 || body != "short and stout" {
			t.Errorf("the fault for every call gives %d and %s", status, body)
		}
	}
	b.Until(`document.querySelector("#planted").textContent.includes("2 hit")`) // the page must not be drawn again under the click
	b.click(`#planted .list button`)
	b.Until(`document.querySelector("#planted").textContent.includes("None is planted")`)
	if n := planted(t, srv); n != 0 {
		t.Errorf("%d faults after it was lifted", n)
	}

	// One that cannot be is refused in words, and the page goes on.
	b.set("#own-fault", `{"status": 42}`)
	b.click("#plant")
	b.Until(`!document.querySelector("#problem").hidden && document.querySelector("#problem").textContent.includes("status")`)
	b.set("#own-fault", `{"status": `)
	b.click("#plant")
	b.Until(`document.querySelector("#problem").textContent.includes("not JSON")`)
	b.click(`.presets button`)
	b.Until(`document.querySelector("#problem").hidden`)
}

// A switch that is clicked changes the next answer, and one changed elsewhere
// moves on the page.
func TestSwitchByClick(t *testing.T) {
	b, srv := visit(t)
	information := func() string {
		req, _ := http.NewRequest("GET", fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, srv.Demo.OpenJob), nil)
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, _ := io.ReadAll(res.Body)
		return string(data)
	}
	if s := information(); !strings.Contains(s, fmt.Sprintf(`"jobId":%d`, srv.Demo.OpenJob)) {
		t.Fatalf("before: %.200s", s)
	}
	b.click(`[data-switch=quoted_ids]`)
	b.Until(`document.querySelector("[data-switch=quoted_ids]").checked`)
	browsertest.WaitFor(t, "the switch is on", func() bool { return srv.Variants().QuotedIDs })
	if s := information(); !strings.Contains(s, fmt.Sprintf(`"jobId":"%d"`, srv.Demo.OpenJob)) {
		t.Errorf("after the click: %.200s", s)
	}
	b.Run(`(() => { const s = document.querySelector("[data-switch=dates]"); s.value = "iso-z"; s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	browsertest.WaitFor(t, "both switches are on", func() bool { return srv.Variants().Dates == "iso-z" && srv.Variants().QuotedIDs })
	// The switches are drawn anew, which must not meet the typing.
	b.Until(`document.querySelector("[data-switch=dates] [value=iso-z]").defaultSelected`)
	b.keys("[data-switch=page_size]", "3"+kb.Tab)
	browsertest.WaitFor(t, "pages hold 3", func() bool { return srv.Variants().PageSize == 3 })

	// From elsewhere.
	change(t, srv, "PATCH", "/variants", `{"quoted_ids": false}`)
	b.Until(`!document.querySelector("[data-switch=quoted_ids]").checked`)
	if v := b.value(`[data-switch=dates]`); v != "iso-z" {
		t.Errorf("another switch moved to %q", v)
	}
	b.quiet()
}

// planted returns how many faults can still hit a call.
func planted(t *testing.T, srv *jobboardtest.Server) int {
	t.Helper()
	var all struct{ Faults []struct{} }
	_, body := get(t, srv, control.Path+"/faults", "")
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatal(err)
	}
	return len(all.Faults)
}

func change(t *testing.T, srv *jobboardtest.Server, method, path, body string) {
	t.Helper()
	req, _ := http.NewRequest(method, srv.BaseURL+control.Path+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		t.Fatalf("%s %s: %d", method, path, res.StatusCode)
	}
}

// New requests appear without a reload, even before their answers.
func TestJournalLive(t *testing.T) {
	b, srv := visit(t)
	if s := b.text("#silent"); !strings.Contains(s, "Nothing came in yet") {
		t.Errorf("the empty journal says %q", s)
	}
	get(t, srv, applied(srv.Demo.InactiveJob), srv.Demo.ApplicantToken)
	b.Until(`document.querySelector("#r1 .state").textContent === "410"`)

	srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore, Times: 1})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		req, _ := http.NewRequestWithContext(ctx, "GET", srv.BaseURL+applied(srv.Demo.OpenJob), nil)
		if res, err := srv.Client().Do(req); err == nil {
			res.Body.Close()
		}
	}()
	b.Until(`document.querySelector("#r2 .state")?.textContent === "…"`)
	cancel()
	<-left

	srv.Fail(jobboardtest.Fault{Delay: time.Second, Times: 1})
	get(t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	b.Until(`document.querySelector("#r3 .state")?.textContent === "200"`)

	b.click(`#journal [data-do="DELETE requests"]`)
	b.Until(`document.querySelectorAll("#rows .row").length === 0 && !document.querySelector("#silent").hidden`)
	if n := srv.Count(); n != 0 {
		t.Errorf("%d requests after the journal was cleared", n)
	}
	for range 230 {
		get(t, srv, applied(srv.Demo.OpenJob), srv.Demo.ApplicantToken)
	}
	b.Until(`document.querySelector("#rows .row")?.id === "r233" && document.querySelectorAll("#rows .row").length === 200`)
	b.quiet()
}

// Texts from the state and from requests are shown as texts, wherever they
// come.
func TestTextsStayTexts(t *testing.T) {
	b, srv := visit(t)
	const evil = `"><script>document.title='owned'</script><img src=x onerror="document.title='owned'">' & {{7*7}} ]]>`
	job, _ := srv.Publish("27828_extern", jobboardtest.Job{ID: 1, Title: evil, Questions: []jobboardtest.Question{{ID: evil, Type: evil, Label: evil}}, Location: jobboardtest.Location{Lat: "47", Long: "10", City: evil, Name: evil}})
	srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: evil, Channels: []string{evil}, ApplyURL: "javascript:document.title='owned'", Language: evil})
	who := srv.AddApplicant(jobboardtest.Applicant{Name: evil, CompanyID: srv.AddCompany(jobboardtest.Company{Name: evil}).ID})
	srv.UpdateJob(job.ID, func(j *jobboardtest.Job) { j.CompanyID = who.CompanyID })
	if _, err := srv.Apply(who.ID, job.ID); err != nil {
		t.Fatal(err)
	}
	srv.Fail(jobboardtest.Fault{Name: evil, Path: evil, Status: 500, Share: 0.5})
	srv.SetVariants(jobboardtest.Variants{ErrorField: evil})
	url := srv.BaseURL + control.Path + "/"
	// Both ways: drawn with the page, and sent to it afterwards.
	for _, way := range []string{"drawn", "sent"} {
		if way == "drawn" {
			b.open(url, 390, 844)
		} else {
			change(t, srv, "PATCH", "/jobs/1", `{"internal": false}`)
			b.Run(`document.getElementById("board").dataset.old = "yes"; document.querySelector("#job-list").dataset.old = "yes"`)
			change(t, srv, "PATCH", "/jobs/1", `{"apply_closed": false}`)
			b.Until(`!document.querySelector("#job-list").dataset.old`)
		}
		req, _ := http.NewRequest("GET", srv.BaseURL+"/"+strings.ReplaceAll(evil, " ", "%20"), nil)
		if req == nil {
			t.Fatal("no request")
		}
		req.Header.Set("Authorization", evil)
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		b.Until(fmt.Sprintf(`document.querySelector("#r%d")`, srv.Count()))
		if title := eval[string](b, `document.title`); title != "Job board fake" {
			t.Errorf("%s: the title is %q", way, title)
		}
		for _, at := range []string{`#board [data-job="1"] .title`, fmt.Sprintf(`#board [data-applicant="%d"] .title`, who.ID), `#planted .title`} {
			if s := b.text(at); s != evil {
				t.Errorf("%s: %s shows %q", way, at, s)
			}
		}
		if strange := eval[int](b, `document.querySelectorAll("main script, main img, a[href^='javascript' i], [onerror]").length`); strange != 0 {
			t.Errorf("%s: %d elements came out of texts", way, strange)
		}
		if wide := eval[float64](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s: the page is %v wide", way, wide)
		}
	}
	// The policy holds even where a text would get through.
	b.quiet()
	b.Run(`document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\"document.title='owned'\">"); const s = document.createElement("script"); s.textContent = "document.title='owned'"; document.body.append(s)`)
	select {
	case said := <-b.complaints:
		if !strings.Contains(said, "Content Security Policy") {
			t.Errorf("the browser says %s", said)
		}
	case <-time.After(15 * time.Second):
		t.Error("the browser has nothing against an inline script")
	}
	if eval[string](b, `document.title`) != "Job board fake" {
		t.Error("an inline script ran")
	}
}

// The buttons of jobs and applicants do what they say, and the page follows.
func TestBoardByClick(t *testing.T) {
	b, srv := visit(t)
	d := srv.Demo
	at := fmt.Sprintf(`[data-job="%d"]`, d.OpenJob)
	press := func(verb string) {
		t.Helper()
		b.unfold(at + ` .actions`)
		b.click(fmt.Sprintf(`%s [data-do=%q]`, at, verb))
	}
	press(fmt.Sprintf("POST jobs/%d/deactivate", d.OpenJob))
	b.Until(`document.querySelector('` + at + ` .state').textContent === "inactive"`)
	if status, _ := get(t, srv, applied(d.OpenJob), d.ApplicantToken); status != 410 {
		t.Errorf("the job was deactivated, and the applied check says %d", status)
	}
	if !eval[bool](b, `document.querySelector('`+at+` details').open`) {
		t.Error("the job was unfolded, and is not any more")
	}
	press(fmt.Sprintf("POST jobs/%d/activate", d.OpenJob))
	b.Until(`document.querySelector('` + at + ` .state').textContent === "open"`)

	// The applicant applies, by the keyboard; a second time is refused in words.
	field := fmt.Sprintf(`[data-applicant="%d"] .apply input`, d.Applicant)
	b.keys(field, fmt.Sprint(d.OpenJob)+kb.Enter)
	b.Until(fmt.Sprintf(`document.querySelectorAll('[data-applicant="%d"] .applications li').length === 3`, d.Applicant))
	if _, body := get(t, srv, applied(d.OpenJob), d.ApplicantToken); body != "true" {
		t.Errorf("the applicant has applied, and the check says %s", body)
	}
	b.keys(field, fmt.Sprint(d.OpenJob))
	b.click(fmt.Sprintf(`[data-apply="%d"]`, d.Applicant))
	b.Until(`document.querySelector("#problem").textContent.includes("already applied")`)
	b.click(fmt.Sprintf(`[data-applicant="%d"] [data-json*='"job_id":%d']`, d.Applicant, d.OpenJob))
	b.Until(fmt.Sprintf(`[...document.querySelectorAll('[data-applicant="%d"] .applications li')].filter((l) => l.textContent.includes("withdrawn")).length === 2`, d.Applicant))
	if _, body := get(t, srv, applied(d.OpenJob), d.ApplicantToken); body != "true" {
		t.Errorf("a withdrawn application counts, and the check says %s", body)
	}

	// The filter narrows the lists down.
	b.keys("#filter", "hamburg")
	b.Until(`document.querySelectorAll("#job-list > li").length < 20 && document.querySelectorAll("#job-list > li").length > 0`)
	b.Run(`document.querySelector("#filter").value = "no such thing"; document.querySelector("#filter").dispatchEvent(new Event("input"))`)
	b.Until(`document.querySelector("#job-list").textContent.includes("No job fits the filter") && !document.querySelector(".places")`)

	// Back to the start.
	b.Run(`document.querySelector("#filter").value = ""`)
	b.agree(true)
	b.click(`header .danger`)
	b.Until(fmt.Sprintf(`document.querySelectorAll('[data-applicant="%d"] .applications li').length === 2`, d.Applicant))

	b.click(`[data-json='{"by":"1h"}']`)
	browsertest.WaitFor(t, "the clock is ahead", func() bool { return time.Until(srv.Now()) > 59*time.Minute })
	b.Until(`Date.parse(document.querySelector("#clock").textContent.replace(" UTC", "Z").replace(" ", "T")) - Date.now() > 59 * 60e3`)
	// What was refused on purpose is in the browser's log too.
	for len(b.complaints) > 0 {
		if said := <-b.complaints; !strings.Contains(said, "409") {
			t.Errorf("the page complains: %s", said)
		}
	}
}

// The board changes while the mouse is held down on one of its buttons: releasing the mouse is
// still a click, and then the page shows the change.
func TestBoardChangesDuringClick(t *testing.T) {
	b, srv := visit(t)
	job := fmt.Sprintf(`[data-job="%d"]`, srv.Demo.OpenJob)
	button := fmt.Sprintf(`%s [data-do="POST jobs/%d/deactivate"]`, job, srv.Demo.OpenJob)
	b.unfold(job + ` .actions`)
	at := eval[struct{ X, Y float64 }](b, `(() => {
		const e = document.querySelector('`+button+`');
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
	})()`)
	left := chromedp.ButtonType(input.MouseButtonLeft)
	b.Run(`const plain = fetch; window.fetch = (...a) => plain(...a).then((res) => {
		res.clone().json().then((told) => { if (told.board) document.body.dataset.fetched = "board"; }, () => {});
		return res;
	})`)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at.X, at.Y, left, chromedp.ClickCount(1)))
	inactive := srv.Demo.InactiveJob
	res, err := srv.Client().Post(fmt.Sprintf("%s%s/jobs/%d/activate", srv.BaseURL, control.Path, inactive), "application/json", nil)
	if err != nil || res.StatusCode >= 300 {
		t.Fatal(res, err)
	}
	res.Body.Close()
	b.Until(`document.body.dataset.fetched === "board"`)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at.X, at.Y, left, chromedp.ClickCount(1)))
	b.Until(`document.querySelector('` + job + ` .state').textContent === "inactive"`)
	b.Until(fmt.Sprintf(`document.querySelector('[data-job="%d"] .state').textContent === "open"`, inactive))
	b.quiet()
}

// A press that opens a menu keeps nothing back: its release may never come.
func TestBoardChangesDuringMenu(t *testing.T) {
	b, srv := visit(t)
	right := chromedp.ButtonType(input.MouseButtonRight)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, 5, 5, right, chromedp.ClickCount(1)))
	res, err := srv.Client().Post(fmt.Sprintf("%s%s/jobs/%d/deactivate", srv.BaseURL, control.Path, srv.Demo.OpenJob), "application/json", nil)
	if err != nil || res.StatusCode >= 300 {
		t.Fatal(res, err)
	}
	res.Body.Close()
	b.Until(fmt.Sprintf(`document.querySelector('[data-job="%d"] .state').textContent === "inactive"`, srv.Demo.OpenJob))
	b.quiet()
}

// A page left open does not keep the server from ending, says that it is cut
// off, and finds another fake at the same address by itself.
func TestServerEnds(t *testing.T) {
	browsertest.Need(t)
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	url := control.Mount(srv)
	b := newBrowser(t)
	b.open(url, 390, 844)
	for range 3 {
		get(t, srv, applied(srv.Demo.InactiveJob), srv.Demo.ApplicantToken)
	}
	b.Until(`document.querySelector("#r3 .state")?.textContent === "410"`)
	addr := strings.TrimPrefix(strings.TrimSuffix(srv.BaseURL, "/board"), "http://")

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	began := time.Now()
	if err := srv.Shutdown(ctx); err != nil {
		t.Errorf("with a page open, Shutdown says %v", err)
	}
	if d := time.Since(began); d > 15*time.Second { // net/http waits 5 s for a connection that sent nothing yet
		t.Errorf("with a page open, Shutdown took %v", d)
	}
	b.Until(`document.getElementById("live").textContent === "not connected"`)

	same, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	again := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithListeners(same, nil))
	defer again.Close()
	control.Mount(again)
	get(t, again, applied(again.Demo.OpenJob), again.Demo.ApplicantToken)
	b.Until(`document.getElementById("live").className === "on" && document.querySelector("#r1 .state")?.textContent === "200" && document.querySelectorAll("#rows .row").length === 1`)
}

// A page of another site, open in the same browser, can neither change nor read
// the mock server.
func TestOtherSites(t *testing.T) {
	browsertest.Need(t)
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	url := control.Mount(srv)
	// The other site is on another port: another origin.
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!DOCTYPE html><title>other</title><body>")
	}))
	defer other.Close()
	b := newBrowser(t)
	b.Do(chromedp.Navigate(other.URL + "/site"))
	tries, _ := json.Marshal([]map[string]any{
		{"method": "POST", "path": "reset"},
		{"method": "POST", "path": "faults", "body": `{"status":500}`, "headers": map[string]string{"Content-Type": "text/plain"}},
		{"method": "POST", "path": "faults", "body": `{"status":500}`, "headers": map[string]string{"Content-Type": "application/json"}},
		{"method": "PUT", "path": "variants", "body": `{}`, "headers": map[string]string{"Content-Type": "application/json"}},
		{"method": "DELETE", "path": "requests"},
		{"method": "GET", "path": "state"},
	})
	got := eval[[]string](b, fmt.Sprintf(`Promise.all(%s.flatMap((t) => ["cors", "no-cors"].map((mode) =>
		fetch(%q + t.path, {mode, method: t.method, body: t.body, headers: t.headers}).then((r) => r.type, () => "refused"))))`, tries, url))
	for i, s := range got {
		if s != "refused" && s != "opaque" {
			t.Errorf("try %d could read the answer: %s", i, s)
		}
	}
	form := `<form id=f method=post enctype=text/plain action="` + url + `faults"><input name='{"status":500,"body":"' value='"}'></form>`
	b.Run(fmt.Sprintf(`document.body.innerHTML = %q; document.getElementById("f").submit()`, form))
	b.Until(`document.body.textContent.includes("another site")`)
	if n := planted(t, srv); n != 0 {
		t.Errorf("another site planted %d faults", n)
	}
	// And it cannot put the page into a frame to have its buttons clicked.
	b.Do(chromedp.Navigate(other.URL + "/site"))
	b.Run(fmt.Sprintf(`document.body.innerHTML = "<iframe src='%s'></iframe>"`, url))
	select {
	case said := <-b.framed():
		_ = said
	case <-time.After(15 * time.Second):
		t.Error("the browser has nothing against framing the page")
	}
}

// framed gives what the browser says about a frame that it refuses.
func (b *browser) framed() <-chan string {
	out := make(chan string, 1)
	go func() {
		for said := range b.complaints {
			if strings.Contains(said, "frame-ancestors") || strings.Contains(said, "X-Frame-Options") {
				out <- said
				return
			}
		}
	}()
	return out
}
