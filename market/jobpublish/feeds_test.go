package jobpublish

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

func newFeeds(t *testing.T, jobs func(context.Context) iter.Seq2[Job, error]) *Feeds {
	t.Helper()
	feeds, err := NewFeeds(Config{URL: "https://jobs.example", Title: "Jobs & more", Language: "de", Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return feeds
}

func get(h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// numbered is an open job of that number, as of the time of the test.
func numbered(n int) Job {
	j := openJob()
	posting, info := *j.Posting, *j.Information
	info.JobID = jobboard.JobID(n)
	posting.JobPostingID = jobboard.JobPostingID(600_000 + n)
	posting.PostingVersionEndDate = 0
	j.Posting, j.Information = &posting, &info
	j.URL = fmt.Sprintf("https://jobs.example/job/%d/Köln", n)
	j.Answered = time.Now()
	return j
}

func TestNewFeeds(t *testing.T) {
	good := Config{URL: "https://jobs.example/board/", Title: "Jobs", Jobs: list(nil)}
	if _, err := NewFeeds(good); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*Config){
		"Title": func(c *Config) { c.Title = " " }, "Jobs": func(c *Config) { c.Jobs = nil },
		"Language": func(c *Config) { c.Language = "de_DE" }, "MaxAge": func(c *Config) { c.MaxAge = -1 },
	} {
		bad := good
		change(&bad)
		_, err := NewFeeds(bad)
		if wrong, ok := errors.AsType[*ConfigError](err); !ok || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for address, ok := range map[string]bool{
		"https://jobs.example": true, "http://jobs.example/board/": true,
		"jobs.example": false, "/board": false, "ftp://jobs.example/": false, "https://": false, "https://a@jobs.example/": false, "http://[": false,
		"https://jobs.example/?a=b": false, "https://jobs.example/#a": false,
	} {
		one := good
		one.URL = address
		_, err := NewFeeds(one)
		if wrong, _ := errors.AsType[*ConfigError](err); (err == nil) != ok || !ok && wrong.Field != "URL" {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// All elements of a feed: the feed's own, those of a job without date and description, and
// those of a job with both.
func TestWholeFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		undated := numbered(1)
		undated.Posting.PostingVersionStartDate = 0
		change(&undated, jobboard.KeyListingStartDate)
		jobs := []Job{undated, numbered(2)}
		for description, want := range map[string]string{"": "Jobs &amp; more", "All jobs": "All jobs"} {
			feeds, err := NewFeeds(Config{URL: "https://jobs.example", Title: "Jobs & more", Description: description, Jobs: list(&jobs)})
			if err != nil {
				t.Fatal(err)
			}
			var refused []string
			feeds.cfg.Refused = func(e *RefusedError) { refused = append(refused, e.Error()) }
			id, item := feeds.id.URN(), func(n int) string { return feeds.jobID(jobs[n-1]) }
			const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
			const ad = "&lt;h2&gt;Tasks&lt;/h2&gt;&lt;p&gt;Care&lt;/p&gt;"
			rss := head + `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Jobs &amp; more</title>` +
				`<link>https://jobs.example/</link><description>` + want + `</description>` +
				`<atom:link href="https://jobs.example/x" rel="self" type="application/rss+xml"></atom:link>` +
				`<item><title>Nurse (f/m/x)</title><link>https://jobs.example/job/1/K%C3%B6ln</link><guid isPermaLink="false">` + item(1) +
				`</guid><description>` + ad + `</description></item>` +
				`<item><title>Nurse (f/m/x)</title><link>https://jobs.example/job/2/K%C3%B6ln</link><guid isPermaLink="false">` + item(2) +
				`</guid><pubDate>Wed, 01 Dec 1999 12:00:00 +0000</pubDate><description>` + ad + `</description></item></channel></rss>`
			if got := get(feeds.RSS("/x"), "/x").Body.String(); got != rss {
				t.Errorf("RSS is\n%s, not\n%s", got, rss)
			}
			if len(refused) > 0 {
				t.Errorf("refused: %q", refused)
			}
			subtitle := ""
			if description != "" {
				subtitle = "<subtitle>" + want + "</subtitle>"
			}
			atom := head + `<feed xmlns="http://www.w3.org/2005/Atom"><id>` + id + `</id><title>Jobs &amp; more</title>` + subtitle +
				`<link href="https://jobs.example/"></link><link href="https://jobs.example/x" rel="self"></link>` +
				`<author><name>Jobs &amp; more</name></author><updated>1999-12-07T12:00:00Z</updated>` +
				`<entry><id>` + item(2) + `</id><title>Nurse (f/m/x)</title><link href="https://jobs.example/job/2/K%C3%B6ln"></link>` +
				`<updated>1999-12-07T12:00:00Z</updated><published>1999-12-01T12:00:00Z</published><content type="html">` + ad + `</content></entry></feed>`
			if got := get(feeds.Atom("/x"), "/x").Body.String(); got != atom {
				t.Errorf("Atom is\n%s, not\n%s", got, atom)
			}
			if len(refused) != 1 || refused[0] != "jobpublish: job 1 is not published: incomplete, without datePosted" {
				t.Errorf("refused: %q", refused)
			}
		}
		jobs = nil
		if got := get(newFeeds(t, list(&jobs)).Atom("/x"), "/x").Body.String(); !strings.Contains(got, "<updated>1970-01-01T00:00:00Z</updated>") {
			t.Errorf("without a job: %s", got)
		}
		if got := get(newFeeds(t, list(&jobs)).Sitemap("/x"), "/x").Body.String(); !strings.Contains(got, "<url><loc>https://jobs.example/</loc></url>") {
			t.Errorf("without a job: %s", got)
		}
	})
}

// A job that cannot be published is reported with its identifier, reason and
// missing values.
func TestRefusedErrorText(t *testing.T) {
	for want, refused := range map[string]RefusedError{
		"job 7 is not published: closed":                                   {Job: 7, Reason: ReasonClosed},
		"job 7 is not published: incomplete, without url":                  {Job: 7, Reason: ReasonIncomplete, Missing: []string{"url"}},
		"job 0 is not published: incomplete, without title, url: the host": {Reason: ReasonIncomplete, Missing: []string{"title", "url"}, Err: errors.New("the host")},
		"job 7 is not published: gone: away":                               {Job: 7, Reason: ReasonGone, Err: errors.New("away")},
	} {
		if got := refused.Error(); got != "jobpublish: "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Dates that a calendar of four digits does not have are left out.
func TestStamp(t *testing.T) {
	for date, want := range map[time.Time]string{
		{}: "", time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC): "", time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC): "0001-01-01T00:00:01Z",
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC): "9999-12-31T23:59:59Z", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC): "",
		time.Date(2026, 2, 3, 5, 5, 6, 7, time.FixedZone("", 3600)): "2026-02-03T04:05:06Z",
	} {
		if got := stamp(date); got != want {
			t.Errorf("%v is %q, want %q", date, got, want)
		}
	}
}

// Answers say by which methods they can be had and that nobody should guess their type, and a
// slow client has at least the time to read a large file.
func TestHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := []Job{numbered(1)}
		h := newFeeds(t, list(&jobs)).RSS("/x")
		ask := func(method string) *slowWriter {
			w := &slowWriter{ResponseRecorder: httptest.NewRecorder()}
			h.ServeHTTP(w, httptest.NewRequest(method, "/x", nil))
			return w
		}
		whole := ask("GET")
		if whole.Code != 200 || whole.Header().Get("X-Content-Type-Options") != "nosniff" || time.Until(whole.deadline) < 10*time.Minute {
			t.Errorf("%d, %v, to be read until %v", whole.Code, whole.Header(), whole.deadline)
		}
		if w := ask("HEAD"); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("ETag") != whole.Header().Get("ETag") {
			t.Errorf("HEAD: %d, %v", w.Code, w.Header())
		}
		if w := ask("POST"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST: %d, %v", w.Code, w.Header())
		}
	})
}

// slowWriter notes until when it may be written to.
type slowWriter struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (w *slowWriter) SetWriteDeadline(at time.Time) error { w.deadline = at; return nil }

// Whoever makes the jobs without end holds up the clients for ten minutes and not longer.
func TestJobsWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		h := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				for yield(numbered(1), nil) {
					time.Sleep(time.Second)
				}
			}
		}).Sitemap("/x")
		if w := get(h, "/x"); w.Code != 503 || time.Since(began) < 10*time.Minute || time.Since(began) > 20*time.Minute {
			t.Errorf("%d after %s", w.Code, time.Since(began))
		}
	})
}

// A file is closed when another takes its place and nobody reads it, or when it comes to
// nothing.
func TestFilesAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []Job
		broken := false
		var files []*file
		feeds := newFeeds(t, list(&jobs))
		h := feeds.handler("/x", "text/plain", func(f *file, h *handler, jobs iter.Seq2[Job, error]) error {
			files = append(files, f)
			if broken {
				return errors.New("broken")
			}
			return writeRSS(f, h, jobs)
		})
		open := func(f *file) bool {
			_, err := f.body.Stat()
			return err == nil
		}
		for range 3 {
			jobs = append(jobs, numbered(len(jobs)+1))
			get(h, "/x")
			time.Sleep(2 * time.Minute)
		}
		reader, err := h.current(t.Context())
		if err != nil || len(files) != 4 || open(files[0]) || open(files[1]) || open(files[2]) || !open(files[3]) {
			t.Errorf("%d files, %v", len(files), err)
		}
		time.Sleep(2 * time.Minute)
		if get(h, "/x"); !open(reader) {
			t.Error("a file that is read is closed")
		}
		if reader.release(); open(reader) {
			t.Error("a file that nobody reads is open")
		}
		broken = true
		time.Sleep(2 * time.Minute)
		if w := get(h, "/x"); w.Code != 503 || open(files[len(files)-1]) {
			t.Errorf("%d, and what came to nothing is open", w.Code)
		}
	})
}

func TestFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := numbered(3)
		closed.Err = jobboard.ErrJobInactive
		elsewhere := numbered(4)
		elsewhere.URL = "https://other.example/4"
		jobs := []Job{numbered(1), closed, elsewhere, numbered(2)}
		jobs[0].Posting.PostingVersionStartDate = jobboard.Millis(time.Date(1999, 12, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
		var refused []string
		feeds := newFeeds(t, list(&jobs))
		feeds.cfg.Refused = func(e *RefusedError) { refused = append(refused, e.Error()) }

		w := get(feeds.RSS("/jobs.rss"), "/jobs.rss")
		var rss rssFile
		read(t, w, "application/rss+xml; charset=utf-8", &rss)
		items := rss.Channel.Item
		if len(items) != 2 || items[0].Title != "Nurse (f/m/x)" || items[0].Link != "https://jobs.example/job/1/K%C3%B6ln" ||
			items[0].Description != "<h2>Tasks</h2><p>Care</p>" || rss.Channel.Title != "Jobs & more" || rss.Channel.Language != "de" ||
			rss.Channel.Link[0].Text != "https://jobs.example/" || rss.Channel.Link[1].Href != "https://jobs.example/jobs.rss" {
			t.Errorf("RSS: %+v", rss)
		}

		w = get(feeds.Atom("/jobs.atom"), "/jobs.atom")
		var atom atomFile
		read(t, w, "application/atom+xml; charset=utf-8", &atom)
		if len(atom.Entry) != 2 || atom.Entry[0].ID == atom.Entry[1].ID || !strings.HasPrefix(atom.ID, "urn:uuid:") || atom.Entry[0].Updated != "1999-12-01T00:00:00Z" ||
			atom.Updated != "1999-12-07T12:00:00Z" || atom.Entry[1].Published != "1999-12-01T12:00:00Z" || atom.Entry[1].Content != items[1].Description {
			t.Errorf("Atom: %+v", atom)
		}

		w = get(feeds.Sitemap("/sitemap.xml"), "/sitemap.xml")
		var pages sitemapFile
		read(t, w, "application/xml; charset=utf-8", &pages)
		if len(pages.URL) != 2 || pages.URL[1].Loc != items[1].Link || pages.URL[1].Lastmod != "1999-12-07T12:00:00Z" {
			t.Errorf("sitemap: %+v", pages)
		}
		if len(refused) != 6 || !strings.Contains(refused[0], "job 3 is not published: closed") || !strings.Contains(refused[1], "job 4") {
			t.Errorf("refused: %q", refused)
		}
		// The same job keeps its identifier, in another site of the same address too.
		again := newFeeds(t, list(&jobs))
		if !strings.Contains(get(again.RSS("/a"), "/a").Body.String(), items[0].GUID) || items[0].GUID != atom.Entry[0].ID {
			t.Errorf("another identifier: %+v", items[0])
		}
	})
}

// A site whose host has letters beyond ASCII names itself and its pages as browsers ask for
// them, however the address of a page spells the host.
func TestInternationalHost(t *testing.T) {
	spelled, sent := numbered(1), numbered(2)
	spelled.URL, sent.URL = "https://jobs.Bücher.example/job/1", "https://jobs.xn--bcher-kva.example/job/2"
	jobs := []Job{spelled, sent}
	for _, address := range []string{"https://jobs.bücher.example", "https://jobs.xn--bcher-kva.example/"} {
		feeds, err := NewFeeds(Config{URL: address, Title: "Jobs", Jobs: list(&jobs)})
		if err != nil {
			t.Fatal(err)
		}
		var rss rssFile
		read(t, get(feeds.RSS("/jobs.rss"), "/jobs.rss"), "application/rss+xml; charset=utf-8", &rss)
		if links := rss.Channel.Link; links[0].Text != "https://jobs.xn--bcher-kva.example/" || links[1].Href != "https://jobs.xn--bcher-kva.example/jobs.rss" {
			t.Errorf("%s: its own links are %+v", address, links)
		}
		var pages sitemapFile
		read(t, get(feeds.Sitemap("/sitemap.xml"), "/sitemap.xml"), "application/xml; charset=utf-8", &pages)
		for i := range jobs {
			if want := fmt.Sprintf("https://jobs.xn--bcher-kva.example/job/%d", i+1); i >= len(pages.URL) || pages.URL[i].Loc != want {
				t.Errorf("%s: %+v lacks %s", address, pages.URL, want)
			}
		}
	}
}

type rssFile struct {
	Channel struct {
		Title    string `xml:"title"`
		Language string `xml:"language"`
		Link     []struct {
			Href string `xml:"href,attr"`
			Text string `xml:",chardata"`
		} `xml:"link"`
		Item []struct {
			Title       string `xml:"title"`
			Link        string `xml:"link"`
			GUID        string `xml:"guid"`
			PubDate     string `xml:"pubDate"`
			Description string `xml:"description"`
		} `xml:"item"`
	} `xml:"channel"`
}

type atomFile struct {
	ID      string `xml:"id"`
	Title   string `xml:"title"`
	Updated string `xml:"updated"`
	Entry   []struct {
		ID        string `xml:"id"`
		Title     string `xml:"title"`
		Updated   string `xml:"updated"`
		Published string `xml:"published"`
		Content   string `xml:"content"`
	} `xml:"entry"`
}

type sitemapFile struct {
	XMLName xml.Name
	URL     []sitemapEntry `xml:"url"`
	Sitemap []sitemapEntry `xml:"sitemap"`
}

type sitemapEntry struct {
	Loc     string `xml:"loc"`
	Lastmod string `xml:"lastmod"`
}

func read(t *testing.T, w *httptest.ResponseRecorder, contentType string, into any) {
	t.Helper()
	if w.Code != 200 || w.Header().Get("Content-Type") != contentType {
		t.Errorf("%d, %s", w.Code, w.Header())
	}
	if err := xml.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Errorf("%v: %s", err, w.Body)
	}
}

// A client that has the file gets 304, a job that closes changes it, and
// nothing is served after its time.
func TestConditional(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := []Job{numbered(1), numbered(2)}
		asked := 0
		h := newFeeds(t, func(ctx context.Context) iter.Seq2[Job, error] {
			asked++
			return list(&jobs)(ctx)
		}).RSS("/jobs.rss")
		w := get(h, "/")
		tag, changed := w.Header().Get("ETag"), w.Header().Get("Last-Modified")
		if tag == "" || changed == "" || w.Header().Get("Cache-Control") != "public, max-age=60" {
			t.Fatal(w.Header())
		}
		for _, header := range [][]string{{"If-None-Match", tag}, {"If-Modified-Since", changed}} {
			if w := get(h, "/", header...); w.Code != 304 || w.Body.Len() != 0 {
				t.Errorf("%s: %d", header, w.Code)
			}
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		time.Sleep(59 * time.Second)
		if w := get(h, "/"); w.Header().Get("Cache-Control") != "public, max-age=1" || asked != 1 {
			t.Errorf("after 59 s: %s", w.Header())
		}
		time.Sleep(2 * time.Second)
		if w := get(h, "/", "If-None-Match", tag); w.Code != 304 || asked != 2 {
			t.Errorf("nothing changed: %d, asked %d times", w.Code, asked)
		}
		if w := get(h, "/"); w.Header().Get("Last-Modified") != changed {
			t.Errorf("nothing changed, and was %s is %s", changed, w.Header().Get("Last-Modified"))
		}
		jobs[1].Information.ApplyPossible = false
		time.Sleep(time.Minute)
		w = get(h, "/", "If-None-Match", tag, "If-Modified-Since", changed)
		if w.Code != 200 || w.Header().Get("ETag") == tag || w.Header().Get("Last-Modified") == changed || strings.Contains(w.Body.String(), "job/2") {
			t.Errorf("a job closed: %d %s", w.Code, w.Header())
		}
		if w := get(h, "/", "If-Modified-Since", changed); w.Code != 200 {
			t.Errorf("a job closed since: %d", w.Code)
		}
		// A minute is too long for a job that ends before.
		jobs[0].Posting.PostingVersionEndDate = millis(time.Now().Add(90 * time.Second))
		time.Sleep(time.Minute)
		if w := get(h, "/"); !strings.Contains(w.Body.String(), "job/1") || w.Header().Get("Cache-Control") != "public, max-age=30" {
			t.Errorf("30 s before the end: %s", w.Header())
		}
		time.Sleep(30 * time.Second)
		if w := get(h, "/"); strings.Contains(w.Body.String(), "job/1") {
			t.Error("published at its end")
		}
	})
}

// Of three files in a second only the first has its date: a client with the second file would
// take the third for the same.
func TestThreeFilesInASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []Job
		feeds := newFeeds(t, list(&jobs))
		feeds.cfg.MaxAge = 100 * time.Millisecond
		h := feeds.RSS("/jobs.rss")
		dates := map[string]string{} // by their ETag
		for i := range 5 {
			jobs = append(jobs, numbered(i+1))
			w := get(h, "/jobs.rss")
			date := w.Header().Get("Last-Modified")
			for tag, other := range dates {
				if date != "" && date == other {
					t.Errorf("%s and %s are both of %s", tag, w.Header().Get("ETag"), date)
				}
			}
			dates[w.Header().Get("ETag")] = date
			time.Sleep(feeds.cfg.MaxAge)
		}
		if len(dates) != 5 {
			t.Errorf("%d files", len(dates))
		}
	})
}

// While the jobs are not known nothing is told, and nothing half.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := false
		feeds := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				if yield(numbered(1), nil) && broken {
					yield(Job{}, errors.New("the database is down"))
				}
			}
		})
		var log bytes.Buffer
		feeds.cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		h := feeds.Sitemap("/sitemap.xml")
		if w := get(h, "/sitemap.xml"); w.Code != 200 || log.Len() > 0 {
			t.Error(w.Code, &log)
		}
		broken = true
		time.Sleep(2 * time.Minute)
		if w := get(h, "/sitemap.xml"); w.Code != 503 || strings.Contains(w.Body.String(), "job/1") || w.Header().Get("Retry-After") == "" || w.Header().Get("ETag") != "" {
			t.Errorf("%d %s %s", w.Code, w.Header(), w.Body)
		}
		if !strings.Contains(log.String(), "path=/sitemap.xml error=\"the database is down\"") {
			t.Errorf("the log says %s", &log)
		}
		broken = false
		if w := get(h, "/sitemap.xml"); w.Code != 200 {
			t.Error(w.Code)
		}
		r := httptest.NewRequest("POST", "/sitemap.xml", nil)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != 405 {
			t.Error(w.Code)
		}
	})
}

// A file has no name once it is open, and where none can be made nothing is told.
func TestTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	jobs := []Job{numbered(1)}
	h := newFeeds(t, list(&jobs)).RSS("/jobs.rss")
	if w := get(h, "/jobs.rss"); w.Code != 200 {
		t.Error(w.Code)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 && runtime.GOOS == "linux" {
		t.Errorf("%v are left, %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if w := get(newFeeds(t, list(&jobs)).RSS("/jobs.rss"), "/jobs.rss"); w.Code != 503 && runtime.GOOS == "linux" {
		t.Error(w.Code)
	}
}

// What a site does not say is no empty element.
func TestNoEmptyElements(t *testing.T) {
	jobs := []Job{numbered(1)}
	feeds := newFeeds(t, list(&jobs))
	feeds.cfg.Language = ""
	for _, h := range []http.Handler{feeds.RSS("/x"), feeds.Atom("/x"), feeds.Sitemap("/x")} {
		if w := get(h, "/x"); w.Code != 200 || regexp.MustCompile(`<\w+></`).MatchString(w.Body.String()) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// An entry tells its job's language, if that is a single one. Otherwise the entry does not
// inherit the feed's language.
func TestLanguageOfEntries(t *testing.T) {
	jobs := []Job{numbered(1), numbered(2), numbered(3)}
	jobs[0].Language, jobs[1].Language = "en-GB", `no "language"`
	for feed, unknown := range map[string]string{"": "<entry>", "de": `<entry xml:lang="">`} {
		feeds, err := NewFeeds(Config{URL: "https://jobs.example/", Title: "Jobs", Language: feed, Jobs: list(&jobs)})
		if err != nil {
			t.Fatal(err)
		}
		w := get(feeds.Atom("/x"), "/x")
		if body := w.Body.String(); strings.Count(body, `<entry xml:lang="en-GB">`) != 1 || strings.Count(body, unknown) != 2 {
			t.Errorf("in a feed in %q: %d %s", feed, w.Code, body)
		}
	}
}

// Many clients at once make one file, and one that leaves does not spoil it.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		h := newFeeds(t, func(ctx context.Context) iter.Seq2[Job, error] {
			asked++
			time.Sleep(10 * time.Second)
			jobs := []Job{numbered(1)}
			return list(&jobs)(ctx)
		}).Atom("/jobs.atom")
		var all sync.WaitGroup
		first, leave := context.WithCancel(t.Context())
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i))
				r := httptest.NewRequest("GET", "/jobs.atom", nil)
				if i == 0 {
					r = r.WithContext(first)
				}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != 200 && i > 0 {
					t.Errorf("client %d: %d", i, w.Code)
				}
			})
		}
		time.Sleep(time.Second)
		leave()
		all.Wait()
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// When the writing fails, so it does for everybody who waited for it, and whoever
// comes later finds another try.
func TestFailureTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		h := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				asked++
				time.Sleep(10 * time.Second)
				yield(Job{}, errors.New("the database is down"))
			}
		}).RSS("/jobs.rss")
		began := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w := get(h, "/jobs.rss"); w.Code != 503 {
					t.Error(w.Code)
				}
			})
		}
		if all.Wait(); asked != 1 || time.Since(began) != 10*time.Second {
			t.Errorf("asked %d times in %v", asked, time.Since(began))
		}
		if get(h, "/jobs.rss"); asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// While the service is down one job after the other becomes too old, some while
// the file is written. The others stay.
func TestLapsing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		h := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				for i := range 1000 {
					job := numbered(i + 1)
					job.Answered = began.Add(-MaxAge + time.Duration(i)*time.Second)
					time.Sleep(10 * time.Millisecond)
					if !yield(job, nil) {
						return
					}
				}
			}
		}).Sitemap("/sitemap.xml")
		for range 20 {
			w := get(h, "/sitemap.xml")
			var pages sitemapFile
			read(t, w, "application/xml; charset=utf-8", &pages)
			lapsed := int(time.Since(began).Seconds())
			if w.Code != 200 || len(pages.URL) < 1000-lapsed-40 || len(pages.URL) > 1000-lapsed {
				t.Fatalf("%d, %d pages when %d jobs had lapsed", w.Code, len(pages.URL), lapsed)
			}
			time.Sleep(7 * time.Second)
		}
	})
}

// counting makes n open jobs, one at a time.
func counting(n int) func(context.Context) iter.Seq2[Job, error] {
	return func(context.Context) iter.Seq2[Job, error] {
		return func(yield func(Job, error) bool) {
			j := numbered(0)
			for i := range n {
				j.Information.JobID = jobboard.JobID(i)
				j.Posting.JobPostingID = jobboard.JobPostingID(i)
				j.URL = fmt.Sprintf("https://jobs.example/job/%d", i)
				if !yield(j, nil) {
					return
				}
			}
		}
	}
}

func TestSitemapIndex(t *testing.T) {
	h := newFeeds(t, counting(2*maxPages+1)).Sitemap("/sitemap.xml")
	var index sitemapFile
	read(t, get(h, "/sitemap.xml"), "application/xml; charset=utf-8", &index)
	if index.XMLName.Local != "sitemapindex" || len(index.Sitemap) != 3 || index.Sitemap[0].Loc != "https://jobs.example/sitemap.xml?part=1" ||
		index.Sitemap[0].Lastmod != "1999-12-07T12:00:00Z" {
		t.Fatalf("%+v", index)
	}
	seen := map[string]bool{}
	for i, want := range []int{maxPages, maxPages, 1} {
		var part sitemapFile
		w := get(h, index.Sitemap[i].Loc)
		read(t, w, "application/xml; charset=utf-8", &part)
		if len(part.URL) != want {
			t.Errorf("part %d has %d pages", i+1, len(part.URL))
		}
		for _, u := range part.URL {
			seen[u.Loc] = true
		}
		if again := get(h, index.Sitemap[i].Loc, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("part %d again: %d", i+1, again.Code)
		}
	}
	if len(seen) != 100_001 { // 50 000 in each part are allowed
		t.Errorf("%d pages", len(seen))
	}
	for _, part := range []string{"0", "4", "-1", "x", "1e9", "99999999999999999999"} {
		if w := get(h, "/sitemap.xml?part="+part); w.Code != 404 {
			t.Errorf("part %s: %d", part, w.Code)
		}
	}
	if w := get(h, "/sitemap.xml?part=1;2"); w.Code != 400 {
		t.Errorf("a part with a semicolon: %d", w.Code)
	}
	for _, query := range []string{"?utm_campaign=50%&x=a;b", "?utm_campaign=50%&part=2"} {
		if w := get(h, "/sitemap.xml"+query); w.Code != 200 {
			t.Errorf("with what a campaign adds, %s: %d", query, w.Code)
		}
	}
	if w := get(newFeeds(t, counting(1)).Sitemap("/s"), "/s?part=1"); w.Code != 404 {
		t.Errorf("a part of one: %d", w.Code)
	}
}

// Any number of jobs takes the memory of one.
func TestMemory(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 5000
	}
	for name, handler := range map[string]func(*Feeds) http.Handler{
		"sitemap": func(f *Feeds) http.Handler { return f.Sitemap("/x") },
		"RSS":     func(f *Feeds) http.Handler { return f.RSS("/x") },
		"Atom":    func(f *Feeds) http.Handler { return f.Atom("/x") },
	} {
		var peak uint64
		jobs := func(ctx context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) {
				i := 0
				for j, err := range counting(n)(ctx) {
					if i++; i%(n/10) == 0 {
						runtime.GC()
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapAlloc)
					}
					if !yield(j, err) {
						return
					}
				}
			}
		}
		h := handler(newFeeds(t, jobs))
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := &discard{header: http.Header{}}
		h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		runtime.GC()
		runtime.ReadMemStats(&after)
		grown := int64(max(peak, after.HeapAlloc)) - int64(before.HeapAlloc)
		t.Logf("figure: %s of %d jobs: %d bytes sent, heap at most %+d KiB", name, n, w.written, grown>>10)
		if w.written < int64(n)*50 && name != "sitemap" || grown > 1<<20 {
			t.Errorf("%s: %d bytes sent, heap at most %+d KiB", name, w.written, grown>>10)
		}
	}
}

type discard struct {
	header  http.Header
	written int64
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.written += int64(len(p)); return len(p), nil }

var _ io.Writer = (*discard)(nil)

func TestIsLanguage(t *testing.T) {
	tags := []string{"", "de", "en-GB", "de-1996", "x-klingon"}
	for _, tag := range append(tags, "-", "de-", "de_DE", "1de", "deutschland", "ä") {
		if got := languageTag.MatchString(tag); got != slices.Contains(tags, tag) {
			t.Errorf("%q: %v", tag, got)
		}
	}
}
