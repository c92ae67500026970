package boardcheck

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limiter paces requests; golang.org/x/time/rate has one, and so may the client's
// configuration. Wait returns when a request may be sent, or the context's error.
type Limiter interface {
	Wait(ctx context.Context) error
}

// The bounds of a check.
const (
	MaxRequests   = 200              // most requests of a check, including repeats
	maxAnswer     = 16 << 20         // bytes of one answer, after gzip
	maxAnswers    = 256 << 20        // bytes of all answers
	answerTimeout = 30 * time.Second // for one answer
	maxPause      = 30 * time.Second // longest Retry-After that a check waits for
	pause         = 5 * time.Second  // wait after a 429 without Retry-After
	maxTroubles   = 4                // failures in a row after which an endpoint gets no more requests
	maxSilences   = 8                // requests in a row without an answer, after which a host gets no more
)

// Errors of the requester before it sends a request.
var (
	errSpent   = fmt.Errorf("the check has sent its %d requests", MaxRequests)
	errLeft    = errors.New("the address was left alone after several failures")
	errTooMuch = errors.New("the check has read its 256 MiB")
)

// requester sends the requests of a check within its bounds, and passes each answer to
// the recorder.
type requester struct {
	next    http.RoundTripper
	limiter Limiter
	record  *recorder

	mu       sync.Mutex
	sent     int
	read     int64
	inARow   map[string]int  // consecutive troubles by endpoint, and unanswered requests by host
	answered map[string]bool // endpoints that gave an answer which is no web page
	pages    []*exchange     // web pages in the place of errors, which settle judges
	troubles []string

	refuses func(*http.Request) bool   // whether a request has a credential that the board is to refuse
	given   func(*http.Request) string // the name of a request's credential that the board is to take
	taken   map[string]bool            // those credentials by their names: whether the board took or refused them
}

// newRequester returns a requester. refuses and given are the fields of these names.
func newRequester(b *Board, refuses func(*http.Request) bool, given func(*http.Request) string) *requester {
	return &requester{
		limiter: b.Limiter, record: newRecorder(b.Target.FailingChannel), refuses: refuses, given: given,
		inARow: map[string]int{}, answered: map[string]bool{}, taken: map[string]bool{},
	}
}

// endpoint names the place of a request: one that fails does not keep the others from being asked.
func (q *requester) endpoint(r *http.Request) string { return r.URL.Host + " " + q.record.line(r) }

// RoundTrip implements http.RoundTripper.
func (q *requester) RoundTrip(r *http.Request) (*http.Response, error) {
	ex, err := q.ask(r)
	if err != nil {
		return nil, err
	}
	return ex.response(), nil
}

// ask sends a request, repeats it once if the board asks for a pause, and records
// the answer.
func (q *requester) ask(r *http.Request) (*exchange, error) {
	ex, err := q.exchange(r)
	if err == nil {
		if wait, ok := ex.pause(); ok && sleep(r.Context(), wait) {
			ex, err = q.exchange(r)
		}
	}
	if err != nil {
		q.trouble(r, failure(r.Context(), err))
		if !errors.Is(err, errSpent) && !errors.Is(err, errLeft) && !errors.Is(err, errTooMuch) {
			q.silence(r.URL.Host)
		}
		return nil, err
	}
	switch what := cmp.Or(ex.trouble(q.record.failing), q.refusal(ex)); {
	case what == "":
		q.mu.Lock()
		q.inARow[r.URL.Host], q.inARow[q.endpoint(r)] = 0, 0
		if !ex.provoked {
			q.answered[q.endpoint(r)] = true
		}
		q.mu.Unlock()
		q.record.add(ex)
	case ex.pageOfError():
		q.mu.Lock()
		q.pages = append(q.pages, ex)
		q.mu.Unlock()
	default:
		q.trouble(r, what)
		if ex.status == http.StatusTooManyRequests || ex.status == http.StatusServiceUnavailable {
			q.silence(r.URL.Host)
		}
		return nil, errors.New(what)
	}
	return ex, nil
}

// refusal returns why an answer says nothing about the board but that it refuses a credential of the
// user's, which may have ended, or "". A 401 to a credential that the board has taken before is an
// answer like others.
func (q *requester) refusal(ex *exchange) string {
	name := q.given(ex.request)
	if name == "" {
		return ""
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case ex.status != http.StatusUnauthorized && (ex.status != http.StatusBadRequest || name != clientsSecret):
		q.taken[name] = true
	case !q.taken[name]:
		q.taken[name] = false
		return "the answer is status " + strconv.Itoa(ex.status) + ": the board refuses " + name
	}
	return ""
}

// hasRefused reports whether the board has refused a credential, and never taken it.
func (q *requester) hasRefused(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken, sent := q.taken[name]
	return sent && !taken
}

// silence notes that a host does not answer, or asks for a pause: after some time all its endpoints
// are left alone.
func (q *requester) silence(host string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inARow[host]++
}

// settle judges the web pages that came in the place of errors: where the endpoint gave other
// answers the board words its errors so, and else the page is that of a machine in between.
func (q *requester) settle() {
	for _, ex := range q.pages {
		if q.answered[q.endpoint(ex.request)] {
			q.record.add(ex)
		} else {
			q.trouble(ex.request, ex.trouble(q.record.failing))
		}
	}
	q.pages = nil
}

// silent reports whether the endpoint of an operation gave nothing but web pages and failures.
func (q *requester) silent(op string) bool {
	asked := false
	for place := range q.inARow {
		if strings.HasSuffix(place, " "+lineOf(op)) {
			asked = true
		}
	}
	for place := range q.answered {
		if strings.HasSuffix(place, " "+lineOf(op)) {
			return false
		}
	}
	return asked
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// admit counts a request against the bounds of the check, or returns the
// exceeded bound.
func (q *requester) admit(r *http.Request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.inARow[q.endpoint(r)] >= maxTroubles, q.inARow[r.URL.Host] >= maxSilences:
		return errLeft
	case q.sent >= MaxRequests:
		return errSpent
	case q.read >= maxAnswers:
		return errTooMuch
	}
	q.sent++
	return nil
}

// exchange sends a request once and reads the whole answer.
func (q *requester) exchange(r *http.Request) (*exchange, error) {
	if err := q.admit(r); err != nil {
		return nil, err
	}
	if err := q.limiter.Wait(r.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	out := r.Clone(ctx)
	out.Header.Set("Accept-Encoding", "gzip")
	if r.Body != nil && r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	resp, err := q.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	ex := &exchange{request: r, status: resp.StatusCode, header: resp.Header, provoked: q.provokes(r)}
	ex.body, err = q.readAll(resp, ex)
	return ex, err
}

var errLarge = errors.New("the answer is larger than 16 MiB")

func (q *requester) readAll(resp *http.Response, ex *exchange) ([]byte, error) {
	src := io.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		ex.gzip = true
		zr, err := gzip.NewReader(src)
		if err != nil {
			return nil, fmt.Errorf("the answer says that it is gzip: %w", err)
		}
		src = zr
	}
	body, err := io.ReadAll(io.LimitReader(src, maxAnswer+1))
	q.mu.Lock()
	q.read += int64(len(body))
	q.mu.Unlock()
	if len(body) > maxAnswer {
		return nil, errLarge
	}
	return body, err
}

// failure describes why there is no answer, without addresses and texts of the
// board.
func failure(ctx context.Context, err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, errSpent), errors.Is(err, errLeft), errors.Is(err, errTooMuch), errors.Is(err, errLarge):
		return err.Error()
	case ctx.Err() != nil:
		return "the check's time is up"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "there was no whole answer within 30 s"
	}
	return "there was no answer, or it broke off"
}

// provokes reports whether an error is asked for on purpose.
func (q *requester) provokes(r *http.Request) bool {
	return isMadeUpChannel(r.URL.Path) || q.refuses(r)
}

// trouble records why a request got no useful answer. A request that asks for an error
// on purpose does not count for its endpoint.
func (q *requester) trouble(r *http.Request, what string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.provokes(r) {
		q.inARow[q.endpoint(r)]++
	}
	line := q.record.line(r) + ": " + what
	for _, t := range q.troubles {
		if t == line {
			return
		}
	}
	q.troubles = append(q.troubles, line)
}

// exchange is a request with its answer.
type exchange struct {
	request *http.Request
	status  int
	header  http.Header
	body    []byte
	gzip    bool

	provoked bool // the request asks for an error on purpose

	value any    // the body as JSON
	form  string // form of the body; empty: not yet parsed
}

// parsed returns the body's value and form, as bodyOf does.
func (x *exchange) parsed() (v any, form string) {
	if x.form == "" {
		x.value, x.form = bodyOf(x.body)
		if x.form == "bare text" && x.looksLikePage() {
			x.form = formPage
		}
	}
	return x.value, x.form
}

const formPage = "web page"

func (x *exchange) response() *http.Response {
	h := x.header.Clone()
	h.Del("Content-Encoding")
	h.Del("Content-Length")
	return &http.Response{
		Status: strconv.Itoa(x.status) + " " + http.StatusText(x.status), StatusCode: x.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: x.request,
		Body: io.NopCloser(bytes.NewReader(x.body)), ContentLength: int64(len(x.body)),
	}
}

// pause returns the wait that the board asks for before a repeat of the request.
func (x *exchange) pause() (time.Duration, bool) {
	if x.status != http.StatusTooManyRequests && x.status != http.StatusServiceUnavailable {
		return 0, false
	}
	wait := pause
	if n, err := strconv.Atoi(x.header.Get("Retry-After")); err == nil && n >= 0 {
		wait = time.Duration(min(n, 3600)) * time.Second
	} else if x.status == http.StatusServiceUnavailable {
		return 0, false
	}
	return wait, wait <= maxPause
}

// trouble returns the reason why an answer says nothing about the board, or "". Overload
// and gateway statuses and web pages do not come from the interface. A 500 is valid for
// the failing channel and the made-up one, a code of section 7.3 may come with any status, and
// a refusal may have any body.
func (x *exchange) trouble(failingChannel string) string {
	path := x.request.URL.Path
	failing := failingChannel != "" && strings.HasSuffix(path, searchPath+failingChannel+"/jobs") || isMadeUpChannel(path)
	what := ""
	switch {
	case x.status == http.StatusInternalServerError && failing:
	case x.status == http.StatusTooManyRequests, x.status == http.StatusRequestTimeout, x.status >= 500:
		what = "the answer is status " + strconv.Itoa(x.status)
	case x.provoked && x.status >= 400:
	case x.page():
		what = "the answer is a web page, with status " + strconv.Itoa(x.status)
	}
	if what != "" && strings.HasSuffix(path, lookupPath) && findCode.Match(x.body) {
		return ""
	}
	return what
}

// page reports whether an answer is for a browser. One that is only labelled as a web page, such as
// JSON, is none.
func (x *exchange) page() bool {
	_, form := x.parsed()
	return form == formPage || form == "none" && x.labelledPage()
}

// pageOfError reports whether a web page stands where the interface has an error about a job.
func (x *exchange) pageOfError() bool {
	path := x.request.URL.Path
	switch x.status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return x.page() && (strings.Contains(path, jobsPath) || strings.HasSuffix(path, lookupPath))
	}
	return false
}

func (x *exchange) labelledPage() bool {
	return strings.HasPrefix(strings.ToLower(x.header.Get("Content-Type")), "text/html")
}

func (x *exchange) looksLikePage() bool {
	start := bytes.TrimSpace(x.body[:min(len(x.body), 1024)])
	lower := strings.ToLower(string(start))
	return strings.HasPrefix(lower, "<!doctype html") || strings.HasPrefix(lower, "<html") ||
		x.labelledPage() && tagForm.Match(start)
}

// evenly is the default limiter: 5 requests a second.
type evenly struct {
	mu   sync.Mutex
	next time.Time
}

const every = 200 * time.Millisecond

func (l *evenly) Wait(ctx context.Context) error {
	l.mu.Lock()
	now := time.Now()
	at := l.next
	if at.Before(now) {
		at = now
	}
	l.next = at.Add(every)
	l.mu.Unlock()
	if wait := at.Sub(now); wait > 0 && !sleep(ctx, wait) {
		return ctx.Err()
	}
	return ctx.Err()
}
