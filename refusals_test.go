package jobboard_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// The calls of the tests below.
var (
	callSearch  = func(c *jobboard.Client) error { return errOf(c.Search(context.Background(), "ch", jobboard.Query{})) }
	callApplied = func(c *jobboard.Client) error { return errOf(withToken(c).HasApplied(context.Background(), 1)) }
	callLookup  = func(c *jobboard.Client) error { return errOf(c.JobInformation(context.Background(), 1)) }
	callPost    = func(c *jobboard.Client) error {
		return errOf(c.Subscribe(context.Background(), jobboard.SubscriptionRequest{}))
	}
)

const (
	lookupAt = "jobboard: JobInformation: GET https://jobdb.example/jobdb/public/apply/external: "
	postAt   = "jobboard: Subscribe: POST " + base + "/jobabo: "
)

// An answer that is none of the interface asks whether the address is right, and says so if it is twice
// in the path. An answer of the interface does not.
func TestHints(t *testing.T) {
	const page = "<!DOCTYPE html><title>Sign in</title>"
	for _, test := range []struct {
		call   func(*jobboard.Client) error
		prefix string // of both addresses
		status int
		body   string
		want   string
	}{
		{callSearch, "", 404, "404 page not found", searchAt + `404 Not Found: "404 page not found"` + wrongAddress},
		{callSearch, "/shop", 404, "404 page not found", searchAt + `404 Not Found: "404 page not found"` + wrongAddress},
		{callApplied, "", 404, page, appliedAt + "404 Not Found" + wrongAddress},
		{callApplied, "", 404, "", appliedAt + "404 Not Found" + wrongAddress},
		{callApplied, "", 405, "", appliedAt + "405 Method Not Allowed" + wrongAddress},
		{
			callApplied, "", 200, " \n" + page,
			appliedAt + `200 OK: unusable response: not true or false at byte 2 (no content type, begins "` + page + `")` + wrongAddress,
		},
		{callLookup, "", 404, page, lookupAt + `404 Not Found (no answer of this interface: does Config.JobDBURL lead to it?)`},
		{
			callSearch, "/shop/api", 404, "",
			searchAt + "404 Not Found (is the channel right? does Config.BaseURL lead to this interface?)",
		},
		{
			callSearch, "/shop/api", 404, "404 page not found",
			searchAt + `404 Not Found: "404 page not found" (no answer of this interface: Config.BaseURL ends in /api, so that the path begins with it twice: try without)`,
		},
		{
			callSearch, "/shop/api", 405, "",
			searchAt + `405 Method Not Allowed (no answer of this interface: Config.BaseURL ends in /api, so that the path begins with it twice: try without)`,
		},
		{
			callApplied, "/shop/api/", 200, page,
			appliedAt + `200 OK: unusable response: not true or false at byte 0 (no content type, begins "` + page +
				`") (no answer of this interface: Config.BaseURL ends in /api, so that the path begins with it twice: try without)`,
		},
		{
			callLookup, "/jobdb", 404, "",
			lookupAt + "404 Not Found (no answer of this interface: Config.JobDBURL ends in /jobdb, so that the path begins with it twice: try without)",
		},
		{
			callLookup, "/x/jobdb/public", 404, "",
			lookupAt + "404 Not Found (no answer of this interface: Config.JobDBURL ends in /jobdb/public, so that the path begins with it twice: try without)",
		},
		{callPost, "/jobabo", 404, "", postAt + "404 Not Found (no answer of this interface: Config.BaseURL ends in /jobabo, so that the path begins with it twice: try without)"},
		{callLookup, "/api", 404, "", lookupAt + "404 Not Found (no answer of this interface: does Config.JobDBURL lead to it?)"},

		{callSearch, "", 404, `{"message":"no such channel"}`, searchAt + `404 Not Found: "no such channel" (is the channel right? does Config.BaseURL lead to this interface?)`},
		{callSearch, "", 404, "channel 1 not found", searchAt + `404 Not Found: "channel 1 not found" (is the channel right? does Config.BaseURL lead to this interface?)`},
		{callApplied, "", 404, `{"code":"get_horoscope_error"}`, appliedAt + "404 Not Found: get_horoscope_error"},
		{callApplied, "", 404, "JobPosting not found for jobId 1", appliedAt + `404 Not Found: posting not found: "JobPosting not found for jobId 1"`},
		{callApplied, "", 503, page, appliedAt + "503 Service Unavailable: server error"},
		{callApplied, "", 200, "1", appliedAt + `200 OK: unusable response: not true or false at byte 0 (no content type, begins "1")`},
	} {
		cfg := jobboard.Config{BaseURL: base + test.prefix, JobDBURL: "https://jobdb.example" + test.prefix, ClientID: "10", Retry: jobboard.RetryPolicy{MaxAttempts: 1}}
		err := test.call(answering(t, cfg, test.status, test.body))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s, %d %q:\n got %v\nwant %s", test.prefix, test.status, test.body, err, test.want)
		}
	}
}

// A redirect that is not followed says where it leads, by scheme and host alone.
func TestRedirectLocations(t *testing.T) {
	const path = "/api/rest/v3/frontend/jobs/1/applied"
	moved := " (if the service has moved, set Config.BaseURL to its new address)"
	elsewhere := " (a sign-in page, a proxy? does Config.BaseURL lead to this interface?)"
	for _, test := range []struct {
		call             func(*jobboard.Client) error
		to               string
		location, detail string
	}{
		{callApplied, "http://jobs.example" + path, "http://jobs.example, the same path", "to http://jobs.example, the same path" + moved},
		{callApplied, "https://www.jobs.example" + path + "/", "https://www.jobs.example, the same path", "to https://www.jobs.example, the same path" + moved},
		{callApplied, "https://jobs.example:8443" + path, "https://jobs.example:8443, the same path", "to https://jobs.example:8443, the same path" + moved},
		{callApplied, "//www.jobs.example" + path + "?session=s3cret", "https://www.jobs.example/...", "to https://www.jobs.example/..." + elsewhere},
		{callApplied, "https://sso.example/s3cret?next=s3cret#s3cret", "https://sso.example/...", "to https://sso.example/..." + elsewhere},
		{callApplied, "https://user:s3cret@sso.example/", "https://sso.example/...", "to https://sso.example/..." + elsewhere},
		{callApplied, "https://token.sso.example/", "https://[hidden]/...", "to https://[hidden]/..." + elsewhere},
		{callApplied, "/elsewhere", "https://jobs.example, the same path", "to https://jobs.example, the same path, after 3 that were followed"}, // a loop,
		{callApplied, "/elsewhere?next=//token", "https://jobs.example, the same path", "to https://jobs.example, the same path, after 3 that were followed"},
		{callApplied, "", "", "the answer has no address to go to"},
		{callApplied, "https://s3cret:port/", "", "the answer has no address to go to"},
		{callApplied, "mailto:s3cret@jobs.example", "", "the answer has no address to go to"},
		{callPost, "/jobabo/", "https://jobs.example, the same path", "to https://jobs.example, the same path, because the call changes something"},
	} {
		c := answering(t, jobboard.Config{ClientID: "10"}, 302, "", "Location", test.to)
		err := test.call(c)
		var e *jobboard.Error
		if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrRedirect) || e.Location != test.location ||
			!strings.HasSuffix(err.Error(), ": 302 Found: redirect not followed: "+test.detail) {
			t.Errorf("%q:\n got %q, %v\nwant %q, %s", test.to, e.Location, err, test.location, test.detail)
		}
		for how, text := range rig.Printings(err) {
			if strings.Contains(text, "s3cret") {
				t.Errorf("%q, printed with %s, is shown: %.200s", test.to, how, text)
			}
		}
	}
	// A redirect that is followed first, and leads on to another host.
	c := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
		to := map[string]string{path: "/second", "/second": "https://www.jobs.example/second"}[r.URL.Path]
		return answer(r, 302, "", "Location", to)
	})
	if err := callApplied(c); err == nil || !strings.Contains(err.Error(), "to https://www.jobs.example, the same path") {
		t.Errorf("the second redirect: %v", err)
	}
}

// A 401 or 403 says which credential was refused, or which field would send one, and a visitor gets that
// status for the applicant's own token alone.
func TestRefusedCredentials(t *testing.T) {
	source := jobboard.StaticToken("token")
	for _, test := range []struct {
		cfg        jobboard.Config
		call       func(*jobboard.Client) error
		credential string
		says       string
		own        bool // the applicant's
	}{
		{jobboard.Config{ClientID: "10"}, callSearch, "the identifier in Config.ClientID", "the identifier in Config.ClientID was refused", false},
		{jobboard.Config{TokenSource: source}, callSearch, "the token of Config.TokenSource", "the token of Config.TokenSource was refused", false},
		{jobboard.Config{TokenSource: source}, callApplied, "the applicant's token", "the applicant's token was refused", true},
		{jobboard.Config{ClientID: "10"}, func(c *jobboard.Client) error {
			return errOf(withToken(c).Search(t.Context(), "ch", jobboard.Query{}))
		}, "the applicant's token", "the applicant's token was refused", true},
		{jobboard.Config{JobDBTokenSource: source}, callLookup, "the token of Config.JobDBTokenSource", "the token of Config.JobDBTokenSource was refused", false},
		{
			jobboard.Config{ClientID: "10"},
			callLookup, "none; Config.JobDBTokenSource would send one",
			"no credential was sent; Config.JobDBTokenSource would send one", false,
		},
		{
			jobboard.Config{},
			callPost, "none; Config.ClientID or Config.TokenSource would send one",
			"no credential was sent; Config.ClientID or Config.TokenSource would send one", false,
		},
	} {
		for status, condition := range map[int]error{401: jobboard.ErrUnauthorized, 403: jobboard.ErrForbidden} {
			for _, body := range []string{"", `{"error":"invalid_token","error_description":"user token required"}`} {
				test.cfg.JobDBURL = jobDB
				err := test.call(answering(t, test.cfg, status, body))
				var e *jobboard.Error
				if !errors.As(err, &e) || !errors.Is(err, condition) || e.Credential != test.credential ||
					!strings.Contains(err.Error(), http.StatusText(status)+": "+test.says) {
					t.Errorf("%d: %v with Credential %q, want %s", status, err, e.Credential, test.says)
				}
				want := map[bool]int{true: status, false: http.StatusBadGateway}[test.own]
				if got := jobboard.HTTPStatus(err); got != want {
					t.Errorf("%v: a visitor gets %d, want %d", err, got, want)
				}
				other := errors.Join(&jobboard.Error{Err: jobboard.ErrServer, RetryAfter: 1}, err)
				want = map[bool]int{true: status, false: http.StatusServiceUnavailable}[test.own]
				if got := jobboard.HTTPStatus(other); got != want {
					t.Errorf("joined with another, %v: a visitor gets %d, want %d", err, got, want)
				}
			}
		}
	}
	// 403 about the job is about no credential.
	var e *jobboard.Error
	err := callApplied(answering(t, jobboard.Config{}, 403, "JobPosting not accessible for jobId 1"))
	if !errors.As(err, &e) || e.Credential != "" || jobboard.HTTPStatus(err) != 404 {
		t.Errorf("%v with Credential %q", err, e.Credential)
	}
}

// A token that an applicant's source cannot get, because the sign-in is over, asks the visitor to sign in
// again; any other failure of a source is the site's.
func TestStatusOfTokenErrors(t *testing.T) {
	failing := func(code string) oauth2.TokenSource {
		return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
			return nil, &oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, ErrorCode: code}
		})
	}
	for _, test := range []struct {
		err  error
		want int
	}{
		{errOf(answering(t, jobboard.Config{}, 200, "true").Applicant(failing("invalid_grant")).HasApplied(t.Context(), 1)), 401},
		{errOf(answering(t, jobboard.Config{}, 200, "true").Applicant(failing("invalid_client")).HasApplied(t.Context(), 1)), 503},
		{callSearch(answering(t, jobboard.Config{TokenSource: failing("invalid_grant")}, 200, "{}")), 503},
	} {
		if got := jobboard.HTTPStatus(test.err); got != test.want || !errors.Is(test.err, jobboard.ErrToken) {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

// A call through a proxy that refuses it, or that is not there, names the proxy, and nothing of its user.
func TestProxyInErrors(t *testing.T) {
	asking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer asking.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, test := range []struct {
		proxy, to string
		want      []string
	}{
		{asking.URL, "https://jobs.example", []string{"transport failed: Proxy Authentication Required", "(through the proxy " + asking.URL + ": it asks for a user"}},
		{asking.URL, "http://jobs.example", []string{"407 Proxy Authentication Required", "(through the proxy " + asking.URL + ": it asks for a user"}},
		{gone.URL, "https://jobs.example", []string{"proxyconnect tcp", "(through the proxy " + gone.URL + ")"}},
	} {
		at := rig.Must(url.Parse(test.proxy))
		at.User = url.UserPassword("pr0xyuser", "s3cret")
		c := rig.Client(t, jobboard.Config{
			BaseURL: test.to, AllowInsecure: true, Retry: jobboard.RetryPolicy{MaxAttempts: 1},
			HTTPClient: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at)}},
		})
		err := callApplied(c)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		for how, text := range rig.Printings(err) {
			if strings.Contains(text, "s3cret") || strings.Contains(text, "pr0xyuser") {
				t.Errorf("printed with %s: %.300s", how, text)
			}
		}
	}
}

// A token endpoint whose lifetime is no whole number is understood; one that answers without a token is
// described, without what its answer or the request holds in confidence.
func TestTokenAnswers(t *testing.T) {
	for _, test := range []struct {
		status     int
		kind, body string
		want       string // of the error; empty: the token is good
		life       time.Duration
	}{
		{200, "application/json", `{"access_token":"s3cretT","token_type":"Bearer","expires_in":3600.0}`, "", time.Hour},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":"3600"}`, "", time.Hour},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":"3600.5"}`, "", time.Hour},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":36e2}`, "", time.Hour},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":3600}`, "", time.Hour},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":null}`, "", 0},
		{200, "application/json", `{"access_token":"s3cretT"}`, "", 0},
		{200, "application/x-www-form-urlencoded", "access_token=s3cretT&expires_in=3600", "", time.Hour},
		{
			200, "text/html", "<!DOCTYPE html><title>Sign in</title>",
			`the answer of the token endpoint has no token that can be read; is its address right? 200 OK (text/html, begins "<!DOCTYPE html><title>Sign in</title>")`, 0,
		},
		{200, "text/html", "<p>s3cretC", `200 OK (text/html, begins "<p>[hidden]")`, 0},
		{200, "application/json", `{"access_token":"s3cretT"`, `200 OK (application/json, begins "{\"access_token\"")`, 0},
		{200, "application/json", `{"status":"s3cretT"}`, `200 OK (application/json, begins "{\"status\"")`, 0},
		{200, "application/json", `{"access_token":"s3cretT","expires_in":"soon"}`, `200 OK (application/json, begins "{\"access_token\"")`, 0},
		{200, "application/json", `"s3cretT"`, "200 OK (application/json)", 0},
		{200, "", "s3cretT s3cretT", "200 OK (text/plain", 0},
		{204, "application/json", "", "204 No Content (application/json, empty)", 0},
		{502, "text/html", "<h1>Bad Gateway</h1>", `the token endpoint refused with status 502 Bad Gateway (text/html, begins "<h1>Bad Gateway</h1>")`, 0},
		{400, "application/json", `{"error":"invalid_client","error_description":"s3cretC"}`, "the token endpoint refused: invalid_client", 0},
	} {
		asked := 0
		tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}))
		cc := clientcredentials.Config{ClientID: "id", ClientSecret: "s3cretC", TokenURL: tokens.URL, AuthStyle: oauth2.AuthStyleInParams}
		source := jobboard.RenewingToken(cc.Token)
		err := errOf(answering(t, jobboard.Config{}, 200, "true").Applicant(source).HasApplied(t.Context(), 1))
		if test.want == "" {
			token, tokenErr := source.Token()
			if err != nil || tokenErr != nil || token.AccessToken != "s3cretT" || asked != 1 {
				t.Errorf("%s: %v, %v", test.body, err, tokenErr)
			} else if life := time.Until(token.Expiry).Round(time.Minute); !token.Expiry.IsZero() != (test.life > 0) || test.life > 0 && life != test.life {
				t.Errorf("%s: it lives until %v", test.body, token.Expiry)
			}
		} else if !errors.Is(err, jobboard.ErrToken) || test.kind != "" && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d %s:\n got %v\nwant %s", test.status, test.body, err, test.want)
		}
		for how, text := range rig.Printings(err) {
			if strings.Contains(text, "s3cret") {
				t.Errorf("%s, printed with %s: %.300s", test.body, how, text)
			}
		}
		tokens.Close()
	}
}

// The words of RFC 9457 are shown, and never taken for a code or for words about the job.
func TestProblemDetails(t *testing.T) {
	for _, test := range []struct {
		kind, body    string
		status        int
		message, code string
		err           error
	}{
		{"application/problem+json", `{"type":"about:blank","title":"Not Found","status":404,"detail":"No route"}`, 404, "Not Found: No route", "", nil},
		{"application/problem+json; charset=utf-8", `{"title":"A","message":"B"}`, 404, "A", "", nil},
		{"application/problem+json", `{"message":"B"}`, 404, "B", "", nil},
		{"application/json", `{"detail":"No route"}`, 404, "No route", "", nil},
		{"application/json", `{"title":"A","detail":"A2","message":"B"}`, 404, "B", "", nil},
		{"application/json", `{"x":{"title":"A"}}`, 404, "", "", nil},
		{"application/problem+json", `{"type":"get_project_error","title":"JobPosting not found for jobId 1"}`, 404, "JobPosting not found for jobId 1", "", nil},
		{"application/problem+json", `{"title":"Gone","detail":"JobPosting inactive for jobId 1"}`, 410, "Gone: JobPosting inactive for jobId 1", "", nil},
		{"application/problem+json", `{"title":"Busy"}`, 503, "Busy", "", jobboard.ErrServer},
		{"application/problem+json", `{"title":"No","code":"get_application_error"}`, 404, "No", "get_application_error", jobboard.ErrApplicationNotFound},
	} {
		c := answering(t, jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 1}}, test.status, test.body, "Content-Type", test.kind)
		_, err := withToken(c).ApplicationID(t.Context(), 1)
		var e *jobboard.Error
		if !errors.As(err, &e) || e.Message != test.message || e.Code != test.code || !errors.Is(e.Err, test.err) {
			t.Errorf("%s %s: %v, want %q", test.kind, test.body, err, test.message)
		}
	}
	for body, want := range map[string]error{
		`{"type":"ERROR_JOB_INACTIVE","title":"x"}`: nil,
		`{"title":"x","type":"ERROR_JOB_INACTIVE"}`: nil,
		`{"type":"ERROR_JOB_INACTIVE"}`:             jobboard.ErrJobInactive, // of no problem: under any member
		`{"type":"x","code":"ERROR_JOB_INACTIVE"}`:  jobboard.ErrJobInactive,
	} {
		err := callLookup(answering(t, jobboard.Config{JobDBURL: jobDB}, 404, body))
		var e *jobboard.Error
		if !errors.As(err, &e) || !errors.Is(e.Err, want) {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
	}
}

// A call without a context sends nothing, says so, and does not panic.
func TestNoContext(t *testing.T) {
	c := withTransport(t, jobboard.Config{ClientID: "10", JobDBURL: jobDB}, func(r *http.Request) (*http.Response, error) {
		t.Errorf("sent %s", onWire(r))
		return nil, io.EOF
	})
	a := withToken(c)
	var none context.Context
	calls := map[string]func() error{
		"Precheck": func() error { return errOf(a.Precheck(none, 1)) },
		"Snapshot": func() error { return errOf(snapshot.Take(none, c, "ch", jobboard.Query{})) },
		"PostingStream": func() (err error) {
			for _, err = range a.PostingStream(none, "ch", jobboard.Query{}).All() {
			}
			return err
		},
		"BulkJobInformation": func() (err error) {
			for r := range c.BulkJobInformation(none, jobboard.Jobs(1, 2), jobboard.BulkOptions{}) {
				err = r.Err
			}
			return err
		},
		"BulkHasApplied": func() (err error) {
			for r := range a.BulkHasApplied(none, jobboard.Jobs(1), jobboard.BulkOptions{}) {
				err = r.Err
			}
			return err
		},
		"of no client":        func() error { return errOf(new(jobboard.Client).JobInformation(none, 1)) },
		"of an empty channel": func() error { return errOf(c.Search(none, "", jobboard.Query{})) },
	}
	for _, op := range rig.Operations {
		calls[op.Label] = func() error { return errOf(op.Call(none, c, a)) }
	}
	for name, call := range calls {
		var e *jobboard.Error
		if err := call(); !errors.As(err, &e) || !errors.Is(err, jobboard.ErrInvalidInput) || e.Attempts != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
