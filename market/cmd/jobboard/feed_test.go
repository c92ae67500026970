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
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/clitest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
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
	body := sampleFeed(d.OpenJob, d.AppliedJob, d.InactiveJob, d.UnknownJob, d.ClosedJob, d.OpenJob)
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
		"6 entries, 5 different jobs",
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
	for _, other := range []string{"<env:Envelope xmlns:env='e'><env:Body/></env:Envelope>", "<error><code>429</code></error>", "<rss><channel/></rss>", "<source><job/></source>"} {
		newProcess().pointAt(srv).run(t, "feed", clitest.WriteFile(t, "x", other, 0o600)).want(t, setup.ExitUsage).wantErr(t, "this is no feed", "its root is").without(t, "OUTCOME")
	}
	newProcess().pointAt(srv).run(t, "feed", clitest.WriteFile(t, "x", "<PositionOpenings/>", 0o600)).want(t, setup.ExitOK, "0 entries")
}

// A mistyped address of a feed is refused, and nothing of it is told; for a missing path
// the error names the last element.
func TestMistypedFeedAddress(t *testing.T) {
	srv := demo(t)
	for _, address := range []string{"htps://hushuser:hushword@feeds.example/x", "https://hushuser:1/hushword@feeds.example/x", "hush\x01"} {
		newProcess().pointAt(srv).run(t, "feed", address).want(t, setup.ExitUsage).wantErr(t, "address cannot be used", "%40").without(t, "hush")
	}
	newProcess().pointAt(srv).run(t, "feed", "/hush/none.xml").want(t, setup.ExitUsage).wantErr(t, "none.xml").without(t, "hush")
	newProcess().pointAt(srv).run(t, "feed", "http://hushuser:hush%40@127.0.0.1:1/feed?key=hush").want(t, setup.ExitNetwork).without(t, "hush")
	newProcess().pointAt(srv).run(t, "feed", clitest.WriteFile(t, "fe@d.xml", sampleFeed(srv.Demo.OpenJob), 0o600)).want(t, setup.ExitOK)
}

func TestFeedFailures(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	path := clitest.WriteFile(t, "feed.xml", sampleFeed(d.OpenJob, 0, d.AppliedJob), 0o600)
	newProcess().pointAt(srv).run(t, "feed", path).want(t, setup.ExitIncomplete, "open          2", "broken entry  1", "3 entries, 2 different jobs", "bad job identifier").
		wantErr(t, "jobs of the feed without an answer: 1")

	// A job whose posting the service cannot find has no answer: that is a technical error.
	path = clitest.WriteFile(t, "feed.xml", sampleFeed(d.OpenJob, d.UnpublishedJob), 0o600)
	newProcess().pointAt(srv).run(t, "feed", path).want(t, setup.ExitIncomplete, "open     1", "failed   1", "1  posting unavailable").
		wantErr(t, "jobs of the feed without an answer: 1")

	whole := sampleFeed(d.OpenJob, d.AppliedJob)
	path = clitest.WriteFile(t, "cut.xml", whole[:len(whole)-120], 0o600)
	newProcess().pointAt(srv).run(t, "feed", path).want(t, setup.ExitIncomplete, "open").wantErr(t, "not read to its end")

	srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpJobInformation})
	path = clitest.WriteFile(t, "feed.xml", whole, 0o600)
	newProcess().pointAt(srv).run(t, "feed", path, "--attempts", "1").want(t, setup.ExitIncomplete, "failed   2", "2  503 Service Unavailable")
}

func TestFeedProgress(t *testing.T) {
	srv := demo(t)
	var ids []int64
	for i := range int64(40) {
		ids = append(ids, srv.Demo.OpenJob+11*i)
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id == srv.Demo.UnpublishedJob }) // which has no answer
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
	p.stdin = strings.NewReader(read(t, path))
	p.run(t, "feed", "-", "--concurrency", "1").want(t, setup.ExitOK).wantErr(t, "jobboard: 5 looked up, ").without(t, "% of the feed read")
	if n := strings.Count(r.err, "\n"); n < 5 || n > 10 || strings.ContainsAny(r.err, "\r\x1b") {
		t.Errorf("%d lines:\n%q", n, r.err)
	}

	p = newProcess().pointAt(srv)
	p.errTerminal = term.Terminal{TTY: true, Width: 80}
	r = p.run(t, "feed", path).want(t, setup.ExitOK)
	if !strings.HasSuffix(r.err, "\r") {
		t.Errorf("the bar stays behind: %q", r.err)
	}
	if !strings.Contains(r.err, "looking up") || !strings.Contains(r.err, "\r") || strings.Contains(r.err, "\n") {
		t.Errorf("no bar on a terminal: %q", r.err)
	}
}

// The bar shows the share of the feed that was looked up, whatever was read ahead: 16 entries are looked up at once,
// and a small feed is in a buffer from the beginning.
func TestBarOfAFeed(t *testing.T) {
	const n, ahead = 46, 16
	var ids []int64
	for i := range int64(n) {
		ids = append(ids, 2797227+11*i)
	}
	body := strings.ReplaceAll(sampleFeed(ids...), "<Id>", "<!-- "+strings.Repeat("x", 500)+" --><Id>")
	src := &source{Reader: strings.NewReader(body), size: int64(len(body))}
	r := &feedRun{src: src, feed: jobfeed.NewReader(src, nil), sum: feedSummary{count: map[string]int{}}}
	read := 0
	for _, err := range r.jobIDs() {
		if err != nil {
			t.Fatal(err)
		}
		if read++; read <= ahead && read < n {
			continue
		}
		r.sum.count[outcomeOpen]++
		want := float64(r.sum.total()) / n
		if got := float64(r.done()) / float64(src.size); math.Abs(got-want) > 0.1 {
			t.Errorf("%d of %d looked up: the bar is at %.0f %%", r.sum.total(), n, 100*got)
		}
	}
	if r.sum.count[outcomeOpen] = n; read != n || r.done() != src.size {
		t.Errorf("%d entries were read, and at the end the bar is at %d of %d", read, r.done(), src.size)
	}
}

// The size of a feed is known for files and for hosts that send it, and the bytes read are
// counted.
func TestSizesOfFeeds(t *testing.T) {
	srv := demo(t)
	body := sampleFeed(srv.Demo.OpenJob)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("User-Agent") != "jobboard" || r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("the feed's host was sent %v", r.Header)
		}
		if r.URL.Path == "/told" {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		} else {
			http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, body)
	}))
	defer host.Close()
	b, err := (&setup.Reader{Getenv: func(string) string { return "" }}).Read(pflag.NewFlagSet("", pflag.ContinueOnError))
	if err != nil {
		t.Fatal(err)
	}
	b.Fake = srv
	c := &term.Console{In: strings.NewReader(body)}
	for _, test := range []struct {
		args  []string
		known bool
	}{
		{nil, false},
		{[]string{clitest.WriteFile(t, "feed.xml", body, 0o600)}, true},
		{[]string{"-"}, false},
		{[]string{host.URL + "/told"}, true},
		{[]string{strings.Replace(host.URL, "http:", "HTTP:", 1) + "/told"}, true},
		{[]string{host.URL + "/untold"}, false},
	} {
		src, err := openFeed(t.Context(), c, b, test.args)
		if err != nil {
			t.Fatal(test.args, err)
		}
		all, err := io.ReadAll(src)
		want := int64(0)
		if test.known {
			want = int64(len(all))
		}
		if err != nil || len(all) == 0 || src.read.Load() != int64(len(all)) || src.size != want {
			t.Errorf("%q: %d bytes, %d are counted, the size is %d, %v", test.args, len(all), src.read.Load(), src.size, err)
		}
		src.Close()
	}
}

// No more lookups are under way at once than --concurrency says, and no more begin in a second than --rate says.
func TestPaceOfAFeed(t *testing.T) {
	for pace, want := range map[string]time.Duration{
		"--concurrency=1": 6 * time.Second, "--concurrency=2": 3 * time.Second, "--concurrency=6": time.Second, "--rate=0.5": 11 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newProcess()
			p.stdin = strings.NewReader(sampleFeed(1, 2, 3, 4, 5, 6))
			p.transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				time.Sleep(time.Second)
				w := httptest.NewRecorder()
				fmt.Fprintf(w, `{"jobId":%s,"jobTitle":"Cook","applyPossible":true}`, r.URL.Query().Get("jobid"))
				return w.Result(), nil
			})
			began := time.Now()
			p.run(t, "feed", "-", "--jobdb-url", "https://jobs.example", pace).want(t, setup.ExitOK, "6 entries")
			if took := time.Since(began); took != want {
				t.Errorf("six lookups with %s took %s", pace, took)
			}
		})
	}
}

// A pass over a feed that is interrupted counts what was answered, and no lookup that the end cut
// off as a failure.
func TestInterruptedFeedHasNoFailures(t *testing.T) {
	srv := demo(t)
	srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = srv.Wait(t.Context(), 1)
		cancel()
	}()
	p := newProcess().pointAt(srv)
	p.stdin = strings.NewReader(sampleFeed(srv.Demo.OpenJob))
	r := p.runContext(ctx, t, "feed", "-").want(t, setup.ExitInterrupted)
	if want := "OUTCOME  JOBS\nopen     0\n\n1 entries, 0 different jobs\n"; r.out != want {
		t.Errorf("%s\nwant\n%s", r.out, want)
	}
}

// Where a line cannot be written nobody is asked for the rest of the feed, and no summary tells
// of a pass that was not made.
func TestFeedEndsWithItsOutput(t *testing.T) {
	srv := demo(t)
	var jobs []int64
	for n := range int64(200) {
		jobs = append(jobs, srv.Demo.OpenJob+n)
	}
	p := newProcess().pointAt(srv)
	p.stdin, p.stdout = strings.NewReader(sampleFeed(jobs...)), &fullDisk{}
	p.run(t, "feed", "-", "--jsonl", "--concurrency", "1").want(t, setup.ExitUnexpected).without(t, "OUTCOME")
	if n := srv.Count(); n > 20 {
		t.Errorf("%d lookups", n)
	}
}

// A line of a job tells all that its lookup gave, under the names of the columns.
func TestLinesOfAFeed(t *testing.T) {
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) { j.Title = "Cook" })
	feed := sampleFeed(srv.Demo.OpenJob, srv.Demo.InactiveJob, 0)
	lines := func(form string) string {
		p := newProcess().pointAt(srv)
		p.stdin = strings.NewReader(feed)
		return p.run(t, "feed", "-", form, "--concurrency", "1").want(t, setup.ExitIncomplete).wantErr(t, "OUTCOME", "3 entries").out
	}
	rows, err := csv.NewReader(strings.NewReader(lines("--csv"))).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatal(rows, err)
	}
	if got, want := strings.Join(rows[0], ","), "job,outcome,apply_possible,questions,title,company,language,city,privacy_link,error"; got != want {
		t.Errorf("the columns are %s", got)
	}
	found := map[string]string{}
	for _, row := range rows[1:] {
		failure := ""
		for _, word := range []string{"ERROR_JOB_INACTIVE", "bad job identifier"} {
			if strings.Contains(row[9], word) {
				failure = word
			}
		}
		found[row[1]] = strings.Join(append(row[:9], failure), ",")
	}
	for outcome, want := range map[string]string{
		"open":         fmt.Sprintf("%d,open,true,5,Cook,Lindenhof Gruppe,de,Berlin,https://www.lindenhof.example/datenschutz,", srv.Demo.OpenJob),
		"inactive":     fmt.Sprintf("%d,inactive,,,,,,,,ERROR_JOB_INACTIVE", srv.Demo.InactiveJob),
		"broken entry": ",broken entry,,,,,,,,bad job identifier",
	} {
		if found[outcome] != want {
			t.Errorf("%s, want %s", found[outcome], want)
		}
	}
	for line := range strings.Lines(lines("--jsonl")) {
		members := decode[map[string]any](t, line)
		outcome := members["outcome"].(string)
		_, informed := members["information"]
		_, wrong := members["error"]
		_, named := members["job"]
		if informed != (outcome == "open") || wrong == informed || named == (outcome == outcomeBadEntry) {
			t.Error(line)
		}
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
			"search", "search --json", "info", "status", "doctor", "watch --once --state " + filepath.Join(t.TempDir(), "state.json"),
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

// The flags of a feed have bounds, and a value on the bound is allowed.
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
// comes slowly is read, and so is one that moves slowly, or whose lookups take long.
func TestFeedStalls(t *testing.T) {
	entries := strings.SplitAfter(sampleFeed(1, 2, 3), "\n")
	for name, test := range map[string]struct {
		answers bool
		moves   int           // to other addresses, after 20 seconds each
		pause   time.Duration // before each line of the feed
		rate    string
		code    int
		says    string
	}{
		"before its answer": {false, 0, 0, "0", setup.ExitNetwork, "the feed at feeds.example: it sent nothing for 30s"},
		"within it":         {true, 0, time.Hour, "0", setup.ExitUsage, "it sent nothing for 30s"},
		"slowly":            {true, 0, 29 * time.Second, "0", setup.ExitOK, ""},
		"moves":             {true, 3, 0, "0", setup.ExitOK, ""},
		"slow lookups":      {true, 0, 0, "0.01", setup.ExitOK, ""},
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
					if moved := strings.Count(r.URL.Path, "/moved"); moved < test.moves {
						select {
						case <-time.After(20 * time.Second):
						case <-r.Context().Done():
							return nil, r.Context().Err()
						}
						http.Redirect(w, r, r.URL.Path+"/moved", http.StatusFound)
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
