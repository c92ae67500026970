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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A policy given to With takes the place of the whole policy, for these calls alone, also for those of an
// Applicant, and HTTPClient's Timeout bounds it too.
func TestWithRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32 // Precheck asks both services at once
		slow := false
		transport := rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			requests.Add(1)
			if slow {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return rig.Respond(r, 503, nil, strings.NewReader(""))
		})
		client := rig.Client(t, jobboard.Config{
			BaseURL: "https://jobs.example", JobDBURL: "https://info.example", ClientID: "10",
			HTTPClient: &http.Client{Transport: transport, Timeout: 3 * time.Second},
			Retry:      jobboard.RetryPolicy{MaxAttempts: 2, Budget: 100, MinWait: time.Second, MaxWait: time.Second},
		})
		once := client.With(jobboard.CallOptions{Retry: &jobboard.RetryPolicy{MaxAttempts: 1}})
		defaults := client.With(jobboard.CallOptions{Retry: new(jobboard.RetryPolicy)})
		for _, c := range []struct {
			what string
			call func() error
			want int32
		}{
			{"the client", func() error { _, err := client.JobInformation(t.Context(), 1); return err }, 2},
			{"With one attempt", func() error { _, err := once.JobInformation(t.Context(), 1); return err }, 1},
			{"an Applicant of it", func() error {
				_, err := once.Applicant(jobboard.StaticToken("u")).HasApplied(t.Context(), 1)
				return err
			}, 1},
			{"an Applicant With one attempt", func() error {
				user := client.Applicant(jobboard.StaticToken("u")).With(jobboard.CallOptions{Retry: &jobboard.RetryPolicy{MaxAttempts: 1}})
				_, err := user.Precheck(t.Context(), 1)
				return err
			}, 3}, // the lookup, the applied check, the application lookup
			{"the defaults in place of two attempts", func() error { _, err := defaults.JobInformation(t.Context(), 1); return err }, 5},
			{"the client again", func() error { _, err := client.JobInformation(t.Context(), 1); return err }, 2},
		} {
			requests.Store(0)
			if err := c.call(); !errors.Is(err, jobboard.ErrServer) || requests.Load() != c.want {
				t.Errorf("%s: %d requests, want %d: %v", c.what, requests.Load(), c.want, err)
			}
		}
		slow = true
		start := time.Now()
		if _, err := once.JobInformation(t.Context(), 1); !errors.Is(err, jobboard.ErrTimeout) || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// The calls of With share the client's budget: what one uses up the other has not. A negative Budget takes
// nothing from it.
func TestWithSharesTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := served(t, jobboard.Config{JobDBURL: "https://jobs.example"}, func(r *http.Request) *http.Response { return answer(r, 503, "") })
		stopped := func(c *jobboard.Client) jobboard.StopReason {
			_, err := c.JobInformation(t.Context(), 1)
			e, ok := errors.AsType[*jobboard.Error](err)
			if !ok {
				t.Fatal(err)
			}
			return e.Stopped
		}
		none := c.With(jobboard.CallOptions{Retry: &jobboard.RetryPolicy{Budget: -1}})
		if got := stopped(none); got != jobboard.StopAttempts {
			t.Errorf("without a budget: %s", got)
		}
		many := none.With(jobboard.CallOptions{Retry: &jobboard.RetryPolicy{Budget: 100}})
		if got := stopped(many); got != jobboard.StopBudget { // two tokens, for five attempts
			t.Errorf("a budget of its own: %s", got)
		}
		if _, err := c.JobInformation(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "stopped: budget") {
			t.Errorf("the tokens are not shared: %v", err)
		}
	})
}

// A header given to With is in each request and each repeat, of both addresses, beside the credential and
// what the client sets itself; never in those of the client it was made of, nor in the headers that
// requests share.
func TestWithHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fake, _, sent := observed(t, func(cfg *jobboard.Config) { cfg.Language = "de" })
		given := http.Header{"x-Tenant": {"north"}, "Accept": {"application/json"}, "Traceparent": {"of-the-options"}, "Accept-Language": {"fr"}}
		with := client.With(jobboard.CallOptions{Header: given})
		given.Set("X-Tenant", "changed later")
		again := with.With(jobboard.CallOptions{Header: http.Header{"X-Caller": {"a", "b"}, "Accept": {"text/plain"}}})
		user := again.Applicant(jobboard.StaticToken(fake.Demo.ApplicantToken))
		fake.Fail(jobboardtest.Fault{Status: 503, Times: 1})
		for _, call := range []func() error{
			func() error {
				_, err := with.JobInformation(t.Context(), jobboard.JobID(fake.Demo.OpenJob))
				return err
			},
			func() error {
				_, err := with.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
				return err
			},
			func() error {
				_, err := with.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{Language: "en"})
				return err
			},
			func() error { _, err := user.HasApplied(t.Context(), jobboard.JobID(fake.Demo.OpenJob)); return err },
			func() error {
				_, err := client.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
				return err
			},
		} {
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]string, len(*sent))
		for i, h := range *sent {
			scheme, _, _ := strings.Cut(h.Get("Authorization"), " ")
			got[i] = fmt.Sprint(h["X-Tenant"], h["X-Caller"], h["Accept"][0] == "application/json", h["Accept-Language"], h["Traceparent"], " ", scheme)
		}
		want := []string{
			"[north] [] true [fr] [of-the-options] ", "[north] [] true [fr] [of-the-options] ",
			"[north] [] true [fr] [of-the-options] Basic", "[north] [] true [en] [of-the-options] Basic",
			"[north] [a b] false [fr] [of-the-options] Bearer",
			"[] [] false [de] [trace-1] Basic",
		}
		if !slices.Equal(got, want) {
			t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// A caller's own request through Transport keeps its fields; those of With come beside them.
func TestWithHeaderThroughTransport(t *testing.T) {
	var got http.Header
	c := served(t, jobboard.Config{BaseURL: "https://jobs.example", ClientID: "10"}, func(r *http.Request) *http.Response {
		got = r.Header.Clone()
		return answer(r, 200, "{}")
	}).With(jobboard.CallOptions{Header: http.Header{"X-Tenant": {"north"}, "X-Caller": {"options"}}})
	req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "https://jobs.example/x", http.NoBody))
	lower := "x-caller"
	req.Header[lower] = []string{"request"}
	resp, err := c.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got.Get("X-Tenant") != "north" || got[lower][0] != "request" || got.Get("X-Caller") == "options" {
		t.Errorf("%v", got)
	}
}

// A mistake in the options comes with each call, and nothing is sent. Its text shows no value.
func TestWithMistakes(t *testing.T) {
	for _, o := range []jobboard.CallOptions{
		{Header: http.Header{"authorization": {"Bearer secret-of-mine"}}},
		{Header: http.Header{"Proxy-Authorization": {"secret-of-mine"}}},
		{Header: http.Header{"Cookie": {"secret-of-mine"}}},
		{Header: http.Header{"Host": {"evil.example"}}},
		{Header: http.Header{"content-type": {"text/plain"}}},
		{Header: http.Header{"Content-Length": {"1"}}},
		{Header: http.Header{"Transfer-Encoding": {"chunked"}}},
		{Header: http.Header{"Accept-Encoding": {"br"}}},
		{Header: http.Header{"User-Agent": {"mine"}}},
		{Header: http.Header{"Range": {"bytes=0-5"}}},
		{Header: http.Header{"if-none-match": {`"x"`}}},
		{Header: http.Header{"X-A": {"secret-of-mine\r\nX-B: c"}}},
		{Header: http.Header{"X-A": {"secret-of-mine\x00"}}},
		{Header: http.Header{"X-A\r\nX-B": {"c"}}},
		{Header: http.Header{"X A": {"c"}}},
		{Header: http.Header{"": {"c"}}},
		{Retry: &jobboard.RetryPolicy{MaxAttempts: -1}},
	} {
		sent := false
		c := served(t, jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://info.example", ClientID: "10"}, func(r *http.Request) *http.Response {
			sent = true
			return answer(r, 200, "true")
		}).With(o)
		user := c.Applicant(jobboard.StaticToken("u"))
		_, search := c.Search(t.Context(), "1", jobboard.Query{})
		_, info := c.JobInformation(t.Context(), 1)
		_, applied := user.HasApplied(t.Context(), 1)
		later := c.With(jobboard.CallOptions{Header: http.Header{"X-Good": {"1"}}})
		_, still := later.JobInformation(t.Context(), 1)
		for _, err := range []error{search, info, applied, still} {
			if e, ok := errors.AsType[*jobboard.Error](err); !ok || !errors.Is(err, jobboard.ErrInvalidInput) || e.Attempts != 0 || !strings.Contains(err.Error(), "CallOptions.") || strings.Contains(err.Error(), "secret-of-mine") {
				t.Errorf("%v: %v", o, err)
			}
		}
		if sent {
			t.Errorf("%v: a request was sent", o)
		}
	}
	var zero jobboard.Client
	if _, err := zero.With(jobboard.CallOptions{}).JobInformation(t.Context(), 1); !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Error(err)
	}
	if _, err := new(jobboard.Applicant).With(jobboard.CallOptions{}).Precheck(t.Context(), 1); !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Error(err)
	}
}

// An Observer given to With watches after Config.Observer, with the context that it made, and each may change
// the header that it is given. With on With replaces it.
func TestWithObserver(t *testing.T) {
	type key struct{}
	var lines []string
	watcher := func(name string) *jobboard.Observer {
		return &jobboard.Observer{
			Call: func(ctx context.Context, _ jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
				lines = append(lines, fmt.Sprint(name, " call, after ", ctx.Value(key{})))
				return context.WithValue(ctx, key{}, name), func(jobboard.CallEnd) { lines = append(lines, name+" call ended") }
			},
			Attempt: func(ctx context.Context, s jobboard.AttemptStart) (context.Context, func(jobboard.AttemptEnd)) {
				s.Header.Set("X-"+name, "1")
				lines = append(lines, name+" attempt")
				return nil, func(e jobboard.AttemptEnd) {
					lines = append(lines, fmt.Sprint(name, " ended: ", e.StatusCode, e.Header["X-Quota"], !e.Received.IsZero()))
					e.Header.Set("X-Quota", "changed")
				}
			},
		}
	}
	var got http.Header
	c := served(t, jobboard.Config{JobDBURL: "https://jobs.example", Observer: watcher("Config")}, func(r *http.Request) *http.Response {
		got = r.Header
		return answer(r, 404, "", "X-Quota", "7")
	})
	silent := c.With(jobboard.CallOptions{Observer: new(jobboard.Observer)})
	for _, test := range []struct {
		client *jobboard.Client
		want   []string
	}{
		{silent.With(jobboard.CallOptions{Observer: watcher("With")}), []string{
			"Config call, after <nil>", "With call, after Config", "Config attempt", "With attempt",
			"Config ended: 404 [7] true", "With ended: 404 [7] true", "Config call ended", "With call ended",
		}},
		{silent, []string{"Config call, after <nil>", "Config attempt", "Config ended: 404 [7] true", "Config call ended"}},
	} {
		lines = nil
		if _, err := test.client.JobInformation(t.Context(), 1); err == nil || !slices.Equal(lines, test.want) {
			t.Errorf("%v: %s", err, strings.Join(lines, "\n"))
		}
		if _, both := got["X-With"]; got.Get("X-Config") != "1" || both != (len(test.want) > 4) {
			t.Errorf("sent %v", got)
		}
	}
}

// No error shows a value of a header given to With, which may be the key of a gateway.
func TestWithHeaderIsHidden(t *testing.T) {
	c := served(t, jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://jobs.example", ClientID: "10"}, func(r *http.Request) *http.Response {
		return answer(r, 404, `{"code":"k","message":"no key `+r.Header.Get("X-Api-Key")+`"}`)
	}).With(jobboard.CallOptions{Header: http.Header{"X-Api-Key": {"gateway-key-1"}}})
	_, lookup := c.JobInformation(t.Context(), 1)
	_, search := c.Search(t.Context(), "1", jobboard.Query{})
	for _, err := range []error{lookup, search} {
		if e, ok := errors.AsType[*jobboard.Error](err); !ok || strings.Contains(err.Error()+string(e.Body), "gateway-key-1") || !strings.Contains(e.Message, "[hidden]") {
			t.Errorf("%v", err)
		}
	}
}

// A middleware sees each attempt and each followed redirect with the credential, below the repeats; what it
// returns is the answer. It may change a clone of the request, and no other request's header changes by it.
func TestMiddleware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		statuses := []int{503, 302, 200, 200}
		cfg := jobboard.Config{
			BaseURL: "https://jobs.example", ClientID: "10",
			Middleware: func(next http.RoundTripper) http.RoundTripper {
				return rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
					seen = append(seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
					r = r.Clone(r.Context())
					r.Header.Set("X-Signature", fmt.Sprint(len(seen)))
					return next.RoundTrip(r)
				})
			},
		}
		c := served(t, cfg, func(r *http.Request) *http.Response {
			if r.Header.Get("X-Signature") != fmt.Sprint(len(seen)) {
				t.Errorf("%v", r.Header)
			}
			status := statuses[0]
			statuses = statuses[1:]
			return answer(r, status, `{"totalNumberOfJobs":0,"results":[]}`, "Location", "/moved")
		})
		for range 2 {
			if _, err := c.Search(t.Context(), "7", jobboard.Query{}); err != nil {
				t.Fatal(err)
			}
		}
		const path = "/api/rest/v2/frontend/jobboards/7/jobs"
		if want := []string{"GET " + path + " Basic MTA6", "GET " + path + " Basic MTA6", "GET /moved Basic MTA6", "GET " + path + " Basic MTA6"}; !slices.Equal(seen, want) {
			t.Errorf("%q", seen)
		}
	})
	_, err := jobboard.NewClient(jobboard.Config{
		JobDBURL: "https://jobs.example", Middleware: func(http.RoundTripper) http.RoundTripper { return nil },
	})
	if e, ok := errors.AsType[*jobboard.ConfigError](err); !ok || e.Field != "Middleware" {
		t.Error(err)
	}
}

// The client's own transport is what a middleware wraps where Config has no HTTPClient.
func TestMiddlewareOfTheOwnTransport(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	var bodies int
	c := rig.Client(t, jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID, Middleware: func(next http.RoundTripper) http.RoundTripper {
		return rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				resp.Body = &countedBody{resp.Body, &bodies}
			}
			return resp, err
		})
	}})
	found, err := c.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	if err != nil || len(found.Results) == 0 || bodies == 0 {
		t.Errorf("%v, %d bytes, %v", found, bodies, err)
	}
}

type countedBody struct {
	io.ReadCloser
	n *int
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	*b.n += n
	return n, err
}

// At debug level the Logger has each request and each answer: method, host, template, channel and
// attempt; status, time and bytes. It has no query, no job, and no filled-in path.
func TestLoggedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		slow := func(r *http.Request, body string) *http.Response {
			time.Sleep(2 * time.Second) // virtual
			return answer(r, 200, body)
		}
		c := served(t, jobboard.Config{
			BaseURL: "https://jobs.example/board", ClientID: "10",
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
				Level: slog.LevelDebug,
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
						return slog.Attr{}
					}
					return a
				},
			})),
		}, func(r *http.Request) *http.Response {
			if strings.HasSuffix(r.URL.Path, "/applied") {
				return slow(r, "true")
			}
			return slow(r, `{"totalNumberOfJobs":0,"results":[]}`)
		})
		for _, call := range []func() error{
			func() error {
				_, err := c.Search(t.Context(), "27_extern", jobboard.Query{Text: "secretary"})
				return err
			},
			func() error {
				_, err := c.Applicant(jobboard.StaticToken("u")).HasApplied(t.Context(), 4711)
				return err
			},
			func() error {
				for _, err := range c.Postings(t.Context(), "27_extern", jobboard.Query{}) {
					return err
				}
				return nil
			},
		} {
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}
		req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "https://jobs.example/board/other?q=secretary", http.NoBody))
		resp, err := (&http.Client{Transport: c.Transport()}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		const search, applied = "path=/api/rest/v2/frontend/jobboards/{channelID}/jobs", "path=/api/rest/v3/frontend/jobs/{jobDbId}/applied"
		want := `msg="jobboard: request" op=Search method=GET host=jobs.example ` + search + ` attempt=1 channel=27_extern
msg="jobboard: answer" op=Search ` + search + ` attempt=1 status=200 duration=2s bytes=36
msg="jobboard: request" op=HasApplied method=GET host=jobs.example ` + applied + ` attempt=1
msg="jobboard: answer" op=HasApplied ` + applied + ` attempt=1 status=200 duration=2s bytes=4
msg="jobboard: request" op=Postings method=GET host=jobs.example ` + search + ` attempt=1 channel=27_extern
msg="jobboard: answer" op=Postings ` + search + ` attempt=1 status=200 duration=2s bytes=36
msg="jobboard: request" op=Transport method=GET host=jobs.example path="" attempt=1
msg="jobboard: answer" op=Transport path="" attempt=1 status=200 duration=2s bytes=36
`
		if log.String() != want {
			t.Errorf("logged\n%swant\n%s", log.String(), want)
		}
	})
}
