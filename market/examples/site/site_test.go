package main

import (
	"context"
	"database/sql"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
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
	if err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v, fake
}

// begin runs the site on the demo, with an empty copy.
func begin(t *testing.T, edits ...func(*jobsite.Settings)) (*visitor, *jobboardtest.Server, *jobmirror.Mirror) {
	t.Helper()
	for _, name := range []string{"BASE_URL", "JOBDB_URL", "CLIENT_ID", "CHANNEL", "FEED", "CLIENT_SECRET", "AUTHORIZE_URL", "TOKEN_URL"} {
		t.Setenv("JOBBOARD_"+name, "")
	}
	settings, authURL, fake, err := read(os.Getenv)
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
	for _, edit := range edits {
		edit(&settings)
	}
	s, err := open(t.Context(), settings, authURL)
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
	want(t, "list", status, body, 200, `<html lang="en">`, fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
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
	want(t, "a text without a word", status, body, 200, "We searched everywhere, with any filter and in every language.")
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
	want(t, "suggestions", status, body, 200, `"Pflegefachkraft"`)
	status, body = v.get("/?lang=de&near=Berlni&radius=50")
	want(t, "a mistyped town", status, body, 200, "Den Ort „Berlni“ kennen wir nicht.", `value="Berlni" list="places"`,
		`Meinten Sie <a href="?lang=de&amp;near=Berlin&amp;radius=50">Berlin</a>?`, `<datalist id="places"><option value="Berlin">`)
	status, body = v.get("/?lang=en&near=8010")
	want(t, "a code of two countries", status, body, 200, `<a href="?lang=en&amp;near=A-8010">A-8010</a>, <a href="?lang=en&amp;near=CH-8010">CH-8010</a>?`)
	status, body = v.get("/?lang=de&near=10117&radius=10")
	want(t, "a postal code", status, body, 200, "km)", `value="10117" list="places"`)
	status, body = v.get("/?text=nurse;night&lang=en")
	want(t, "a semicolon", status, body, 200, `href="?lang=de&amp;text=nurse%3Bnight"`, `value="nurse;night"`)
	if status, body = v.get("/suggest?text="); status != 200 || strings.TrimSpace(body) != "[]" {
		t.Errorf("without a text: %d %s", status, body)
	}
}

// Every link of every list (by language, facet and page), of the sitemap, of the feeds and of a search by the assistants' tool
// leads to a page, no job is found that its page would refuse, and a card names the company that the page names.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	v, fake := start(t)
	lists := []string{"/?lang=de", "/?lang=en", "/?lang=de&near=Berlin&radius=500", "/?lang=en&text=pflege", "/?lang=de&order=newest"}
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
	for _, path := range []string{"/sitemap.xml", "/jobs.rss", "/jobs.atom"} {
		_, published[path] = v.get(path)
	}
	if !strings.Contains(published["/mcp"], `\"foreign_page\":\"`+v.origin+"/job/") {
		t.Errorf("an assistant gets no link to the site: %.500s", published["/mcp"])
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

// A job's page ends with a button to the board's page, below what will be asked there and beside the privacy
// statement. It says so in the visitor's language, and has the questions in the job's.
func TestApply(t *testing.T) {
	v, fake := start(t)
	job := fmt.Sprintf("/job/%d/", fake.Demo.OpenJob)
	status, body := v.get(job + "?lang=en")
	want(t, "job", status, body, 200, `<html lang="en">`, "The job board will ask you:", `<li lang="de">Haben Sie einen Führerschein`,
		"<li>Nationality</li>", `rel="noopener noreferrer">Apply at the board</a>`, ">Privacy statement</a>", "application/ld+json")
	button := regexp.MustCompile(`<a class="button" href="([^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(button) != 1 || !strings.HasPrefix(button[0][1], fake.BaseURL+job) || strings.Index(body, button[0][0]) < strings.Index(body, `class="advertisement"`) ||
		strings.Contains(body, "did not answer") || strings.Contains(body, "<form method=\"post\"") {
		t.Errorf("the buttons %q in %s", button, body)
	}
	status, body = v.get(job + "?lang=de")
	want(t, "job in German", status, body, 200, "Die Stellenbörse wird Sie fragen:", "<li>Staatsangehörigkeit</li>", "Bei der Stellenbörse bewerben</a>")
	status, body = v.get("/?lang=de&order=newest")
	want(t, "a list", status, body, 200, `<option value="newest" selected>Neue zuerst</option>`, "Eingestellt am ", "Orte und Postleitzahlen: geonames.org")
}

// The board is down, slow, refuses or is busy: lists and pages stay, with the button, and a page waits half a second for
// the board at most.
func TestBoardInTrouble(t *testing.T) {
	for name, fault := range map[string]jobboardtest.Fault{
		"down": {Status: 503}, "slow": {Delay: time.Hour}, "busy": {Status: 429},
		"HTML": {Status: 200, Body: "<html>login"}, "half of it": {Break: jobboardtest.CutBody},
	} {
		t.Run(name, func(t *testing.T) {
			v, fake := start(t)
			v.signIn(fake, "/")
			v.get("/?lang=en")
			fake.Fail(fault)
			status, body := v.get("/?near=Berlin")
			want(t, "list", status, body, 200, "/job/")
			status, body = v.get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
			want(t, "job", status, body, 200, "Registered Nurse", "We do not know at the moment whether you have applied", "Apply at the board</a>", `action="/signout"`)
		})
	}
}

// Where neither the copy's last refresh nor the job's last lookup was answered, a line above the button says when.
func TestBoardDoesNotAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs.db")
	v, fake, mirror := begin(t, func(s *jobsite.Settings) { s.Database = file })
	if err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE jobs SET next_due = 1"); err != nil { // as if a day had passed
		t.Fatal(err)
	}
	fake.Fail(jobboardtest.Fault{Status: 503})
	if err := mirror.Refresh(t.Context()); err == nil {
		t.Fatal("a board that is down answers")
	}
	status, body := v.get(fmt.Sprintf("/job/%d/?lang=en", fake.Demo.OpenJob))
	want(t, "job", status, body, 200, "The job board did not answer at ", "Apply at the board</a>")
	if strings.Index(body, "did not answer at ") > strings.Index(body, "Apply at the board") {
		t.Error("the line is below the button")
	}
}

func TestPublished(t *testing.T) {
	v, fake := start(t)
	for _, path := range []string{"/sitemap.xml", "/jobs.rss", "/jobs.atom"} {
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
	if err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := v.get("/job/1013/?lang=en&text=stoker")
	want(t, "a closed job", status, body, 410, `<h1 lang="en">Closed stoker</h1>`, `<p id="reason">This job takes no more applications.</p>`,
		`<a href="/job/1011/open-stoker?lang=en&amp;text=stoker">Open stoker</a>`, `<a href="/?lang=en&amp;text=stoker">All jobs</a>`)
}
