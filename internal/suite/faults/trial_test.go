package faults_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

const (
	baseURL   = "http://127.0.0.1:1/pre/fix"
	lookupURL = "http://127.0.0.1:2/db"
)

// fault is a row of the table, or part of a row.
type fault struct {
	name   string // what happens
	status int    // the status of the answers, and of the Error
	cells  row
	forms  []form

	dials   bool // what is counted is connections, not requests
	unsent  bool // no request found a connection: its repeats are free
	many    bool // a redirect that is followed is a request, and no attempt
	oneConn bool // whole answers that are small leave the connection in use

	transport outcome // through Applicant.Transport; nil: as in the cell of HasApplied
}

// form is one form of a fault: what the service answers or does instead, how the
// client is made and called, and what the call must come to. What is zero is not there.
type form struct {
	name string
	only rig.Column // 0: all
	answer
	serve     func(x *exchange) // instead of the answer
	dial      func(ctx context.Context, t *trial, address string) (net.Conn, error)
	configure func(t *trial)         // before the client is made
	drive     func(t *trial, c cell) // instead of one call
	wanted
}

// answer is sent to each request that fails.
type answer struct {
	status     int // if not that of the fault; with neither, the answer is good
	kind, body string
	header     []string // names and values in turn
}

// wanted holds what must be true of a call beside its cell.
type wanted struct {
	code       string        // of the Error; "?" for any
	retryAfter time.Duration // of the Error; negative: at least that much
	says       []string      // the error's text holds all of them
	hides      []string      // and none of these
	check      func(op *rig.Operation, value any) string
	after      func(t *trial, err error) // adds problems of its own
	readAtMost int64                     // bytes from the network
}

// trial is a client, its services, and what happened between them.
type trial struct {
	fault  *fault
	form   *form
	op     *rig.Operation
	faulty int // requests or dials that fail, from the first; -1: all

	cfg             jobboard.Config
	applicantSource oauth2.TokenSource
	expectAuth      func(n int) string // what the service wants in the n-th request; nil: what is configured
	requestBody     io.ReadCloser      // of a request through Transport, which does not come whole; nil: none
	client          *jobboard.Client
	budget          func() float64 // tokens that the last call left
	applicant       *jobboard.Applicant
	net             *rig.Net
	transport       *http.Transport
	release         chan struct{} // closed at the end, for what hangs
	tls             *tls.Config   // the services speak it
	http2           bool          // and nothing else
	log             rig.Log
	status          int // of the Error
	start, end      time.Time

	mu        sync.Mutex
	requests  []request
	foreign   []string
	fetches   int
	problems  []string
	succeeded int // calls of many
}

type request struct {
	at   time.Time
	auth string
}

// newTrial makes what every cell starts with. Its policy is the default one, but
// that five attempts to their time-out fit the time of a call.
func newTrial(f *fault, v *form, op *rig.Operation, index, faulty int) *trial {
	t := &trial{
		op: op, fault: f, form: v, faulty: faulty, status: v.status, net: rig.NewNet(), release: make(chan struct{}),
		applicantSource: jobboard.StaticToken(rig.ApplicantToken.Secret),
	}
	if t.status == 0 {
		t.status = f.status
	}
	t.transport = &http.Transport{
		DialContext: t.net.DialContext, MaxResponseHeaderBytes: 256 << 10, TLSHandshakeTimeout: 3 * time.Second,
	}
	t.cfg = jobboard.Config{
		BaseURL: baseURL, JobDBURL: lookupURL, UserAgent: "fault-test", HTTPClient: &http.Client{Transport: t.transport},
		Retry:  jobboard.RetryPolicy{AttemptTimeout: 5 * time.Second, StallTimeout: 3 * time.Second, Budget: 10},
		Logger: slog.New(&t.log),
	}
	if index%2 == 0 {
		t.cfg.ClientID = rig.ClientID.Secret
	} else {
		t.cfg.TokenSource = jobboard.StaticToken(rig.ClientToken.Secret)
	}
	return t
}

func (t *trial) problem(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// note keeps a request and returns its number.
func (t *trial) note(r request) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, r)
	return len(t.requests)
}

func (t *trial) seen() []request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.requests)
}

// connect makes the client, and says so if it cannot be made.
func (t *trial) connect() bool {
	var err error
	t.budget = rig.WatchBudget(&t.cfg)
	if t.client, err = jobboard.NewClient(t.cfg); err != nil {
		t.problem("NewClient: %v", err)
		return false
	}
	t.applicant = t.client.Applicant(t.applicantSource)
	return true
}

func (t *trial) call(ctx context.Context) (any, error) { return t.op.Call(ctx, t.client, t.applicant) }

// wantedAuth is the credential the operation must send.
func (t *trial) wantedAuth(n int) string {
	if t.expectAuth != nil {
		return t.expectAuth(n)
	}
	source := t.cfg.TokenSource
	switch {
	case t.op.Slot == rig.Lookup:
		source = t.cfg.JobDBTokenSource
	case t.op.Slot == rig.Applicant:
		source = t.applicantSource
	case t.cfg.ClientID != "":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(t.cfg.ClientID+":"))
	}
	if source == nil {
		return ""
	}
	token, err := source.Token()
	if err != nil {
		return ""
	}
	return "Bearer " + token.AccessToken
}

// base is the one address the operation may talk to.
func (t *trial) base() *url.URL {
	base := t.cfg.BaseURL
	if t.op.Slot == rig.Lookup {
		base = t.cfg.JobDBURL
	}
	u := rig.Must(url.Parse(base))
	if u.Port() == "" {
		u.Host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	return u
}

// exchange is a request that waits for its answer.
type exchange struct {
	*rig.Exchange
	trial *trial
	n     int // of the request, from 1
}

// serve is every service there is.
func (t *trial) serve(r *rig.Exchange) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Request.Body)
	auth := r.Request.Header.Get("Authorization")
	t.mu.Lock()
	if r.Address != t.base().Host {
		t.foreign = append(t.foreign, r.Address+" "+r.Request.RequestURI)
	}
	t.mu.Unlock()
	n := t.note(request{time.Now(), auth})

	if want := t.wantedAuth(n); auth != want {
		t.problem("request %d has the credential %q, want %q", n, auth, want)
	}
	if t.http2 && r.Request.ProtoMajor != 2 {
		t.problem("request %d is %s", n, r.Request.Proto)
	}
	if r.Request.Method != t.op.Method || body.String() != t.op.Body && t.requestBody == nil {
		t.problem("request %d is %s %s, want %s %s", n, r.Request.Method, &body, t.op.Method, t.op.Body)
	}
	x := &exchange{r, t, n}
	switch {
	case t.faulty >= 0 && n > t.faulty:
		x.good()
	case t.form.serve != nil:
		t.form.serve(x)
	case t.status != 0:
		x.send(t.form)
	default:
		x.good()
	}
}

func (x *exchange) send(f *form) { x.Answer(x.trial.status, f.kind, f.body, f.header...) }

func (x *exchange) good() {
	op := x.trial.op
	if want := x.trial.base().Path + op.Path; x.Request.URL.Path != want && !x.trial.fault.many {
		x.trial.problem("request %d goes to %q, want %q", x.n, x.Request.URL.Path, want)
	}
	x.Answer(http.StatusOK, op.Kind, x.body())
}

// body is that of the good answer.
func (x *exchange) body() string { return string(rig.Data(x.trial.op.File)) }

// run is one cell in virtual time, with its problems.
func (t *trial) run(c cell) []string {
	if dial := t.form.dial; dial != nil {
		t.net.Dial = func(ctx context.Context, n int, address string) (net.Conn, error) {
			if t.faulty < 0 || n <= t.faulty {
				return dial(ctx, t, address)
			}
			return nil, nil //nolint:nilnil // connects
		}
	}
	if t.form.configure != nil {
		t.form.configure(t)
	}
	if t.tls != nil {
		t.net.Secure = map[string]*tls.Config{"127.0.0.1:1": t.tls, "127.0.0.1:2": t.tls}
	}
	server := rig.Serve(t.net, t.serve)
	if t.form.drive != nil {
		t.form.drive(t, c)
	} else {
		t.once(context.Background(), c)
	}
	synctest.Wait()
	t.transport.CloseIdleConnections()
	synctest.Wait()
	if _, open, _ := t.net.State(); open != 0 {
		t.problem("%d connections are neither idle nor closed after the call", open)
	}
	close(t.release)
	_ = server.Close()
	return t.problems
}

// trials runs a cell: where it is repeated, once with the fault and once with
// the fault in the first attempt only.
func trials(
	t *testing.T, f *fault, v *form, op *rig.Operation, index int, run func(*trial, cell) []string,
) (runs int64) {
	t.Helper()
	c := f.cells.of(op)
	if c == never || v.only != 0 && v.only&op.Column == 0 {
		return 0
	}
	if v.name == "" {
		v.name = fmt.Sprintf("%.60q as %s", v.body, v.kind)
	}
	for _, faulty := range []int{-1, 1} {
		if faulty > 0 && (!c.repeated || c.err == nil || v.serve == nil && v.dial == nil && f.status == 0 && v.status == 0) {
			continue
		}
		runs++
		for _, p := range run(newTrial(f, v, op, index, faulty), c) {
			t.Errorf("%s, %s, first only %v: %s", v.name, op.Label, faulty > 0, p)
		}
	}
	return runs
}

// once makes the call and holds it against its cell.
func (t *trial) once(ctx context.Context, c cell) {
	if !t.connect() {
		return
	}
	t.start = time.Now()
	value, err := t.call(ctx)
	t.end = time.Now()
	t.verify(c, value, err)
}

// verify holds the outcome of the trial's call against the cell.
func (t *trial) verify(c cell, value any, err error) {
	var times []time.Time
	for _, q := range t.seen() {
		times = append(times, q.at)
	}
	dials, _, maxOpen := t.net.State()
	if t.fault.dials {
		times = nil
	}
	for _, d := range dials {
		if t.fault.dials {
			times = append(times, d.At)
		}
		if d.Address != t.base().Host {
			t.problem("a connection to %s", d.Address)
		}
	}
	least, most, want := c.within(t.faulty)
	if len(times) < least || len(times) > most {
		t.problem("%d requests, want %d to %d", len(times), least, most)
	}
	if len(t.foreign) > 0 {
		t.problem("requests elsewhere: %q", t.foreign)
	}
	if maxOpen > 2 || t.fault.oneConn && len(dials) > 1 {
		t.problem("%d connections, %d at once", len(dials), maxOpen)
	}
	if c.repeated && t.form.drive == nil {
		t.verifyWaits(times)
	}
	switch {
	case err != nil:
		t.verifyError(err, want, len(times))
	case want.err != nil && !want.orOK:
		t.problem("succeeded with %.200s", rig.Must(json.Marshal(value)))
		return
	default:
		t.verifyValue(value)
	}
	t.verifyLog()
	if capacity := float64(t.cfg.Retry.Budget); t.fault.unsent && t.budget() != capacity {
		t.problem("of %v tokens %v are left, though nothing was sent", capacity, t.budget())
	}
	if limit := t.form.readAtMost; limit > 0 && t.net.BytesRead() > limit {
		t.problem("read %d bytes, more than %d", t.net.BytesRead(), limit)
	}
	if t.form.after != nil {
		t.form.after(t, err)
	}
}

// verifyWaits: what is repeated by policy is never repeated in a hurry, nor
// much later than its longest wait and the time of an attempt.
func (t *trial) verifyWaits(times []time.Time) {
	for i := 1; i < len(times); i++ {
		gap := times[i].Sub(times[i-1])
		d := min(200*time.Millisecond<<(i-1), 5*time.Second)
		if t.cfg.Retry.MinWait > 0 {
			continue // real time
		}
		if gap < d/2 || gap > d+t.cfg.Retry.AttemptTimeout+time.Second {
			t.problem("request %d came %v after the one before it", i+1, gap)
		}
	}
}

func (t *trial) verifyValue(value any) {
	check := t.form.check
	if check == nil || t.faulty >= 0 {
		want := rig.Data(t.op.File)
		if t.op.Column == S {
			want = member(want, "results")
		}
		check = isJSON(string(want))
	}
	if problem := check(t.op, value); problem != "" {
		t.problem("%s", problem)
	}
}

func member(object []byte, name string) []byte {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		panic(err)
	}
	return m[name]
}

// isJSON compares a value's JSON with some other.
func isJSON(want string) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		b := rig.Must(json.Marshal(value))
		var x, y any
		if err := errors.Join(json.Unmarshal(b, &x), json.Unmarshal([]byte(want), &y)); err != nil {
			return err.Error()
		}
		if !reflect.DeepEqual(x, y) {
			return fmt.Sprintf("the result is %.600s, want %.600s", b, want)
		}
		return ""
	}
}

func (t *trial) verifyError(err error, want cell, count int) {
	e := asError(err)
	if problem := mismatch(err, want.err); problem != "" || e == nil {
		t.problem("the error %s: %v", problem, err)
		return
	}
	if e.Op != t.op.Name || e.Method != t.op.Method || e.Path != t.op.Template {
		t.problem("the error is of %s %s %s", e.Op, e.Method, e.Path)
	}
	refused := errors.Is(want.err, jobboard.ErrUnauthorized) || errors.Is(want.err, jobboard.ErrForbidden) ||
		errors.Is(want.err, jobboard.ErrToken)
	if name := t.credentialName(); refused && e.Credential != name || !refused && e.Credential != "" {
		t.problem("Credential is %q, the call sent %q", e.Credential, name)
	}
	if e.Origin != t.origin() {
		t.problem("Origin is %q, want %q", e.Origin, t.origin())
	}
	if e.StatusCode != t.status || t.form.code != "?" && e.Code != t.form.code {
		t.problem("StatusCode and Code are %d and %q, want %d and %q", e.StatusCode, e.Code, t.status, t.form.code)
	}
	if e.Attempts != count && !(t.fault.many && e.Attempts >= 1 && e.Attempts <= count) {
		t.problem("Attempts is %d, want %d", e.Attempts, count)
	}
	if wait := t.form.retryAfter; wait >= 0 && e.RetryAfter != wait || wait < 0 && e.RetryAfter < -wait {
		t.problem("RetryAfter is %v, want %v", e.RetryAfter, wait)
	}
	if want.err == jobboard.ErrDecode && !strings.Contains(err.Error(), fmt.Sprintf("%s: %s %s%s: %d ", e.Op, e.Method, e.Origin, cmp.Or(e.Path, "/..."), e.StatusCode)) {
		t.problem("the error does not say operation and status: %v", err)
	}
	if e.MayHaveExecuted != want.executed {
		t.problem("MayHaveExecuted is %v", e.MayHaveExecuted)
	}
	if want.stopped == "" {
		switch {
		case want.err == context.DeadlineExceeded && e.Stopped == jobboard.StopDeadline:
			want.stopped = jobboard.StopDeadline
		case want.err == context.DeadlineExceeded, want.err == context.Canceled:
			want.stopped = jobboard.StopCanceled
		default:
			want.stopped = jobboard.StopFinal
		}
	}
	if e.Stopped != want.stopped {
		t.problem("Stopped is %q, want %q", e.Stopped, want.stopped)
	}
	t.verifyText(err, e)
}

// address returns the base address of the operation.
func (t *trial) address() string {
	if t.op.Slot == rig.Lookup {
		return t.cfg.JobDBURL
	}
	return t.cfg.BaseURL
}

// origin returns the base address without its path and its scheme's own port.
func (t *trial) origin() string {
	u := rig.Must(url.Parse(t.address()))
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}

// credentialName returns how an error calls the credential that the operation sends.
func (t *trial) credentialName() string {
	switch {
	case t.op.Slot == rig.Applicant:
		return "the applicant's token"
	case t.op.Slot == rig.Lookup && t.cfg.JobDBTokenSource != nil:
		return "the token of Config.JobDBTokenSource"
	case t.op.Slot == rig.Lookup:
		return "none; Config.JobDBTokenSource would send one"
	case t.cfg.ClientID != "":
		return "the identifier in Config.ClientID"
	case t.cfg.TokenSource != nil:
		return "the token of Config.TokenSource"
	}
	return "none; Config.ClientID or Config.TokenSource would send one"
}

// verifyText: bounded, one line, no secret, whoever prints it.
func (t *trial) verifyText(err error, e *jobboard.Error) {
	text := err.Error()
	if len(text) > 1000 || len(e.Message) > 300 || len(e.Body) > 64<<10 {
		t.problem("text, Message and Body have %d, %d, and %d bytes", len(text), len(e.Message), len(e.Body))
	}
	for _, s := range []string{text, e.Message, e.Code} {
		if r, found := rig.Unprintable(s); found {
			t.problem("the error's text holds %U: %.200q", r, s)
		}
	}
	for _, s := range t.form.says {
		if !strings.Contains(text, s) {
			t.problem("the error does not say %q: %s", s, text)
		}
	}
	elsewhere := strings.NewReplacer(e.Origin+e.Path, "", cmp.Or(e.Location, "-"), "").Replace(text)
	for _, s := range append(t.form.hides, "http://127", "https://", "/pre/fix", "/db/") {
		if strings.Contains(elsewhere, s) {
			t.problem("the error shows %q: %s", s, text)
		}
	}
	var urlError *url.Error
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &urlError) || errors.As(err, &retrieve) {
		t.problem("the error holds a cause that shows too much: %T", err)
	}
	short := *e
	short.Body = short.Body[:min(len(short.Body), 256)] // the whole of it is looked at below, and prints slowly
	for where, v := range map[string]any{"the error": err, "its value": short} {
		for how, s := range rig.Formats(v) {
			if found := rig.Shown(s); len(found) > 0 {
				t.problem("%s, printed with %s, shows %q", where, how, found)
			}
		}
	}
	if found := rig.Shown(string(e.Body)); len(found) > 0 {
		t.problem("the body shows %q", found)
	}
}

// verifyLog: few lines, bounded, and no secret in them.
func (t *trial) verifyLog() {
	lines := t.log.Lines()
	if len(lines) > 20 {
		t.problem("%d log lines for a call", len(lines))
	}
	for _, line := range lines {
		if found := rig.Shown(line); len(found) > 0 {
			t.problem("the log shows %q", found)
		}
		if r, found := rig.Unprintable(line); found || len(line) > 1000 {
			t.problem("a log line of %d bytes holds %U: %q", len(line), r, line)
		}
	}
}
