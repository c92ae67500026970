package jobboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// countingLimiter lets everything through after a pause, up to a number. Several calls
// may ask it at the same time; asked is read once they have ended.
type countingLimiter struct {
	mu          sync.Mutex
	asked, most int
	pause       time.Duration
}

var errLimited = errors.New("enough for today")

func (l *countingLimiter) Wait(ctx context.Context) error {
	l.mu.Lock()
	l.asked++
	enough := l.most > 0 && l.asked > l.most
	l.mu.Unlock()
	if enough {
		return errLimited
	}
	return wait(ctx, l.pause)
}

// Config.Limiter is asked before every request that is sent, and its time is
// not the attempt's.
func TestLimiterIsAskedBeforeEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		limiter := &countingLimiter{pause: time.Minute}
		c := served(t, jobboard.Config{Limiter: limiter}, func(r *http.Request) *http.Response {
			sent = append(sent, r.URL.Path)
			if limiter.asked != len(sent) {
				t.Errorf("request %d after %d questions", len(sent), limiter.asked)
			}
			switch len(sent) {
			case 1:
				return answer(r, 503, "")
			case 2:
				return answer(r, 302, "", "Location", "/there")
			}
			return answer(r, 200, "true")
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if ok, err := withToken(c).HasApplied(ctx, 1); !ok || err != nil {
			t.Error(ok, err)
		}
		if len(sent) != 3 || limiter.asked != 3 {
			t.Errorf("%d requests, %d questions", len(sent), limiter.asked)
		}
	})
}

// A limiter that refuses ends the call: with its own error before anything was
// sent, with the last answer after that.
func TestLimiterThatRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &countingLimiter{most: 2}
		a := withToken(answering(t, jobboard.Config{Limiter: limiter}, 503, "busy"))
		var e *jobboard.Error
		_, err := a.HasApplied(t.Context(), 1)
		if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrServer) || e.Attempts != 2 || e.Message != "busy" ||
			e.Stopped != jobboard.StopDeadline || limiter.asked != 3 {
			t.Errorf("%v, want the last answer", err)
		}
		_, err = a.HasApplied(t.Context(), 1)
		if !errors.As(err, &e) || !errors.Is(err, errLimited) || !errors.Is(err, jobboard.ErrRateLimited) || e.Attempts != 0 ||
			e.Error() != appliedAt+"rate limited: Config.Limiter: enough for today" {
			t.Errorf("%v, want the limiter's own error", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		limiter.most, limiter.pause = 0, time.Hour
		if _, err = a.HasApplied(ctx, 1); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, jobboard.ErrTimeout) {
			t.Errorf("%v, want the end of the context", err)
		}
	})
}

// What a limiter refuses at a redirect is not sent, and the call ends with the
// limiter's error.
func TestLimiterThatRefusesARedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		limiter := &countingLimiter{most: 1}
		a := withToken(served(t, jobboard.Config{Limiter: limiter}, func(r *http.Request) *http.Response {
			sent++
			return answer(r, 302, "", "Location", "/there")
		}))
		_, err := a.HasApplied(t.Context(), 1)
		var e *jobboard.Error
		if !errors.As(err, &e) || !errors.Is(err, errLimited) || !errors.Is(err, jobboard.ErrRateLimited) || e.Attempts != 1 || sent != 1 {
			t.Errorf("%v after %d requests", err, sent)
		}
	})
}

// The end of a context that is the limiter's own does not read as the end of the
// caller's, and its text is hidden where it says something secret.
func TestLimiterOfItsOwnContext(t *testing.T) {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		c := answering(t, jobboard.Config{Limiter: limiterFunc(func(context.Context) error {
			return fmt.Errorf("%w: %w", errLimited, ended)
		})}, 200, "true")
		_, err := withToken(c).HasApplied(t.Context(), 1)
		if errors.Is(err, ended) || !errors.Is(err, errLimited) || jobboard.HTTPStatus(err) != 503 {
			t.Errorf("%v, %d", err, jobboard.HTTPStatus(err))
		}
	}
	var own *net.OpError
	c := answering(t, jobboard.Config{Limiter: limiterFunc(func(context.Context) error { return &net.OpError{Op: "ask", Err: errLimited} })}, 200, "true")
	if _, err := withToken(c).HasApplied(t.Context(), 1); !errors.As(err, &own) || own.Op != "ask" {
		t.Errorf("%v does not have its cause", err)
	}
	c = answering(t, jobboard.Config{ClientID: "10", Limiter: limiterFunc(func(context.Context) error { return errors.New("no slot for x17secret") })}, 200, "{}")
	_, err := c.Search(t.Context(), "channel", jobboard.Query{Text: "x17secret"})
	if text := fmt.Sprintf("%v %+v %#v", err, err, errors.Unwrap(err)); !errors.Is(err, jobboard.ErrRateLimited) || strings.Contains(text, "x17secret") {
		t.Error(text)
	}
}

// A call that ends by its caller's context after an answer has both in its error.
func TestCancelAfterAnAnswer(t *testing.T) {
	for status, kind := range map[int]error{503: jobboard.ErrServer, 429: jobboard.ErrRateLimited, 408: nil} {
		for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if end == context.DeadlineExceeded {
					ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				}
				defer cancel()
				c := served(t, jobboard.Config{}, func(r *http.Request) *http.Response {
					if end == context.Canceled {
						cancel()
					}
					time.Sleep(time.Second + 1) // without a look at its context
					return answer(r, status, "")
				})
				_, err := withToken(c).HasApplied(ctx, 1)
				var e *jobboard.Error
				if !errors.As(err, &e) || !errors.Is(err, end) || kind != nil && !errors.Is(err, kind) || e.StatusCode != status || e.Stopped != jobboard.StopCanceled {
					t.Errorf("%d and %v: %v", status, end, err)
				}
			})
		}
	}
}

func TestAnswerAboutAnotherJob(t *testing.T) {
	c := served(t, jobboard.Config{JobDBURL: jobDB}, func(r *http.Request) *http.Response {
		id, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		return answer(r, 200, `{"jobId":`+strconv.Itoa(id+id/100)+`,"jobTitle":"x","applyPossible":true}`)
	})
	if _, err := c.JobInformation(t.Context(), 99); err != nil {
		t.Error(err)
	}
	if info, err := c.JobInformation(t.Context(), 100); !errors.Is(err, jobboard.ErrDecode) || info != nil {
		t.Error(info, err)
	}
}

// Config.HTTPClient's Timeout bounds an attempt, too.
func TestAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := rig.Client(t, jobboard.Config{
			BaseURL: base, ClientID: "10", Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour, MaxAttempts: 1},
			HTTPClient: &http.Client{Timeout: 20 * time.Second, Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			})},
		})
		start := time.Now()
		if _, err := c.Search(t.Context(), "x", jobboard.Query{}); !errors.Is(err, jobboard.ErrTimeout) || time.Since(start) != 20*time.Second {
			t.Errorf("%v after %v, want a time-out after HTTPClient.Timeout", err, time.Since(start))
		}
	})
}

// A transport for tests leaves out what net/http's never does.
func TestTransportLeavesThingsOut(t *testing.T) {
	var resp *http.Response
	c := served(t, jobboard.Config{}, func(*http.Request) *http.Response { return resp })
	call := func() error {
		_, err := c.Unsubscribe(t.Context(), "x")
		return err
	}
	if err := call(); !errors.Is(err, jobboard.ErrTransport) {
		t.Errorf("neither an answer nor an error: %v", err)
	}
	resp = &http.Response{StatusCode: http.StatusNoContent}
	if err := call(); err != nil {
		t.Errorf("a 204 without a body and a header: %v", err)
	}
	resp = &http.Response{StatusCode: http.StatusForbidden}
	if err := call(); !errors.Is(err, jobboard.ErrForbidden) {
		t.Errorf("a 403 without a body: %v", err)
	}
}

// A header's own quoting hides no other from the search for secrets: what
// WWW-Authenticate unquotes would else be a token in pieces.
func TestSecretQuotedTwiceInAHeader(t *testing.T) {
	const token, piece = "tok.en-abcdefghij0123456789", "abcdefghij0123456789"
	quoted := `\u0074\u006F\x6B.e\U0000006E-` + piece
	c := answering(t, jobboard.Config{}, 401, "", "WWW-Authenticate", `Bearer error="`+quoted+`", error_description="not `+quoted+`"`)
	_, err := c.Applicant(jobboard.StaticToken(token)).HasApplied(t.Context(), 1)
	var e *jobboard.Error
	if !errors.As(err, &e) || e.Code != "[hidden]" || e.Message != "not [hidden]" || strings.Contains(err.Error(), piece) {
		t.Errorf("%v, code %q, message %q", err, e.Code, e.Message)
	}
}

// A call without a deadline ends after a minute, even if a limiter delays a redirect for most
// of it: the rest of its attempt does not come on top.
func TestLimiterOfARedirectKeepsTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &countingLimiter{}
		c := withTransport(t, jobboard.Config{Limiter: limiter}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/there" {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}
			limiter.pause = 50 * time.Second
			return answer(r, 302, "", "Location", "/there"), nil
		})
		start := time.Now()
		_, err := withToken(c).HasApplied(t.Context(), 1)
		var e *jobboard.Error
		if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrTimeout) || e.Stopped != jobboard.StopDeadline {
			t.Errorf("%v, want a time-out", err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the call took %v", took)
		}
	})
}

// bodyFunc is a body of one function.
type bodyFunc func([]byte) (int, error)

func (f bodyFunc) Read(p []byte) (int, error) { return f(p) }
func (f bodyFunc) Close() error               { return nil }

// A body that gives neither a byte nor an error for ever fails the call, and does
// not spin.
func TestBodyWithoutProgress(t *testing.T) {
	for _, status := range []int{200, 302, 404, 503} {
		for _, encoding := range []string{"", "gzip"} {
			c := served(t, jobboard.Config{JobDBURL: jobDB, Retry: jobboard.RetryPolicy{Budget: -1, MinWait: 1, MaxWait: 1}}, func(r *http.Request) *http.Response {
				resp := answer(r, status, "", "Location", "/there", "Content-Encoding", encoding)
				if r.URL.Path == "/there" {
					resp.StatusCode = 200
				}
				read := 0
				resp.Body = bodyFunc(func([]byte) (int, error) {
					if read++; read > 1000 {
						t.Error("the body is still read")
						return 0, io.EOF
					}
					return 0, nil
				})
				return resp
			})
			a := withToken(c)
			for name, err := range map[string]error{
				"HasApplied":     errOf(a.HasApplied(t.Context(), 1)),
				"JobInformation": errOf(c.JobInformation(t.Context(), 1)),
				"Search":         errOf(a.Search(t.Context(), "x", jobboard.Query{})),
				"Snapshot":       errOf(snapshot.Take(t.Context(), a, "x", jobboard.Query{})),
			} {
				want := jobboard.ErrTransport
				if status == 503 {
					want = jobboard.ErrServer // whatever its body
				}
				if !errors.Is(err, want) {
					t.Errorf("%d %q, %s: %v", status, encoding, name, err)
				}
			}
		}
	}
}

// After the deadline a body is not read on, even if its next bytes are ready or its Read
// ignores the context.
func TestBodyAfterTheDeadline(t *testing.T) {
	for _, status := range []int{200, 404} {
		synctest.Test(t, func(t *testing.T) {
			c := served(t, jobboard.Config{JobDBURL: jobDB}, func(r *http.Request) *http.Response {
				resp := answer(r, status, "")
				reads := 0
				resp.Body = bodyFunc(func(p []byte) (int, error) {
					time.Sleep(time.Second)
					if reads++; reads > 60 {
						return 0, io.EOF
					}
					return copy(p, " "), nil
				})
				return resp
			})
			a := withToken(c)
			for name, call := range map[string]func(context.Context) error{
				"HasApplied":     func(ctx context.Context) error { return errOf(a.HasApplied(ctx, 1)) },
				"JobInformation": func(ctx context.Context) error { return errOf(c.JobInformation(ctx, 1)) },
				"Search":         func(ctx context.Context) error { return errOf(a.Search(ctx, "x", jobboard.Query{})) },
				"Snapshot":       func(ctx context.Context) error { return errOf(snapshot.Take(ctx, a, "x", jobboard.Query{})) },
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 5500*time.Millisecond)
				start := time.Now()
				if err := call(ctx); !errors.Is(err, jobboard.ErrTimeout) {
					t.Errorf("%d, %s: %v", status, name, err)
				}
				if took := time.Since(start); took != 6*time.Second {
					t.Errorf("%d, %s took %v", status, name, took)
				}
				cancel()
			}
		})
	}
}

// What an Error keeps and prints of an answer is bounded, and tells where the
// answer is from.
func TestErrorOfALongAnswer(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	search := func(c *jobboard.Client) error { return errOf(c.Search(t.Context(), "1", jobboard.Query{})) }
	applied := func(c *jobboard.Client) error { return errOf(withToken(c).HasApplied(t.Context(), 1)) }
	begins := `begins "` + long[:120] + `")`
	for _, test := range []struct {
		call           func(*jobboard.Client) error
		status         int
		encoding, body string
		keeps          int // bytes
		want           string
	}{
		{applied, 200, "", long, 64 << 10, appliedAt + "200 OK: unusable response: not true or false at byte 0 (no content type, " + begins},
		{search, 200, "", long, 120, searchAt + "200 OK: unusable response: not an object at byte 0 (no content type, " + begins},
		{applied, 200, "", "x", 1, appliedAt + `200 OK: unusable response: not true or false at byte 0 (no content type, begins "x")`},
		{applied, 404, "", long, 64 << 10, appliedAt + `404 Not Found: "` + long[:297] + `…"` + wrongAddress},
		{search, 404, "", long, 64 << 10, searchAt + `404 Not Found: "` + long[:297] + `…"` + wrongAddress},
		{search, 404, "", "x", 1, searchAt + `404 Not Found: "x"` + wrongAddress},
		{search, 404, "", "", 0, searchAt + "404 Not Found (is the channel right? does Config.BaseURL lead to this interface?)"},
		{
			search, 200, long[:200], "", 0,
			searchAt + `200 OK: unusable response: content encoding "` + long[:99] + `… (no content type, begins "")`,
		},
	} {
		c := answering(t, jobboard.Config{ClientID: "10"}, test.status, test.body, "Content-Encoding", test.encoding)
		err := test.call(c)
		var e *jobboard.Error
		if !errors.As(err, &e) || err.Error() != test.want || string(e.Body) != test.body[:test.keeps] || (e.Body == nil) != (test.keeps == 0) {
			t.Errorf("%d bytes kept, %v\nwant %d, %s", len(e.Body), err, test.keeps, test.want)
		}
		if want := min(len(test.body), 300); test.status == 404 && len(e.Message) != want {
			t.Errorf("a message of %d bytes, want %d", len(e.Message), want)
		}
	}
}

// A posting that is too large says where.
func TestErrorOfALongPosting(t *testing.T) {
	for extra, want := range map[int]string{
		0: "<nil>",
		1: strings.Replace(searchAt, "Search", "Postings", 1) + "200 OK: response too large: results[1] over its bound at byte 1048642",
	} {
		first := `{"totalNumberOfJobs":2,"results":[{"jobPostingId":1,"title":"x"},`
		second := `{"jobPostingId":2,"title":""}`
		second = strings.Replace(second, `""`, `"`+strings.Repeat("y", 1<<20+extra-len(second))+`"`, 1)
		c := answering(t, jobboard.Config{ClientID: "10"}, 200, first+second+"]}")
		var last error
		for _, last = range c.Postings(t.Context(), "1", jobboard.Query{}) {
		}
		if got := fmt.Sprint(last); got != want {
			t.Errorf("%d bytes too many: %s\nwant %s", extra, got, want)
		}
	}
}

// Nothing ends a stream but the policy's bounds of each attempt: it goes on after the minute
// that ends other calls.
func TestStreamOutlastsTheMinute(t *testing.T) {
	for stream, want := range map[bool]time.Duration{true: 5 * 15 * time.Second, false: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			cfg := jobboard.Config{ClientID: "10", Retry: jobboard.RetryPolicy{Budget: -1, MinWait: 1, MaxWait: 1}}
			c := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			})
			start := time.Now()
			var err error
			if stream {
				for _, err = range c.Postings(t.Context(), "1", jobboard.Query{}) {
				}
			} else {
				_, err = c.Search(t.Context(), "1", jobboard.Query{})
			}
			if took := time.Since(start).Round(time.Second); !errors.Is(err, jobboard.ErrTimeout) || took != want {
				t.Errorf("stream %v: %v after %v", stream, err, took)
			}
		})
	}
}

// A code of the lookup tells more than the status that it comes with: the answer is
// not repeated, and at a status of a failing service it earns no token.
func TestCodeOfAFailingService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, body := 503, ""
		cfg := jobboard.Config{JobDBURL: base, Retry: jobboard.RetryPolicy{Budget: 5}}
		budget := rig.WatchBudget(&cfg)
		c := served(t, cfg, func(r *http.Request) *http.Response {
			return answer(r, status, body)
		})
		if _, err := c.JobInformation(t.Context(), 1); !errors.Is(err, jobboard.ErrServer) {
			t.Error(err)
		}
		for _, want := range []struct {
			status int
			tokens float64
		}{{500, 1}, {503, 1}, {429, 1.3}, {404, 1.6}, {200, 1.9}} {
			status, body = want.status, "ERROR_JOB_INACTIVE"
			_, err := c.JobInformation(t.Context(), 1)
			var e *jobboard.Error
			if !errors.Is(err, jobboard.ErrJobInactive) || !errors.As(err, &e) || e.Attempts != 1 || e.Stopped != jobboard.StopFinal {
				t.Errorf("%d: %v", status, err)
			}
			if got := budget(); got < want.tokens-1e-9 || got > want.tokens+1e-9 {
				t.Errorf("%d: %v tokens, want %v", status, got, want.tokens)
			}
		}
	})
}

// A call that changes something may have been executed once a request has reached
// the service, if its caller leaves before there is a clear answer.
func TestMayHaveExecuted(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, test := range map[string]struct {
		script []any // statuses and errors; behind them the caller leaves
		want   bool
	}{
		"it never reached the service":          {[]any{refused}, false},
		"it was refused, and waits":             {[]any{429}, true},
		"it was refused, then did not reach it": {[]any{429, refused}, true},
		"it did not reach it, then was refused": {[]any{refused, 429}, true},
		"a clear answer after none":             {[]any{refused, 403}, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sent := 0
			cfg := jobboard.Config{Retry: jobboard.RetryPolicy{Budget: -1}}
			c := withTransport(t, cfg, func(r *http.Request) (*http.Response, error) {
				if sent++; sent == len(test.script) {
					time.AfterFunc(time.Millisecond, cancel)
				}
				if status, ok := test.script[sent-1].(int); ok {
					return answer(r, status, ""), nil
				}
				return nil, test.script[sent-1].(error)
			})
			_, err := c.ConfirmSubscription(ctx, "1", nil)
			var e *jobboard.Error
			if !errors.As(err, &e) || e.MayHaveExecuted != test.want || e.Attempts != len(test.script) {
				t.Errorf("%#v", err)
			}
		})
	}
}

// A body that ends with garbage is not asked for again, one that ends early is.
func TestBodyThatFails(t *testing.T) {
	for _, status := range []int{200, 404, 503} {
		for end, repeated := range map[error]bool{errors.New("malformed chunk"): status == 503, io.ErrUnexpectedEOF: true} {
			synctest.Test(t, func(t *testing.T) {
				c := served(t, jobboard.Config{Retry: jobboard.RetryPolicy{Budget: -1, MaxAttempts: 3}}, func(r *http.Request) *http.Response {
					resp := answer(r, status, "")
					resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("tr"), iotest.ErrReader(end)))
					return resp
				})
				_, err := withToken(c).HasApplied(t.Context(), 1)
				var e *jobboard.Error
				if !errors.As(err, &e) || (e.Attempts == 3) != repeated || e.StatusCode != status {
					t.Errorf("%d, %v: %d attempts, %v", status, end, e.Attempts, err)
				}
			})
		}
	}
}

// The edges of the ranges of statuses in which a condition counts. What counts within them is in the
// table of faults.
func TestConditionsOfStatuses(t *testing.T) {
	const project = `{"code":"get_project_error","message":"Not available"}`
	for _, test := range []struct {
		status int
		body   string
		want   error // nil: an *Error without a condition
	}{
		{300, "", jobboard.ErrRedirect},
		{399, "", jobboard.ErrRedirect},
		{400, project, nil},
		{401, project, jobboard.ErrUnauthorized},
		{402, project, jobboard.ErrProjectNotAvailable},
		{428, project, jobboard.ErrProjectNotAvailable},
		{429, project, jobboard.ErrRateLimited},
		{430, project, nil},
		{402, `{"code":"get_project_error","message":"Not Accessible"}`, jobboard.ErrProjectNotAccessible},
		{428, `{"code":"get_project_error","message":"Not Accessible"}`, jobboard.ErrProjectNotAccessible},
		{402, `{"code":"get_application_error"}`, jobboard.ErrApplicationNotFound},
		{428, `{"code":"get_application_error"}`, jobboard.ErrApplicationNotFound},
		{429, `{"code":"get_application_error"}`, jobboard.ErrRateLimited},
		{403, "posting not found", jobboard.ErrForbidden},
		{404, "posting not accessible", nil},
		{402, "posting not accessible", nil},
		{405, "no posting found", nil},
		{409, "posting inactive", nil},
		{410, "no posting found", nil},
		{411, "posting inactive", nil},
		{499, "", nil},
		{599, "", jobboard.ErrServer},
		{600, "", nil},
	} {
		c := answering(t, jobboard.Config{Retry: jobboard.RetryPolicy{MaxAttempts: 1}}, test.status, test.body)
		_, err := withToken(c).ApplicationID(t.Context(), 1)
		var e *jobboard.Error
		if !errors.As(err, &e) || e.StatusCode != test.status || !errors.Is(e.Err, test.want) {
			t.Errorf("%d %s: %v, want %v", test.status, test.body, err, test.want)
		}
	}
	for _, status := range []int{200, 299} {
		if ok, err := withToken(answering(t, jobboard.Config{}, status, "true")).HasApplied(t.Context(), 1); !ok || err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
}
