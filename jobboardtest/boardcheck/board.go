package boardcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// Board holds a board's addresses and the credentials for a check. The target's
// addresses, Channel and one credential are enough to begin with: Check finds jobs,
// places, a text and languages itself, and reports which further fields would make more
// rules observable. Check sets Target.ReadOnly and Target.GoodCredentials.
type Board struct {
	Target conformance.Target

	// ClientSecret is the secret of the confidential client Target.ClientID. If
	// it is set and Target.ClientToken is not, Check fetches a token from
	// TokenURL. An empty TokenURL means /api/rest/oauth/frontend/token below
	// Target.BaseURL.
	ClientSecret string
	TokenURL     string

	// FeedURL is the address of a job feed. Check fetches it without a credential.
	// Without a feed Check finds jobs only by the links of postings.
	FeedURL string

	// WrongCredentials lets Check send at most 21 requests with credentials that a
	// board refuses, which may raise an alarm there.
	WrongCredentials bool

	// Limiter is asked before every request. nil: 5 requests a second.
	Limiter Limiter

	// Timeout bounds the whole check. 0: 10 minutes. Rules not judged in this time are
	// not observable.
	Timeout time.Duration
}

// String leaves the credentials out.
func (b Board) String() string { return b.Target.String() }

// GoString leaves the credentials out.
func (b Board) GoString() string { return b.String() }

// prepare returns a copy with the fields that Check sets, or an error for a wrong
// field.
func (b Board) prepare() (Board, error) {
	t := &b.Target
	t.ReadOnly, t.GoodCredentials = true, !b.WrongCredentials
	t.Apply, t.Withdraw = nil, nil
	if t.BaseURL == "" && t.JobDBURL == "" {
		return b, errors.New("boardcheck: the board has neither BaseURL nor JobDBURL")
	}
	t.BaseURL = strings.TrimSuffix(strings.TrimRight(t.BaseURL, "/"), "/api/rest")
	t.JobDBURL = strings.TrimRight(t.JobDBURL, "/")
	if b.ClientSecret != "" && b.TokenURL == "" {
		b.TokenURL = t.BaseURL + tokenPath
	}
	for name, a := range map[string]string{
		"BaseURL": t.BaseURL, "JobDBURL": t.JobDBURL, "FeedURL": b.FeedURL, "TokenURL": b.TokenURL,
	} {
		if a != "" && !isAddress(a) {
			return b, fmt.Errorf("boardcheck: %s is no http or https address without a user part", name)
		}
	}
	if b.ClientSecret != "" && t.ClientID == "" {
		return b, errors.New("boardcheck: ClientSecret is set without ClientID")
	}
	if err := t.Check(); err != nil {
		return b, fmt.Errorf("boardcheck: %w", err)
	}
	if b.Limiter == nil {
		b.Limiter = &evenly{}
	}
	if b.Timeout <= 0 {
		b.Timeout = 10 * time.Minute
	}
	return b, nil
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// Step is one kind of request in a check.
type Step struct {
	Why        string `json:"why"`
	Request    string `json:"request"` // such as "GET {base_url}/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	Credential string `json:"credential"`
	AtMost     int    `json:"at_most"` // requests
	Wrong      bool   `json:"wrong_credentials,omitempty"`
}

// Bounds on the jobs that a check looks up, and on the requests of the rules; a
// test checks the latter.
const (
	maxLookups     = 30
	maxApplied     = 20
	searchRequests = 40
	lookupRequests = 10
	appliedRules   = 20
	applyRules     = 22
)

const (
	searchLine      = "GET {base_url}" + searchPath + "{channelID}/jobs"
	lookupLine      = "GET {jobdb_url}" + lookupPath + "?jobid"
	appliedLine     = "GET {base_url}" + jobsPath + "{jobDbId}/applied"
	applicationLine = "GET {base_url}" + jobsPath + "{jobDbId}/application"
)

// Plan returns the requests that Check would send at most, and sends none. Check also
// repeats a request once if the board asks it to wait up to 30 s. Including repeats,
// Check sends at most [MaxRequests] requests.
func (b Board) Plan() ([]Step, error) {
	b, err := b.prepare()
	if err != nil {
		return nil, err
	}
	t := b.Target
	var steps []Step
	add := func(when bool, s Step) {
		if when {
			steps = append(steps, s)
		}
	}
	client := b.searchCredential()
	searches := t.BaseURL != "" && t.Channel != "" && client != ""
	applicant := t.BaseURL != "" && t.ApplicantToken != ""
	add(b.fetchesToken(), Step{"a token of the client", "POST {token_url}", "client identifier and secret", 1, false})
	add(searches, Step{"postings of the channel, and in other languages", searchLine, client, 4, false})
	const tries = linkForms * linksPerForm
	add(searches && t.JobDBURL != "", Step{"numbers in links of the board's own form", lookupLine, "none", tries, false})
	add(b.FeedURL != "", Step{"the feed, for its jobs", "GET {feed_url}", "none", 1, false})
	add(t.JobDBURL != "", Step{"jobs of postings and feed", lookupLine, "none", maxLookups, false})
	add(applicant, Step{"the same jobs, of the applicant", appliedLine, "applicant's token", maxApplied, false})
	add(searches, Step{"the rules of the search", searchLine, client, searchRequests, false})
	add(t.JobDBURL != "", Step{"the rules of the lookup", lookupLine, "none", lookupRequests, false})
	add(applicant, Step{"the rules of the applied check", appliedLine, "applicant's token", appliedRules, false})
	add(applicant, Step{"the rules of the application lookup", applicationLine, "applicant's token", applyRules, false})
	if b.WrongCredentials {
		add(searches, Step{"a search that is to be refused", searchLine, "wrong ones, and none", 7, true})
		add(applicant, Step{"an applied check that is to be refused", appliedLine, "wrong ones, and none", 7, true})
		add(applicant, Step{"an application lookup that is to be refused", applicationLine, "wrong ones, and none", 7, true})
	}
	return steps, nil
}

func (b *Board) fetchesToken() bool { return b.ClientSecret != "" && b.Target.ClientToken == "" }

// toBeRefused reports whether a request has a credential that section 5 does not take for it.
func (b *Board) toBeRefused(r *http.Request) bool {
	sent := r.Header.Get("Authorization")
	good := []string{"Bearer " + b.Target.ApplicantToken, "Bearer " + b.Target.InternalToken}
	switch path := r.URL.Path; {
	case strings.Contains(path, jobsPath):
	case strings.Contains(path, searchPath):
		good = append(good, "Bearer "+b.Target.ClientToken)
		if b.ClientSecret == "" {
			good = append(good, basicHeader(b.Target.ClientID, ""))
		}
	default: // the interface shows no credential for the others
		return false
	}
	return sent == "" || sent == "Bearer " || !slices.Contains(good, sent)
}

// The names of credentials that the user has given.
const (
	applicantsToken  = "the applicant's token"
	clientsSecret    = "the client's secret"
	clientsToken     = "the client's token"
	clientIdentifier = "the client identifier"
)

// credentialOf returns the name of a request's credential that the user gave and that the board is to
// take, or "". Basic beside a token of the client has none: the rule about Basic judges it.
func (b *Board) credentialOf(r *http.Request) string {
	t := &b.Target
	basic := t.ClientToken == "" && t.ClientID != ""
	switch sent := r.Header.Get("Authorization"); {
	case r.Method == http.MethodPost:
		return clientsSecret
	case b.toBeRefused(r):
		return ""
	case t.ApplicantToken != "" && sent == "Bearer "+t.ApplicantToken:
		return applicantsToken
	case t.InternalToken != "" && sent == "Bearer "+t.InternalToken:
		return "the token of InternalToken"
	case t.LookupToken != "" && sent == "Bearer "+t.LookupToken:
		return "the token of LookupToken"
	case t.ClientToken != "" && sent == "Bearer "+t.ClientToken:
		return clientsToken
	case basic && sent == basicHeader(t.ClientID, ""):
		return clientIdentifier
	}
	return ""
}

// searchCredential returns the name of the credential that a search sends.
func (b *Board) searchCredential() string {
	t := &b.Target
	switch {
	case b.ClientSecret != "" || t.ClientToken != "":
		return "client's token"
	case t.ClientID != "":
		return "Basic with the client identifier"
	case t.ApplicantToken != "":
		return "applicant's token"
	}
	return ""
}

// State is the verdict of a check about a rule.
type State string

// The states of a rule.
const (
	Kept          State = "kept"
	Broken        State = "broken"
	NotObservable State = "not observable"
)

// Rule is a rule of package conformance with its verdict.
type Rule struct {
	Name     string   `json:"name"`
	Section  string   `json:"section"` // of the interface
	Text     string   `json:"text"`
	State    State    `json:"state"`
	Requests []string `json:"requests"`           // requests by which the rule is judged
	Problems []string `json:"problems,omitempty"` // problems, without texts of the board
	Why      string   `json:"why,omitempty"`      // reason why it is not observable
	Needs    []string `json:"needs,omitempty"`    // Board.Target's fields that would help, such as "WithdrawnJob"

	// Quotes are the problems with the beginnings of the board's texts, which may be
	// personal. Show them on the screen only; no file contains them.
	Quotes []string `json:"-"`
}

// Report is what a check found. Its JSON, like the profile, holds no value of the board.
type Report struct {
	Rules    []Rule   `json:"rules"`
	Changes  []Change `json:"changes"`
	Requests int      `json:"requests"` // sent
	Troubles []string `json:"troubles"` // requests without a useful answer, with the reason
	Found    []string `json:"found"`    // fields whose values Check found itself, such as "OpenJob"

	Profile *Profile `json:"profile"`
}

// Broken returns the number of rules that the board breaks.
func (r *Report) Broken() int { return r.count(Broken) }

func (r *Report) count(s State) (n int) {
	for _, x := range r.Rules {
		if x.State == s {
			n++
		}
	}
	return n
}

// Changed reports whether the board changed: whether Changes has an entry that
// is not a note.
func (r *Report) Changed() bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool { return !c.Note })
}

// Check asks a board, read-only, with [MaxRequests] requests at most. Compare the report's
// profile with an earlier one by [Report.Since]. If the board does not answer, Check
// returns no error: Troubles lists the requests, and their rules are not observable. Check
// returns an error for wrong fields of the Board, and the error of a canceled context.
func Check(ctx context.Context, b Board) (*Report, error) {
	b, err := b.prepare()
	if err != nil {
		return nil, err
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, b.Timeout)
	defer cancel()
	f := &finder{Board: b, ctx: ctx}
	q := newRequester(&b, f.toBeRefused, f.credentialOf)
	f.transport = q
	if c := b.Target.HTTPClient; c != nil && c.Transport != nil {
		q.next = c.Transport
	} else {
		own := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, MaxResponseHeaderBytes: 256 << 10}
		defer own.CloseIdleConnections()
		q.next = own
	}
	f.find()
	f.Target.HTTPClient = &http.Client{Transport: q}
	results, err := conformance.Check(ctx, f.Target)
	if caller.Err() != nil {
		return nil, caller.Err()
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	f.tryBasic()
	q.settle()
	return f.report(q, results), nil
}

// report builds the report of a check.
func (f *finder) report(q *requester, results []conformance.Result) *Report {
	r := &Report{Requests: q.sent, Troubles: q.troubles, Found: f.found, Changes: []Change{}}
	for _, x := range results {
		r.Rules = append(r.Rules, f.rule(q.record.profile.without(x)))
	}
	for _, x := range conformance.Checks()[len(results):] {
		r.Rules = append(r.Rules, Rule{
			Name: x.Name, Section: x.Section, Text: x.Text, State: NotObservable, Why: "the check's time was up",
			Requests: []string{lineOf(x.Name)},
		})
	}
	r.Profile = q.record.profile
	r.Profile.Runs = 1
	r.Profile.settle()
	for _, x := range r.Rules {
		if x.State != NotObservable {
			r.Profile.Rules[x.Name] = x.State
		}
	}
	if r.Troubles == nil {
		r.Troubles = []string{}
	}
	return r
}

var missingField = regexp.MustCompile(`: the field (\w+) is missing$`)

// without removes the problem "the field is missing" from a result if other jobs or
// postings have the field: the rules of package conformance look at only a few jobs, and a
// board may leave out empty values.
func (p *Profile) without(x conformance.Result) conformance.Result {
	var problems, outlines []string
	for _, o := range x.Outlines {
		if m := missingField.FindStringSubmatch(o); m == nil || !p.has(operation(x.Name), m[1]) {
			outlines = append(outlines, o)
		}
	}
	for _, o := range x.Problems {
		if m := missingField.FindStringSubmatch(o); m == nil || !p.has(operation(x.Name), m[1]) {
			problems = append(problems, o)
		}
	}
	x.Problems, x.Outlines = problems, outlines
	return x
}

// has reports whether a member was seen in the answers of an operation.
func (p *Profile) has(op, name string) bool {
	for kind, a := range p.Answers {
		for path := range a.Members {
			if operation(kind) == op && (path == name || strings.HasSuffix(path, "."+name)) {
				return true
			}
		}
	}
	return false
}

// lineOf returns the request of a rule's operation.
func lineOf(rule string) string {
	switch op, _, _ := strings.Cut(rule, "/"); op {
	case "search":
		return searchLine
	case "applied":
		return appliedLine
	case "application":
		return applicationLine
	case "lookup":
		return lookupLine
	}
	return "POST {base_url}/jobabo"
}

func (f *finder) rule(x conformance.Result) Rule {
	r := Rule{
		Name: x.Name, Section: x.Section, Text: x.Text, State: Kept, Requests: x.Requests,
		Problems: x.Outlines, Quotes: x.Problems, Needs: x.Lacks,
	}
	if len(r.Requests) == 0 {
		r.Requests = []string{lineOf(x.Name)}
	}
	switch {
	case x.Failed() && f.troubled(x):
		r.State, r.Why, r.Problems, r.Quotes = NotObservable, "the board gave no good answer, see troubles", nil, nil
	case x.Failed():
		r.State = Broken
	case x.Skipped == "":
	case x.Name == "search/basic" && f.ClientSecret != "":
		r.State, r.Needs = NotObservable, nil
		r.Why = "a client with a secret sends its token: check with the identifier of a client that has none"
	case x.Changes:
		r.State, r.Why, r.Needs = NotObservable, "the check changes nothing", nil
	case x.Refused && !f.WrongCredentials:
		r.State, r.Why, r.Needs = NotObservable, "it takes wrong credentials, see WrongCredentials", nil
	case len(x.Lacks) > 0:
		r.State, r.Why = NotObservable, "give "+strings.Join(x.Lacks, " and ")
	default:
		r.State, r.Why = NotObservable, x.SkippedOutline
	}
	return r
}

// troubled reports whether a rule is broken only because answers are missing.
func (f *finder) troubled(x conformance.Result) bool {
	if f.transport.silent(x.Name) {
		return true
	}
	for _, p := range x.Outlines {
		if !strings.Contains(p, "got no answer") && !strings.Contains(p, "cannot be read") {
			return false
		}
	}
	return len(f.transport.troubles) > 0
}
