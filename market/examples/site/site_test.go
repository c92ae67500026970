package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// start runs the site on the demo, with its copy filled.
func start(t *testing.T) (*visitor, *jobboardtest.Server) {
	t.Helper()
	v, fake, mirror := begin(t)
	if _, err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v, fake
}

// begin runs the site on the demo, with an empty copy.
func begin(t *testing.T) (*visitor, *jobboardtest.Server, *jobmirror.Mirror) {
	t.Helper()
	for _, name := range []string{"BASE_URL", "JOBDB_URL", "CLIENT_ID", "CHANNEL", "FEED", "CLIENT_SECRET", "AUTHORIZE_URL", "TOKEN_URL"} {
		t.Setenv("JOBBOARD_"+name, "")
	}
	settings, fake, err := read(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	settings.Site.URL = server.URL
	settings.Board.Retry = jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: time.Second}
	settings.EditMirror = func(opts *jobmirror.Options) { opts.Limit = -1 }
	s, err := open(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	handler = s.Server.Handler
	return newVisitor(t, server.URL), fake, s.Mirror
}

// visitor is a browser without a screen.
type visitor struct {
	t      *testing.T
	origin string
	client *http.Client
}

func newVisitor(t *testing.T, origin string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, origin, &http.Client{Jar: jar, Timeout: 20 * time.Second}}
}

func (v *visitor) do(req *http.Request) (int, string) {
	v.t.Helper()
	req.Header.Set("Accept-Language", "en")
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), "GET", v.origin+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.do(req)
}

func (v *visitor) post(path string, form url.Values, header ...string) (int, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), "POST", v.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return v.do(req)
}

// signIn goes the way of a click: to the board's page, which is left out, and
// back with a code.
func (v *visitor) signIn(fake *jobboardtest.Server, next string) (int, string) {
	v.t.Helper()
	return v.signInAs(fake.Demo.Applicant, next)
}

func (v *visitor) signInAs(applicant int64, next string) (int, string) {
	v.t.Helper()
	noRedirect := *v.client
	noRedirect.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := noRedirect.Get(v.origin + "/signin?next=" + url.QueryEscape(next))
	if err != nil {
		v.t.Fatal(err)
	}
	resp.Body.Close()
	location, err := resp.Location()
	if err != nil {
		v.t.Fatal(err)
	}
	// The board's page has a form with the applicants.
	back, err := noRedirect.PostForm(location.String(), url.Values{"applicant": {fmt.Sprint(applicant)}})
	if err != nil {
		v.t.Fatal(err)
	}
	back.Body.Close()
	location, err = back.Location()
	if err != nil {
		v.t.Fatalf("%v: %s", err, back.Status)
	}
	return v.get(strings.TrimPrefix(location.String(), v.origin))
}

func want(t *testing.T, what string, status int, body string, wantStatus int, texts ...string) {
	t.Helper()
	if status != wantStatus {
		t.Errorf("%s: status %d, want %d\n%s", what, status, wantStatus, body)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("%s: no %q in\n%s", what, text, body)
		}
	}
}

// listed returns the links to jobs that a page's list has, in its order and as written there.
func listed(t *testing.T, page string) (links []string) {
	t.Helper()
	for _, found := range linkToJob.FindAllStringSubmatch(page, -1) {
		links = append(links, found[1])
	}
	if len(links) == 0 {
		t.Fatalf("no job in\n%s", page)
	}
	return links
}

var linkToJob = regexp.MustCompile(`<h2[^>]*><a href="(/job/[^"]+)"`)

func TestVisitor(t *testing.T) {
	v, fake := start(t)
	status, body := v.get("/?near=Berlin&radius=50")
	want(t, "list", status, body, 200, `<html lang="en">`, "<svg", fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
	want(t, "distance", status, body, 200, "<bdi>Berlin</bdi> (", " km)", " km) and 1 more place")
	// A job's page leads back to the search that it was found by.
	status, body = v.get(strings.ReplaceAll(listed(t, body)[0], "&amp;", "&"))
	want(t, "from a search", status, body, 200, `<a href="/?near=Berlin&amp;radius=50">All jobs</a>`)
	status, body = v.get("/?place=Hamburg&text=pflege&lang=de")
	want(t, "narrowed down", status, body, 200, `<a href="?lang=de&amp;text=pflege" aria-current="true"><bdi>Hamburg</bdi>`)
	v.get("/?lang=en")
	status, body = v.get("/?near=Atlantis")
	want(t, "unknown place", status, body, 200, "We do not know the place", "Atlantis")
	status, body = v.get("/?lang=en&text=%22%27%28*")
	want(t, "a text without a word", status, body, 200, "No job matches.")
	status, body = v.get("/?lang=de&text=pflegefachkräfte")
	want(t, "German, another form of the word", status, body, 200, `<html lang="de">`, "Pflegefachkraft (m/w/d)")
	v.get("/?lang=en")
	for name, job := range map[string]int64{"inactive": fake.Demo.InactiveJob, "closed": fake.Demo.ClosedJob} {
		status, body = v.get(fmt.Sprintf("/job/%d/", job))
		want(t, name, status, body, 410, "This job takes no more applications.")
	}
	status, body = v.get("/job/99999/")
	want(t, "unknown", status, body, 404, "There is no such page.")
	status, body = v.get("/nothing")
	want(t, "no page", status, body, 404, "There is no such page.")
}

// A typing error finds what was meant, and the page says so; the field offers words.
func TestTypingErrors(t *testing.T) {
	v, _ := start(t)
	status, body := v.get("/?lang=de&text=Pflegefachkrfat")
	want(t, "a typing error", status, body, 200, "Stattdessen gesucht: pflegefachkraft.", "Pflegefachkraft (m/w/d)")
	status, body = v.get("/suggest?lang=de&text=pflegef")
	want(t, "suggestions", status, body, 200, `"pflegefachkraft"`)
	status, body = v.get("/?lang=de&near=Berlni&radius=50")
	want(t, "a mistyped town", status, body, 200, "Den Ort „Berlni“ kennen wir nicht.", `value="Berlni" list="places"`,
		`Meinten Sie <a href="?lang=de&amp;near=Berlin&amp;radius=50">Berlin</a>?`, `<datalist id="places"><option value="Berlin">`)
	status, body = v.get("/?lang=en&near=8010")
	want(t, "a code of two countries", status, body, 200, `<a href="?lang=en&amp;near=A-8010">A-8010</a>, <a href="?lang=en&amp;near=CH-8010">CH-8010</a>?`)
	status, body = v.get("/?lang=de&near=10117&radius=10")
	want(t, "a postal code", status, body, 200, "km)", `value="10117" list="places"`)
	if status, body = v.get("/suggest?text="); status != 200 || strings.TrimSpace(body) != "[]" {
		t.Errorf("without a text: %d %s", status, body)
	}
}

// The links of a page keep what was searched for, however its address was typed.
func TestTypedAddress(t *testing.T) {
	v, _ := start(t)
	status, body := v.get("/?text=nurse;night&lang=en")
	want(t, "a semicolon", status, body, 200, `href="?lang=de&amp;text=nurse%3Bnight"`, `value="nurse;night"`)
}

// Every link of every list (by language, facet and page), of the sitemap, of the feeds and of a search by the assistants' tool
// leads to a page, no job is found that its page would refuse, and a card names the company that the page names.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	v, fake := start(t)
	lists := []string{"/?lang=de", "/?lang=en", "/?lang=de&near=Berlin&radius=500", "/?lang=en&text=pflege", "/?lang=de&order=oldest"}
	seen, jobs := map[string]bool{}, map[string]string{} // jobs: paths, with the company of the card
	for len(lists) > 0 {
		path := lists[0]
		lists = lists[1:]
		if seen[path] || len(seen) > 200 {
			continue
		}
		seen[path] = true
		status, body := v.get(path)
		if status != 200 {
			t.Errorf("%s: %d", path, status)
		}
		for _, found := range card.FindAllStringSubmatch(body, -1) {
			jobs[strings.ReplaceAll(found[1], "&amp;", "&")] = found[2]
		}
		for _, found := range linkToList.FindAllStringSubmatch(body, -1) {
			lists = append(lists, "/"+strings.ReplaceAll(found[1], "&amp;", "&"))
		}
	}
	pages := map[string]bool{}
	for path, company := range jobs {
		status, body := v.get(path)
		want(t, path, status, body, 200, `<p class="about">`+company)
		if company == "" || !strings.Contains(body, `"name":"`+html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(company, "<bdi>"), "</bdi>"))) {
			t.Errorf("%s: the card names %q, the structured data another company", path, company)
		}
		pages[jobIn.FindStringSubmatch(path)[1]] = true
	}
	published := map[string]string{"/mcp": v.call("search_jobs", `{"limit":50}`)}
	for _, path := range []string{"/sitemap.xml", "/jobs.rss", "/jobs.atom", "/jobs.feed.json"} {
		_, published[path] = v.get(path)
	}
	for from, body := range published {
		found := regexp.MustCompile(`/job/(\d+)/[^"<\\ ]*`).FindAllStringSubmatch(body, -1)
		for _, link := range found {
			if status, body := v.get(link[0]); status != 200 {
				t.Errorf("%s leads to %s: %d %s", from, link[0], status, body)
			}
			if !pages[link[1]] {
				t.Errorf("%s has job %s, which no list has", from, link[1])
			}
		}
		if len(found) < 30 {
			t.Errorf("%s: %d links", from, len(found))
		}
	}
	if len(seen) < 20 || len(pages) < 30 {
		t.Errorf("%d jobs in %d lists", len(pages), len(seen))
	}
	for _, job := range []int64{fake.Demo.InactiveJob, fake.Demo.ClosedJob, fake.Demo.InternalJob} {
		if pages[fmt.Sprint(job)] {
			t.Errorf("%d is listed", job)
		}
	}
}

var (
	card  = regexp.MustCompile(`<h2[^>]*><a href="(/job/[^"]+)"[^\n]*\n<p class="about">(<bdi>[^<]*</bdi>)`)
	jobIn = regexp.MustCompile(`^/job/(\d+)/`)
)

var linkToList = regexp.MustCompile(`href="(\?[^"]+)"`)

// The pages of a search cover every job once.
func TestPaging(t *testing.T) {
	v, _ := start(t)
	seen, path := map[string]bool{}, "/?text="
	for pages := 0; path != ""; pages++ {
		_, body := v.get(path)
		for _, link := range listed(t, body) {
			if seen[link] {
				t.Errorf("%s is on two pages", link)
			}
			seen[link] = true
		}
		_, next, ok := strings.Cut(body, `rel="next" href="`)
		if path = ""; ok {
			next, _, _ = strings.Cut(next, `"`)
			path = "/" + strings.ReplaceAll(next, "&amp;", "&")
		}
		if pages > 10 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) < 35 {
		t.Errorf("%d jobs", len(seen))
	}
}

func TestApplicant(t *testing.T) {
	v, fake := start(t)
	form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
	status, body := v.signIn(fake, form)
	want(t, "form", status, body, 200, `<html lang="en">`, `lang="de">Haben Sie einen Führerschein`, `>Nationality <span class="required" lang="en">(required)</span></label>`, "ägyptisch")
	if strings.Index(body, "ägyptisch") > strings.Index(body, "belgisch") {
		t.Error("ägyptisch comes after belgisch")
	}

	mine := formOf(body)
	status, body = v.post(form, url.Values{"q8": {"nonsense"}, "session": {mine}})
	want(t, "problems", status, body, 422, "6 answers need your attention.", "autofocus", `aria-describedby="q8-problem"`,
		"Please choose one of the answers.", "Please choose your nationality.")
	if strings.Count(body, "autofocus") != 1 {
		t.Error("the focus is not on the first problem")
	}
	status, body = v.post(form, url.Values{
		"q8": {"2900101"}, "q9": {"55.000"}, "q10": {"Die Lage."}, "nationality": {"2800137"},
		"q11": {firstChoice(body, "q11")}, "q-1": {firstChoice(body, "q-1")}, "session": {mine},
	})
	want(t, "complete", status, body, 200, "Everything is answered. Nothing has been sent yet", `rel="noopener noreferrer">Apply at the board</a>`,
		"<dd>55.000</dd>", "<dd>Ja</dd>", "<dd>Die Lage.</dd>")

	for name, c := range map[string]struct {
		job    int64
		status int
		text   string
	}{
		"applied":       {fake.Demo.AppliedJob, 200, "You have applied already."},
		"withdrawn":     {fake.Demo.WithdrawnJob, 200, "You have applied already."},
		"other company": {fake.Demo.OtherCompanyJob, 404, "This job is not available."},
		"inactive":      {fake.Demo.InactiveJob, 410, "no more applications"},
	} {
		status, body = v.get(fmt.Sprintf("/apply/%d", c.job))
		want(t, name, status, body, c.status, c.text)
	}
	status, body = v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
	want(t, "job", status, body, 200, "You may apply.", `application/ld+json`, form)
	if status, _ = v.post("/signout", nil); status != 200 {
		t.Errorf("sign out: %d", status)
	}
	status, body = v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
	want(t, "signed out", status, body, 200, "Sign in to see whether you may apply.")
}

// firstChoice returns what the first choice of a list sends.
func firstChoice(body, name string) string {
	_, list, _ := strings.Cut(body, `name="`+name+`"`)
	_, list, _ = strings.Cut(list, `</option>`) // "please choose"
	_, list, _ = strings.Cut(list, `value="`)
	value, _, _ := strings.Cut(list, `"`)
	return value
}

// What is not the visitor's own doing is refused.
func TestForeignRequests(t *testing.T) {
	v, fake := start(t)
	v.signIn(fake, "/")
	form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
	if status, body := v.post(form, url.Values{}, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); status != 403 {
		t.Errorf("a form of another site: %d\n%s", status, body)
	}
	for _, path := range []string{"/signin/callback?code=x&state=guess", "/signin/callback?code=x", "/signin/callback"} {
		stranger := newVisitor(t, v.origin)
		if status, _ := stranger.get(path); status != 400 {
			t.Errorf("%s: %d", path, status)
		}
	}
	for _, next := range []string{"//evil.example", "/\t/evil.example", "https://evil.example", `/\evil.example`, "javascript:alert(1)"} {
		stranger := newVisitor(t, v.origin)
		stranger.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
			if strings.Contains(req.URL.Host, "evil") {
				t.Errorf("%q leads to %s", next, req.URL)
			}
			return nil
		}
		stranger.signIn(fake, next)
	}
	address, _ := url.Parse(v.origin)
	for _, cookie := range v.client.Jar.Cookies(address) {
		if cookie.Name == "session" && len(cookie.Value) < 20 {
			t.Errorf("a session is %q", cookie.Value)
		}
	}
}

// The board is down, slow, refuses or is busy: lists and pages stay, a page waits for nobody and leads to
// the form, and the form has the questions of the copy and says what is the matter.
func TestBoardInTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		fault  jobboardtest.Fault
		status int
		text   string
	}{
		"down":       {jobboardtest.Fault{Status: 503}, 502, "We cannot check at the moment whether you may apply."},
		"slow":       {jobboardtest.Fault{Delay: time.Hour}, 504, "We cannot check at the moment whether you may apply."},
		"busy":       {jobboardtest.Fault{Status: 429}, 503, "The job board is busy."},
		"HTML":       {jobboardtest.Fault{Status: 200, Body: "<html>login"}, 502, "We cannot check at the moment whether you may apply."},
		"half of it": {jobboardtest.Fault{Break: jobboardtest.CutBody}, 502, "We cannot check at the moment whether you may apply."},
	} {
		t.Run(name, func(t *testing.T) {
			v, fake := start(t)
			v.signIn(fake, "/")
			v.get("/?lang=en")
			fake.Fail(c.fault)
			status, body := v.get("/?near=Berlin")
			want(t, "list", status, body, 200, "/job/")
			form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
			status, body = v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
			want(t, "job", status, body, 200, "Registered Nurse", "We do not know at the moment whether you have applied", `href="`+form+`"`)
			status, body = v.get(form)
			want(t, "form", status, body, c.status, c.text, `name="q10"`)
			status, body = v.post(form, url.Values{"q10": {"Die Lage."}, "session": {formOf(body)}})
			want(t, "sent form", status, body, c.status, c.text, "Die Lage.")
		})
	}
	t.Run("token ended", func(t *testing.T) {
		v, fake := start(t)
		v.signIn(fake, "/")
		fake.Fail(jobboardtest.Fault{Status: 401, Body: `{"error":"invalid_token"}`, Operation: jobboardtest.OpApplied})
		status, body := v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
		want(t, "job", status, body, 200, "The job board does not accept your sign-in.") // which is a moment old
		v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		if status, _ = v.get(fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)); status != http.StatusSeeOther {
			t.Errorf("form: %d", status)
		}
	})
}

// Before the board was copied once nobody is told that a job is gone: a search
// engine would forget its page.
func TestBeforeTheFirstCopy(t *testing.T) {
	v, fake, mirror := begin(t)
	fake.Fail(jobboardtest.Fault{Status: 503})
	if _, err := mirror.Refresh(t.Context()); err == nil {
		t.Fatal("a copy of a board that is down")
	}
	v.get("/?lang=en")
	status, body := v.get("/")
	want(t, "list", status, body, 503, "We have no current answer of the job board")
	status, body = v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
	want(t, "job", status, body, 503, "We have no current answer of the job board")
	for _, path := range []string{"/job/99999/", "/sitemap.xml", "/jobs.rss", "/jobs.atom", "/jobs.feed.json"} {
		status, body = v.get(path)
		want(t, path, status, body, 503)
	}
}

func TestPublished(t *testing.T) {
	v, fake := start(t)
	for _, path := range []string{"/sitemap.xml", "/jobs.rss", "/jobs.atom", "/jobs.feed.json"} {
		status, body := v.get(path)
		want(t, path, status, body, 200, fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
		if strings.Contains(body, fmt.Sprintf("/job/%d/", fake.Demo.ClosedJob)) {
			t.Errorf("%s has a closed job", path)
		}
	}
	// Every job that the list shows is in the sitemap, once, in whatever language.
	_, sitemap := v.get("/sitemap.xml")
	for _, lang := range []string{"de", "en"} {
		_, list := v.get("/?lang=" + lang)
		for _, link := range listed(t, list) {
			job := strings.Join(strings.Split(link, "/")[:3], "/") + "/" // its words are those of a language
			if n := strings.Count(sitemap, "<loc>"+v.origin+job); n != 1 {
				if _, page := v.get(link); strings.Contains(page, "ld+json") {
					t.Errorf("%s is in the sitemap %d times", link, n)
				}
			}
		}
	}
	job := fmt.Sprintf("/job/%d/", fake.Demo.OpenJob)
	status, body := v.get(job + "?lang=de&utm_source=x")
	want(t, "job", status, body, 200, fmt.Sprintf(`<link rel="canonical" href="%s%s`, v.origin, job))
	_, body = v.get("/?lang=en")
	for _, link := range []string{
		`<link rel="canonical" href="` + v.origin + `/?lang=en">`, `<link rel="alternate" hreflang="de" href="` + v.origin + `/">`,
		`<link rel="alternate" hreflang="x-default" href="` + v.origin + `/">`, `<meta name="description" content="Search`,
	} {
		if !strings.Contains(body, link) {
			t.Errorf("no %s in %s", link, body)
		}
	}
	status, body = v.get("/robots.txt")
	want(t, "robots", status, body, 200, "Sitemap: "+v.origin+"/sitemap.xml\n", "Disallow: /signin\n")
	for path, robots := range map[string]string{"/": "", "/?lang=en": "", job + "?lang=en": "", "/?text=nurse": "noindex, follow", job: ""} {
		resp, err := v.client.Get(v.origin + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("X-Robots-Tag"); got != robots {
			t.Errorf("%s: robots %q", path, got)
		}
		if got := resp.Header.Get("Cache-Control"); !strings.HasPrefix(got, "private, no-store") || !strings.Contains(strings.Join(resp.Header.Values("Vary"), ","), "Accept-Language, Cookie") {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
}

// A visitor whom the board refuses is not redirected to it again and again, and
// a visitor whose sign-in failed is not redirected back to the failure.
func TestSignInEnds(t *testing.T) {
	v, fake := start(t)
	status, body := v.get("/signin/callback?code=x&state=y")
	want(t, "a failure", status, body, 400, `href="/signin?next=%2fsignin%2fcallback"`)
	status, body = v.signIn(fake, "/signin/callback")
	want(t, "after it", status, body, 200, `action="/signout"`)

	stranger := newVisitor(t, v.origin)
	begun := 0
	stranger.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		if state := req.URL.Query().Get("state"); req.URL.Path != "/signin/callback" && state != "" {
			if begun++; begun > 1 {
				return fmt.Errorf("signing in for the %d. time", begun)
			}
			req.URL, _ = url.Parse(v.origin + "/signin/callback?error=access_denied&state=" + state)
		}
		return nil
	}
	status, body = stranger.get(fmt.Sprintf("/apply/%d", fake.Demo.OpenJob))
	want(t, "refused", status, body, 200, "Sign in to see whether you may apply.")
}

// A site without the address of the board's sign-in leads to the board's own form, and tells a visitor who
// signs in nevertheless that it did not work.
func TestNoSignIn(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	settings := jobsite.Settings{
		Board:    jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobboard.ChannelID{jobboard.ChannelID(fake.Demo.Channel)}, Feeds: []string{fake.FeedURL},
	}
	settings.Site.URL = "https://jobs.example"
	s, err := open(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	job := httptest.NewRecorder()
	s.Server.Handler.ServeHTTP(job, httptest.NewRequest("GET", fmt.Sprintf("/job/%d/?lang=en", fake.Demo.OpenJob), nil))
	body := job.Body.String()
	if job.Code != http.StatusOK || strings.Contains(body, "/signin") || !strings.Contains(body, "Apply at the board") {
		t.Errorf("%d: the page of a job leads to a sign-in that is not there, or not to the board: %s", job.Code, body)
	}
	w := httptest.NewRecorder()
	s.Server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/signin", nil))
	if w.Code != http.StatusNotImplemented || w.Header().Get("Location") != "" {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
}

// What everybody may keep a copy of sets no visitor's cookie.
func TestSharedFilesSetNoCookie(t *testing.T) {
	v, _ := start(t)
	for path, cookies := range map[string]int{"/?lang=en": 1, "/job/1/?lang=en": 1, "/sitemap.xml?lang=en": 0, "/jobs.rss?lang=en": 0, "/style.css?lang=en": 0} {
		resp, err := v.client.Get(v.origin + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n := len(resp.Cookies()); n != cookies {
			t.Errorf("%s: %d cookies, Cache-Control %q", path, n, resp.Header.Get("Cache-Control"))
		}
	}
}

// firstLine keeps the first line of a log, and stops what writes it.
type firstLine struct {
	text string
	stop func()
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.text == "" {
		f.text = string(p)
		f.stop()
	}
	return len(p), nil
}

// An origin as a browser shows it, with a slash at its end, is that origin.
func TestOriginWithSlash(t *testing.T) {
	t.Setenv("JOBBOARD_BASE_URL", "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := &firstLine{stop: stop}
	defer log.SetOutput(log.Writer())
	log.SetOutput(first)
	if err := run(ctx, "127.0.0.1:0", "https://jobs.example/", "", ""); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(first.text, "https://jobs.example/\n") {
		t.Errorf("the site is at %q", first.text)
	}
}

// Signing in that is begun and never ended costs the site nothing, and nobody
// their session.
func TestBegunSignIns(t *testing.T) {
	v, fake := start(t)
	v.signIn(fake, "/")
	stranger := newVisitor(t, v.origin)
	stranger.client.Jar = nil
	stranger.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range 1000 {
		if status, _ := stranger.get("/signin"); status != http.StatusSeeOther {
			t.Fatal(status)
		}
	}
	_, body := v.get("/")
	want(t, "still signed in", 200, body, 200, `action="/signout"`)
}

// A board that refuses the token it has just given, without asking the visitor, does
// not send them round and round.
func TestRefusedAtOnce(t *testing.T) {
	v, fake := start(t)
	fake.Fail(jobboardtest.Fault{Status: 401, Body: `{"error":"invalid_token"}`, Operation: jobboardtest.OpApplied})
	approving := *v.client
	approving.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > 12 {
			return errors.New("this does not end")
		}
		return nil
	}
	approving.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if strings.Contains(req.URL.Path, "/authorize") { // as a visitor with a session at the board sees it
			req.Method, req.Body = http.MethodPost, io.NopCloser(strings.NewReader(fmt.Sprintf("applicant=%d", fake.Demo.Applicant)))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.ContentLength = -1
		}
		return http.DefaultTransport.RoundTrip(req)
	})
	v.client = &approving
	for range 2 {
		status, body := v.get(fmt.Sprintf("/apply/%d?lang=en", fake.Demo.OpenJob))
		want(t, "form", status, body, 403, "The job board does not accept your sign-in.", `href="/signin?next=`)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// If the sign-in ends meanwhile, at the site or at the board, the form shows the
// answers again, and they can be sent after the next sign-in.
func TestAnswersSurviveTheSession(t *testing.T) {
	v, fake := start(t)
	form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
	answers := url.Values{"q8": {"2900101"}, "q9": {"55.000"}, "q10": {"Die <Lage>."}, "session": {""}}
	const ended = "Your sign-in has ended, and your answers are still here."
	kept := func(what, says string) {
		t.Helper()
		status, body := v.post(form, answers)
		want(t, what, status, body, 403, says, `value="2900101" selected`, `value="55.000"`, "Die &lt;Lage&gt;.</textarea>", `href="/signin?next=`)
		if strings.Contains(body, `target="_blank" rel="noopener">Sign in`) != (says == ended) {
			t.Errorf("%s: whether to sign in for these answers: %s", what, body)
		}
	}
	kept("never signed in", ended)
	v.signIn(fake, "/")
	refusing := fake.Fail(jobboardtest.Fault{Status: 401, Body: `{"error":"invalid_token"}`, Operation: jobboardtest.OpApplied})
	kept("refused at once", "The job board does not accept your sign-in.")
	refusing.Lift()
	kept("ended here", ended)
	v.signIn(fake, "/")
	status, body := v.post(form, answers)
	want(t, "signed in again", status, body, 409, `value="55.000"`)
	answers.Set("session", formOf(body))
	status, body = v.post(form, answers)
	want(t, "sent again", status, body, 422, `value="55.000"`)
	if strings.Contains(body, "sign-in has ended") {
		t.Error("signed in, and told to sign in")
	}
}

// Answers in a form that one applicant opened are not accepted from another who has
// signed in since in the same browser.
func TestFormIsOfItsApplicant(t *testing.T) {
	v, fake := start(t)
	form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
	_, body := v.signIn(fake, form)
	answers := url.Values{
		"q8": {"2900101"}, "q9": {"55.000"}, "q10": {"Die Lage."}, "nationality": {"2800137"},
		"q11": {firstChoice(body, "q11")}, "q-1": {firstChoice(body, "q-1")}, "session": {formOf(body)},
	}
	v.signInAs(fake.Demo.InternalApplicant, "/")
	status, body := v.post(form, answers)
	want(t, "another's form", status, body, 409, "Somebody has signed in since you opened this form.", `value="55.000"`)
	answers.Set("session", formOf(body))
	status, body = v.post(form, answers)
	want(t, "seen", status, body, 200, "Everything is answered")
}

// formOf returns by what the site knows whose form a page has.
func formOf(body string) string {
	_, value, _ := strings.Cut(body, `name="session" value="`)
	value, _, _ = strings.Cut(value, `"`)
	return value
}

// The form takes no notice of a query that others have added.
func TestFormWithForeignQuery(t *testing.T) {
	v, fake := start(t)
	status, body := v.signIn(fake, fmt.Sprintf("/apply/%d", fake.Demo.OpenJob))
	want(t, "without", status, body, 200)
	for _, query := range []string{"utm=a;b", "utm=50%"} {
		status, body = v.get(fmt.Sprintf("/apply/%d?%s", fake.Demo.OpenJob, query))
		want(t, query, status, body, 200, "Haben Sie einen Führerschein",
			fmt.Sprintf(`action="/apply/%d"`, fake.Demo.OpenJob))
	}
}

// call returns the answer of a tool for assistants.
func (v *visitor) call(tool, arguments string) string {
	v.t.Helper()
	status, body := v.callAs("", tool, arguments)
	want(v.t, tool, status, body, 200)
	return body
}

// callAs calls a tool of the server as a host of a name.
func (v *visitor) callAs(host, tool, arguments string) (int, string) {
	v.t.Helper()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	req, err := http.NewRequestWithContext(v.t.Context(), "POST", v.origin+"/mcp", strings.NewReader(call))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Host = host
	return v.do(req)
}

// Assistants ask the copy, by the site's own name.
func TestAssistants(t *testing.T) {
	v, fake := start(t)
	asked := fake.Count()
	if body := v.call("search_jobs", `{"text":"Pflegefachkraft"}`); !strings.Contains(body, "Pflegefachkraft (m/w/d)") {
		t.Errorf("search_jobs: %s", body)
	}
	if status, body := v.callAs("evil.example", "search_jobs", `{}`); status != http.StatusForbidden {
		t.Errorf("another host: %d %s", status, body)
	}
	if n := fake.Count(); n != asked {
		t.Errorf("%d requests to the board", n-asked)
	}
}

// The page of a closed job has its title, says why, and leads on to open jobs of its kind nearby and
// back to the search.
func TestClosedJobLeadsOn(t *testing.T) {
	v, fake, mirror := begin(t)
	location := jobboardtest.Location{Lat: "52.52", Long: "13.40", City: "Berlin"}
	for _, title := range []string{"Closed stoker", "Open stoker"} {
		job := fake.AddJob(jobboardtest.Job{ID: int64(1000 + len(title)), Title: title, Language: "en", Location: location, ApplyClosed: title != "Open stoker"})
		fake.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Channels: []string{fake.Demo.Channel}, Title: title, Config: map[string][]string{"jobcategory": {"stoking"}},
		})
	}
	if _, err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := v.get("/job/1013/?lang=en&text=stoker")
	want(t, "a closed job", status, body, 410, `<h1 lang="en">Closed stoker</h1>`, `<p id="reason">This job takes no more applications.</p>`,
		`<a href="/job/1011/open-stoker?lang=en&amp;text=stoker">Open stoker</a>`, `<a href="/?lang=en&amp;text=stoker">All jobs</a>`)
}

// The language that a visitor chooses stays through sign-in and form, whose questions are in the
// job's language; and every page has both.
func TestLanguageStays(t *testing.T) {
	v, fake := start(t)
	form := fmt.Sprintf("/apply/%d", fake.Demo.OpenJob)
	v.get("/?lang=de")
	status, body := v.signIn(fake, form)
	want(t, "the form after signing in", status, body, 200, `<html lang="de">`, "Bewerbung als", `lang="de">Haben Sie einen Führerschein`, "Staatsangehörigkeit")
	status, body = v.get(form + "?lang=en")
	want(t, "the form in English", status, body, 200, `<html lang="en">`, `<h1>Apply for <span lang="en">Registered Nurse (f/m/x)</span></h1>`,
		`<p class="about"><bdi>Lindenhof Kliniken GmbH</bdi>, <bdi>Friedrichstraße`, `lang="de">Haben Sie einen Führerschein`, ">Nationality <", "Please choose")
	status, body = v.post(form, url.Values{"session": {formOf(body)}})
	want(t, "the sent form", status, body, 422, `<html lang="en">`, "Please answer this question.")
	status, body = v.get("/?lang=de&order=newest")
	want(t, "a list", status, body, 200, `<option value="newest" selected>Neue zuerst</option>`, "Eingestellt am ", "Orte und Postleitzahlen: geonames.org")
}

// A method that a page does not have is 405, in the visitor's language.
func TestMethods(t *testing.T) {
	v, _ := start(t)
	for _, path := range []string{"/", "/suggest", "/job/1/x"} {
		status, body := v.post(path, url.Values{"x": {"y"}})
		want(t, "POST "+path, status, body, 405, "This page cannot be used like this.")
	}
	status, body := v.get("/nothing")
	want(t, "no page", status, body, 404, "There is no such page.")
}
