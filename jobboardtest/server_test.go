package jobboardtest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestTwoAddresses(t *testing.T) {
	for _, opts := range [][]jobboardtest.Option{nil, {jobboardtest.WithoutSockets()}} {
		srv := jobboardtest.New(t, opts...)
		base, err1 := url.Parse(srv.BaseURL)
		jobDB, err2 := url.Parse(srv.JobDBURL)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if base.Host == jobDB.Host || base.Path == jobDB.Path || base.Path != "/board" || jobDB.Path != "/info" {
			t.Errorf("%s and %s are too much alike", base, jobDB)
		}
		for _, u := range []*url.URL{base, jobDB} {
			if u.Hostname() != "127.0.0.1" || u.Port() == "" {
				t.Errorf("%s is not on the loopback", u)
			}
		}
	}
	all, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	everywhere := jobboardtest.New(t, jobboardtest.WithListeners(all, nil))
	for _, u := range []string{everywhere.BaseURL, everywhere.JobDBURL} {
		if !strings.HasPrefix(u, "http://127.0.0.1:") {
			t.Errorf("%s cannot be reached from here", u)
		}
	}
	for _, opt := range []jobboardtest.Option{
		jobboardtest.WithPrefix("a?b", ""),
		jobboardtest.WithVariants(jobboardtest.Variants{Dates: "roman"}),
		jobboardtest.WithState(jobboardtest.State{Version: 2}),
	} {
		for _, start := range []func(){
			func() { jobboardtest.NewServer(opt).Close() }, func() { jobboardtest.New(&probe{TB: t}, opt).Close() },
		} {
			func() {
				defer func() {
					if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "jobboardtest: ") {
						t.Errorf("of an option that cannot be used it says %s", said)
					}
				}()
				start()
			}()
		}
	}
	srv := jobboardtest.New(t, jobboardtest.WithPrefix("//a/b/", "/"))
	if base, jobDB := strings.HasSuffix(srv.BaseURL, "/a/b"), strings.Count(srv.JobDBURL, "/") == 2; !base || !jobDB {
		t.Errorf("the prefixes make %s and %s", srv.BaseURL, srv.JobDBURL)
	}
}

// A real server and a real transport in a bubble: every goroutine must end.
func TestInABubble(t *testing.T) {
	for _, way := range ways[1:] {
		synctest.Test(t, func(t *testing.T) {
			srv := jobboardtest.New(t, append(way.opts, jobboardtest.WithDemo())...)
			rt := way.with(srv)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					for range 4 {
						if f := fetch(t.Context(), rt, appliedURL(srv), srv.Demo.ApplicantToken); string(f.body) != "true" {
							t.Errorf("%+v", f)
						}
					}
				})
			}
			wg.Wait()
			synctest.Wait() // idle connections are durably blocked
			if n := srv.Count(jobboardtest.OpApplied); n != 200 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestTransportKnowsItsHosts(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	for _, u := range []string{"http://elsewhere.example/", "http://127.0.0.1:3/board", strings.Replace(srv.BaseURL, "http:", "https:", 1)} {
		if f := fetch(t.Context(), srv.Transport(), u, ""); f.err == nil {
			t.Errorf("%s is answered: %+v", u, f)
		}
	}
	if f := fetch(t.Context(), srv.Client().Transport, "http://127.0.0.1:3/board", ""); f.err == nil {
		t.Errorf("the pipe reaches another port: %+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f := fetch(ctx, srv.Transport(), srv.BaseURL, ""); f.err != context.Canceled || srv.Count() > 0 {
		t.Errorf("a cancelled call: %+v", f)
	}
	srv.Close()
	if f := fetch(t.Context(), srv.Client().Transport, srv.BaseURL, ""); !errors.Is(f.err, syscall.ECONNREFUSED) {
		t.Errorf("a call after the end: %+v", f)
	}
}

// closing is a body that tells whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// The direct transport gives a handler what a connection would, and a caller an
// answer like those of one; it closes the body of a request, whatever becomes of it.
func TestTransportIsLikeAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		defer srv.Close()
		srv.Inside().Mount("/_own", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			n, err := fmt.Fprintf(w, "%s %s %s %s", r.RequestURI, r.Host, r.RemoteAddr, body)
			fmt.Fprintf(w, " %t %v", n > 0, err)
		}))
		srv.Inside().Mount("/_silent", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		srv.Inside().Mount("/_text", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.ServeContent(w, &http.Request{Method: "GET"}, "a.txt", time.Time{}, strings.NewReader("text"))
		}))
		for _, c := range []struct {
			method, path, host string
			want               http.Response
			body               string
		}{
			{"POST", "/_own?a=%62", "", http.Response{Status: "200 OK", ContentLength: -1}, "/board/_own?a=%62 127.0.0.1:1 in-process sent true <nil>"},
			{"GET", "/_own", "other", http.Response{Status: "200 OK", ContentLength: -1}, "/board/_own other in-process  true <nil>"},
			{"HEAD", "/_own", "", http.Response{Status: "200 OK", ContentLength: -1}, ""},
			{"GET", "/_silent", "", http.Response{Status: "200 OK", ContentLength: -1}, ""},
			{"GET", "/_text", "", http.Response{Status: "200 OK", ContentLength: 4}, "text"},
		} {
			sent := &closing{Reader: strings.NewReader("sent")}
			u, _ := url.Parse(srv.BaseURL + c.path)
			req := &http.Request{Method: c.method, URL: u, Host: c.host, Header: http.Header{}}
			if c.method == "POST" {
				req.Body = sent
			}
			res, err := srv.Transport().RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(iotest.OneByteReader(res.Body))
			if err != nil || string(body) != c.body || res.Status != c.want.Status || res.ContentLength != c.want.ContentLength ||
				res.Proto != "HTTP/1.1" || res.ProtoMajor != 1 || res.ProtoMinor != 1 || res.Request != req {
				t.Errorf("%s %s: %q, %v, %+v", c.method, c.path, body, err, res)
			}
			if synctest.Wait(); sent.closed != (c.method == "POST") {
				t.Errorf("%s %s: its body is closed: %t", c.method, c.path, sent.closed)
			}
		}
		lost := &closing{Reader: strings.NewReader("sent")}
		req, _ := http.NewRequest("POST", "http://elsewhere.example/", lost)
		if res, err := srv.Transport().RoundTrip(req); err == nil || !lost.closed {
			t.Errorf("%v, and the body is closed: %t", res, lost.closed)
		}
	})
}

// Who closes an answer lets its handler go, and nothing of the call is kept by what lives
// longer: neither the context of the call nor the server.
func TestTransportLetsGo(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	srv.Inside().Mount("/_own", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	srv.Fail(jobboardtest.Fault{Path: "/nowhere", Status: 503})
	srv.Fail(jobboardtest.Fault{Path: "/lost", Break: jobboardtest.ResetBefore})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call := func(path string) {
		res, err := begin(ctx, srv.Transport(), srv.BaseURL+path, "")
		if (err != nil) != (path == "/lost") {
			t.Fatal(err)
		}
		if err == nil {
			res.Body.Close()
		}
	}
	heap := func() int {
		srv.ClearRequests()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	call("/_own")
	before := heap()
	for range 3000 {
		call("/_own")
		call("/nowhere")
		call("/lost")
	}
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("9000 calls leave %d KiB", grown>>10)
	}
}

// The direct transport hands a large body over piece by piece, and lets the
// handler go when the reader has had enough.
func TestTransportBodies(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
	srv.Fail(jobboardtest.Fault{Size: 3 << 20, Times: 1})
	if f := fetch(t.Context(), srv.Transport(), searchURL(srv), srv.Demo.ClientToken); len(f.body) != 3<<20 || f.bodyErr != nil {
		t.Errorf("%d bytes, %v", len(f.body), f.bodyErr)
	}
	srv.Fail(jobboardtest.Fault{Size: -1})
	res, err := begin(t.Context(), srv.Transport(), searchURL(srv), srv.Demo.ClientToken)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.CopyN(io.Discard, res.Body, 1<<20)
	res.Body.Close()
	if n, err := res.Body.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a closed body reads %d, %v", n, err)
	}
	// Close of the server, in the cleanup, hangs if the handler still writes.

	req, _ := http.NewRequest("HEAD", srv.FeedURL, nil)
	if res, err = srv.Transport().RoundTrip(req); err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); res.StatusCode != 200 || len(body) > 0 || err != nil {
		t.Errorf("HEAD: %s, %d bytes, %v", res.Status, len(body), err)
	}
}

// Close ends what was asked for and is not read: a test that forgets a body ends
// all the same. A handler of one's own hears of it.
func TestCloseEndsWhatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
		srv.Fail(jobboardtest.Fault{Size: 3 << 20})
		res, err := begin(context.Background(), srv.Transport(), searchURL(srv), srv.Demo.ClientToken)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		srv.Inside().Mount("/_own", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		go fetch(context.Background(), srv.Transport(), srv.BaseURL+"/_own", "")
		synctest.Wait()
		srv.Close()
		if n, err := io.Copy(io.Discard, res.Body); n == 0 || n >= 3<<20 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes and then %v", n, err)
		}
	})
}

// A request that is given up has no more of its body, not even what came already.
func TestTransportBodyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
		ctx, cancel := context.WithCancel(t.Context())
		res, err := begin(ctx, srv.Transport(), searchURL(srv), "")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		synctest.Wait() // the answer is whole
		cancel()
		synctest.Wait()
		if n, err := res.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("it reads %d, %v", n, err)
		}
	})
}

func TestHandler(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
	outer := httptest.NewServer(srv.Handler())
	defer outer.Close()
	// Where one prefix is below the other, the longer one tells.
	for _, c := range []struct{ base, jobDB, path, want string }{
		{"/a", "/a/b", "/a/b/jobdb/public/apply/external?jobid=1", "ERROR_JOB_UNAVAILABLE"},
		{"/a", "/a/b", "/a/api/rest/v3/frontend/jobs/1/applied", ""},
		{"/a/b", "/a", "/a/jobdb/public/apply/external?jobid=1", "ERROR_JOB_UNAVAILABLE"},
		{"/a/b", "/a", "/a/b/api/rest/v3/frontend/jobs/1/applied", ""},
		{"/a", "/b", "/ab/jobabo", "/ab/jobabo does not begin with the path prefix of this address"},
	} {
		nested := jobboardtest.NewServer(jobboardtest.WithoutSockets(), jobboardtest.WithPrefix(c.base, c.jobDB))
		rec := httptest.NewRecorder()
		nested.Handler().ServeHTTP(rec, httptest.NewRequest("GET", c.path, http.NoBody))
		if body := rec.Body.String(); (body == "") != (c.want == "") || !strings.Contains(body, c.want) {
			t.Errorf("%s: %s", c.path, body)
		}
		nested.Close()
	}
	srv.Fail(jobboardtest.Fault{Size: 1 << 20, Times: 1})
	large := httptest.NewRecorder()
	srv.Handler().ServeHTTP(large, httptest.NewRequest("GET", "/info/jobdb/public/apply/external?jobid=1", http.NoBody))
	if large.Flushed || large.Body.Len() != 1<<20 {
		t.Errorf("%d bytes, flushed %t, which only a body in pieces is", large.Body.Len(), large.Flushed)
	}
	for path, want := range map[string]string{
		"/board/api/rest/v2/frontend/jobboards/27828_extern/jobs":                             `"totalNumberOfJobs":`,
		fmt.Sprintf("/info/jobdb/public/apply/external?jobid=%d", srv.Demo.OpenJob):           `"applyPossible":true`,
		fmt.Sprintf("/board/api/rest/v3/frontend/jobs/%d/applied", srv.Demo.AppliedJob):       "true",
		fmt.Sprintf("/board/api/rest/v3/frontend/jobs/%d/application", srv.Demo.WithdrawnJob): "70000006c99b545ea7b59e0f0a4600d1",
	} {
		token := srv.Demo.ApplicantToken
		if strings.HasPrefix(path, "/info") {
			token = ""
		}
		if f := fetch(t.Context(), http.DefaultTransport, outer.URL+path, token); f.status != 200 || !bytes.Contains(f.body, []byte(want)) {
			t.Errorf("%s: %d %.200s", path, f.status, f.body)
		}
	}
	bare := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo(), jobboardtest.WithPrefix("", ""))
	outer2 := httptest.NewServer(bare.Handler())
	defer outer2.Close()
	for _, path := range []string{"/api/rest/v2/frontend/jobboards/27828_extern/jobs", fmt.Sprintf("/jobdb/public/apply/external?jobid=%d", srv.Demo.OpenJob)} {
		token := srv.Demo.ApplicantToken
		if strings.HasPrefix(path, "/jobdb") {
			token = ""
		}
		if f := fetch(t.Context(), http.DefaultTransport, outer2.URL+path, token); f.status != 200 {
			t.Errorf("%s: %d %.200s", path, f.status, f.body)
		}
	}
}

func TestMount(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.Fail(jobboardtest.Fault{Status: 503})
	srv.Inside().Mount("/_own", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "mine "+r.URL.Path) }))
	for path, want := range map[string]string{"/_own": "mine /_own", "/_own/a/b": "mine /_own/a/b"} {
		if res, body := get(t, srv, srv.BaseURL+path, ""); res.StatusCode != 200 || string(body) != want {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	if srv.Count() != 0 {
		t.Error("it is in the journal")
	}
	srv.LiftFaults()
	srv.Inside().Mount("/_own/deep", http.NotFoundHandler())
	srv.Inside().Mount("/", http.NotFoundHandler())
	for path, want := range map[string]string{"/_own/deeper": "mine /_own/deeper", "/_own/deep/x": "404 page not found\n", "/": "404 page not found\n"} {
		if _, body := get(t, srv, srv.BaseURL+path, ""); string(body) != want {
			t.Errorf("%s: %q, want %q", path, body, want)
		}
	}
	srv.Inside().Mount("/_own/deep/", nil)
	if _, body := get(t, srv, srv.BaseURL+"/_own/deep/x", ""); string(body) != "mine /_own/deep/x" {
		t.Errorf("what was taken away answers %s", body)
	}

	// Only below the base address, not at the lookup's.
	other := jobboardtest.NewServer()
	defer other.Close()
	other.Inside().Mount("/_own", http.NotFoundHandler())
	other.Inside().Mount("/", http.NotFoundHandler())
	for _, url := range []string{other.JobDBURL + "/_own", other.BaseURL + "//_own", other.BaseURL + "/" + searchPath, strings.TrimSuffix(other.BaseURL, "/board") + "/_own"} {
		if _, body := get(t, other, url, ""); !strings.Contains(string(body), "section 4") {
			t.Errorf("%s is mounted: %s", url, body)
		}
	}
}

func TestShutdownFinishesWhatItServes(t *testing.T) {
	for _, fault := range []jobboardtest.Fault{{Delay: time.Second}, {DripBytes: 1, DripEvery: time.Second}} {
		for _, patience := range []time.Duration{time.Minute, time.Second / 2} {
			synctest.Test(t, func(t *testing.T) {
				srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
				srv.Fail(fault)
				got := make(chan fetched)
				go func() {
					got <- fetch(context.Background(), srv.Client().Transport, appliedURL(srv), srv.Demo.ApplicantToken)
				}()
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				down := make(chan error)
				go func() { down <- srv.Shutdown(ctx) }()
				finished := patience == time.Minute
				if f := <-got; (string(f.body) == "true" && f.bodyErr == nil) != finished {
					t.Errorf("%v in %v: %+v", fault, patience, f)
				}
				if err := <-down; finished && err != nil || !finished && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v in %v: %v", fault, patience, err)
				}
			})
		}
	}
}

// What would never end must not keep a server from ending.
func TestShutdownBreaksOffWhatNeverEnds(t *testing.T) {
	for _, fault := range []jobboardtest.Fault{
		{Break: jobboardtest.StallBefore},
		{Break: jobboardtest.StallBody},
		{Status: 200, Size: -1, DripBytes: 10, DripEvery: 1e9},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
			srv.Fail(fault)
			got := make(chan fetched)
			go func() {
				got <- fetch(context.Background(), srv.Client().Transport, appliedURL(srv), srv.Demo.ApplicantToken)
			}()
			synctest.Wait()
			began := time.Now()
			if err := srv.Shutdown(context.Background()); err != nil {
				t.Errorf("%v: %v", fault, err)
			}
			if f := <-got; f.err == nil && f.bodyErr == nil {
				t.Errorf("%v: %+v, want an answer that is broken off", fault, f)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%v: it took %v", fault, took)
			}
		})
	}
}

// The mock server and the client share bytes, not types.
func TestNeverImportsTheClient(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-test", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name == "github.com/jobboard-sdk/jobboard-go" {
			t.Errorf("%s is among what the fake imports", name)
		}
	}
}

// Close ends what its client keeps open to other servers.
func TestCloseEndsIdleConnections(t *testing.T) {
	ended := make(chan struct{})
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}
	other.Start()
	defer other.Close()
	srv := jobboardtest.NewServer()
	if f := fetch(t.Context(), srv.Client().Transport, other.URL, ""); f.status != http.StatusNotFound {
		t.Errorf("%+v", f)
	}
	srv.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("a connection stays open")
	}
}

// When Close returns, no handler runs any more.
func TestCloseWaitsForHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		ended := false
		srv.Inside().Mount("/_own", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			<-time.After(time.Second)
			ended = true
		}))
		go fetch(context.Background(), srv.Client().Transport, srv.BaseURL+"/_own", "")
		synctest.Wait()
		srv.Close()
		srv.Close()
		if !ended {
			t.Error("a handler still runs")
		}
	})
}

// What is to end with the server is told once, however it ends.
func TestOnShutdown(t *testing.T) {
	for name, end := range map[string]func(*jobboardtest.Server){
		"shutdown": func(s *jobboardtest.Server) {
			if err := s.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		},
		"close": (*jobboardtest.Server).Close,
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
			var told atomic.Int32
			srv.Inside().OnShutdown(func() { told.Add(1) })
			// An answer that waits for it does not keep the server from ending.
			over := make(chan struct{})
			srv.Inside().OnShutdown(func() { close(over) })
			srv.Inside().Mount("/_own", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
			go fetch(context.Background(), srv.Client().Transport, srv.BaseURL+"/_own", "")
			synctest.Wait()
			end(srv)
			srv.Close()
			synctest.Wait()
			if n := told.Load(); n != 1 {
				t.Errorf("%s: it is told %d times", name, n)
			}
		})
	}
}

// A program that reads on after it has closed a body gets an error, not an end: the
// rest would be lost without a word.
func TestReadAfterClose(t *testing.T) {
	for _, way := range ways {
		srv := jobboardtest.New(t, append(way.opts, jobboardtest.WithDemo())...)
		res, err := begin(t.Context(), way.with(srv), searchURL(srv), srv.Demo.ClientToken)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = io.CopyN(io.Discard, res.Body, 100); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if n, err := io.Copy(io.Discard, res.Body); err == nil {
			t.Errorf("%s: %d further bytes and the end", way.name, n)
		}
	}
}

// One listener serves both addresses, which their prefixes tell apart.
func TestOneListener(t *testing.T) {
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := listen()
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithListeners(l, l), jobboardtest.WithStrict(false))
	host := "http://" + l.Addr().String()
	if srv.BaseURL != host+"/board" || srv.JobDBURL != host+"/info" {
		t.Errorf("%s and %s", srv.BaseURL, srv.JobDBURL)
	}
	d := srv.Demo
	for _, rt := range []http.RoundTripper{srv.Client().Transport, srv.Transport()} {
		for address, want := range map[string]string{
			searchURL(srv): "200 base_url", fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, d.OpenJob): "200 jobdb_url",
		} {
			credential := ""
			if strings.HasPrefix(address, srv.BaseURL) {
				credential = d.ClientToken
			}
			f := fetch(t.Context(), rt, address, credential)
			if got := fmt.Sprint(f.status, " ", lastRequest(srv).Address); got != want {
				t.Errorf("%s: %s, want %s", address, got, want)
			}
		}
		n := srv.Count()
		if f := fetch(t.Context(), rt, host+"/healthz", ""); f.status != 200 || string(f.body) != "ok\n" || srv.Count() != n {
			t.Errorf("health: %+v, and %d of %d in the journal", f, srv.Count(), n)
		}
	}
	for address, want := range map[string]int{srv.FeedURL: 200, srv.JobDBURL + "/feed.xml": 404, host + "/feed.xml": 404} {
		res, err := srv.Client().Get(address)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != want {
			t.Errorf("%s: %s", address, res.Status)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("two addresses of one listener had one prefix")
		}
	}()
	same := listen()
	defer same.Close()
	jobboardtest.NewServer(jobboardtest.WithListeners(same, same), jobboardtest.WithPrefix("x", "x")).Close()
}

// With the switch an answer is packed where the request accepts it, and nothing else of
// it changes.
func TestCompress(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithStrict(false))
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	ask := func(address, accept string) (encoding, body string, res *http.Response) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+srv.Demo.ClientToken)
		if accept != "" {
			req.Header.Set("Accept-Encoding", accept)
		}
		if res, err = transport.RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var r io.Reader = res.Body
		if encoding = res.Header.Get("Content-Encoding"); encoding == "gzip" {
			if r, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		return encoding, string(data), res
	}
	_, plain, _ := ask(searchURL(srv), "gzip")
	srv.SetVariants(jobboardtest.Variants{Compress: true})
	for accept, want := range map[string]string{
		"gzip": "gzip", "br, GZIP;q=0.1": "gzip", "*": "gzip", "deflate, *;q=0.5": "gzip", "": "", "br": "", "gzip;q=0, *": "", "gzip;q=0.0": "", "gzip;q=x": "", "*;q=0": "",
	} {
		encoding, body, res := ask(searchURL(srv), accept)
		if encoding != want || body != plain || (want != "") != (res.Header.Get("Vary") == "Accept-Encoding") {
			t.Errorf("%q: %q, %d bytes, %v", accept, encoding, len(body), res.Header)
		}
		if want != "" && res.ContentLength > int64(len(plain))/3 {
			t.Errorf("%d bytes of %d", res.ContentLength, len(plain))
		}
	}
	if encoding, body, _ := ask(srv.BaseURL+"/nowhere", "gzip"); encoding != "gzip" || !strings.Contains(body, "not a path") {
		t.Errorf("a refusal: %q %s", encoding, body)
	}
	if r, _ := srv.Inside().Request(2); r.Response.Size != int64(len(plain)) {
		t.Errorf("the journal has %d bytes of %d", r.Response.Size, len(plain))
	}
	defer srv.Fail(jobboardtest.Fault{Body: "tea"}).Lift()
	if encoding, body, _ := ask(searchURL(srv), "gzip"); encoding != "" || body != "tea" {
		t.Errorf("a fault's own body: %q %s", encoding, body)
	}
}
