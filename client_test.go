package jobboard_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// onWire returns what a request sends: method, address, headers that matter, body.
func onWire(r *http.Request) string {
	line := r.Method + " " + r.URL.String()
	if r.Proto != "HTTP/1.1" || r.ProtoMajor != 1 || r.ProtoMinor != 1 {
		line += " with protocol " + r.Proto
	}
	for _, name := range []string{"Authorization", "Accept-Language", "Content-Type"} {
		if v := r.Header.Get(name); v != "" {
			line += "\n" + name + ": " + v
		}
	}
	if r.Body != nil {
		line += "\n\n" + string(rig.Must(io.ReadAll(r.Body)))
	}
	return line
}

// withTransport is a client with a transport of one function. Its address is base
// where cfg has none.
func withTransport(tb testing.TB, cfg jobboard.Config, send rig.RoundTripper) *jobboard.Client {
	tb.Helper()
	cfg.BaseURL = cmp.Or(cfg.BaseURL, base)
	cfg.HTTPClient = &http.Client{Transport: send}
	return rig.Client(tb, cfg)
}

// served is withTransport for requests that are all answered.
func served(tb testing.TB, cfg jobboard.Config, respond func(*http.Request) *http.Response) *jobboard.Client {
	tb.Helper()
	return withTransport(tb, cfg, func(r *http.Request) (*http.Response, error) { return respond(r), nil })
}

// answering is a client whose requests all get one answer.
func answering(tb testing.TB, cfg jobboard.Config, status int, body string, header ...string) *jobboard.Client {
	tb.Helper()
	return served(tb, cfg, func(r *http.Request) *http.Response { return answer(r, status, body, header...) })
}

// errOf is the error of a call.
func errOf[T any](_ T, err error) error { return err }

// withToken is an applicant of a client.
func withToken(c *jobboard.Client) *jobboard.Applicant {
	return c.Applicant(jobboard.StaticToken("token"))
}

const (
	base = "https://jobs.example"

	// How the errors of two calls begin, and how they end if the answer is no answer of the interface.
	searchAt     = "jobboard: Search: GET " + base + "/api/rest/v2/frontend/jobboards/{channelID}/jobs: "
	appliedAt    = "jobboard: HasApplied: GET " + base + "/api/rest/v3/frontend/jobs/{jobDbId}/applied: "
	wrongAddress = " (no answer of this interface: does Config.BaseURL lead to it?)"

	jobDB = "https://jobdb.example/x"

	noJobs = `{"totalNumberOfJobs":0,"results":[]}` // a page
)

// What each call puts on the wire (sections 4 and 5). Only a search sends Accept-Language: the
// client would not recognise a refusal in another language.
func TestRequests(t *testing.T) {
	ctx := t.Context()
	user := jobboard.StaticToken("user-token")
	search := func(channel jobboard.ChannelID, q jobboard.Query) func(*jobboard.Client) error {
		return func(c *jobboard.Client) error { return errOf(c.Search(ctx, channel, q)) }
	}
	lookup := func(c *jobboard.Client) error { return errOf(c.JobInformation(ctx, 4711)) }
	const (
		basic = "\nAuthorization: Basic MTA6"
		asked = "\nAuthorization: Bearer user-token"
		typed = "\nContent-Type: application/json"
		jobs  = "GET https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs"
		info  = `{"jobId":4711,"jobTitle":"T","applyPossible":true}`
	)
	for _, test := range []struct {
		name   string
		cfg    jobboard.Config
		call   func(*jobboard.Client) error
		answer string // "": a page without jobs
		want   string
	}{
		{
			name: "search with Basic, the colon and the content type",
			cfg:  jobboard.Config{BaseURL: base, ClientID: "10"}, call: search("27828_extern", jobboard.Query{}),
			want: jobs + basic + typed,
		},
		{
			name: "search with everything",
			cfg:  jobboard.Config{BaseURL: base, TokenSource: jobboard.StaticToken("client-token"), Language: "de"},
			call: search("27828_extern", jobboard.Query{
				Text: "a b&c=d", Near: jobboard.Near(52.520014, 13.373006, 50), Language: "en-GB,en;q=0.9",
			}),
			want: jobs + "?geoLocation=52.520014%3A%3A13.373006%3A%3A50&search=a+b%26c%3Dd" +
				"\nAuthorization: Bearer client-token\nAccept-Language: en-GB,en;q=0.9" + typed,
		},
		{
			name: "the configured language",
			cfg:  jobboard.Config{BaseURL: base, ClientID: "10", Language: "de"},
			call: func(c *jobboard.Client) error {
				for _, err := range c.Postings(ctx, "27828_extern", jobboard.Query{}) {
					return err
				}
				return nil
			},
			want: jobs + basic + "\nAccept-Language: de" + typed,
		},
		{
			name: "an applicant's search",
			cfg:  jobboard.Config{BaseURL: base, ClientID: "10"},
			call: func(c *jobboard.Client) error {
				return errOf(c.Applicant(user).Search(ctx, "27828_extern", jobboard.Query{}))
			},
			want: jobs + asked + typed,
		},
		{
			name: "a channel that must be escaped",
			cfg:  jobboard.Config{BaseURL: base + "/pre%2Ffix/", ClientID: "10"}, call: search("../a b?c#d%2e", jobboard.Query{}),
			want: "GET https://jobs.example/pre%2Ffix/api/rest/v2/frontend/jobboards/..%2Fa%20b%3Fc%23d%252e/jobs" + basic + typed,
		},
		{
			name: "the applied check",
			cfg:  jobboard.Config{Language: "de", BaseURL: base + "/api/rest", ClientID: "10"}, answer: "true",
			call: func(c *jobboard.Client) error { return errOf(c.Applicant(user).HasApplied(ctx, 4711)) },
			want: "GET https://jobs.example/api/rest/v3/frontend/jobs/4711/applied" + asked,
		},
		{
			name: "the application identifier",
			cfg:  jobboard.Config{Language: "de", BaseURL: base + "/p/api/rest/"}, answer: "abc",
			call: func(c *jobboard.Client) error { return errOf(c.Applicant(user).ApplicationID(ctx, 4711)) },
			want: "GET https://jobs.example/p/api/rest/v3/frontend/jobs/4711/application" + asked,
		},
		{
			name: "the lookup, without a credential",
			cfg:  jobboard.Config{Language: "de", BaseURL: base, ClientID: "10", JobDBURL: base + "/db/"}, call: lookup, answer: info,
			want: "GET https://jobs.example/db/jobdb/public/apply/external?jobid=4711",
		},
		{
			name: "the lookup with its own",
			cfg:  jobboard.Config{Language: "de", JobDBURL: jobDB, JobDBTokenSource: jobboard.StaticToken("lookup-token")}, call: lookup, answer: info,
			want: "GET https://jobdb.example/x/jobdb/public/apply/external?jobid=4711\nAuthorization: Bearer lookup-token",
		},
		{
			name: "a subscription",
			cfg:  jobboard.Config{Language: "de", BaseURL: base}, answer: `{"email":"ok"}`,
			call: func(c *jobboard.Client) error {
				return errOf(c.Subscribe(ctx, jobboard.SubscriptionRequest{
					Query: url.Values{"types": {"rss::email"}}, Body: map[string][]string{"7": {"8"}},
				}))
			},
			want: "POST https://jobs.example/jobabo?types=rss%3A%3Aemail" + typed + "\n\n{\"7\":[\"8\"]}",
		},
		{
			name: "its confirmation elsewhere", answer: "true",
			cfg: jobboard.Config{Language: "de", BaseURL: base, ClientID: "10", SubscriptionPath: "/api/rest/v2/frontend/jobabo"},
			call: func(c *jobboard.Client) error {
				return errOf(c.ConfirmSubscription(ctx, "a/b", json.RawMessage("null")))
			},
			want: "PUT https://jobs.example/api/rest/v2/frontend/jobabo/a%2Fb" + basic + typed + "\n\nnull",
		},
		{
			name: "its end",
			cfg:  jobboard.Config{Language: "de", BaseURL: base, ClientID: "10"}, answer: "true",
			call: func(c *jobboard.Client) error { return errOf(c.Unsubscribe(ctx, "abo")) },
			want: "DELETE https://jobs.example/jobabo/abo" + basic,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sent []string
			err := test.call(served(t, test.cfg, func(r *http.Request) *http.Response {
				sent = append(sent, onWire(r))
				return answer(r, 200, cmp.Or(test.answer, noJobs))
			}))
			if err != nil || len(sent) != 1 || sent[0] != test.want {
				t.Errorf("%v, sent\n%s\nwant\n%s", err, strings.Join(sent, "\n---\n"), test.want)
			}
		})
	}
}

// noCookies is a cookie jar.
type noCookies struct{}

func (noCookies) SetCookies(*url.URL, []*http.Cookie) {}
func (noCookies) Cookies(*url.URL) []*http.Cookie     { return nil }

// A mistake in a Config is found before anything is sent. Its error names the
// field, and shows neither an address nor a secret.
func TestConfigMistakes(t *testing.T) {
	token := jobboard.StaticToken("token")
	for field, mistakes := range map[string][]jobboard.Config{
		"BaseURL": {
			{},
			{BaseURL: "jobs.example", ClientID: "10"},
			{BaseURL: "/api/rest"},
			{BaseURL: "ftp://jobs.example"},
			{BaseURL: "https://"},
			{BaseURL: "https://jobs.example:65536"},
			{BaseURL: "https://user:pass@jobs.example"},
			{BaseURL: base + "?a=b"},
			{BaseURL: base + "/../x"},
			{BaseURL: "https://jobs.example\r\n"},
			{BaseURL: base + "/api/rest/v2"},
			{BaseURL: base + "/a/api/rest/v3/frontend/jobs"},
			{BaseURL: base + "/api/rest" + "/v2/frontend/jobboards/27828_extern/jobs/"},
			{BaseURL: base + "/jobdb/public/apply/external"},
			{BaseURL: "http://jobs.example", ClientID: "10"},
			{BaseURL: "http://jobs.example", TokenSource: token},
			{JobDBURL: base, ClientID: "10"},
		},
		"JobDBURL": {
			{JobDBURL: "https://user@jobs.example"},
			{JobDBURL: base + "/jobdb/public/apply"},
			{JobDBURL: base + "/api/rest/v2/"},
			{BaseURL: base, JobDBTokenSource: token},
			{BaseURL: base, JobDBURL: "http://jobs.example", JobDBTokenSource: token},
		},
		"ClientID": {
			{BaseURL: base, ClientID: "1:0"},
			{BaseURL: base, ClientID: "1\n0"},
			{BaseURL: base, ClientID: "10", TokenSource: token},
		},
		"TokenSource": {
			{BaseURL: base, TokenSource: jobboard.StaticToken("")},
			{BaseURL: base, TokenSource: jobboard.StaticToken("a\r\nb")},
			{BaseURL: base, TokenSource: jobboard.StaticToken("a b")},
			{BaseURL: base, TokenSource: jobboard.StaticToken("tökén")},
		},
		"Language": {
			{BaseURL: base, Language: "de\r\nX: y"},
			{BaseURL: base, Language: "de_DE\r"},
			{BaseURL: base, Language: "german"},
			{BaseURL: base, Language: "d"},
			{BaseURL: base, Language: "de,"},
			{BaseURL: base, Language: "de;q=0.9, 1"},
			{BaseURL: base, Language: "q=0.9"},
			{BaseURL: base, Language: " "},
			{BaseURL: base, Language: "**"},
		},
		"UserAgent": {{BaseURL: base, UserAgent: "a\x00b"}, {BaseURL: base, UserAgent: "a\nb"}},
		"HTTPClient": {
			{BaseURL: base, HTTPClient: &http.Client{Timeout: 30}},
			{BaseURL: base, HTTPClient: &http.Client{Jar: noCookies{}}},
			{BaseURL: base, HTTPClient: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}},
		},
		"TLS": {
			{BaseURL: base, TLS: new(tls.Config), HTTPClient: new(http.Client)},
			{BaseURL: base, TLS: &tls.Config{InsecureSkipVerify: true}},
			{BaseURL: base, TLS: &tls.Config{NextProtos: []string{"h2"}}},
			{BaseURL: base, TLS: &tls.Config{NextProtos: []string{"http/1.1", "h2"}}},
			{BaseURL: base, TLS: &tls.Config{NextProtos: []string{""}}, AllowInsecure: true},
		},
		"JobDBTokenSource": {{BaseURL: base, JobDBURL: base, JobDBTokenSource: jobboard.StaticToken("")}},
		"MaxBodyBytes":     {{BaseURL: base, MaxBodyBytes: -1}},
		"MaxPostingBytes":  {{BaseURL: base, MaxPostingBytes: -1}},
		"SubscriptionPath": {
			{BaseURL: base, SubscriptionPath: "/a?b"},
			{BaseURL: base, SubscriptionPath: "/a/../b"},
			{BaseURL: base, SubscriptionPath: "/"},
			{BaseURL: base, SubscriptionPath: ".a"},
			{BaseURL: base, SubscriptionPath: "a b"},
			{BaseURL: base, SubscriptionPath: "a%20b"},
			{BaseURL: base, SubscriptionPath: "a%zz"},
			{BaseURL: base, SubscriptionPath: "a/{b"},
		},

		"Retry.MaxAttempts": {{BaseURL: base, Retry: jobboard.RetryPolicy{MaxAttempts: -1}}},
		"Retry.MinWait":     {{BaseURL: base, Retry: jobboard.RetryPolicy{MinWait: -1}}},
		"Retry.MaxWait":     {{BaseURL: base, Retry: jobboard.RetryPolicy{MaxWait: 1}}},
		"Retry.AttemptTimeout": {
			{BaseURL: base, Retry: jobboard.RetryPolicy{AttemptTimeout: -1}},
			{BaseURL: base, Retry: jobboard.RetryPolicy{AttemptTimeout: 15}}, // no unit
			{BaseURL: base, Retry: jobboard.RetryPolicy{AttemptTimeout: time.Millisecond - 1}},
		},
		"Retry.StallTimeout": {{BaseURL: base, Retry: jobboard.RetryPolicy{StallTimeout: time.Millisecond - 1}}},
	} {
		for _, cfg := range mistakes {
			_, err := jobboard.NewClient(cfg)
			var mistake *jobboard.ConfigError
			if !errors.As(err, &mistake) || !errors.Is(err, jobboard.ErrInvalidInput) || mistake.Field != field || mistake.Reason == "" {
				t.Errorf("%+v: %v, want one that names %s", cfg, err, field)
			}
			if err != nil && (strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "jobs.example")) {
				t.Errorf("the error shows the address: %v", err)
			}
		}
	}
}

// What a call lacks, in its arguments or its client's Config, is found before
// anything is sent.
func TestCallsWithoutWhatTheyNeed(t *testing.T) {
	unsent := &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
		t.Errorf("sent %s", onWire(r))
		return nil, io.EOF
	})}
	token := jobboard.StaticToken("token")
	search := func(c *jobboard.Client) error { return errOf(c.Search(t.Context(), "a", jobboard.Query{})) }
	near := func(c *jobboard.Client) error {
		return errOf(c.Search(t.Context(), "a", jobboard.Query{Near: jobboard.Near(91, 0, 1)}))
	}
	lookup := func(c *jobboard.Client) error { return errOf(c.JobInformation(t.Context(), 1)) }
	applied := func(source oauth2.TokenSource) func(*jobboard.Client) error {
		return func(c *jobboard.Client) error { return errOf(c.Applicant(source).HasApplied(t.Context(), 1)) }
	}
	for _, test := range []struct {
		cfg   jobboard.Config
		call  func(*jobboard.Client) error
		says  string
		field string // of a ConfigError; "": it is none
	}{
		{cfg: jobboard.Config{BaseURL: base}, call: search, says: "Config.ClientID and", field: "ClientID"},
		{cfg: jobboard.Config{JobDBURL: jobDB}, call: search, says: "Config.BaseURL is ", field: "BaseURL"},
		{cfg: jobboard.Config{BaseURL: base, ClientID: "10"}, call: lookup, says: "Config.JobDBURL", field: "JobDBURL"},
		{cfg: jobboard.Config{BaseURL: base}, call: applied(nil), says: "the applicant's token source is nil"},
		{cfg: jobboard.Config{BaseURL: base, ClientID: "10"}, call: near, says: ": geolocation latitude is"},
		{cfg: jobboard.Config{BaseURL: "http://jobs.example"}, call: applied(token), says: "is http to a host that is not loopback: an applicant's token does not go there", field: "BaseURL"},
	} {
		test.cfg.HTTPClient = unsent
		err := test.call(rig.Client(t, test.cfg))
		var e *jobboard.Error
		if !errors.Is(err, jobboard.ErrInvalidInput) || !errors.As(err, &e) || e.Attempts != 0 || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v, want ErrInvalidInput that says %q", err, test.says)
		}
		if strings.Count(err.Error(), "jobboard: ") != 1 {
			t.Errorf("%v begins more than once", err)
		}
		var mistake *jobboard.ConfigError
		if errors.As(err, &mistake) != (test.field != "") || mistake != nil && mistake.Field != test.field {
			t.Errorf("%v, want the field %q", err, test.field)
		}
	}
}

// A body of one word is a code, unless the word is longer than every code. The codes of the
// lookup (7.3) mean nothing elsewhere in another call's answer.
func TestBareCode(t *testing.T) {
	for word, want := range map[string]string{
		strings.Repeat("e", 63) + "_": strings.Repeat("e", 63) + "_", strings.Repeat("e", 64) + "_": "", "error": "", "an error_code": "",
		`{"code":"get_project_error","detail":"ERROR_JOB_UNAVAILABLE"}`: "get_project_error",
	} {
		_, err := withToken(answering(t, jobboard.Config{}, 404, word)).HasApplied(t.Context(), 1)
		if e, ok := errors.AsType[*jobboard.Error](err); !ok || e.Code != want {
			t.Errorf("%s: %#v", word, err)
		}
	}
}

// An identifier may be of any characters that are seen, bare or as a JSON string. A body that
// holds no identifier gives an error that says why.
func TestApplicationIDs(t *testing.T) {
	const (
		noID     = "the application identifier is empty"
		notAList = "the application identifier is a JSON object or array"
		wrong    = "the application identifier holds a character that no identifier has"
		aWord    = "the application identifier is a word such as OK or null"
	)
	file := func(name string) string { return string(rig.Data(name)) }
	for body, want := range map[string]struct {
		id   jobboard.ApplicationID
		says string
	}{
		"4~2":                                {id: "4~2"},
		"4!2":                                {id: "4!2"},
		"4\u00a12":                           {id: "4\u00a12"},
		"4":                                  {id: "4"},
		"true-1":                             {id: "true-1"},
		"OKAY":                               {id: "OKAY"},
		"1e3":                                {id: "1e3"},
		"..":                                 {id: ".."},
		"70000006c-99b5-45g-arh-b59exxx4a46": {id: "70000006c-99b5-45g-arh-b59exxx4a46"},
		"Bewerbung_ä_数字":                     {id: "Bewerbung_ä_数字"},
		"\ufeff \n4711-a\t ":                 {id: "4711-a"},
		`"4711-a"`:                           {id: "4711-a"},
		` "\u0034" `:                         {id: "4"},
		strings.Repeat("x", 256):             {id: jobboard.ApplicationID(strings.Repeat("x", 256))},
		file("application_bare.txt"):         {id: "c4180de97f00000251d7a30e64b2f9c8"},
		file("application_digits.txt"):       {id: "90817263544536271809"},
		file("application_space.txt"):        {id: "c4180de97f00000251d7a30e64b2f9c9"},
		"":                                   {says: noID},
		" \n":                                {says: noID},
		`""`:                                 {says: noID},
		"null":                               {says: aWord},
		"OK":                                 {says: aWord},
		"\"ok\"\r\n":                         {says: aWord},
		"Error":                              {says: aWord},
		"SUCCESS":                            {says: aWord},
		"get_application_error":              {says: aWord},
		`"ERROR_JOB_INACTIVE"`:               {says: aWord},
		"true":                               {says: aWord},
		`"False"`:                            {says: aWord},
		`"NULL"`:                             {says: aWord},
		"../../etc/passwd":                   {says: wrong},
		`4\2`:                                {says: wrong},
		`"4\u200b2"`:                         {says: wrong},
		"4\u200b2":                           {says: wrong},
		"4\u202e2":                           {says: wrong},
		"4\u00ad2":                           {says: wrong},
		"4\ufe0f2":                           {says: wrong},
		"4\u31642":                           {says: wrong},
		"4\u20032":                           {says: wrong},
		"4\u3000":                            {id: "4"},
		"4\ufeff":                            {says: wrong},
		"{}":                                 {says: notAList},
		"[1]":                                {says: notAList},
		`"4711`:                              {says: "the answer is not one JSON string"},
		`"4711" "a"`:                         {says: "the answer is not one JSON string"},
		"4\xff2":                             {says: "the application identifier is not UTF-8"},
		"4\ufffd2":                           {says: wrong},
		"4\u007f2":                           {says: wrong},
		"4\u00a02":                           {says: wrong},
		"4<2":                                {says: wrong},
		`4"2`:                                {says: wrong},
		"no application":                     {says: wrong},
		`"4\n2"`:                             {says: wrong},
		strings.Repeat("x", 257):             {says: "the application identifier is longer than 256 bytes"},
		`"` + strings.Repeat("x", 257) + `"`: {says: "the application identifier is longer than 256 bytes"},
	} {
		got, err := withToken(answering(t, jobboard.Config{}, 200, body)).ApplicationID(t.Context(), 1)
		if got != want.id || errors.Is(err, jobboard.ErrDecode) != (want.says != "") {
			t.Errorf("%q: %q, %v", body, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "unusable response: "+want.says+" (") {
			t.Errorf("%q: %v, want %s", body, err, want.says)
		}
	}
}

// A part of an answer, which nobody asked for, is none: half an identifier looks like a whole one.
func TestPartOfAnAnswer(t *testing.T) {
	for _, op := range rig.Operations {
		c := answering(t, jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://jobs.example", ClientID: "10"}, 206, "f76297", "Content-Range", "bytes 0-5/32")
		_, err := op.Call(t.Context(), c, withToken(c))
		if e, ok := errors.AsType[*jobboard.Error](err); !ok || !errors.Is(err, jobboard.ErrDecode) || e.Attempts != 1 || !strings.Contains(err.Error(), "only a part of an answer") {
			t.Errorf("%s: %v", op.Label, err)
		}
	}
}

// An answer without a length may be cut off. It counts only if it shows its end.
func TestSubscriptionAnswers(t *testing.T) {
	for body, want := range map[string]struct {
		reply          string
		good, unframed bool // unframed: also where nothing but the end of its connection ends it
	}{
		"":                   {"", true, false},
		" \n":                {"", true, false},
		"1234":               {"1234", true, false},
		"-0":                 {"-0", true, false},
		"90":                 {"90", true, false},
		"true":               {"true", true, true},
		` {"a": [1]}` + "\n": {`{"a": [1]}`, true, true},
		`"12"`:               {`"12"`, true, true},
		`{"a":`:              {},
		"1 2":                {},
		"<html>":             {},
	} {
		for _, framed := range []bool{true, false} {
			c := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
				res := answer(r, 200, body)
				if !framed {
					res.Close, res.ContentLength = true, -1
				}
				return res
			})
			got, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{})
			if good := want.good && (framed || want.unframed); good != (err == nil) || good && string(got) != want.reply {
				t.Errorf("%q, framed %v: %q, %v", body, framed, got, err)
			}
			var e *jobboard.Error
			if err != nil && (!errors.Is(err, jobboard.ErrDecode) || !errors.As(err, &e) || e.Attempts != 1 || !e.MayHaveExecuted) {
				t.Errorf("%q, framed %v: %#v", body, framed, err)
			}
		}
	}
}

// The configured path of subscriptions has one slash in front and none behind.
func TestSubscriptionPath(t *testing.T) {
	for path, want := range map[string]string{"": "/jobabo/1", "abo": "/abo/1", "//a/b//": "/a/b/1"} {
		sent := ""
		c := served(t, jobboard.Config{SubscriptionPath: path}, func(r *http.Request) *http.Response {
			sent += onWire(r)
			return answer(r, 200, "")
		})
		if _, err := c.Unsubscribe(t.Context(), "1"); err != nil || sent != "DELETE "+base+want {
			t.Errorf("%q: %v, %q", path, err, sent)
		}
	}
}

// A job's identifier is a positive number in decimal digits.
func TestParseJobID(t *testing.T) {
	for text, want := range map[string]jobboard.JobID{
		"1": 1, "4711": 4711, "0047": 47, "9223372036854775807": 9223372036854775807,
		"": 0, "0": 0, "-1": 0, "+1": 0, "1.0": 0, "0x1": 0, " 1": 0, "1_0": 0, "9223372036854775808": 0,
	} {
		if got, err := jobboard.ParseJobID(text); got != want || errors.Is(err, jobboard.ErrInvalidInput) != (want == 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// A transport of the caller that changes a header, as it must not, spoils one
// request alone.
func TestTransportThatChangesHeaders(t *testing.T) {
	a := withToken(served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
		if r.Header.Get("X-Mark") != "" {
			t.Error("the mark of another request")
		}
		r.Header.Set("X-Mark", "1")
		return answer(r, 200, "true")
	}))
	for range 3 {
		succeeds(t, a)
	}
}

// The suite of a partner that mocks the network keeps working.
func TestHTTPMock(t *testing.T) {
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(http.MethodGet, base+"/api/rest/v3/frontend/jobs/4711/applied", httpmock.NewStringResponder(200, "true"))
	c := rig.Client(t, jobboard.Config{BaseURL: base, HTTPClient: &http.Client{Transport: mock}})
	applied, err := withToken(c).HasApplied(t.Context(), 4711)
	if !applied || err != nil {
		t.Error(applied, err)
	}
	if n := mock.GetTotalCallCount(); n != 1 {
		t.Error(n, "calls")
	}
}

// The text of an error says why the call was not repeated, if the policy seems to allow a
// repeat.
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
		"jobboard: Search: 503 Service Unavailable: server error": {
			Op: "Search", StatusCode: 503, Err: jobboard.ErrServer, Attempts: 1, Stopped: jobboard.StopFinal, RetryAfter: time.Minute,
		},
		"jobboard: Subscribe: transport failed: " + strings.Repeat("d", 279) + "…: " + strings.Repeat("c", 57) + `…: "` +
			strings.Repeat("m", 297) + `…" (2 attempts, stopped: not idempotent) (may have been executed)`: {
			Op: "Subscribe", Err: fmt.Errorf("%w: %s", jobboard.ErrTransport, strings.Repeat("d", 300)), Attempts: 2,
			Code: strings.Repeat("c", 61), Message: strings.Repeat("m", 301), Stopped: jobboard.StopNotIdempotent, MayHaveExecuted: true,
		},
		"jobboard: HasApplied: " + strings.Repeat("c", 60) + `: "` + strings.Repeat("m", 300) + `"`: {
			Op: "HasApplied", Code: strings.Repeat("c", 60), Message: strings.Repeat("m", 300),
		},
		"jobboard: Search: 599: server error": {
			Op: "Search", StatusCode: 599, Err: jobboard.ErrServer, Attempts: 1, Stopped: jobboard.StopFinal,
		},
		"jobboard: Search: 401 Unauthorized": {
			Op: "Search", StatusCode: 401, Err: jobboard.ErrUnauthorized, Attempts: 1, Stopped: jobboard.StopFinal,
		},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The caller's name for itself stands before the library's.
func TestUserAgent(t *testing.T) {
	var sent string
	for own, want := range map[string]string{"": "", " ": "", "shop/1.0": "shop/1.0 ", "  shop/1.0 (de) ": "shop/1.0 (de) "} {
		c := served(t, jobboard.Config{UserAgent: own}, func(r *http.Request) *http.Response {
			sent = r.Header.Get("User-Agent")
			return answer(r, 200, "true")
		})
		succeeds(t, withToken(c))
		if rest, ok := strings.CutPrefix(sent, want); !ok || !strings.HasPrefix(rest, "jobboard-go") {
			t.Errorf("%q: the header is %q", own, sent)
		}
	}
}

// A source whose error says nothing leaves no colon behind.
func TestErrorWithoutDetail(t *testing.T) {
	fetch := func(context.Context) (*oauth2.Token, error) { return nil, errors.New("") }
	c := rig.Client(t, jobboard.Config{BaseURL: "https://api.example"})
	_, err := c.Applicant(jobboard.RenewingToken(fetch)).HasApplied(t.Context(), 1)
	if !errors.Is(err, jobboard.ErrToken) || err.Error() != strings.Replace(appliedAt, "jobs.example", "api.example", 1)+"no usable token (the applicant's token)" {
		t.Errorf("%v", err)
	}
}
