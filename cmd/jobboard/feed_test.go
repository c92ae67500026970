package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// sampleFeed is a feed of jobs; 0 stands for an entry that is broken.
func sampleFeed(jobs ...int64) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<PositionOpenings>\n")
	for _, id := range jobs {
		if id == 0 {
			b.WriteString("<PositionOpening><PositionRecordInfo><Id><IdValue>x</IdValue></Id></PositionRecordInfo></PositionOpening>\n")
			continue
		}
		fmt.Fprintf(&b, "<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo></PositionOpening>\n", id)
	}
	return b.String() + "</PositionOpenings>\n"
}

func TestFeedSources(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	body := sampleFeed(d.OpenJob, d.AppliedJob, d.InactiveJob, d.UnknownJob, d.UnpublishedJob, d.ClosedJob, d.OpenJob)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(body))
	z.Close()
	var header http.Header
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		switch r.URL.Path {
		case "/feed.xml":
			fmt.Fprint(w, body)
		case "/feed.xml.gz":
			w.Write(zipped.Bytes())
		case "/moved":
			http.Redirect(w, r, "/feed.xml", http.StatusFound)
		case "/closed":
			w.WriteHeader(http.StatusForbidden)
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	summary := []string{
		"open                   2", "applying not possible  1", "inactive               1", "unavailable            1",
		"posting unavailable    1", "7 entries, 6 different jobs",
	}
	for _, source := range []string{clitest.WriteFile(t, "feed.xml", body, 0o600), clitest.WriteFile(t, "feed.gz", zipped.String(), 0o600), web.URL + "/feed.xml", web.URL + "/feed.xml.gz", web.URL + "/moved?key=canary-key", "-"} {
		header = nil
		p := newProcess().pointAt(srv)
		p.stdin = strings.NewReader(body)
		r := p.run(t, "feed", source, "--concurrency", "2").want(t, setup.ExitOK, summary...)
		if r.err != "" {
			t.Errorf("%s: standard error: %s", source, r.err)
		}
		if header.Get("Authorization") != "" || strings.Contains(header.Get("Referer"), "canary-key") {
			t.Errorf("%s: the feed's host was sent %v", source, header)
		}
	}
	newProcess().pointAt(srv).run(t, "feed").want(t, setup.ExitUsage).wantErr(t, "no feed is named")
	newProcess().pointAt(srv).run(t, "feed", "/no/such/file").want(t, setup.ExitUsage)
	newProcess().pointAt(srv).run(t, "feed", web.URL+"/none?key=canary-key").want(t, setup.ExitService).wantErr(t, "404").without(t, "canary-key")
	newProcess().pointAt(srv).run(t, "feed", web.URL+"/closed").want(t, setup.ExitCredential)
	newProcess().pointAt(srv).run(t, "feed", "http://127.0.0.1:1/feed?key=canary-key").want(t, setup.ExitNetwork).without(t, "canary-key")
	newProcess().pointAt(srv).run(t, "feed", clitest.WriteFile(t, "x", `{"no":"feed"}`, 0o600)).want(t, setup.ExitUsage).wantErr(t, "this is no feed").without(t, "OUTCOME")
	for _, bad := range []string{"--concurrency=0", "--concurrency=2000", "--rate=-1", "--rate=NaN", "--output=x"} {
		newProcess().pointAt(srv).run(t, "feed", "-", bad).want(t, setup.ExitUsage)
	}
}

func TestFeedFailures(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	path := clitest.WriteFile(t, "feed.xml", sampleFeed(d.OpenJob, 0, d.AppliedJob), 0o600)
	newProcess().pointAt(srv).run(t, "feed", path).want(t, setup.ExitIncomplete, "open          2", "broken entry  1", "3 entries, 2 different jobs", "bad job identifier").
		wantErr(t, "jobs of the feed without an answer: 1")

	whole := sampleFeed(d.OpenJob, d.AppliedJob)
	path = clitest.WriteFile(t, "cut.xml", whole[:len(whole)-120], 0o600)
	newProcess().pointAt(srv).run(t, "feed", path).want(t, setup.ExitIncomplete, "open").wantErr(t, "not read to its end")

	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpJobInformation})
	path = clitest.WriteFile(t, "feed.xml", whole, 0o600)
	newProcess().pointAt(srv).run(t, "feed", path, "--attempts", "1").want(t, setup.ExitIncomplete, "failed   2", "2  503 Service Unavailable")
}

func TestFeedCSV(t *testing.T) {
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) { j.Title = `=HYPERLINK("http://evil","x")` })
	path := clitest.WriteFile(t, "feed.xml", sampleFeed(srv.Demo.OpenJob, srv.Demo.InactiveJob, 0), 0o600)
	r := newProcess().pointAt(srv).run(t, "feed", path, "--csv").want(t, setup.ExitIncomplete).wantErr(t, "OUTCOME", "3 entries")
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v: %v", err, rows)
	}
	found := map[string][]string{}
	for _, row := range rows {
		found[row[1]] = row
	}
	if row := found["open"]; row == nil || row[0] != "2797227" || row[2] != "true" || row[3] != "5" || row[4] != `'=HYPERLINK("http://evil","x")` || row[7] != "Berlin" {
		t.Errorf("open: %q", row)
	}
	if row := found["inactive"]; row == nil || !strings.Contains(row[9], "ERROR_JOB_INACTIVE") {
		t.Errorf("inactive: %q", row)
	}
	if row := found["broken entry"]; row == nil || row[0] != "" || !strings.Contains(row[9], "bad job identifier") {
		t.Errorf("broken entry: %q", row)
	}

	output := filepath.Join(t.TempDir(), "out.jsonl")
	newProcess().pointAt(srv).run(t, "feed", path, "--jsonl", "--output", output).want(t, setup.ExitIncomplete, "OUTCOME")
	lines := strings.SplitAfter(strings.TrimSuffix(read(t, output), "\n"), "\n")
	if len(lines) != 3 {
		t.Errorf("%d lines, want 3", len(lines))
	}
	for _, line := range lines {
		v := decode[struct {
			Outcome     string
			Information *struct{ JobTitle string }
		}](t, line)
		if v.Outcome == "" || (v.Information == nil) == (v.Outcome == "open") {
			t.Error(line)
		}
	}
}

func TestFeedProgress(t *testing.T) {
	srv := demo(t)
	var ids []int64
	for i := range int64(40) {
		ids = append(ids, srv.Demo.OpenJob+11*i)
	}
	path := clitest.WriteFile(t, "feed.xml", sampleFeed(ids...), 0o600)

	// A clock that runs a second with each look at it.
	var mu sync.Mutex
	at := time.Now()
	p := newProcess().pointAt(srv)
	p.now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
	r := p.run(t, "feed", path, "--concurrency", "1").want(t, setup.ExitOK).wantErr(t, "jobboard: 5 looked up, ", "% of the feed read")
	if n := strings.Count(r.err, "\n"); n < 5 || n > 10 || strings.ContainsAny(r.err, "\r\x1b") {
		t.Errorf("%d lines:\n%q", n, r.err)
	}

	p = newProcess().pointAt(srv)
	p.errTerminal = term.Terminal{TTY: true, Width: 80}
	r = p.run(t, "feed", path).want(t, setup.ExitOK)
	if !strings.Contains(r.err, "looking up") || !strings.Contains(r.err, "\r") || strings.Contains(r.err, "\n") {
		t.Errorf("no bar on a terminal: %q", r.err)
	}
}

func TestFeedRate(t *testing.T) {
	srv := demo(t)
	path := clitest.WriteFile(t, "feed.xml", sampleFeed(srv.Demo.OpenJob, srv.Demo.AppliedJob, srv.Demo.WithdrawnJob), 0o600)
	begin := time.Now()
	newProcess().pointAt(srv).run(t, "feed", path, "--rate", "20").want(t, setup.ExitOK)
	if took := time.Since(begin); took < 100*time.Millisecond {
		t.Errorf("three lookups at 20 a second took %v", took)
	}
}

// answering is a transport that answers the requests to one host itself, and knows how many
// bodies of answers are open. The requests to other hosts go their way.
type answering struct {
	host   string
	answer func(*http.Request) (status int, header http.Header, body string)
	open   atomic.Int32
	asked  atomic.Int32
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked.Add(1)
	answer := &http.Response{ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: r}
	if r.URL.Host == a.host {
		var body string
		answer.StatusCode, answer.Header, body = a.answer(r)
		answer.Body = io.NopCloser(strings.NewReader(body))
	} else {
		var err error
		if answer, err = http.DefaultTransport.RoundTrip(r); err != nil {
			return nil, err
		}
	}
	a.open.Add(1)
	answer.Body = &closing{answer.Body, sync.OnceFunc(func() { a.open.Add(-1) })}
	return answer, nil
}

// closing is a body that tells that it was closed.
type closing struct {
	io.ReadCloser
	closed func()
}

func (c *closing) Close() error { c.closed(); return c.ReadCloser.Close() }

// Whatever a command asks, it closes the answer, also where it is refused.
func TestEveryAnswerIsClosed(t *testing.T) {
	for _, fault := range []jobboardtest.Fault{{}, {Status: 404, Body: "nothing"}, {Status: 302, Header: http.Header{"Location": {"/elsewhere"}}}} {
		for _, command := range []string{
			"search", "search --json", "info", "status", "apply-form", "doctor", "watch --once --state " + filepath.Join(t.TempDir(), "state.json"),
			"feed " + clitest.WriteFile(t, "feed.xml", sampleFeed(2797227), 0o600),
		} {
			srv := demo(t)
			if fault.Status != 0 {
				srv.Fail(fault)
			}
			all := &answering{}
			p := newProcess().pointAt(srv)
			p.transport = all
			r := p.run(t, append(strings.Fields(command), "--attempts", "1")...)
			if open, asked := all.open.Load(), all.asked.Load(); open != 0 || asked == 0 {
				t.Errorf("%s, %d: exit code %d, %d of %d answers are open", command, fault.Status, r.code, open, asked)
			}
		}
	}
}

// An answer of the feed's host is closed, whether it is a feed or not, and its status decides
// about the exit code.
func TestFeedAnswersAreClosed(t *testing.T) {
	srv := demo(t)
	for status, code := range map[int]int{
		200: setup.ExitOK, 201: setup.ExitService, 204: setup.ExitService, 206: setup.ExitService, 400: setup.ExitService,
		401: setup.ExitCredential, 402: setup.ExitService, 403: setup.ExitCredential, 404: setup.ExitService, 429: setup.ExitService, 500: setup.ExitService,
	} {
		host := &answering{host: "feeds.example", answer: func(*http.Request) (int, http.Header, string) {
			return status, http.Header{}, sampleFeed(srv.Demo.OpenJob)
		}}
		p := newProcess().pointAt(srv)
		p.transport = host
		r := p.run(t, "feed", "http://feeds.example/feed.xml?key=canary-key").want(t, code).without(t, "canary-key")
		if code != setup.ExitOK {
			r.wantErr(t, "the feed at feeds.example: ", fmt.Sprint(status))
		}
		if open := host.open.Load(); open != 0 {
			t.Errorf("%d: %d answers are open", status, open)
		}
	}
}

// A feed that moved is followed to its ninth address after the first, and no further.
func TestFeedThatMoves(t *testing.T) {
	srv := demo(t)
	for moves, code := range map[int]int{0: setup.ExitOK, 1: setup.ExitOK, 9: setup.ExitOK, 10: setup.ExitNetwork, 11: setup.ExitNetwork} {
		host := &answering{host: "feeds.example"}
		host.answer = func(r *http.Request) (int, http.Header, string) {
			if n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/")); n < moves {
				return http.StatusFound, http.Header{"Location": {fmt.Sprintf("/%d", n+1)}}, ""
			}
			return http.StatusOK, http.Header{}, sampleFeed(srv.Demo.OpenJob)
		}
		p := newProcess().pointAt(srv)
		p.transport = host
		r := p.run(t, "feed", "http://feeds.example/0").want(t, code)
		if code != setup.ExitOK {
			r.wantErr(t, "too many redirects")
		}
		if open := host.open.Load(); open != 0 {
			t.Errorf("%d moves: %d answers are open", moves, open)
		}
	}
}

// The flags of a feed have bounds, which they may have themselves.
func TestBoundsOfFeedFlags(t *testing.T) {
	for _, c := range []struct {
		concurrency int
		rate        float64
		words       string // of the refusal; empty: it is taken
	}{
		{1, 0, ""},
		{1024, 1e6, ""},
		{16, 0.1, ""},
		{0, 0, "--concurrency"},
		{-1, 0, "--concurrency"},
		{1025, 0, "--concurrency"},
		{1, -0.1, "--rate"},
		{1, 1e6 + 1, "--rate"},
		{1, math.NaN(), "--rate"},
		{1, math.Inf(1), "--rate"},
	} {
		err := (&feedFlags{concurrency: c.concurrency, rate: c.rate}).check()
		if code, _ := setup.ExitOf(err); (err != nil) != (c.words != "") || err != nil && (code != setup.ExitUsage || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A feed whose host falls silent is given up, be it before its answer or within it. One that
// comes slowly is read, and so is one whose lookups take long.
func TestFeedStalls(t *testing.T) {
	entries := strings.SplitAfter(sampleFeed(1, 2, 3), "\n")
	for name, test := range map[string]struct {
		answers bool
		pause   time.Duration // before each line of the feed
		rate    string
		code    int
		says    string
	}{
		"before its answer": {false, 0, "0", setup.ExitNetwork, "the feed at feeds.example: it sent nothing for 30s"},
		"within it":         {true, time.Hour, "0", setup.ExitUsage, "it sent nothing for 30s"},
		"slowly":            {true, 29 * time.Second, "0", setup.ExitOK, ""},
		"slow lookups":      {true, 0, "0.01", setup.ExitOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess()
				p.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					w := httptest.NewRecorder()
					if job := r.URL.Query().Get("jobid"); job != "" {
						fmt.Fprintf(w, `{"jobId":%s,"jobTitle":"Cook","applyPossible":true}`, job)
						return w.Result(), nil
					}
					if !test.answers {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					body, feed := io.Pipe()
					context.AfterFunc(r.Context(), func() { feed.CloseWithError(r.Context().Err()) })
					go func() {
						for _, line := range entries {
							select {
							case <-time.After(test.pause):
								_, _ = io.WriteString(feed, line)
							case <-r.Context().Done():
								return
							}
						}
						feed.Close()
					}()
					resp := w.Result()
					resp.Body = body
					return resp, nil
				})
				r := p.run(t, "feed", "https://feeds.example/feed.xml?key=canary-key", "--jobdb-url", "https://jobs.example", "--rate", test.rate).want(t, test.code)
				if !strings.Contains(r.err, test.says) || test.says == "" && !strings.Contains(r.out, "3 entries, 3 different jobs") {
					t.Errorf("%s%s", r.out, r.err)
				}
				r.without(t, "canary-key")
			})
		})
	}
}
