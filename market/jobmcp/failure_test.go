package jobmcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A failed call is told by its operation, status and condition; the service's words stand apart.
func TestDescribesFailures(t *testing.T) {
	s := NewServer(nil, Options{})
	for _, test := range []struct {
		err     error
		text    string
		details bool
	}{
		{errors.New("no settings"), "no settings", false},
		{&jobboard.Error{Op: "Search"}, "Search failed", false},
		{&jobboard.Error{Op: "Search", StatusCode: 418, Message: "no tea"}, "Search failed (status 418)", true},
		{fmt.Errorf("more: %w", &jobboard.Error{Op: "Search", StatusCode: 503, Code: "x", Err: jobboard.ErrServer}), "Search failed (status 503): " + jobboard.ErrServer.Error(), true},
		{&jobboard.Error{Op: "Search", Err: jobboard.ErrTimeout}, "Search failed: " + jobboard.ErrTimeout.Error(), false},
		{&jobboard.Error{Op: "Search", Err: jobboard.ErrDecode}, "Search failed: " + jobboard.ErrDecode.Error(), true},
	} {
		f := s.describe(test.err)
		if f.Error != test.text || (f.Details != "") != test.details || strings.Contains(f.Error, "more") {
			t.Errorf("%v: %+v", test.err, f)
		}
	}
}

// An assistant does not learn the hosts of the network in which its server runs: those are in the texts of
// errors, for the operator's log.
func TestHostsStayInside(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(407) }))
	defer proxy.Close()
	address := func(text string) *url.URL {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	srv.Fail(jobboardtest.Fault{Status: 302, Header: http.Header{"Location": {"https://sso.invalid/"}}})
	through := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address(proxy.URL))}}
	for name, cfg := range map[string]jobboard.Config{
		"a redirect":       {BaseURL: srv.BaseURL},
		"no such host":     {BaseURL: "https://board.invalid", Retry: jobboard.RetryPolicy{MaxAttempts: 1}},
		"a proxy":          {BaseURL: "http://board.invalid", AllowInsecure: true, HTTPClient: through},
		"a tunnel's proxy": {BaseURL: "https://board.invalid", HTTPClient: through},
	} {
		cfg.ClientID = srv.Demo.ClientID
		client, err := jobboard.NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Search(t.Context(), "27828_extern", jobboard.Query{})
		f := NewServer(nil, Options{}).describe(err)
		text := fmt.Sprintf("%+v", f)
		for _, host := range []string{address(srv.BaseURL).Host, "board.invalid", "sso.invalid", address(proxy.URL).Host} {
			if err == nil || strings.Contains(text, host) {
				t.Errorf("%s: %v is told as %s", name, err, text)
			}
		}
		if !strings.Contains(err.Error(), cfg.BaseURL[:len("http://127")]) {
			t.Errorf("%s: the error itself names no host: %v", name, err)
		}
	}
}

// Every condition has its name and, where there is one, its next step; a wrapped one as well.
func TestNamesConditions(t *testing.T) {
	const (
		arguments  = "change the arguments: nothing was sent"
		credential = "whoever runs this server must look after its credential"
		answered   = "this is the service's answer about the job: another call gets the same"
		unfound    = "a technical error of the service, which says nothing of the job: do not call it closed or gone; " +
			"try again later, three times at most"
		slower = "try again later, or slower"
		later  = "try again later"
	)
	s := NewServer(nil, Options{})
	for _, test := range []struct {
		err   error
		names string
		next  string
	}{
		{jobboard.ErrPostingNotFound, "ErrPostingNotFound ErrNotFound", answered},
		{jobboard.ErrPostingNotAccessible, "ErrPostingNotAccessible ErrNotVisible", answered},
		{jobboard.ErrPostingInactive, "ErrPostingInactive ErrInactive", answered},
		{jobboard.ErrProjectNotAvailable, "ErrProjectNotAvailable ErrNotFound", answered},
		{jobboard.ErrProjectNotAccessible, "ErrProjectNotAccessible ErrNotVisible", answered},
		{jobboard.ErrApplicationNotFound, "ErrApplicationNotFound", answered},
		{jobboard.ErrJobInactive, "ErrJobInactive ErrInactive", answered},
		{jobboard.ErrJobUnavailable, "ErrJobUnavailable ErrNotFound", answered},
		{jobboard.ErrPostingUnavailable, "ErrPostingUnavailable", unfound},
		{jobboard.ErrNotFound, "ErrNotFound", answered},
		{jobboard.ErrInactive, "ErrInactive", answered},
		{jobboard.ErrNotVisible, "ErrNotVisible", answered},
		{jobboard.ErrUnauthorized, "ErrUnauthorized", credential},
		{jobboard.ErrForbidden, "ErrForbidden", credential},
		{jobboard.ErrToken, "ErrToken", credential},
		{jobboard.ErrRateLimited, "ErrRateLimited", slower},
		{jobboard.ErrServer, "ErrServer", later},
		{jobboard.ErrRedirect, "ErrRedirect", ""},
		{jobboard.ErrResponseTooLarge, "ErrResponseTooLarge", ""},
		{jobboard.ErrDecode, "ErrDecode", ""},
		{jobboard.ErrTransport, "ErrTransport", later},
		{jobboard.ErrTimeout, "ErrTimeout", later},
		{jobboard.ErrInvalidInput, "ErrInvalidInput", arguments},
		{errors.New("other"), "", ""},
	} {
		for _, err := range []error{test.err, fmt.Errorf("more: %w", test.err), &jobboard.Error{Op: "Search", Err: test.err}} {
			f := s.describe(err)
			if strings.Join(f.Conditions, " ") != test.names || f.Next != test.next {
				t.Errorf("%v: %q, next %q", err, f.Conditions, f.Next)
			}
		}
	}
}

// The program's word on what to do is told in place of ours, and an error's own before both.
func TestNextStep(t *testing.T) {
	var own string
	s := NewServer(nil, Options{NextStep: func(error) string { return own }})
	busy := &advised{errBusy, "wait"}
	for _, test := range []struct {
		own  string
		err  error
		want string
	}{
		{"call the office", jobboard.ErrServer, "call the office"},
		{"call the office", errors.New("other"), "call the office"},
		{"", jobboard.ErrServer, "try again later"},
		{"", errors.New("other"), ""},
		{"call the office", busy, "wait"},
		{"call the office", fmt.Errorf("more: %w", busy), "wait"},
	} {
		own = test.own
		if got := s.describe(test.err).Next; got != test.want {
			t.Errorf("%v, %q: %q, want %q", test.err, test.own, got, test.want)
		}
	}
}

// What the service said is cut.
func TestDetailsAreCut(t *testing.T) {
	s := NewServer(nil, Options{})
	for n, cut := range map[int]bool{499: false, 500: false, 501: true} {
		said := strings.Repeat("x", n)
		want := said
		if cut {
			want = said[:499] + "…"
		}
		if got := s.describe(errors.New(said)).Error; got != want {
			t.Errorf("%d characters: %s", n, got)
		}
	}
}
