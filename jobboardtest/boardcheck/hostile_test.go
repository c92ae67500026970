package boardcheck_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply(status int, header http.Header, body io.Reader) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body)}
}

// endless gives zeros, and what was read of it.
type endless struct {
	n    int64
	most int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n >= e.most {
		return 0, io.EOF
	}
	clear(p)
	e.n += int64(len(p))
	return len(p), nil
}

// slowly gives a byte a second until its request ends.
type slowly struct{ ctx context.Context }

func (s slowly) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// A board that answers slowly, with 429, 500, HTML or 64 MiB: the check ends within its bounds
// of time, requests and bytes, tells it, and the profile of a good day learns nothing of it.
func TestHostileBoards(t *testing.T) {
	var bomb bytes.Buffer
	zw := gzip.NewWriter(&bomb)
	_, _ = io.Copy(zw, &endless{most: 64 << 20})
	_ = zw.Close()
	for name, c := range map[string]struct {
		answer func(r *http.Request) (*http.Response, error)
		within time.Duration
		want   string
	}{
		"never answers": {func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }, 5 * time.Minute, "no whole answer within 30 s"},
		"slow":          {func(r *http.Request) (*http.Response, error) { return reply(200, nil, slowly{r.Context()}), nil }, 5 * time.Minute, "no whole answer within 30 s"},
		"429": {func(*http.Request) (*http.Response, error) {
			return reply(429, nil, strings.NewReader("slow down")), nil
		}, 3 * time.Minute, "status 429"},
		"429 with an hour": {func(*http.Request) (*http.Response, error) {
			return reply(429, http.Header{"Retry-After": {"3600"}}, strings.NewReader("")), nil
		}, time.Minute, "status 429"},
		"500": {func(*http.Request) (*http.Response, error) { return reply(500, nil, strings.NewReader("oops")), nil }, 3 * time.Minute, "status 500"},
		"503": {func(*http.Request) (*http.Response, error) { return reply(503, nil, strings.NewReader("oops")), nil }, time.Minute, "status 503"},
		"HTML": {func(*http.Request) (*http.Response, error) {
			return reply(200, http.Header{"Content-Type": {"text/html"}}, strings.NewReader("<!DOCTYPE html><p>Sign in")), nil
		}, time.Minute, "web page"},
		"64 MiB": {func(*http.Request) (*http.Response, error) { return reply(200, nil, &endless{most: 64 << 20}), nil }, time.Minute, "larger than 16 MiB"},
		"a bomb": {func(*http.Request) (*http.Response, error) {
			return reply(200, http.Header{"Content-Encoding": {"gzip"}}, bytes.NewReader(bomb.Bytes())), nil
		}, time.Minute, "larger than 16 MiB"},
		"no gzip": {func(*http.Request) (*http.Response, error) {
			return reply(200, http.Header{"Content-Encoding": {"gzip"}}, strings.NewReader("{}")), nil
		}, time.Minute, "no answer"},
		"refused": {func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial: s3cret") }, time.Minute, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, b := demoBoard(t)
				known := knownDemo(t)
				before := written(t, known)
				began := time.Now()
				sent := 0
				var mu sync.Mutex
				b.Target.HTTPClient = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					sent++
					return c.answer(r)
				})}
				r := check(t, b)
				if took := time.Since(began); took > c.within {
					t.Errorf("it took %v", took)
				}
				if !strings.Contains(strings.Join(r.Troubles, "\n"), c.want) {
					t.Errorf("troubles: %q", r.Troubles)
				}
				if sent > boardcheck.MaxRequests || sent != r.Requests {
					t.Errorf("%d requests, and it says %d", sent, r.Requests)
				}
				r.Since(known)
				for _, change := range r.Changes {
					if !change.Note {
						t.Errorf("told as a change: %s", change)
					}
				}
				if after := written(t, known); strings.Count(after, "\n") != strings.Count(before, "\n") {
					t.Errorf("the profile learned of it:\n%s", after)
				}
			})
		})
	}
}

func written(t *testing.T, p *boardcheck.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A board that pauses once is asked again, and one whose every answer is as large as may be
// costs bounded memory.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		srv.Fail(jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}, Times: 1})
		began := time.Now()
		r := check(t, b)
		if len(r.Troubles) > 0 || r.Broken() > 0 || time.Since(began) < 7*time.Second {
			t.Errorf("after %v: %q", time.Since(began), r.Troubles)
		}
	})
}

// Without JOBBOARD_TESTS=night the answers are smaller, so that parsing them takes less time.
func TestLargeAnswers(t *testing.T) {
	size := 2 << 20
	if testenv.Night() {
		size = 15 << 20
	}
	synctest.Test(t, func(t *testing.T) {
		_, b := demoBoard(t)
		var read int64
		var body bytes.Buffer
		body.WriteString(`{"results":[`)
		for i := 0; body.Len() < size; i++ {
			fmt.Fprintf(&body, `{"jobPostingId":%d,"title":"%s","m%d":1,"a":{"b":[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]}},`, i, strings.Repeat("x", 4000), i%5000)
		}
		body.WriteString(`{}],"totalNumberOfJobs":9}`)
		b.Target.HTTPClient = &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
			read += int64(body.Len())
			return reply(200, nil, bytes.NewReader(body.Bytes())), nil
		})}
		began := time.Now()
		r := check(t, b)
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if read < int64(10*size) || read > 300<<20 || time.Since(began) > time.Minute {
			t.Errorf("it read %d MiB in %v", read>>20, time.Since(began))
		}
		if n := len(written(t, r.Profile)); n > 1<<20 {
			t.Errorf("the profile has %d bytes", n)
		}
		t.Logf("%s; %d MiB of memory", r.Summary(), m.Sys>>20)
	})
}

// An address whose requests fail four times, one after the other, is left alone, and the others
// are not; an endpoint with an answer in between is asked further.
func TestLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		good func(n int) bool // answers the n-th lookup
		want func(n int) bool // lookups
	}{
		"always":     {func(int) bool { return false }, func(n int) bool { return n == 4 }},
		"three of 4": {func(n int) bool { return n%4 == 0 }, func(n int) bool { return n >= 30 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, b := demoBoard(t)
				home, err := url.Parse(srv.JobDBURL)
				if err != nil {
					t.Fatal(err)
				}
				b.Target.JobDBURL = strings.Replace(srv.JobDBURL, home.Host, "jobdb.example", 1)
				lookups := 0
				next := b.Target.HTTPClient.Transport
				b.Target.HTTPClient = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
					if r.URL.Host != "jobdb.example" {
						return next.RoundTrip(r)
					}
					if lookups++; !c.good(lookups) {
						return reply(http.StatusBadGateway, nil, strings.NewReader("")), nil
					}
					there := r.Clone(r.Context())
					there.URL.Host = home.Host
					return next.RoundTrip(there)
				})}
				r := check(t, b)
				if !c.want(lookups) {
					t.Errorf("%d lookups", lookups)
				}
				for _, x := range r.Rules {
					if x.State == boardcheck.Broken || x.State != boardcheck.Kept && (x.Name == "search/answers" || x.Name == "applied/answers") {
						t.Errorf("%s is %s: %s %q", x.Name, x.State, x.Why, x.Quotes)
					}
				}
			})
		})
	}
}

// Time that is up is told of the rules that were not judged, and is no error; a context
// that the caller ends is.
func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b := demoBoard(t)
		b.Timeout = 5 * time.Second
		began := time.Now()
		r := check(t, b)
		if took := time.Since(began); took > 6*time.Second || !strings.Contains(r.Rules[70].Why, "time was up") || len(r.Rules) != 78 {
			t.Errorf("after %v: %+v of %d rules", took, r.Rules[70], len(r.Rules))
		}
		for _, x := range r.Rules {
			if x.State == boardcheck.Broken {
				t.Errorf("%s is broken: %q", x.Name, x.Problems)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := boardcheck.Check(ctx, b); err == nil {
			t.Error("no error of a context that ends")
		}
	})
}

// What a profile, a report and its JUnit hold is the same from run to run.
func TestDeterministic(t *testing.T) {
	var first string
	for n := range 3 {
		synctest.Test(t, func(t *testing.T) {
			_, b := demoBoard(t)
			b.WrongCredentials = true
			r := check(t, b)
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var junit bytes.Buffer
			if err := r.WriteJUnit(&junit); err != nil {
				t.Fatal(err)
			}
			all := string(data) + junit.String() + written(t, r.Profile)
			if n == 0 {
				first = all
			} else if all != first {
				t.Error("the output differs")
			}
		})
	}
}
