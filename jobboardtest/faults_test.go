package jobboardtest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// ways are the three ways to a mock server; a fault must show in each.
var ways = []struct {
	name string
	opts []jobboardtest.Option
	with func(*jobboardtest.Server) http.RoundTripper
}{
	{"sockets", nil, func(s *jobboardtest.Server) http.RoundTripper { return s.Client().Transport }},
	{"pipes", []jobboardtest.Option{jobboardtest.WithoutSockets()}, func(s *jobboardtest.Server) http.RoundTripper { return s.Client().Transport }},
	{"direct", []jobboardtest.Option{jobboardtest.WithoutSockets()}, (*jobboardtest.Server).Transport},
}

type fetched struct {
	status  int
	header  http.Header
	length  int64
	body    []byte
	err     error // of the request
	bodyErr error
}

// begin asks once, without following redirects or unpacking gzip.
func begin(ctx context.Context, rt http.RoundTripper, url, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header = credentialHeader(token)
	req.Header.Set("Accept-Encoding", "identity")
	return rt.RoundTrip(req)
}

// fetch is begin with the answer's body.
func fetch(ctx context.Context, rt http.RoundTripper, url, token string) fetched {
	res, err := begin(ctx, rt, url, token)
	if err != nil {
		return fetched{err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	return fetched{res.StatusCode, res.Header, res.ContentLength, b, nil, err}
}

func appliedURL(srv *jobboardtest.Server) string {
	return fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/applied", srv.BaseURL, srv.Demo.AppliedJob)
}

func searchURL(srv *jobboardtest.Server) string {
	return srv.BaseURL + "/api/rest/v2/frontend/jobboards/" + srv.Demo.Channel + "/jobs"
}

func TestFaults(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			srv := jobboardtest.New(t, append(way.opts, jobboardtest.WithDemo())...)
			rt, token := way.with(srv), srv.Demo.ApplicantToken
			plain := fetch(t.Context(), rt, searchURL(srv), token)
			if plain.err != nil || plain.bodyErr != nil || plain.status != 200 {
				t.Fatalf("without a fault: %+v", plain)
			}
			// A socket that is reset may lose what was sent.
			arrived := func(f fetched, n int) bool {
				return f.bodyErr != nil && (len(f.body) == n || way.name == "sockets" && len(f.body) < n)
			}
			for _, c := range []struct {
				name  string
				fault jobboardtest.Fault
				check func(f fetched) bool
			}{
				{"status", jobboardtest.Fault{Status: 503}, func(f fetched) bool {
					return f.status == 503 && len(f.body) == 0 && f.length == 0 && f.header["Content-Type"] == nil
				}},
				{"status and body", jobboardtest.Fault{Status: 418, Body: "teapot"}, func(f fetched) bool {
					return f.status == 418 && string(f.body) == "teapot" && f.header.Get("Content-Type") == "text/plain;charset=UTF-8"
				}},
				{"JSON", jobboardtest.Fault{Status: 200, Body: "null", Header: http.Header{"Content-Type": {"application/json"}}}, func(f fetched) bool {
					return f.status == 200 && string(f.body) == "null" && f.header.Get("Content-Type") == "application/json"
				}},
				{"empty", jobboardtest.Fault{Status: 204}, func(f fetched) bool { return f.status == 204 && len(f.body) == 0 }},
				{"empty, whatever is asked for", jobboardtest.Fault{Status: 204, Body: "x"}, func(f fetched) bool {
					return f.status == 204 && len(f.body) == 0 && f.header["Content-Length"] == nil
				}},
				{"retry later", jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"junk"}}}, func(f fetched) bool { return f.status == 429 && f.header.Get("Retry-After") == "junk" }},
				{"redirect", jobboardtest.Fault{Status: 307, Header: http.Header{"Location": {"http://elsewhere.example/x"}}}, func(f fetched) bool {
					return f.status == 307 && f.header.Get("Location") == "http://elsewhere.example/x"
				}},
				{"redirect to nowhere", jobboardtest.Fault{Status: 302}, func(f fetched) bool { return f.status == 302 && f.header["Location"] == nil }},
				{"login page", jobboardtest.Fault{Name: "login page", Body: "<!DOCTYPE html><title>Sign in</title>", Header: http.Header{"Content-Type": {"text/html"}}}, func(f fetched) bool {
					return f.status == 200 && bytes.HasPrefix(f.body, []byte("<!DOCTYPE html>")) && strings.HasPrefix(f.header.Get("Content-Type"), "text/html")
				}},
				{"mislabelled", jobboardtest.Fault{Header: http.Header{"Content-Type": {"text/csv"}}}, func(f fetched) bool {
					return f.status == 200 && f.header.Get("Content-Type") == "text/csv" && bytes.Equal(f.body, plain.body)
				}},
				{"header taken away", jobboardtest.Fault{Header: http.Header{"Content-Type": {}}}, func(f fetched) bool {
					return f.header["Content-Type"] == nil && bytes.Equal(f.body, plain.body)
				}},
				{"reset before", jobboardtest.Fault{Break: jobboardtest.ResetBefore}, func(f fetched) bool {
					switch way.name {
					case "pipes": // a pipe has no reset
						return errors.Is(f.err, io.EOF)
					}
					return errors.Is(f.err, syscall.ECONNRESET)
				}},
				{"reset in the body", jobboardtest.Fault{Break: jobboardtest.ResetBody}, func(f fetched) bool {
					return f.err == nil && f.status == 200 && arrived(f, len(plain.body)/2)
				}},
				{"reset in an endless body", jobboardtest.Fault{Size: -1, Break: jobboardtest.ResetBody}, func(f fetched) bool { return arrived(f, 64<<10) }},
				{"reset early", jobboardtest.Fault{Size: -1, Break: jobboardtest.ResetBody, After: 1000}, func(f fetched) bool { return arrived(f, 1000) }},
				{"cut", jobboardtest.Fault{Break: jobboardtest.CutBody, After: 100}, func(f fetched) bool {
					return errors.Is(f.bodyErr, io.ErrUnexpectedEOF) && len(f.body) == 100 && f.length == int64(len(plain.body))
				}},
				{"cut beyond its end", jobboardtest.Fault{Break: jobboardtest.CutBody, After: 1 << 40}, func(f fetched) bool {
					return errors.Is(f.bodyErr, io.ErrUnexpectedEOF) && len(f.body) == len(plain.body)-1
				}},
				{"cut, and empty", jobboardtest.Fault{Status: 200, Break: jobboardtest.CutBody}, func(f fetched) bool {
					return errors.Is(f.bodyErr, io.ErrUnexpectedEOF) && len(f.body) == 0 && f.length == 1
				}},
				{"oversize", jobboardtest.Fault{Size: 1 << 20}, func(f fetched) bool {
					return f.bodyErr == nil && len(f.body) == 1<<20 && json.Valid(f.body) && bytes.Count(f.body, []byte("jobPostingId")) > 400
				}},
				{"smaller", jobboardtest.Fault{Size: 1}, func(f fetched) bool { return bytes.Equal(f.body, plain.body) }},
				{"as large", jobboardtest.Fault{Size: int64(len(plain.body))}, func(f fetched) bool { return bytes.Equal(f.body, plain.body) }},
				{"a byte larger", jobboardtest.Fault{Size: int64(len(plain.body)) + 1}, func(f fetched) bool {
					return len(f.body) == len(plain.body)+1 && json.Valid(f.body)
				}},
				{"a list", jobboardtest.Fault{Body: "[1]", Size: 6}, func(f fetched) bool { return string(f.body) == "[1   ]" }},
				{"an object", jobboardtest.Fault{Body: "{}", Size: 4}, func(f fetched) bool { return string(f.body) == "{  }" }},
				{"a text", jobboardtest.Fault{Body: "ab", Size: 4}, func(f fetched) bool { return string(f.body) == "ab  " }},
				{"spaces", jobboardtest.Fault{Status: 200, Size: 3}, func(f fetched) bool {
					return string(f.body) == "   " && f.length == 3 && f.header["Content-Type"] == nil
				}},
				{"a space", jobboardtest.Fault{Status: 200, Size: 1}, func(f fetched) bool { return string(f.body) == " " }},
				{"endless", jobboardtest.Fault{Size: -1}, func(f fetched) bool { return f.bodyErr == nil && len(f.body) == 8<<20 && f.length == -1 }},
				{"gzip", jobboardtest.Fault{Encoding: jobboardtest.Gzip}, func(f fetched) bool {
					return f.header.Get("Content-Encoding") == "gzip" && bytes.Equal(unzip(f.body), plain.body)
				}},
				{"gzip of nothing", jobboardtest.Fault{Status: 503, Encoding: jobboardtest.Gzip}, func(f fetched) bool {
					return len(f.body) > 18 && bytes.Equal(unzip(f.body), []byte{}) // a header and a trailer have 18
				}},
				{"bomb", jobboardtest.Fault{Body: " ", Size: 10 << 20, Encoding: jobboardtest.Gzip}, func(f fetched) bool { return len(f.body) < 10<<20/1000 && len(unzip(f.body)) == 10<<20 }},
				{"endless bomb", jobboardtest.Fault{Size: -1, Encoding: jobboardtest.Gzip}, func(f fetched) bool { return len(f.body) == 8<<20 && len(unzip(f.body[:32<<10])) > 4<<20 }},
				{"twice", jobboardtest.Fault{Encoding: jobboardtest.DoubleGzip}, func(f fetched) bool {
					return f.header.Get("Content-Encoding") == "gzip" && bytes.Equal(unzip(unzip(f.body)), plain.body)
				}},
				{"broken gzip", jobboardtest.Fault{Encoding: jobboardtest.BrokenGzip}, func(f fetched) bool { return !bytes.Equal(unzip(f.body), plain.body) }},
				{"false br", jobboardtest.Fault{Encoding: jobboardtest.FalseBr}, func(f fetched) bool {
					return f.header.Get("Content-Encoding") == "br" && bytes.Equal(f.body, plain.body)
				}},
				{"skew", jobboardtest.Fault{Skew: -24 * time.Hour}, func(f fetched) bool {
					d, err := http.ParseTime(f.header.Get("Date"))
					return err == nil && time.Since(d) > 23*time.Hour && time.Since(d) < 25*time.Hour
				}},
			} {
				c.fault.Times = 1
				active := srv.Fail(c.fault)
				srv.Client().CloseIdleConnections() // net/http asks again by itself when a used connection breaks
				if f := fetch(t.Context(), rt, searchURL(srv), token); !c.check(f) || (f.err != nil || f.bodyErr != nil) != (c.fault.Break != "") {
					t.Errorf("%s: status %d, header %v, length %d, %d bytes %.80q, errors %v, %v", c.name, f.status, f.header, f.length, len(f.body), f.body, f.err, f.bodyErr)
				}
				if active.Hits() != 1 || len(srv.Inside().Faults()) != 0 {
					t.Errorf("%s: %d hits, %d faults left", c.name, active.Hits(), len(srv.Inside().Faults()))
				}
				if last := lastRequest(srv); last.Fault == "" {
					t.Errorf("%s: the journal does not say so: %v", c.name, last)
				}
			}
			srv.Fail(jobboardtest.Fault{Size: 500, Times: 1})
			if f := fetch(t.Context(), rt, searchAt(srv, "nowhere"), token); len(f.body) != 500 || !json.Valid(f.body) {
				t.Errorf("a page without postings grows to %s", f.body)
			}
			if f := fetch(t.Context(), rt, searchURL(srv), token); !bytes.Equal(f.body, plain.body) {
				t.Errorf("afterwards: %+v", f)
			}
		})
	}
}

func unzip(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(z)
	return out
}

// Time passes only where a fault says so, and a stalled call ends with its
// caller; nothing stays behind, or synctest would say so.
func TestSlowFaults(t *testing.T) {
	for _, way := range ways[1:] {
		t.Run(way.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := jobboardtest.New(t, append(way.opts, jobboardtest.WithDemo())...)
				rt, token := way.with(srv), srv.Demo.ApplicantToken
				took := func(ctx context.Context, url string) (fetched, time.Duration) {
					start := time.Now()
					f := fetch(ctx, rt, url, token)
					return f, time.Since(start)
				}
				if f, d := took(t.Context(), appliedURL(srv)); string(f.body) != "true" || d != 0 {
					t.Errorf("without a fault: %+v after %v", f, d)
				}

				a := srv.Fail(jobboardtest.Fault{Delay: time.Second})
				if f, d := took(t.Context(), appliedURL(srv)); string(f.body) != "true" || d != time.Second || lastRequest(srv).Took != d {
					t.Errorf("slow: %+v after %v, %v in the journal", f, d, lastRequest(srv).Took)
				}
				a.Lift()

				a = srv.Fail(jobboardtest.Fault{Delay: time.Second, Jitter: time.Second})
				var waits []time.Duration
				for range 5 {
					_, d := took(t.Context(), appliedURL(srv))
					if d < time.Second || d > 2*time.Second {
						t.Errorf("jitter: %v", d)
					}
					waits = append(waits, d)
				}
				if waits[0] == waits[1] && waits[1] == waits[2] {
					t.Errorf("no jitter: %v", waits)
				}
				a.Lift()
				a = srv.Fail(jobboardtest.Fault{Delay: time.Second, Jitter: time.Second})
				if _, d := took(t.Context(), appliedURL(srv)); d != waits[0] {
					t.Errorf("the same seed gave %v and then %v", waits[0], d)
				}
				a.Lift()

				for n, pieces := range []int{4, 4, 2, 2, 1, 1} { // of "true"
					want := time.Duration(pieces) * time.Second
					a = srv.Fail(jobboardtest.Fault{DripBytes: n, DripEvery: time.Second})
					if f, d := took(t.Context(), appliedURL(srv)); string(f.body) != "true" || d != want {
						t.Errorf("pieces of %d bytes: %+v after %v", n, f, d)
					}
					a.Lift()
				}
				a = srv.Fail(jobboardtest.Fault{DripBytes: 2})
				if f, d := took(t.Context(), appliedURL(srv)); string(f.body) != "true" || d != 0 {
					t.Errorf("pieces without a wait: %+v after %v", f, d)
				}
				a.Lift()

				for _, b := range []jobboardtest.Break{jobboardtest.StallBefore, jobboardtest.StallBody} {
					a = srv.Fail(jobboardtest.Fault{Break: b})
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					f, d := took(ctx, appliedURL(srv))
					if d != 5*time.Second || !errors.Is(f.err, context.DeadlineExceeded) && !errors.Is(f.bodyErr, context.DeadlineExceeded) {
						t.Errorf("%s: %+v after %v", b, f, d)
					}
					if (f.err == nil) != (b == jobboardtest.StallBody) || f.err == nil && string(f.body) != "tr" || (lastRequest(srv).Status == 200) != (f.err == nil) {
						t.Errorf("%s: %s, %v, and in the journal %v", b, f.body, f.err, lastRequest(srv))
					}
					cancel()
					a.Lift()
				}

				// Who reads into nothing does not wait.
				a = srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBody})
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, appliedURL(srv), http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+token)
				stalled, err := rt.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				_, err = io.ReadFull(stalled.Body, make([]byte, 2))
				if n, again := stalled.Body.Read(nil); n != 0 || err != nil || again != nil {
					t.Errorf("a read into nothing: %d, %v, after %v", n, again, err)
				}
				stalled.Body.Close()
				a.Lift()

				// A call that is stalled when the server closes ends then.
				srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBody})
				ended := make(chan fetched)
				go func() { ended <- fetch(context.Background(), rt, appliedURL(srv), token) }()
				synctest.Wait()
				srv.Close()
				if f := <-ended; f.err == nil && f.bodyErr == nil {
					t.Errorf("after Close: %+v", f)
				}
			})
		})
	}
}

// The longest jitter is one too.
func TestLongestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
		srv.Fail(jobboardtest.Fault{Jitter: math.MaxInt64})
		if f := fetch(t.Context(), srv.Transport(), appliedURL(srv), srv.Demo.ApplicantToken); string(f.body) != "true" {
			t.Errorf("%+v", f)
		}
	})
}

// Packing a body that takes hours ends when the client has left.
func TestBombEndsWithItsClient(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	srv.Fail(jobboardtest.Fault{Size: 1 << 60, Encoding: jobboardtest.DoubleGzip})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_ = srv.Wait(ctx, 1)
		leave()
	}()
	if f := fetch(ctx, srv.Transport(), searchURL(srv), srv.Demo.ApplicantToken); !errors.Is(f.err, context.Canceled) {
		t.Errorf("%+v", f)
	}
	closed := make(chan struct{})
	go func() {
		srv.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("it is packing still")
	}
}

func TestWhichCallsAFaultHits(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
	rt, token := srv.Transport(), srv.Demo.ApplicantToken
	statuses := func(n int, url string) string {
		var out []string
		for range n {
			out = append(out, fmt.Sprint(fetch(t.Context(), rt, url, token).status))
		}
		return strings.Join(out, " ")
	}
	expect := func(name, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	srv.Fail(jobboardtest.Fault{Status: 503, Times: 2})
	expect("next 2", statuses(4, appliedURL(srv)), "503 503 200 200")

	srv.Fail(jobboardtest.Fault{Status: 503, Skip: 1, Times: 1})
	expect("the second", statuses(3, appliedURL(srv)), "200 503 200")

	a := srv.Fail(jobboardtest.Fault{Status: 503, Operation: jobboardtest.OpApplied})
	expect("on applied", statuses(2, appliedURL(srv)), "503 503")
	expect("on applied, search", statuses(2, searchURL(srv)), "200 200")
	a.Lift()
	expect("lifted", statuses(1, appliedURL(srv)), "200")

	a = srv.Fail(jobboardtest.Fault{Status: 503, Path: "/api/rest/v3/frontend/jobs/*/applied"})
	expect("at a path", statuses(1, appliedURL(srv)), "503")
	expect("at a path, search", statuses(1, searchURL(srv)), "200")
	a.Lift()

	at := time.Now()
	srv.SetClock(func() time.Time { return at })
	a = srv.Fail(jobboardtest.Fault{Status: 503, For: 3 * time.Second})
	expect("lasting", statuses(2, appliedURL(srv)), "503 503")
	srv.Advance(2999 * time.Millisecond)
	expect("lasting", statuses(1, appliedURL(srv)), "503")
	srv.Advance(time.Millisecond)
	expect("over", statuses(1, appliedURL(srv)), "200")
	a.Lift() // of a fault that is gone: nothing
	srv.Fail(jobboardtest.Fault{Status: 503, For: 1})
	expect("lasting the shortest time", statuses(1, appliedURL(srv)), "503")
	srv.Advance(1)
	expect("over at once", statuses(1, appliedURL(srv)), "200")

	a = srv.Fail(jobboardtest.Fault{Status: 503, Share: 0.3, Seed: 42})
	first := statuses(200, appliedURL(srv))
	a.Lift()
	if n := strings.Count(first, "503"); n < 40 || n > 80 || a.Hits() != n {
		t.Errorf("a share of 0.3: %d of 200, %d hits", n, a.Hits())
	}
	srv.Fail(jobboardtest.Fault{Status: 503, Share: 0.3, Seed: 42})
	expect("the same seed", statuses(200, appliedURL(srv)), first)
	srv.LiftFaults()
	srv.Fail(jobboardtest.Fault{Status: 503, Share: 0.3, Seed: 43})
	if statuses(200, appliedURL(srv)) == first {
		t.Error("another seed chose the same calls")
	}
	srv.LiftFaults()

	srv.Fail(jobboardtest.Fault{Status: 500, Times: 1, Operation: jobboardtest.OpSearch})
	srv.Fail(jobboardtest.Fault{Status: 501, Times: 1, Path: "/elsewhere"})
	srv.Fail(jobboardtest.Fault{Status: 502, Times: 1, Skip: 1})
	srv.Fail(jobboardtest.Fault{Status: 503, Times: 1, Jitter: 1})
	expect("behind faults of other calls", statuses(3, appliedURL(srv)), "503 502 200")
	srv.LiftFaults()

	srv.Fail(jobboardtest.Fault{Status: 500, Times: 1})
	srv.Fail(jobboardtest.Fault{Status: 502, Times: 1})
	expect("in the order planted", statuses(3, appliedURL(srv)), "500 502 200")
}

// A lost answer is not a call that was not made: Execute tells the two apart.
func TestExecute(t *testing.T) {
	for _, execute := range []bool{false, true} {
		srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
		srv.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore, Execute: execute})
		req, _ := http.NewRequest("POST", srv.BaseURL+"/jobabo?channel="+srv.Demo.Channel+"&types=rss", nil)
		if res, err := srv.Client().Do(req); err == nil {
			res.Body.Close()
			t.Error("the answer came")
		}
		if got := len(srv.Snapshot().Subscriptions) == 1; got != execute {
			t.Errorf("execute %v: carried out %v", execute, got)
		}
	}
}

// What cannot be meant is refused in words; what is just within the bounds is taken.
func TestFaultCheck(t *testing.T) {
	const header = "header has a name or a value that cannot be sent, or Content-Length, which is the body's; Break makes it a wrong one"
	const below = "delay, jitter, after, drip_bytes and drip_every cannot be below 0"
	const endless = "a body without end cannot be cut, packed twice or damaged"
	for _, c := range []struct {
		fault jobboardtest.Fault
		want  string
	}{
		{jobboardtest.Fault{}, ""},
		{jobboardtest.Fault{Path: "["}, `path "[" is not a pattern of path.Match`},
		{jobboardtest.Fault{Operation: jobboardtest.OpUnknown}, ""},
		{jobboardtest.Fault{Operation: "dance"}, `there is no operation "dance"`},
		{jobboardtest.Fault{Skip: -1}, "skip, times and for cannot be below 0"},
		{jobboardtest.Fault{Times: -1}, "skip, times and for cannot be below 0"},
		{jobboardtest.Fault{For: -1}, "skip, times and for cannot be below 0"},
		{jobboardtest.Fault{Share: -0.1}, "share -0.1 is not between 0 and 1"},
		{jobboardtest.Fault{Share: 1}, ""},
		{jobboardtest.Fault{Share: 1.1}, "share 1.1 is not between 0 and 1"},
		{jobboardtest.Fault{Status: -1}, "status -1 is not between 200 and 999"},
		{jobboardtest.Fault{Status: 199}, "status 199 is not between 200 and 999"},
		{jobboardtest.Fault{Status: 200}, ""},
		{jobboardtest.Fault{Status: 999}, ""},
		{jobboardtest.Fault{Status: 1000}, "status 1000 is not between 200 and 999"},
		{jobboardtest.Fault{Header: http.Header{"X-A": {"a\tb", "~ \u00e4", ""}, "X-B": nil, "!#$%&'*+-.^_`|~09azAZ": {"x"}}}, ""},
		{jobboardtest.Fault{Header: http.Header{"": {"x"}}}, header},
		{jobboardtest.Fault{Header: http.Header{"X A": {"x"}}}, header},
		{jobboardtest.Fault{Header: http.Header{"content-length": {"1"}}}, header},
		{jobboardtest.Fault{Header: http.Header{"X-A": {"fine", "a\nb"}}}, header},
		{jobboardtest.Fault{Header: http.Header{"X-A": {"\x1f"}}}, header},
		{jobboardtest.Fault{Header: http.Header{"X-A": {"\x7f"}}}, header},
		{jobboardtest.Fault{Break: "leg"}, `there is no break "leg"`},
		{jobboardtest.Fault{Encoding: "zip"}, `there is no encoding "zip"`},
		{jobboardtest.Fault{After: -1}, below},
		{jobboardtest.Fault{DripBytes: -1}, below},
		{jobboardtest.Fault{Delay: -1}, below},
		{jobboardtest.Fault{Jitter: -1}, below},
		{jobboardtest.Fault{DripEvery: -1}, below},
		{jobboardtest.Fault{Size: -1, Encoding: jobboardtest.Gzip, Break: jobboardtest.ResetBody}, ""},
		{jobboardtest.Fault{Size: -1, Encoding: jobboardtest.DoubleGzip}, endless},
		{jobboardtest.Fault{Size: -1, Encoding: jobboardtest.BrokenGzip}, endless},
		{jobboardtest.Fault{Size: -1, Break: jobboardtest.CutBody}, endless},
		{jobboardtest.Fault{Encoding: jobboardtest.DoubleGzip, Break: jobboardtest.CutBody}, ""},
		{jobboardtest.Fault{Size: 1, Encoding: jobboardtest.BrokenGzip, Break: jobboardtest.StallBody}, ""},
		{jobboardtest.Fault{Status: 204, Break: jobboardtest.ResetBefore}, ""},
		{jobboardtest.Fault{Status: 304, Break: jobboardtest.StallBefore}, ""},
		{jobboardtest.Fault{Status: 204, Break: jobboardtest.ResetBody}, "an answer with status 204 has no body to break in"},
		{jobboardtest.Fault{Status: 304, Break: jobboardtest.CutBody}, "an answer with status 304 has no body to break in"},
		{jobboardtest.Fault{Status: 204, Break: jobboardtest.StallBody}, "an answer with status 204 has no body to break in"},
	} {
		said := ""
		if err := c.fault.Check(); err != nil {
			said = strings.TrimPrefix(err.Error(), "jobboardtest: fault: ")
		}
		if said != c.want {
			t.Errorf("%+v: %q, want %q", c.fault, said, c.want)
		}
	}
}

// A fault that was planted is a copy with a number.
func TestActiveFault(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	header := http.Header{"X-A": {"1"}}
	first, second := srv.Fail(jobboardtest.Fault{Header: header, Optional: true}), srv.Fail(jobboardtest.Fault{Optional: true})
	header.Set("X-A", "2")
	first.Fault().Header.Set("X-A", "3")
	if first.ID() != 1 || second.ID() != 2 || first.Fault().Header.Get("X-A") != "1" {
		t.Errorf("%d and %d, %+v", first.ID(), second.ID(), first.Fault())
	}
}

// A call that is given up while it is delayed is not carried out.
func TestGivenUpWhileDelayed(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
	defer srv.Close()
	srv.Fail(jobboardtest.Fault{Delay: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	defer func() {
		r := srv.Requests()[0]
		if p := recover(); p != http.ErrAbortHandler || len(srv.Snapshot().Subscriptions) > 0 || r.Status != 0 || r.Fault != "delay 1h0m0s" {
			t.Errorf("it ends with %v, and %+v", p, r)
		}
	}()
	subscribe := httptest.NewRequestWithContext(ctx, "POST", "/board/jobabo?channel="+srv.Demo.Channel+"&types=rss", http.NoBody)
	srv.Handler().ServeHTTP(httptest.NewRecorder(), subscribe)
}

// deaf is a writer whose reader has left.
type deaf struct{ http.ResponseWriter }

func (deaf) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// An answer without end ends where it cannot be written.
func TestEndlessIntoNothing(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	srv.Fail(jobboardtest.Fault{Size: -1})
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("it ends with %v", p)
		}
	}()
	srv.Handler().ServeHTTP(deaf{httptest.NewRecorder()}, httptest.NewRequest("GET", "/board/nowhere", http.NoBody))
}

func TestFaultJSON(t *testing.T) {
	full := jobboardtest.Fault{
		Name: "n", Operation: jobboardtest.OpSearch, Path: "/x/*", Skip: 1, Times: 2, For: 3 * time.Second, Share: 0.5, Seed: 7, Optional: true,
		Status: 503, Header: http.Header{"Retry-After": {"1"}}, Body: "\xff\x00", Size: 10, Execute: true,
		Delay: time.Second, Jitter: time.Millisecond, Break: jobboardtest.CutBody, After: 4, DripBytes: 5, DripEvery: time.Minute,
		Encoding: jobboardtest.Gzip, Skew: -time.Hour,
	}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("%s is not set here", v.Type().Field(i).Name)
		}
	}
	b, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	var back jobboardtest.Fault
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, full) {
		t.Errorf("%s\ngot  %+v\nwant %+v: %v", b, back, full, err)
	}
	if err := json.Unmarshal([]byte(`{"status":503,"times":2,"delay":"1.5s"}`), &back); err != nil || back.Delay != 1500*time.Millisecond || back.Times != 2 || back.Break != "" {
		t.Errorf("%+v: %v", back, err)
	}
	if b, _ := json.Marshal(jobboardtest.Fault{}); string(b) != "{}" {
		t.Errorf("the zero fault is %s", b)
	}
	plain := jobboardtest.Fault{Body: "<é>", DripEvery: 1500 * time.Millisecond, Share: 1}
	if b, err := json.Marshal(plain); err != nil || string(b) != `{"body":"\u003cé\u003e","drip_every":"1.5s","share":1}` {
		t.Errorf("%s, %v", b, err)
	}
	back = plain
	for bad, want := range map[string]string{
		`{"staus":503}`:                     "staus",
		`{"delay":5}`:                       "delay",
		`{"skew":"soon"}`:                   `jobboardtest: fault: skew: time: invalid duration "soon"`,
		`{"for":"0s"}`:                      "jobboardtest: fault: for: is 0, so that it hits nothing",
		`{"share":0}`:                       "jobboardtest: fault: share: is 0, so that it hits nothing",
		`{"body_base64":"?"}`:               "jobboardtest: fault: body_base64: is not base64",
		`{"body_base64":"MQ==","body":"1"}`: "jobboardtest: fault: body_base64: there is a body already",
		`{"status":42}`:                     "jobboardtest: fault: status 42 is not between 200 and 999",
	} {
		back = plain
		if err := json.Unmarshal([]byte(bad), &back); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`{"for":"1ns","share":1,"body_base64":"MQ=="}`), &back); err != nil || back.For != 1 || back.Share != 1 || back.Body != "1" {
		t.Errorf("%+v: %v", back, err)
	}
	for f, want := range map[*jobboardtest.Fault]string{
		{}: "nothing",
		{Status: 503, Header: http.Header{"Retry-After": {"2"}}}: "status 503, retry after 2",
		{Break: jobboardtest.CutBody, Delay: time.Second}:        "delay 1s, cut-body",
		{Header: http.Header{"X": {"1"}}}:                        "headers",
		{Header: http.Header{"Location": {"/"}}, Status: 302}:    "status 302, redirect",
		{Encoding: jobboardtest.Gzip, Skew: -1}:                  "gzip, clock skew -1ns",
		{Name: "my own", Status: 500}:                            "my own",
		{Delay: 1, Jitter: 1, Skew: 1, Size: 1, DripBytes: 1}:    "delay 1ns, jitter 1ns, size 1, drip, clock skew 1ns",
		{Jitter: 1, Body: "x", Size: -1, DripEvery: 1}:           "body replaced, jitter 1ns, endless, drip",
	} {
		if got := f.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}
