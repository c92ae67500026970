package jobboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// wire is a transport that keeps what was sent and answers one thing.
type wire struct {
	status int
	header http.Header
	body   string

	sent []string // method, address, headers that matter, body
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	line := r.Method + " " + r.URL.String()
	for _, name := range []string{"Authorization", "Accept-Language", "Content-Type"} {
		if v := r.Header.Get(name); v != "" {
			line += "\n" + name + ": " + v
		}
	}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		line += "\n\n" + string(body)
	}
	w.sent = append(w.sent, line)
	header := w.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: w.status, Header: header, Body: io.NopCloser(strings.NewReader(w.body)), Request: r}, nil
}

func (w *wire) client(t *testing.T, cfg jobboard.Config) *jobboard.Client {
	t.Helper()
	cfg.HTTPClient = &http.Client{Transport: w}
	return mustClient(t, cfg)
}

// mustClient is NewClient for a configuration that is right.
func mustClient(tb testing.TB, cfg jobboard.Config) *jobboard.Client {
	tb.Helper()
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// roundTripper is a transport of one function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const (
	base  = "https://jobs.example"
	jobDB = "https://jobdb.example/x"
)

// What each call puts on the wire (sections 4 and 5).
func TestRequests(t *testing.T) {
	ctx := context.Background()
	user := jobboard.StaticToken("user-token")
	for _, test := range []struct {
		name   string
		cfg    jobboard.Config
		answer string
		call   func(*jobboard.Client) error
		want   string
	}{
		{
			"search with Basic, the colon and the content type",
			jobboard.Config{BaseURL: base, ClientID: "10"},
			`{"totalNumberOfJobs":0,"results":[]}`,
			func(c *jobboard.Client) error { _, err := c.Search(ctx, "27828_extern", jobboard.Query{}); return err },
			"GET https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs\nAuthorization: Basic MTA6\nContent-Type: application/json",
		},
		{
			"search with everything",
			jobboard.Config{BaseURL: base, TokenSource: jobboard.StaticToken("client-token"), Language: "de"},
			`{"totalNumberOfJobs":0,"results":[]}`,
			func(c *jobboard.Client) error {
				_, err := c.Search(ctx, "27828_extern", jobboard.Query{Text: "a b&c=d", Near: jobboard.Near(52.520014, 13.373006, 50), Language: "en-GB,en;q=0.9"})
				return err
			},
			"GET https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs?geoLocation=52.520014%3A%3A13.373006%3A%3A50&search=a+b%26c%3Dd\n" +
				"Authorization: Bearer client-token\nAccept-Language: en-GB,en;q=0.9\nContent-Type: application/json",
		},
		{
			"the configured language",
			jobboard.Config{BaseURL: base, ClientID: "10", Language: "de"},
			`{"totalNumberOfJobs":0,"results":[]}`,
			func(c *jobboard.Client) error {
				for _, err := range c.Postings(ctx, "27828_extern", jobboard.Query{}) {
					return err
				}
				return nil
			},
			"GET https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs\nAuthorization: Basic MTA6\nAccept-Language: de\nContent-Type: application/json",
		},
		{
			"an applicant's search",
			jobboard.Config{BaseURL: base, ClientID: "10"},
			`{"totalNumberOfJobs":0,"results":[]}`,
			func(c *jobboard.Client) error {
				_, err := c.Applicant(user).Search(ctx, "27828_extern", jobboard.Query{})
				return err
			},
			"GET https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs\nAuthorization: Bearer user-token\nContent-Type: application/json",
		},
		{
			"a channel that must be escaped",
			jobboard.Config{BaseURL: base + "/pre%2Ffix/", ClientID: "10"},
			`{"totalNumberOfJobs":0,"results":[]}`,
			func(c *jobboard.Client) error {
				_, err := c.Search(ctx, "../a b?c#d%2e", jobboard.Query{})
				return err
			},
			"GET https://jobs.example/pre%2Ffix/api/rest/v2/frontend/jobboards/..%2Fa%20b%3Fc%23d%252e/jobs\nAuthorization: Basic MTA6\nContent-Type: application/json",
		},
		{
			"the applied check",
			jobboard.Config{BaseURL: base + "/api/rest", ClientID: "10"},
			"true",
			func(c *jobboard.Client) error { _, err := c.Applicant(user).HasApplied(ctx, 4711); return err },
			"GET https://jobs.example/api/rest/v3/frontend/jobs/4711/applied\nAuthorization: Bearer user-token",
		},
		{
			"the application identifier",
			jobboard.Config{BaseURL: base + "/p/api/rest/"},
			"abc",
			func(c *jobboard.Client) error { _, err := c.Applicant(user).ApplicationID(ctx, 4711); return err },
			"GET https://jobs.example/p/api/rest/v3/frontend/jobs/4711/application\nAuthorization: Bearer user-token",
		},
		{
			"the lookup, without a credential",
			jobboard.Config{BaseURL: base, ClientID: "10", JobDBURL: base + "/db/"},
			`{"jobId":4711,"jobTitle":"T","applyPossible":true}`,
			func(c *jobboard.Client) error { _, err := c.JobInformation(ctx, 4711); return err },
			"GET https://jobs.example/db/jobdb/public/apply/external?jobid=4711",
		},
		{
			"the lookup with its own",
			jobboard.Config{JobDBURL: jobDB, JobDBTokenSource: jobboard.StaticToken("lookup-token")},
			`{"jobId":4711,"jobTitle":"T","applyPossible":true}`,
			func(c *jobboard.Client) error { _, err := c.JobInformation(ctx, 4711); return err },
			"GET https://jobdb.example/x/jobdb/public/apply/external?jobid=4711\nAuthorization: Bearer lookup-token",
		},
		{
			"a subscription",
			jobboard.Config{BaseURL: base},
			`{"email":"ok"}`,
			func(c *jobboard.Client) error {
				_, err := c.Subscribe(ctx, jobboard.SubscriptionRequest{Query: url.Values{"types": {"rss::email"}}, Body: map[string][]string{"7": {"8"}}})
				return err
			},
			"POST https://jobs.example/jobabo?types=rss%3A%3Aemail\nContent-Type: application/json\n\n{\"7\":[\"8\"]}",
		},
		{
			"its confirmation elsewhere",
			jobboard.Config{BaseURL: base, ClientID: "10", SubscriptionPath: "/api/rest/v2/frontend/jobabo"},
			`true`,
			func(c *jobboard.Client) error {
				_, err := c.ConfirmSubscription(ctx, "a/b", json.RawMessage("null"))
				return err
			},
			"PUT https://jobs.example/api/rest/v2/frontend/jobabo/a%2Fb\nAuthorization: Basic MTA6\nContent-Type: application/json\n\nnull",
		},
		{
			"its end",
			jobboard.Config{BaseURL: base, ClientID: "10"},
			`true`,
			func(c *jobboard.Client) error { _, err := c.Unsubscribe(ctx, "abo"); return err },
			"DELETE https://jobs.example/jobabo/abo\nAuthorization: Basic MTA6",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &wire{status: 200, body: test.answer}
			if err := test.call(w.client(t, test.cfg)); err != nil {
				t.Fatal(err)
			}
			if len(w.sent) != 1 || w.sent[0] != test.want {
				t.Errorf("sent\n%s\nwant\n%s", strings.Join(w.sent, "\n---\n"), test.want)
			}
		})
	}
}

// A mistake is found before anything is sent, and its field is named.
func TestInvalidInput(t *testing.T) {
	token := jobboard.StaticToken("token")
	for _, test := range []struct {
		cfg  jobboard.Config
		want string
	}{
		{jobboard.Config{}, "BaseURL"},
		{jobboard.Config{BaseURL: "jobs.example", ClientID: "10"}, "BaseURL"},
		{jobboard.Config{BaseURL: "/api/rest"}, "BaseURL"},
		{jobboard.Config{BaseURL: "ftp://jobs.example"}, "BaseURL"},
		{jobboard.Config{BaseURL: "https://"}, "BaseURL"},
		{jobboard.Config{BaseURL: "https://user:pass@jobs.example"}, "BaseURL"},
		{jobboard.Config{BaseURL: base + "?a=b"}, "BaseURL"},
		{jobboard.Config{BaseURL: base + "/../x"}, "BaseURL"},
		{jobboard.Config{BaseURL: "https://jobs.example\r\n"}, "BaseURL"},
		{jobboard.Config{BaseURL: "http://jobs.example", ClientID: "10"}, "BaseURL"},
		{jobboard.Config{BaseURL: "http://jobs.example", TokenSource: token}, "BaseURL"},
		{jobboard.Config{BaseURL: base, JobDBURL: "http://jobs.example", JobDBTokenSource: token}, "JobDBURL"},
		{jobboard.Config{BaseURL: base, JobDBTokenSource: token}, "JobDBURL"},
		{jobboard.Config{JobDBURL: base, ClientID: "10"}, "BaseURL"},
		{jobboard.Config{BaseURL: base, ClientID: "10", TokenSource: token}, "TokenSource"},
		{jobboard.Config{BaseURL: base, ClientID: "1:0"}, "ClientID"},
		{jobboard.Config{BaseURL: base, ClientID: "1\n0"}, "ClientID"},
		{jobboard.Config{BaseURL: base, TokenSource: jobboard.StaticToken("")}, "TokenSource"},
		{jobboard.Config{BaseURL: base, TokenSource: jobboard.StaticToken("a\r\nb")}, "TokenSource"},
		{jobboard.Config{BaseURL: base, Language: "de\r\nX: y"}, "Language"},
		{jobboard.Config{BaseURL: base, UserAgent: "a\x00b"}, "UserAgent"},
		{jobboard.Config{BaseURL: base, MaxBodyBytes: -1}, "MaxBodyBytes"},
		{jobboard.Config{BaseURL: base, SubscriptionPath: "/a?b"}, "SubscriptionPath"},
		{jobboard.Config{BaseURL: base, SubscriptionPath: "/../a"}, "SubscriptionPath"},
		{jobboard.Config{BaseURL: base, Retry: jobboard.RetryPolicy{MaxAttempts: -1}}, "MaxAttempts"},
		{jobboard.Config{BaseURL: base, Retry: jobboard.RetryPolicy{MinWait: -1}}, "MinWait"},
		{jobboard.Config{BaseURL: base, Retry: jobboard.RetryPolicy{MaxWait: 1}}, "MaxWait"},
		{jobboard.Config{BaseURL: base, Retry: jobboard.RetryPolicy{BudgetRatio: -1}}, "BudgetRatio"},
	} {
		_, err := jobboard.NewClient(test.cfg)
		if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want ErrInvalidInput that names %s", test.cfg, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "jobs.example")) {
			t.Errorf("the error shows the address: %v", err)
		}
	}

	ctx := context.Background()
	w := &wire{status: 200, body: "true"}
	search := func(c *jobboard.Client) error { _, err := c.Search(ctx, "a", jobboard.Query{}); return err }
	applied := func(c *jobboard.Client, source oauth2.TokenSource) error {
		_, err := c.Applicant(source).HasApplied(ctx, 1)
		return err
	}
	for want, err := range map[string]error{
		"Config.ClientID and": search(w.client(t, jobboard.Config{BaseURL: base})),
		"Config.BaseURL is ":  search(w.client(t, jobboard.Config{JobDBURL: jobDB})),
		"token source is nil": applied(w.client(t, jobboard.Config{BaseURL: base}), nil),
		"not loopback":        applied(w.client(t, jobboard.Config{BaseURL: "http://jobs.example"}), token),
		"Config.JobDBURL": func() error {
			_, err := w.client(t, jobboard.Config{BaseURL: base, ClientID: "10"}).JobInformation(ctx, 1)
			return err
		}(),
	} {
		var e *jobboard.Error
		if !errors.Is(err, jobboard.ErrInvalidInput) || !errors.As(err, &e) || e.Attempts != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrInvalidInput that says %q", err, want)
		}
	}
	if len(w.sent) != 0 {
		t.Errorf("sent %q", w.sent)
	}
}

// The fields beside the condition.
func TestErrorFields(t *testing.T) {
	for file, want := range map[string]struct{ code, message string }{
		"401_invalid_token.header":           {"invalid_token", "token expired or otherwise invalid"},
		"404_project_not_available.json":     {"get_project_error", "Project for jobId 4711 not available"},
		"410_posting_inactive.txt":           {"", "JobPosting inactive for jobId 4711"},
		"410_posting_inactive_quoted.json":   {"", "JobPosting inactive for jobId 4711"},
		"404_application_not_found_bare.txt": {"get_application_error", "get_application_error"},
	} {
		content, err := os.ReadFile(filepath.Join("testdata/errors", file))
		if err != nil {
			t.Fatal(err)
		}
		w := &wire{body: string(content), header: http.Header{}}
		w.status, _ = strconv.Atoi(file[:3])
		if filepath.Ext(file) == ".header" {
			key, value, _ := strings.Cut(strings.TrimSpace(string(content)), ": ")
			w.header.Set(key, value)
			w.body = ""
		}
		_, err = w.client(t, jobboard.Config{BaseURL: base}).Applicant(jobboard.StaticToken("t-o-k-e-n")).ApplicationID(t.Context(), 4711)
		var e *jobboard.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		if e.Op != "ApplicationID" || e.Path != "/api/rest/v3/frontend/jobs/{jobDbId}/application" || e.StatusCode != w.status ||
			e.Code != want.code || e.Message != want.message || e.Stopped != jobboard.StopFinal || string(e.Body) != w.body {
			t.Errorf("%s: %#v", file, e)
		}
	}
}

// A body that is one word is a code, unless it is longer than any.
func TestBareCode(t *testing.T) {
	for word, want := range map[string]string{
		strings.Repeat("e", 63) + "_": strings.Repeat("e", 63) + "_", strings.Repeat("e", 64) + "_": "", "error": "", "an error_code": "",
	} {
		w := &wire{status: http.StatusNotFound, body: word}
		_, err := w.client(t, jobboard.Config{BaseURL: base}).Applicant(jobboard.StaticToken("token")).HasApplied(t.Context(), 1)
		var e *jobboard.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: %#v", word, err)
		}
	}
}

// An identifier may be of any characters that are seen.
func TestApplicationIDCharacters(t *testing.T) {
	for id, good := range map[string]bool{
		"~": true, "\u007f": false, "\u00a0": false, "\u00a1": true, "!": true, "<": false, "a b": false, "\xff": false,
	} {
		w := &wire{status: http.StatusOK, body: "4" + id + "2"}
		got, err := w.client(t, jobboard.Config{BaseURL: base}).Applicant(jobboard.StaticToken("token")).ApplicationID(t.Context(), 1)
		if good != (string(got) == w.body) || good != (err == nil) {
			t.Errorf("%q: %q, %v", w.body, got, err)
		}
	}
}

// A transport of the caller that changes a header, as it must not, spoils one
// request alone.
func TestTransportThatChangesHeaders(t *testing.T) {
	c := mustClient(t, jobboard.Config{BaseURL: base, HTTPClient: &http.Client{
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("X-Mark") != "" {
				t.Error("the mark of another request")
			}
			r.Header.Set("X-Mark", "1")
			return answer(r, 200, "true"), nil
		}),
	}})
	a := c.Applicant(jobboard.StaticToken("token"))
	for range 3 {
		if _, err := a.HasApplied(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
}

// The suite of a partner that mocks the network keeps working.
func TestHTTPMock(t *testing.T) {
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(http.MethodGet, base+"/api/rest/v3/frontend/jobs/4711/applied", httpmock.NewStringResponder(200, "true"))
	c, err := jobboard.NewClient(jobboard.Config{BaseURL: base, HTTPClient: &http.Client{Transport: mock}})
	if err != nil {
		t.Fatal(err)
	}
	applied, err := c.Applicant(jobboard.StaticToken("user-token")).HasApplied(t.Context(), 4711)
	if !applied || err != nil {
		t.Error(applied, err)
	}
	if n := mock.GetTotalCallCount(); n != 1 {
		t.Error(n, "calls")
	}
}

// The text of an error says why there was no further attempt, where it would
// look as if there were none at all.
func TestErrorSaysWhyItStopped(t *testing.T) {
	for want, e := range map[string]*jobboard.Error{
		"jobboard: Search: 429 Too Many Requests: rate limited (stopped: Retry-After 1m0s)": {
			Op: "Search", StatusCode: 429, Err: jobboard.ErrRateLimited, Attempts: 1, Stopped: jobboard.StopRetryAfter, RetryAfter: time.Minute,
		},
		"jobboard: Search: 503 Service Unavailable: server error (stopped: budget)": {
			Op: "Search", StatusCode: 503, Err: jobboard.ErrServer, Attempts: 1, Stopped: jobboard.StopBudget,
		},
		"jobboard: Search: 503 Service Unavailable: server error (stopped: deadline)": {
			Op: "Search", StatusCode: 503, Err: jobboard.ErrServer, Attempts: 1, Stopped: jobboard.StopDeadline,
		},
		"jobboard: Search: 503 Service Unavailable: server error (3 attempts, stopped: Retry-After 1m0s)": {
			Op: "Search", StatusCode: 503, Err: jobboard.ErrServer, Attempts: 3, Stopped: jobboard.StopRetryAfter, RetryAfter: time.Minute,
		},
		"jobboard: Search: 599: server error": {
			Op: "Search", StatusCode: 599, Err: jobboard.ErrServer, Attempts: 1, Stopped: jobboard.StopFinal,
		},
		"jobboard: Search: 401 Unauthorized: unauthorized": {
			Op: "Search", StatusCode: 401, Err: jobboard.ErrUnauthorized, Attempts: 1, Stopped: jobboard.StopFinal,
		},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The problems of answers go to a page as JSON.
func TestAnswersErrorAsJSON(t *testing.T) {
	job := &jobboard.JobInformation{Questions: []jobboard.Question{{ID: "9", Type: jobboard.QuestionText, Label: "Notice?"}}}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{"9": jobboard.AnswerText("four weeks"), "77": jobboard.AnswerText("x")}}
	_, err := job.CheckAnswers(given, jobboard.AnswerRules{MaxText: 5})
	b, _ := json.Marshal(err)
	if want := `{"problems":[{"questionId":"9","label":"Notice?","type":"TEXT","reason":"too long","length":10,"limit":5},{"questionId":"77","reason":"unknown question"}]}`; string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

// The caller's name for itself stands before the library's.
func TestUserAgent(t *testing.T) {
	var sent string
	for own, want := range map[string]string{"": "", " ": "", "shop/1.0": "shop/1.0 ", "  shop/1.0 (de) ": "shop/1.0 (de) "} {
		c := mustClient(t, jobboard.Config{BaseURL: "https://api.example", UserAgent: own, HTTPClient: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				sent = r.Header.Get("User-Agent")
				return answer(r, 200, "true"), nil
			}),
		}})
		if _, err := c.Applicant(jobboard.StaticToken("token")).HasApplied(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(sent, want); !ok || !strings.HasPrefix(rest, "jobboard-go") {
			t.Errorf("%q: the header is %q", own, sent)
		}
	}
}

// A source whose error says nothing leaves no colon behind.
func TestErrorWithoutDetail(t *testing.T) {
	fetch := func(context.Context) (*oauth2.Token, error) { return nil, errors.New("") }
	c := mustClient(t, jobboard.Config{BaseURL: "https://api.example"})
	_, err := c.Applicant(jobboard.RenewingToken(fetch)).HasApplied(t.Context(), 1)
	if !errors.Is(err, jobboard.ErrToken) || strings.Contains(err.Error(), "token: ") || !strings.Contains(err.Error(), "no usable token") {
		t.Errorf("%v", err)
	}
}
