package suite_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// What no error, log line or foreign host may show.
const (
	canaryClientToken    = "canary-client-token-4f9a1c"
	canaryApplicantToken = "canary-applicant-token-7be02d"
	canaryLookupToken    = "canary-lookup-token-c55e81"
	canaryFreshToken     = "canary-fresh-token-90aa3b"
	canaryClientID       = "canary-client-id-6612"
	canaryText           = "canary söarch & text=31"
	canaryEmail          = "canary.e+mail@example.org"
	canaryChannel        = "canary_channel_8"
	canarySubscription   = "canary-subscription-5"
)

var faultCanaries = faultCanaryForms(canaryClientToken, canaryApplicantToken, canaryLookupToken, canaryFreshToken,
	canaryClientID, canaryText, canaryEmail, canaryChannel, canarySubscription, canaryClientID+":")

// faultCanaryForms are a secret as it is, and as somebody may have encoded it.
func faultCanaryForms(secrets ...string) (all []string) {
	for _, s := range secrets {
		all = append(all, s, base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)),
			hex.EncodeToString([]byte(s)), url.QueryEscape(s), url.PathEscape(s), strings.ToUpper(s))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const (
	faultBase   = "http://127.0.0.1:1/pre/fix"
	faultLookup = "http://127.0.0.1:2/db"
	faultJob    = jobboard.JobID(5310482)
)

// faultOp is an operation as the table sees it.
type faultOp struct {
	label    string // of the test
	name     string // what an Error calls it
	column   string
	method   string
	path     string // after the base address's own
	template string
	file     string // the good answer
	kind     string // its content type
	slot     string // whose credential it needs: base, applicant, lookup
	call     func(ctx context.Context, r *faultRig) (any, error)
}

func (op *faultOp) changes() bool { return strings.Contains("+CD", op.column) }

// cell is the operation's cell of a row.
func (op *faultOp) cell(cells map[string]faultCell) faultCell {
	if op.name == "Postings" {
		return cells["Postings"]
	}
	return cells[op.column]
}

const (
	faultSearchPath     = "/api/rest/v2/frontend/jobboards/" + canaryChannel + "/jobs"
	faultSearchTemplate = "/api/rest/v2/frontend/jobboards/{channelID}/jobs"
)

var faultQuery = jobboard.Query{Text: canaryText, Near: jobboard.Near(52.5, 13.4, 50), Language: "de"}

var faultSubscription = jobboard.SubscriptionRequest{
	Query: url.Values{"channel": {canaryChannel}, "types": {"rss"}, "email": {canaryEmail}},
	Body:  map[string][]string{"5512": {"a", canaryEmail}},
}

func collectPostings(postings func(func(*jobboard.JobPosting, error) bool)) (any, error) {
	all := []jobboard.JobPosting{}
	var failed error
	for p, err := range postings {
		switch {
		case failed != nil:
			return nil, fmt.Errorf("an item after the error %w", failed)
		case err != nil && p != nil:
			return nil, fmt.Errorf("a posting beside the error %w", err)
		case err != nil:
			failed = err
		case p == nil:
			return nil, errors.New("neither a posting nor an error")
		case len(all) < 1000:
			all = append(all, *p)
		}
	}
	if failed != nil {
		return nil, failed
	}
	return all, nil
}

func postingsOf(result *jobboard.JobSearchResult, err error) (any, error) {
	if err != nil {
		if result != nil {
			return nil, fmt.Errorf("a result beside the error %w", err)
		}
		return nil, err
	}
	return append([]jobboard.JobPosting{}, result.Results...), nil
}

var faultOps = []*faultOp{
	{
		label: "Search", name: "Search", column: "S", slot: "base",
		method: http.MethodGet, path: faultSearchPath, template: faultSearchTemplate, file: "search.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return postingsOf(r.client.Search(ctx, canaryChannel, faultQuery))
		},
	},
	{
		label: "Postings", name: "Postings", column: "S", slot: "base",
		method: http.MethodGet, path: faultSearchPath, template: faultSearchTemplate, file: "search.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return collectPostings(r.client.Postings(ctx, canaryChannel, faultQuery))
		},
	},
	{
		label: "Applicant.Search", name: "Search", column: "S", slot: "applicant",
		method: http.MethodGet, path: faultSearchPath, template: faultSearchTemplate, file: "search.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return postingsOf(r.applicant.Search(ctx, canaryChannel, faultQuery))
		},
	},
	{
		label: "Applicant.Postings", name: "Postings", column: "S", slot: "applicant",
		method: http.MethodGet, path: faultSearchPath, template: faultSearchTemplate, file: "search.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return collectPostings(r.applicant.Postings(ctx, canaryChannel, faultQuery))
		},
	},
	{
		label: "HasApplied", name: "HasApplied", column: "A", slot: "applicant",
		method: http.MethodGet, path: "/api/rest/v3/frontend/jobs/5310482/applied", template: "/api/rest/v3/frontend/jobs/{jobDbId}/applied",
		file: "applied_true.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			applied, err := r.applicant.HasApplied(ctx, faultJob)
			if err != nil && applied {
				return nil, fmt.Errorf("true beside the error %w", err)
			}
			return applied, err
		},
	},
	{
		label: "ApplicationID", name: "ApplicationID", column: "P", slot: "applicant",
		method: http.MethodGet, path: "/api/rest/v3/frontend/jobs/5310482/application", template: "/api/rest/v3/frontend/jobs/{jobDbId}/application",
		file: "application_quoted.json", kind: "text/plain",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			id, err := r.applicant.ApplicationID(ctx, faultJob)
			if err != nil && id != "" {
				return nil, fmt.Errorf("an identifier beside the error %w", err)
			}
			return id, err
		},
	},
	{
		label: "JobInformation", name: "JobInformation", column: "J", slot: "lookup",
		method: http.MethodGet, path: "/jobdb/public/apply/external", template: "/jobdb/public/apply/external",
		file: "jobinfo.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			info, err := r.client.JobInformation(ctx, faultJob)
			if err != nil {
				if info != nil {
					return nil, fmt.Errorf("a result beside the error %w", err)
				}
				return nil, err
			}
			return info, nil
		},
	},
	{
		label: "Subscribe", name: "Subscribe", column: "+", slot: "base",
		method: http.MethodPost, path: "/jobabo", template: "/jobabo", file: "subscription_created.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.Subscribe(ctx, faultSubscription))
		},
	},
	{
		label: "ConfirmSubscription", name: "ConfirmSubscription", column: "C", slot: "base",
		method: http.MethodPut, path: "/jobabo/" + canarySubscription, template: "/jobabo/{aboId}", file: "subscription_confirmed.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.ConfirmSubscription(ctx, canarySubscription, json.RawMessage("null")))
		},
	},
	{
		label: "Unsubscribe", name: "Unsubscribe", column: "D", slot: "base",
		method: http.MethodDelete, path: "/jobabo/" + canarySubscription, template: "/jobabo/{aboId}", file: "subscription_confirmed.json", kind: "application/json",
		call: func(ctx context.Context, r *faultRig) (any, error) {
			return rawOf(r.client.Unsubscribe(ctx, canarySubscription))
		},
	},
}

func rawOf(raw json.RawMessage, err error) (any, error) {
	switch {
	case err != nil && raw != nil:
		return nil, fmt.Errorf("an answer beside the error %w", err)
	case err != nil || raw == nil:
		return nil, err
	}
	return raw, nil
}

// fault is a row of the table, or a part of one.
type fault struct {
	row   string
	name  string
	cells string
	// dials: what is counted is connections, not requests.
	dials bool
	// many: a redirect that is followed is a request, and no attempt.
	many bool
	// oneConn: whole answers that are small leave the connection in use.
	oneConn  bool
	variants []faultVariant
}

// faultVariant is one form of a fault. What is zero is not there.
type faultVariant struct {
	name       string
	serve      func(x *faultExchange) // instead of the good answer
	dial       func(ctx context.Context, r *faultRig, address string) (net.Conn, error)
	configure  func(r *faultRig)                   // before the client is made
	drive      func(r *faultRig, cell faultCell)   // instead of one call
	only       string                              // columns; empty: all
	status     int                                 // of the Error
	code       string                              // of the Error; "?" for any
	retryAfter time.Duration                       // of the Error; negative: at least that much
	says       []string                            // the error's text holds all of them
	hides      []string                            // and none of these
	check      func(op *faultOp, value any) string // of a success; nil: the good answer
	after      func(r *faultRig, err error)        // adds problems of its own
	readAtMost int64                               // bytes from the network
}

// faultRig is a client, its services, and what happened between them.
type faultRig struct {
	op      *faultOp
	fault   *fault
	variant *faultVariant
	faulty  int // requests or dials that fail, from the first; -1: all

	cfg             jobboard.Config
	applicantSource oauth2.TokenSource
	expectAuth      func(n int) string // what the server wants to see in the n-th request; nil: what is configured
	client          *jobboard.Client
	applicant       *jobboard.Applicant
	net             *faultNet
	transport       *http.Transport
	release         chan struct{} // closed at the end, for what hangs
	tls             *tls.Config   // of sockets: the services speak it
	http2           bool          // and nothing else
	log             faultLog

	mu       sync.Mutex
	requests []faultRequest
	foreign  []string
	fetches  int
	problems []string
	start    time.Time
	end      time.Time
	measure  bool   // what the call allocates
	mem      uint64 // bytes
}

type faultRequest struct {
	at      time.Time
	address string
	auth    string
	uri     string
	body    string
}

func (r *faultRig) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *faultRig) seen() []faultRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

func (r *faultRig) fetched() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fetches
}

// faultSource is a token source that is neither quick nor the package's own.
type faultSource struct{ f func() (*oauth2.Token, error) }

func (s *faultSource) Token() (*oauth2.Token, error) { return s.f() }

// source counts how often it is asked.
func (r *faultRig) source(f func(n int) (*oauth2.Token, error)) oauth2.TokenSource {
	return &faultSource{func() (*oauth2.Token, error) {
		r.mu.Lock()
		r.fetches++
		n := r.fetches
		r.mu.Unlock()
		return f(n)
	}}
}

// credential puts a source where the operation's credential comes from.
func (r *faultRig) credential(s oauth2.TokenSource) {
	r.cfg.ClientID = ""
	r.applicantSource = s
	r.cfg.TokenSource = s
	r.cfg.JobDBTokenSource = s
}

// newFaultRig is what every cell starts with. Its policy is the default one,
// but that five attempts to their time-out fit the time of a call.
func newFaultRig(f *fault, v *faultVariant, op *faultOp, index int) *faultRig {
	r := &faultRig{
		op: op, fault: f, variant: v, faulty: -1, net: new(faultNet),
		applicantSource: jobboard.StaticToken(canaryApplicantToken),
	}
	r.transport = &http.Transport{DialContext: r.net.DialContext, MaxResponseHeaderBytes: 256 << 10, TLSHandshakeTimeout: 3 * time.Second}
	r.cfg = jobboard.Config{
		BaseURL: faultBase, JobDBURL: faultLookup, UserAgent: "fault-test",
		HTTPClient: &http.Client{Transport: r.transport},
		Retry:      jobboard.RetryPolicy{AttemptTimeout: 5 * time.Second, StallTimeout: 3 * time.Second},
		Logger:     slog.New(&r.log),
	}
	if index%2 == 0 {
		r.cfg.ClientID = canaryClientID
	} else {
		r.cfg.TokenSource = jobboard.StaticToken(canaryClientToken)
	}
	return r
}

func (r *faultRig) connectClient() error {
	var err error
	if r.client, err = jobboard.NewClient(r.cfg); err != nil {
		return err
	}
	r.applicant = r.client.Applicant(r.applicantSource)
	return nil
}

// wantedAuth is the credential the operation must send.
func (r *faultRig) wantedAuth(n int) string {
	if r.expectAuth != nil {
		return r.expectAuth(n)
	}
	token := func(s oauth2.TokenSource) string {
		if s == nil {
			return ""
		}
		t, err := s.Token()
		if err != nil {
			return ""
		}
		return "Bearer " + t.AccessToken
	}
	switch {
	case r.op.slot == "lookup":
		return token(r.cfg.JobDBTokenSource)
	case r.op.slot == "applicant":
		return token(r.applicantSource)
	case r.cfg.ClientID != "":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(r.cfg.ClientID+":"))
	}
	return token(r.cfg.TokenSource)
}

// faultExchange is a request that waits for its answer.
type faultExchange struct {
	http.ResponseWriter
	r   *http.Request
	rig *faultRig
	n   int // of the request, from 1
}

type faultAddressKey struct{}

// ServeHTTP is every service there is.
func (r *faultRig) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	address, _ := req.Context().Value(faultAddressKey{}).(string)
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	home := r.home()
	if address != home {
		r.foreign = append(r.foreign, address+" "+req.RequestURI)
	}
	r.requests = append(r.requests, faultRequest{time.Now(), address, req.Header.Get("Authorization"), req.RequestURI, string(body)})
	n := len(r.requests)
	faulty := r.variant.serve != nil && (r.faulty < 0 || n <= r.faulty)
	r.mu.Unlock()

	if got, want := req.Header.Get("Authorization"), r.wantedAuth(n); got != want {
		r.problem("request %d has the credential %q, want %q", n, got, want)
	}
	if r.http2 && req.ProtoMajor != 2 {
		r.problem("request %d is %s", n, req.Proto)
	}
	if req.Method != r.op.method {
		r.problem("request %d is a %s", n, req.Method)
	}
	wantBody := map[string]string{"+": `{"5512":["a","` + canaryEmail + `"]}`, "C": "null"}[r.op.column]
	if string(body) != wantBody {
		r.problem("request %d has the body %q, want %q", n, body, wantBody)
	}
	x := &faultExchange{w, req, r, n}
	if faulty {
		r.variant.serve(x)
		return
	}
	x.good()
}

// home is the one address the operation may talk to.
func (r *faultRig) home() string {
	base := r.cfg.BaseURL
	if r.op.slot == "lookup" {
		base = r.cfg.JobDBURL
	}
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	if u.Port() == "" {
		return u.Host + map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	return u.Host
}

func (x *faultExchange) good() {
	base := x.rig.cfg.BaseURL
	if x.rig.op.slot == "lookup" {
		base = x.rig.cfg.JobDBURL
	}
	u, _ := url.Parse(base)
	if want := u.Path + x.rig.op.path; x.r.URL.Path != want && !x.rig.fault.many {
		x.rig.problem("request %d goes to %q, want %q", x.n, x.r.URL.Path, want)
	}
	x.answer(http.StatusOK, x.rig.op.kind, faultData(x.rig.op.file))
}

func (x *faultExchange) answer(status int, kind string, body []byte) {
	if kind != "" {
		x.Header().Set("Content-Type", kind)
	}
	x.WriteHeader(status)
	_, _ = x.Write(body)
}

// hijack takes the connection over.
func (x *faultExchange) hijack() net.Conn {
	c, _, err := x.ResponseWriter.(http.Hijacker).Hijack()
	if err != nil {
		x.rig.problem("hijack: %v", err)
	}
	return c
}

// raw answers with bytes, and ends the connection.
func (x *faultExchange) raw(parts ...string) {
	c := x.hijack()
	for _, p := range parts {
		_, _ = io.WriteString(c, p)
	}
	_ = c.Close()
}

// reset resets the connection, in the middle of an answer or before it.
func (x *faultExchange) reset(parts ...string) {
	c := x.hijack()
	for _, p := range parts {
		_, _ = io.WriteString(c, p)
	}
	switch c := c.(type) {
	case *faultConn:
		_ = c.Reset()
	case *net.TCPConn:
		_ = c.SetLinger(0) // a reset, not an end
		_ = c.Close()
	default:
		x.rig.problem("a %T cannot be reset", c)
	}
}

// stall sends what it is given and nothing more until the client leaves.
func (x *faultExchange) stall(parts ...string) {
	c := x.hijack()
	for _, p := range parts {
		_, _ = io.WriteString(c, p)
	}
	_, _ = io.Copy(io.Discard, c)
	_ = c.Close()
}

var faultFiles sync.Map

func faultData(name string) []byte {
	if b, ok := faultFiles.Load(name); ok {
		return b.([]byte)
	}
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		panic(err)
	}
	faultFiles.Store(name, b)
	return b
}

// serveVirtual runs f against the rig's network. It must run in a bubble.
func (r *faultRig) serveVirtual(f func()) {
	server := &http.Server{
		Handler: r,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, faultAddressKey{}, faultConnOf(c).address)
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	if r.variant.dial != nil {
		r.net.dial = func(ctx context.Context, n int, address string) (net.Conn, error) {
			if r.faulty < 0 || n <= r.faulty {
				return r.variant.dial(ctx, r, address)
			}
			return nil, nil //nolint:nilnil // connects
		}
	}
	go func() { _ = server.Serve(r.net) }()
	f()
	synctest.Wait()
	r.transport.CloseIdleConnections()
	synctest.Wait()
	if _, open, _ := r.net.state(); open != 0 {
		r.problem("%d connections are neither idle nor closed after the call", open)
	}
	close(r.release)
	_ = server.Close()
}

// run is one cell in virtual time. What it finds is in r.problems.
func (r *faultRig) run(t *testing.T, cell faultCell) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r.release = make(chan struct{})
		r.net.start()
		if r.variant.configure != nil {
			r.variant.configure(r)
		}
		r.serveVirtual(func() {
			if r.variant.drive != nil {
				r.variant.drive(r, cell)
				return
			}
			r.callOnce(t.Context(), cell)
		})
	})
}

// callOnce makes the call and holds it against its cell.
func (r *faultRig) callOnce(ctx context.Context, cell faultCell) {
	if err := r.connectClient(); err != nil {
		r.problem("NewClient: %v", err)
		return
	}
	var before, after runtime.MemStats
	if r.measure {
		runtime.ReadMemStats(&before)
	}
	r.start = time.Now()
	value, err := r.op.call(ctx, r)
	r.end = time.Now()
	if r.measure {
		runtime.ReadMemStats(&after)
		r.mem = after.TotalAlloc - before.TotalAlloc
	}
	r.verify(cell, value, err)
	if r.variant.after != nil {
		r.variant.after(r, err)
	}
}

// verify holds the outcome of the rig's call against the cell.
func (r *faultRig) verify(cell faultCell, value any, err error) {
	requests := r.seen()
	dials, _, maxOpen := r.net.state()
	count := len(requests)
	if r.fault.dials {
		count = len(dials)
	}
	least, most := cell.min, cell.max
	outcomes := cell.outcomes
	stopped := cell.stopped
	if cell.repeated {
		switch {
		case outcomes[0].name == "ok":
			least, most = 1, 5
		case r.faulty < 0:
			least, most = 5, 5
			if stopped == "" {
				stopped = jobboard.StopAttempts
			}
		default:
			least, most = r.faulty+1, r.faulty+1
			outcomes = []faultOutcome{{name: "ok"}}
		}
	}
	if count < least || count > most {
		r.problem("%d requests, want %d to %d", count, least, most)
	}
	if len(r.foreign) > 0 {
		r.problem("requests elsewhere: %q", r.foreign)
	}
	for _, d := range dials {
		if d.address != r.home() {
			r.problem("a connection to %s", d.address)
		}
	}
	if maxOpen > 2 || r.fault.oneConn && len(dials) > 1 {
		r.problem("%d connections, %d at once", len(dials), maxOpen)
	}
	if cell.repeated && r.variant.drive == nil {
		var times []time.Time
		for _, q := range requests {
			times = append(times, q.at)
		}
		if r.fault.dials {
			times = nil
			for _, d := range dials {
				times = append(times, d.at)
			}
		}
		r.verifyWaits(times)
	}

	if err == nil {
		if !slices.ContainsFunc(outcomes, func(o faultOutcome) bool { return o.name == "ok" }) {
			shown, _ := json.Marshal(value)
			r.problem("succeeded with %.200s, want %s", shown, cell.text)
			return
		}
		r.verifyValue(value)
	} else {
		r.verifyError(err, outcomes, stopped, count)
	}
	r.log.verify(r)
	if limit := r.variant.readAtMost; limit > 0 && r.net.bytesRead() > limit {
		r.problem("read %d bytes, more than %d", r.net.bytesRead(), limit)
	}
}

// verifyWaits: what is repeated by policy is never repeated in a hurry, nor
// much later than its longest wait and the time of an attempt.
func (r *faultRig) verifyWaits(times []time.Time) {
	for i := 1; i < len(times); i++ {
		gap := times[i].Sub(times[i-1])
		d := min(200*time.Millisecond<<(i-1), 5*time.Second)
		if r.cfg.Retry.MinWait > 0 {
			continue // real time
		}
		if gap < d/2 || gap > d+r.cfg.Retry.AttemptTimeout+time.Second {
			r.problem("request %d came %v after the one before it", i+1, gap)
		}
	}
}

func (r *faultRig) verifyValue(value any) {
	if r.variant.check != nil && r.faulty < 0 {
		if problem := r.variant.check(r.op, value); problem != "" {
			r.problem("%s", problem)
		}
		return
	}
	want := faultData(r.op.file)
	if r.op.column == "S" {
		want = faultJSONField(want, "results")
	}
	if problem := faultSameJSON(value, want); problem != "" {
		r.problem("%s", problem)
	}
}

func faultJSONField(object []byte, name string) []byte {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		panic(err)
	}
	return m[name]
}

// faultSameJSON says how a value's JSON differs from some other.
func faultSameJSON(value any, want []byte) string {
	b, err := json.Marshal(value)
	if err != nil {
		return "the result does not encode: " + err.Error()
	}
	var x, y any
	if err := json.Unmarshal(b, &x); err != nil {
		return err.Error()
	}
	if err := json.Unmarshal(want, &y); err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(x, y) {
		return fmt.Sprintf("the result is %.600s, want %.600s", b, want)
	}
	return ""
}

func (r *faultRig) verifyError(err error, outcomes []faultOutcome, stopped jobboard.StopReason, count int) {
	matched := faultMatched(err)
	i := slices.IndexFunc(outcomes, func(o faultOutcome) bool { return o.name != "ok" && slices.Equal(matched, o.expected()) })
	if i < 0 {
		r.problem("the error matches %q, want one of %+v: %v", matched, outcomes, err)
		return
	}
	outcome := outcomes[i]
	var e *jobboard.Error
	if !errors.As(err, &e) {
		r.problem("the error is no *Error: %v", err)
		return
	}
	if e.Op != r.op.name || e.Path != r.op.template {
		r.problem("the error is of %s %s", e.Op, e.Path)
	}
	if e.StatusCode != r.variant.status {
		r.problem("StatusCode is %d, want %d", e.StatusCode, r.variant.status)
	}
	if r.variant.code != "?" && e.Code != r.variant.code {
		r.problem("Code is %q, want %q", e.Code, r.variant.code)
	}
	if e.Attempts != count && !(r.fault.many && e.Attempts >= 1 && e.Attempts <= count) {
		r.problem("Attempts is %d, want %d", e.Attempts, count)
	}
	if want := r.variant.retryAfter; want >= 0 && e.RetryAfter != want || want < 0 && e.RetryAfter < -want {
		r.problem("RetryAfter is %v, want %v", e.RetryAfter, want)
	}
	if outcome.name == "ErrDecode" && !strings.Contains(err.Error(), fmt.Sprintf("%s: %d ", e.Op, e.StatusCode)) {
		r.problem("the error does not say operation and status: %v", err)
	}
	if e.MayHaveExecuted != outcome.star {
		r.problem("MayHaveExecuted is %v", e.MayHaveExecuted)
	}
	if stopped == "" {
		switch {
		case outcome.name == "canceled":
			stopped = jobboard.StopCanceled
		case outcome.name == "deadline" && e.Stopped == jobboard.StopDeadline:
			stopped = jobboard.StopDeadline
		case outcome.name == "deadline":
			stopped = jobboard.StopCanceled
		default:
			stopped = jobboard.StopFinal
		}
	}
	if e.Stopped != stopped {
		r.problem("Stopped is %q, want %q", e.Stopped, stopped)
	}
	r.verifyText(err, e)
}

// verifyText: bounded, one line, no secret, whoever prints it.
func (r *faultRig) verifyText(err error, e *jobboard.Error) {
	text := err.Error()
	if len(text) > 700 {
		r.problem("the error's text has %d bytes", len(text))
	}
	if len(e.Message) > 300 {
		r.problem("Message has %d bytes", len(e.Message))
	}
	if len(e.Body) > 64<<10 {
		r.problem("Body has %d bytes", len(e.Body))
	}
	for _, s := range []string{text, e.Message, e.Code} {
		if problem := faultUnprintable(s); problem != "" {
			r.problem("the error's text %s: %.200q", problem, s)
		}
	}
	for _, s := range r.variant.says {
		if !strings.Contains(text, s) {
			r.problem("the error does not say %q: %s", s, text)
		}
	}
	for _, s := range append(r.variant.hides, "http://127", "https://", "/pre/fix", "/db/") {
		if strings.Contains(text, s) {
			r.problem("the error shows %q: %s", s, text)
		}
	}
	var urlError *url.Error
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &urlError) || errors.As(err, &retrieve) {
		r.problem("the error holds a %T", err)
	}
	short := *e
	short.Body = short.Body[:min(len(short.Body), 256)] // the whole of it is looked at below, and prints slowly
	encoded, _ := json.Marshal(short)                   // a cause may have no JSON
	var lines bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&lines, nil), slog.NewJSONHandler(&lines, nil)} {
		slog.New(h).Error("failed", "err", err, "error", e, "value", short)
	}
	shown := map[string]string{
		"text": text, "Body": string(e.Body), "Message": e.Message, "Code": e.Code, "JSON": string(encoded), "slog": lines.String(),
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		shown[verb] = fmt.Sprintf(verb, err)
		shown[verb+" of the value"] = fmt.Sprintf(verb, short)
	}
	for where, s := range shown {
		if found := faultCanary(s); found != "" {
			r.problem("%s shows %q", where, found)
		}
	}
}

// Every secret begins with the same word: as it is, in capitals, in hex, and
// as base64.
var faultCanaryBeginnings = []string{"canary", "CANARY", "63616e617279", "63616E617279", "Y2FuYXJ5"}

func faultCanary(s string) string {
	if !slices.ContainsFunc(faultCanaryBeginnings, func(b string) bool { return strings.Contains(s, b) }) {
		return ""
	}
	for _, c := range faultCanaries {
		if strings.Contains(s, c) {
			return c
		}
	}
	return ""
}

// faultUnprintable says why a text does not fit a log line.
func faultUnprintable(s string) string {
	if !utf8.ValidString(s) {
		return "is not UTF-8"
	}
	for _, c := range s {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e {
			return fmt.Sprintf("holds %U", c)
		}
	}
	return ""
}

// faultLog keeps whatever is logged.
type faultLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *faultLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *faultLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *faultLog) WithGroup(string) slog.Handler            { return l }
func (l *faultLog) Handle(_ context.Context, record slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := record.Message
	record.Attrs(func(a slog.Attr) bool {
		line += " " + a.Key + "=" + fmt.Sprintf("%+v", a.Value.Resolve().Any())
		return true
	})
	l.lines = append(l.lines, line)
	return nil
}

func (l *faultLog) verify(r *faultRig) {
	l.mu.Lock()
	lines := slices.Clone(l.lines)
	l.mu.Unlock()
	if len(lines) > 20 {
		r.problem("%d log lines for a call", len(lines))
	}
	for _, line := range lines {
		if found := faultCanary(line); found != "" {
			r.problem("the log shows %q: %s", found, line)
		}
		if problem := faultUnprintable(line); problem != "" {
			r.problem("a log line %s: %q", problem, line)
		}
		if len(line) > 1000 {
			r.problem("a log line has %d bytes", len(line))
		}
	}
}
