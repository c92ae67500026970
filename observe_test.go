package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

type observerKey struct{}

// recorder writes down what an Observer is told, a line an event.
type recorder struct {
	t     *testing.T
	lines []string
	calls []jobboard.CallEnd
	ends  []jobboard.AttemptEnd
}

func (r *recorder) printf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) observer() *jobboard.Observer {
	return &jobboard.Observer{
		Call: func(ctx context.Context, s jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
			if s.Host == "" {
				r.printf("%s %s %s, not to be sent", s.Op, s.Method, s.Path)
			} else {
				r.printf("%s %s %s", s.Op, s.Method, s.Path)
			}
			return context.WithValue(ctx, observerKey{}, s.Op), func(e jobboard.CallEnd) {
				r.calls = append(r.calls, e)
				r.printf("end: %d, %d attempts, error %t", e.StatusCode, e.Attempts, e.Err != nil)
			}
		},
		Attempt: func(ctx context.Context, s jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			if ctx.Value(observerKey{}) == nil {
				r.t.Error("the attempt does not have the call's context")
			}
			s.Header.Set("Traceparent", fmt.Sprint("trace-", s.Number))
			s.Header.Set("Authorization", "Bearer of-the-observer")
			s.Header.Set("Accept", "of-the-observer")
			r.printf("attempt %d", s.Number)
			return ctx, func(e jobboard.AttemptEnd) {
				r.ends = append(r.ends, e)
				r.printf("ended: %d, error %t, repeat %t", e.StatusCode, e.Err != nil, e.Repeat)
			}
		},
	}
}

func (r *recorder) want(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.lines, want) {
		r.t.Errorf("observed:\n%s\nwant\n%s", strings.Join(r.lines, "\n"), strings.Join(want, "\n"))
	}
	r.lines = nil
}

// observed is a client of the demo whose calls are recorded, and what each
// request carried.
func observed(t *testing.T, change func(*jobboard.Config)) (*jobboard.Client, *jobboardtest.Server, *recorder, *[]http.Header) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	r := &recorder{t: t}
	sent := new([]http.Header)
	next := fake.Transport()
	cfg := jobboard.Config{
		BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID, Observer: r.observer(),
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(req *http.Request) (*http.Response, error) {
			*sent = append(*sent, req.Header.Clone())
			return next.RoundTrip(req)
		})},
	}
	if change != nil {
		change(&cfg)
	}
	return rig.Client(t, cfg), fake, r, sent
}

const lookupPath = "/jobdb/public/apply/external"

func TestObserverSeesRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, r, sent := observed(t, nil)
		fake.Fail(jobboardtest.Fault{Status: 503, Header: http.Header{"Retry-After": {"2"}}, Times: 1})
		if _, err := client.JobInformation(t.Context(), jobboard.JobID(fake.Demo.OpenJob)); err != nil {
			t.Fatal(err)
		}
		r.want("JobInformation GET "+lookupPath, "attempt 1", "ended: 503, error true, repeat true", "attempt 2", "ended: 200, error false, repeat false",
			"end: 200, 2 attempts, error false")
		if !errors.Is(r.ends[0].Err, jobboard.ErrServer) || r.ends[0].Wait < 2*time.Second || r.ends[0].Wait > 2500*time.Millisecond || r.ends[1].Wait != 0 {
			t.Errorf("%+v", r.ends)
		}
		if end := r.calls[0]; end.Duration < r.ends[0].Wait || end.Budget <= 0 {
			t.Errorf("%+v", end)
		}
		for i, h := range *sent {
			if h.Get("Traceparent") != fmt.Sprint("trace-", i+1) || h.Get("Accept") == "of-the-observer" || h.Get("Authorization") != "" {
				t.Errorf("request %d: %v", i+1, h)
			}
		}
	})
}

// A call whose last attempt had no answer ends with no status, also for an
// observer of calls alone.
func TestObserverOfCallsSeesTheLastStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, r, _ := observed(t, func(c *jobboard.Config) {
			c.Observer.Attempt = nil
			c.Retry.MaxAttempts = 2
		})
		fake.Fail(jobboardtest.Fault{Status: 503, Times: 1})
		fake.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore})
		if _, err := client.JobInformation(t.Context(), jobboard.JobID(fake.Demo.OpenJob)); !errors.Is(err, jobboard.ErrTransport) {
			t.Fatal(err)
		}
		r.want("JobInformation GET "+lookupPath, "end: 0, 2 attempts, error true")
	})
}

// A header that an observer adds to one request is in no other request, and a constant
// credential stays unchanged.
func TestObserverHeaders(t *testing.T) {
	for name, change := range map[string]func(*jobboard.Config){
		"any transport":          nil,
		"net/http's own, shared": func(cfg *jobboard.Config) { cfg.HTTPClient = nil },
	} {
		t.Run(name, func(t *testing.T) {
			fake := jobboardtest.New(t, jobboardtest.WithStrict(false), jobboardtest.WithDemo())
			on := false
			cfg := jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID, HTTPClient: &http.Client{Transport: rig.RoundTripper(http.DefaultTransport.RoundTrip)}}
			cfg.Observer = &jobboard.Observer{Attempt: func(_ context.Context, s jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
				if on {
					s.Header.Set("Traceparent", "trace")
				}
				return nil, nil
			}}
			if change != nil {
				change(&cfg)
			}
			client := rig.Client(t, cfg)
			for _, on = range []bool{false, true, false, true} {
				fake.ClearRequests()
				if _, err := client.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{}); err != nil {
					t.Fatal(err)
				}
				if got := fake.Requests()[0].Header.Get("Traceparent"); got != map[bool]string{true: "trace"}[on] {
					t.Errorf("with it %t: %q", on, got)
				}
			}
		})
	}
}

func TestObserverSeesRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, r, _ := observed(t, nil)
		tokens := []string{fake.Demo.ExpiredToken, fake.Demo.ApplicantToken}
		user := client.Applicant(jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			token := tokens[0]
			tokens = tokens[1:]
			return &oauth2.Token{AccessToken: token}, nil
		}))
		if _, err := user.HasApplied(t.Context(), jobboard.JobID(fake.Demo.OpenJob)); err != nil {
			t.Fatal(err)
		}
		r.want("HasApplied GET /api/rest/v3/frontend/jobs/{jobDbId}/applied", "attempt 1", "ended: 401, error true, repeat true",
			"attempt 2", "ended: 200, error false, repeat false", "end: 200, 2 attempts, error false")
		if said := fmt.Sprintf("%+v %+v %q", r.calls, r.ends, r.lines); strings.Contains(said, fake.Demo.ApplicantToken) || strings.Contains(said, fmt.Sprint(fake.Demo.OpenJob)) {
			t.Errorf("told: %s", said)
		}
	})
}

func TestObserverSeesFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, r, _ := observed(t, func(cfg *jobboard.Config) { cfg.BaseURL, cfg.ClientID, cfg.Retry.Budget = "", "", -1 })
		_, err := client.JobInformation(t.Context(), jobboard.JobID(fake.Demo.InactiveJob))
		if end := r.calls[0]; !errors.Is(err, jobboard.ErrJobInactive) || error(end.Err) != err || end.Budget != 0 {
			t.Errorf("returned %v, told %+v", err, end)
		}
		status := r.ends[0].StatusCode
		r.want("JobInformation GET "+lookupPath, "attempt 1", fmt.Sprintf("ended: %d, error true, repeat false", status), fmt.Sprintf("end: %d, 1 attempts, error true", status))

		// There is no address for it.
		if _, err := client.Search(t.Context(), "x", jobboard.Query{}); !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Error(err)
		}
		r.want("Search GET /api/rest/v2/frontend/jobboards/{channelID}/jobs, not to be sent", "end: 0, 0 attempts, error true")

		// What the caller gives cannot be sent.
		if _, err := client.JobInformation(t.Context(), 0); !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Error(err)
		}
		r.want("JobInformation GET "+lookupPath, "end: 0, 0 attempts, error true")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fake.Fail(jobboardtest.Fault{Status: 503, Times: 1})
		fake.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
		start := time.Now()
		if _, err := client.JobInformation(ctx, 1); !errors.Is(err, jobboard.ErrTimeout) {
			t.Error(err)
		}
		r.want("JobInformation GET "+lookupPath, "attempt 1", "ended: 503, error true, repeat true", "attempt 2", "ended: 0, error true, repeat false",
			"end: 0, 2 attempts, error true")
		ends := r.ends[len(r.ends)-2:]
		if took := ends[0].Duration + ends[0].Wait + ends[1].Duration; took != time.Since(start) || took != time.Second {
			t.Errorf("%+v in %v", ends, time.Since(start))
		}
	})
}

// A request of a stream ends with its headers, the call where the program stops
// reading.
func TestObserverSeesStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, r, _ := observed(t, nil)
		channel := jobboard.ChannelID(fake.Demo.Channel)
		begin := []string{"Postings GET /api/rest/v2/frontend/jobboards/{channelID}/jobs", "attempt 1", "ended: 200, error false, repeat false"}
		const end = "end: 200, 1 attempts, error false"
		for _, err := range client.Postings(t.Context(), channel, jobboard.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(r.lines) > len(begin) {
				t.Fatalf("said before the end: %q", r.lines)
			}
		}
		r.want(append(begin, end)...)
		for _, err := range client.Postings(t.Context(), channel, jobboard.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		r.want(append(begin, end)...)

		func() {
			defer func() { _ = recover() }()
			for _, err := range client.Postings(t.Context(), channel, jobboard.Query{}) {
				panic(err)
			}
		}()
		r.want(append(begin, end)...)

		fake.Fail(jobboardtest.Fault{Break: jobboardtest.CutBody})
		var last error
		for _, last = range client.Postings(t.Context(), channel, jobboard.Query{}) {
		}
		if last == nil {
			t.Error("a cut answer, and no error")
		}
		r.want(append(begin, "end: 200, 1 attempts, error true")...)
		if r.calls[0].Decode > r.calls[0].Duration {
			t.Errorf("%+v", r.calls[0])
		}
	})
}

// slowStart is a body whose first bytes take a while.
type slowStart struct {
	io.Reader
	wait time.Duration
}

func (s *slowStart) Read(p []byte) (int, error) {
	time.Sleep(s.wait)
	s.wait = 0
	return s.Reader.Read(p)
}

// Decode does not count what a call waits for bytes, nor take it off twice.
func TestObserverDecodeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for encoding, body := range map[string]string{"": "true", "gzip": string(rig.Zip([]byte("true")))} {
			var end jobboard.CallEnd
			c := served(t, jobboard.Config{Observer: &jobboard.Observer{
				Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
					return nil, func(e jobboard.CallEnd) { end = e }
				},
			}}, func(r *http.Request) *http.Response {
				resp := answer(r, http.StatusOK, "", "Content-Encoding", encoding)
				resp.Body = io.NopCloser(&slowStart{strings.NewReader(body), time.Second})
				return resp
			})
			if ok, err := withToken(c).HasApplied(t.Context(), 1); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if end.Decode != 0 || end.Duration != time.Second { // decoding takes no virtual time
				t.Errorf("encoding %q: %v of %v", encoding, end.Decode, end.Duration)
			}
		}
	})
}

// The records of a Logger and their keys are a promise: programs search for them.
func TestLoggedRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c := served(t, jobboard.Config{
			JobDBURL: "https://jobs.example", Retry: jobboard.RetryPolicy{MaxAttempts: 2},
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
				Level: slog.LevelDebug,
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == slog.TimeKey || a.Key == "wait" && a.Value.Duration() >= 100*time.Millisecond {
						return slog.Attr{} // these two differ in each run
					}
					return a
				},
			})),
		}, func(r *http.Request) *http.Response { return answer(r, 503, `{"code":"busy"}`) })
		if _, err := c.JobInformation(t.Context(), 1); !errors.Is(err, jobboard.ErrServer) {
			t.Error(err)
		}
		const want = `level=DEBUG msg="jobboard: request" op=JobInformation method=GET host=jobs.example path=/jobdb/public/apply/external attempt=1
level=DEBUG msg="jobboard: answer" op=JobInformation path=/jobdb/public/apply/external attempt=1 status=503 duration=0s bytes=15
level=INFO msg="jobboard: repeat" op=JobInformation path=/jobdb/public/apply/external attempt=1 status=503
level=DEBUG msg="jobboard: request" op=JobInformation method=GET host=jobs.example path=/jobdb/public/apply/external attempt=2
level=DEBUG msg="jobboard: answer" op=JobInformation path=/jobdb/public/apply/external attempt=2 status=503 duration=0s bytes=15
level=DEBUG msg="jobboard: failed" op=JobInformation path=/jobdb/public/apply/external attempts=2 status=503 code=busy condition="server error" stopped=attempts
`
		if log.String() != want {
			t.Errorf("logged\n%s", log.String())
		}
	})
}

// What is logged of a failed call names its condition, whatever kind that is of.
func TestLoggedCondition(t *testing.T) {
	for text, want := range map[string]string{
		`{"code":"ERROR_JOB_INACTIVE"}`: "job inactive",
		"garbage":                       "unusable response",
	} {
		var log strings.Builder
		level := &slog.HandlerOptions{Level: slog.LevelDebug}
		c := served(t, jobboard.Config{
			JobDBURL: "https://jobs.example", Logger: slog.New(slog.NewTextHandler(&log, level)),
		}, func(r *http.Request) *http.Response { return answer(r, 200, text) })
		if _, err := c.JobInformation(t.Context(), 1); err == nil || !strings.Contains(log.String(), `condition="`+want+`"`) {
			t.Errorf("%s: %v, logged %s", text, err, log.String())
		}
	}
}

// An error tells by which name the service knows its request: the first of four
// headers, at most 100 characters that can be seen, and no secret.
func TestRequestID(t *testing.T) {
	for _, c := range []struct {
		header []string
		want   string
	}{
		{nil, ""},
		{[]string{"X-Request-Id", "r-1", "Traceparent", "00-a-b-01"}, "r-1"},
		{[]string{"X-Request-Id", " ", "X-Correlation-Id", "c-1", "Request-Id", "2"}, "c-1"},
		{[]string{"Request-Id", "|a.b."}, "|a.b."},
		{[]string{"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		{[]string{"X-Request-Id", "a b\tc\u00e4\u200bd"}, "abcd"},
		{[]string{"X-Request-Id", strings.Repeat("x", 5000)}, strings.Repeat("x", 100)},
		{[]string{"X-Request-Id", "for token-of-client-1 here"}, "for[hidden]here"},
		{[]string{"X-Request-Id", "token-of- client-1"}, "[hidden]"},
	} {
		for _, status := range []int{200, 404, 500} { // garbage, an answer, a failure
			c1 := answering(t, jobboard.Config{
				TokenSource: jobboard.StaticToken("token-of-client-1"), Retry: jobboard.RetryPolicy{MaxAttempts: 1},
			}, status, "<html>", c.header...)
			_, err := c1.Search(t.Context(), "1", jobboard.Query{})
			e, ok := errors.AsType[*jobboard.Error](err)
			if !ok || e.RequestID != c.want || strings.Contains(e.Error(), "(request "+c.want+")") != (c.want != "") {
				t.Errorf("%q, %d: %q in %v", c.header, status, e.RequestID, err)
			}
		}
	}

	// A stream that breaks later on, and a call that nobody answered.
	c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
		return answer(r, 200, `{"totalNumberOfJobs":2,"results":[{"jobPostingId":1,"title":"t"},{]}`, "X-Request-Id", "s-1")
	})
	var last error
	for _, err := range c.Postings(t.Context(), "1", jobboard.Query{}) {
		last = err
	}
	if e, ok := errors.AsType[*jobboard.Error](last); !ok || e.RequestID != "s-1" {
		t.Errorf("a stream: %v", last)
	}
	c = served(t, jobboard.Config{ClientID: "10", Retry: jobboard.RetryPolicy{MaxAttempts: 1}}, func(*http.Request) *http.Response { return nil })
	_, err := c.Search(t.Context(), "1", jobboard.Query{})
	if e, ok := errors.AsType[*jobboard.Error](err); !ok || e.RequestID != "" {
		t.Errorf("no answer: %v", err)
	}

	var log strings.Builder
	c = served(t, jobboard.Config{
		ClientID: "10", Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, func(r *http.Request) *http.Response { return answer(r, 404, "", "Request-Id", "l-1") })
	if _, err := c.Search(t.Context(), "1", jobboard.Query{}); err == nil || !strings.Contains(log.String(), "request=l-1") {
		t.Errorf("%v, logged %s", err, log.String())
	}
}

// The observer sees the headers of an answer, good or not, and may change them;
// cookies, secrets and what is beyond a bound are not among them.
func TestObserverSeesHeaders(t *testing.T) {
	var ends []jobboard.AttemptEnd
	var statuses []int
	c := served(t, jobboard.Config{
		TokenSource: jobboard.StaticToken("token-of-client-1"), Retry: jobboard.RetryPolicy{MaxAttempts: 1},
		Observer: &jobboard.Observer{Attempt: func(ctx context.Context, _ jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
			return ctx, func(e jobboard.AttemptEnd) {
				ends = append(ends, e)
				if e.Header != nil {
					e.Header["X-Quota"] = append(e.Header["X-Quota"], "added")
				}
			}
		}},
	}, func(r *http.Request) *http.Response {
		if statuses[0] == 0 {
			return nil
		}
		resp := answer(r, statuses[0], `{"totalNumberOfJobs":0,"results":[]}`, "X-Quota", "7", "Set-Cookie", "session=1",
			"X-Echo", "Bearer token-of-client-1", "Z-Large", strings.Repeat("x", 17<<10))
		resp.Header.Add("X-Quota", "8")
		return resp
	})
	for _, status := range []int{200, 503, 0} {
		statuses = []int{status}
		ends = nil
		_, _ = c.Search(t.Context(), "1", jobboard.Query{})
		if len(ends) != 1 || status == 0 && ends[0].Header != nil {
			t.Fatalf("%d: %+v", status, ends)
		}
		if h := ends[0].Header; status != 0 && (strings.Join(h["X-Quota"], " ") != "7 8 added" || h["Set-Cookie"] != nil || h["X-Echo"][0] != "Bearer [hidden]" || h["Z-Large"] != nil) {
			t.Errorf("%d: %v", status, h)
		}
	}
}
