package conformance_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"go/build"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// TestStandardLibraryOnly holds the package to bytes: it shares no type with
// the client or the mock server.
func TestStandardLibraryOnly(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pkg.Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			t.Errorf("it imports %s", path)
		}
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	section := regexp.MustCompile(`^[1-9](\.[1-9])?(, [1-9](\.[1-9])?)*$`)
	seen := map[string]bool{}
	for _, r := range conformance.Checks() {
		if seen[r.Name] {
			t.Errorf("two rules are called %q", r.Name)
		}
		seen[r.Name] = true
		if !section.MatchString(r.Section) || r.Text == "" || strings.Count(r.Name, "/") != 1 {
			t.Errorf("%+v", r)
		}
	}
	// Every section that shows something has a rule.
	for _, want := range []string{"2.1", "2.2", "2.3", "2.4", "2.5", "3", "4.1", "4.2", "4.3", "4.4", "4.5", "5", "7.1", "7.2", "7.3", "8", "9"} {
		found := false
		for _, r := range conformance.Checks() {
			for s := range strings.SplitSeq(r.Section, ", ") {
				found = found || s == want
			}
		}
		if !found {
			t.Errorf("no rule of section %s", want)
		}
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	srv, target := fake(t)
	target.ReadOnly = true
	target.Apply = func(context.Context, int64) error { t.Error("Apply was called"); return nil }
	target.Withdraw = func(context.Context, int64) error { t.Error("Withdraw was called"); return nil }
	before := srv.Snapshot()
	for i := range before.Tokens { // the last use of a user's token moves
		before.Tokens[i].Since = srv.Now()
	}
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for _, r := range results {
		if r.Changes != (r.Skipped != "") || r.Failed() {
			t.Error(r)
		}
		if r.Changes {
			skipped++
		}
	}
	if skipped != 4 {
		t.Errorf("%d rules change something, want 4", skipped)
	}
	for _, r := range srv.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("sent %s", r)
		}
	}
	after := srv.Snapshot()
	for i := range after.Tokens {
		after.Tokens[i].Since = before.Tokens[i].Since
	}
	if !reflect.DeepEqual(before, after) {
		t.Error("the state changed")
	}
}

// TestPartOfATarget takes away what a target may lack, one field after the other
// and nearly all: what is left is judged, and the rest skipped with a word.
func TestPartOfATarget(t *testing.T) {
	srv, full := fake(t)
	srv.SetVariants(jobboardtest.Variants{SubscriptionsNeedCredential: true})
	var text strings.Builder
	check := func(name string, target conformance.Target) {
		t.Helper()
		target.HTTPClient = full.HTTPClient
		results, err := conformance.Check(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Failed() {
				t.Errorf("%s: %s", name, r)
			}
		}
		text.WriteString(told(name, results))
	}
	fields := reflect.TypeFor[conformance.Target]()
	for i := range fields.NumField() {
		part := full
		reflect.ValueOf(&part).Elem().Field(i).SetZero()
		check("without "+fields.Field(i).Name, part)
	}
	check("an address alone", conformance.Target{BaseURL: full.BaseURL})
	check("a client", conformance.Target{BaseURL: full.BaseURL + "/", Channel: full.Channel, ClientID: full.ClientID})
	check("a user", conformance.Target{BaseURL: full.BaseURL, Channel: full.Channel, ApplicantToken: full.ApplicantToken})
	check("a lookup", conformance.Target{JobDBURL: full.JobDBURL + "/", InactiveJob: full.InactiveJob})
	check("subscriptions of a client", conformance.Target{BaseURL: full.BaseURL, ClientID: full.ClientID, Subscription: full.Subscription})
	golden.Compare(t, "testdata/partial.txt", text.String())
}

func TestTargetOfNoUse(t *testing.T) {
	const (
		neither   = "the target has neither BaseURL nor JobDBURL"
		notPlain  = "an address must be a plain http or https URL without user, query and fragment"
		atExample = "https://jobs.example"
	)
	for want, targets := range map[string][]conformance.Target{
		neither: {{}, {Channel: "x"}},
		notPlain: {
			{BaseURL: "jobs.example"},
			{BaseURL: "ftp://jobs.example"},
			{BaseURL: "https:///jobs"},
			{BaseURL: "https://jobs.example", JobDBURL: "http://[::1"},
			{BaseURL: "https://user:secret@jobs.example"},
			{JobDBURL: "https://jobs.example/?a=b"},
			{JobDBURL: "https://jobs.example/#a"},
		},
		"Languages has 1 entries, not 2": {{BaseURL: atExample, Languages: []string{"en"}}},
		"Languages has 3 entries, not 2": {{BaseURL: atExample, Languages: []string{"en", "de", "fr"}}},
		`"52.5,13.4,50" is not <latitude>::<longitude>::<distance_km>`: {
			{BaseURL: atExample, Near: "52.5,13.4,50"}, {BaseURL: atExample, AdditionalNear: "52.5,13.4,50"},
		},
		`"1::2" is not <latitude>::<longitude>::<distance_km>`:       {{BaseURL: atExample, Near: "1::2"}},
		`"1::2::3::4" is not <latitude>::<longitude>::<distance_km>`: {{BaseURL: atExample, Near: "1::2::3::4"}},
	} {
		for _, target := range targets {
			if _, err := conformance.Check(t.Context(), target); err == nil || err.Error() != "conformance: "+want {
				t.Errorf("%s: %v, want %s", target, err, want)
			}
		}
	}
}

// TestWordsOfAResult holds the line, or the lines, of what became of a rule.
func TestWordsOfAResult(t *testing.T) {
	r := conformance.Rule{Name: "search/answers", Section: "4.1, 9", Text: "a search is answered"}
	for want, result := range map[string]conformance.Result{
		"ok   search/answers (section 4.1, 9): a search is answered":                {Rule: r},
		"FAIL search/answers (section 4.1, 9): a search is answered\n\tno\n\tnever": {Rule: r, Problems: []string{"no", "never"}},
		"skip search/answers (section 4.1, 9): no channel":                          {Rule: r, Skipped: "no channel"},
	} {
		if got := result.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestTimeoutOfATarget has a service that does not answer in the target's time.
func TestTimeoutOfATarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		stall := transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		results, err := conformance.Check(t.Context(), conformance.Target{
			JobDBURL: "http://jobs.example", UnknownJob: 1, HTTPClient: &http.Client{Transport: stall, Timeout: time.Second},
		})
		if took := time.Since(began); err != nil || took != time.Second {
			t.Errorf("after %v: %v, %v", took, results, err)
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCheckEndsWithItsContext(t *testing.T) {
	_, target := fake(t)
	ctx, cancel := context.WithCancel(t.Context())
	target.Apply = func(context.Context, int64) error { cancel(); return nil }
	results, err := conformance.Check(ctx, target)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	for i, r := range results {
		if r.Failed() || r.Rule != conformance.Checks()[i] {
			t.Errorf("blamed for the context, or out of order: %s", r)
		}
	}
	if last := results[len(results)-1].Name; last != "application/other-company" {
		t.Errorf("the last result is that of %s", last)
	}
}

// TestNoCredentialInProblems echoes credentials in every answer.
func TestNoCredentialInProblems(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "you are %s", r.Header.Get("Authorization"))
	}))
	defer echo.Close()
	_, target := fake(t)
	target.BaseURL, target.JobDBURL, target.HTTPClient, target.LookupToken = echo.URL, echo.URL, nil, "lookup-token-value"
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(results) + fmt.Sprintf("%v %+v %#v", target, target, target)
	if want := fmt.Sprintf("target %s, %s", echo.URL, echo.URL); !strings.HasSuffix(said, want+" "+want+" "+want) {
		t.Errorf("a target is shown as %s", said[strings.LastIndexByte(said, ']'):])
	}
	for _, secret := range []string{target.ClientToken, target.ApplicantToken, target.InternalToken, target.ExpiredToken, target.LookupToken} {
		if strings.Contains(said, secret) || strings.Contains(said, base64.StdEncoding.EncodeToString([]byte(secret+":"))) {
			t.Errorf("%q is told", secret)
		}
	}
	if !strings.Contains(said, "Bearer [token]") {
		t.Error("nothing was echoed")
	}
}

// TestLookupToken has a target whose lookup wants a token.
func TestLookupToken(t *testing.T) {
	srv, target := fake(t)
	target.ReadOnly, target.LookupToken = true, srv.LookupToken()
	if _, err := conformance.Check(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	lookups := 0
	for _, r := range srv.Requests() {
		if r.Operation != jobboardtest.OpJobInformation {
			continue
		}
		if lookups++; r.Credential != "lookup token" {
			t.Errorf("%s has %q", r, r.Credential)
		}
	}
	if lookups == 0 {
		t.Error("nothing was looked up")
	}
}

// TestRedirectsAreNotFollowed keeps credentials with the target.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came to another host", r.Method, r.URL)
	}))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	_, target := fake(t)
	target.BaseURL, target.JobDBURL, target.HTTPClient = srv.URL, srv.URL, nil
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Name == "search/answers" && !strings.Contains(r.String(), "307") {
			t.Error(r)
		}
	}
}

// TestNoConnectionIsLeft holds that a run with a client of its own leaves no
// connection behind.
func TestNoConnectionIsLeft(t *testing.T) {
	closed := make(chan struct{}, 1)
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			select {
			case closed <- struct{}{}:
			default:
			}
		}
	}
	srv.Start()
	defer srv.Close()
	if _, err := conformance.Check(t.Context(), conformance.Target{JobDBURL: srv.URL, UnknownJob: 1}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("a connection is still open")
	}
}

// TestRunReports runs a broken mock in a process of its own, since its subtests
// fail.
func TestRunReports(t *testing.T) {
	if os.Getenv("CONFORMANCE_BROKEN") != "" {
		t.Run("no use", func(t *testing.T) { conformance.Run(t, conformance.Target{}) })
		conformance.Run(t, conformance.Target{BaseURL: os.Getenv("CONFORMANCE_BROKEN"), ApplicantToken: "jana", AppliedJob: 4711})
		return
	}
	mock := httptest.NewServer(quotedMock)
	defer mock.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunReports$", "-test.v")
	cmd.Env = append(os.Environ(), "CONFORMANCE_BROKEN="+mock.URL)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it ended with %v:\n%s", err, out)
	}
	if !regexp.MustCompile(`conformance_test\.go:\d+: conformance: the target has neither BaseURL nor JobDBURL\n`).Match(out) {
		t.Errorf("it does not say of what use the target is:\n%s", out)
	}
	for _, want := range []string{
		"--- FAIL: TestRunReports/no_use",
		"--- FAIL: TestRunReports/applied/boolean",
		`section 4.2: the applied check answers with a JSON boolean`,
		`for job 4711 the answer is status 200, application/json, "\"true\"", not true or false`,
		"--- PASS: TestRunReports/applied/true",
		"--- SKIP: TestRunReports/search/answers",
		"section 4.1, 9: the target does not tell Channel",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// quotedMock is a mock of the applied check alone, with one mistake.
var quotedMock = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Header.Get("Authorization") != "Bearer jana":
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/api/rest/v3/frontend/jobs/4711/applied":
		_, _ = w.Write([]byte(`"true"`))
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":"get_project_error","message":"Project not available"}`))
	}
})
