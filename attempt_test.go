package jobboard_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// countingLimiter lets everything through after a pause, up to a number.
type countingLimiter struct {
	asked, most int
	pause       time.Duration
}

var errLimited = errors.New("enough for today")

func (l *countingLimiter) Wait(ctx context.Context) error {
	if l.asked++; l.most > 0 && l.asked > l.most {
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
		a := withToken(served(t, jobboard.Config{Limiter: limiter}, func(r *http.Request) *http.Response {
			return answer(r, 503, "busy")
		}))
		var e *jobboard.Error
		_, err := a.HasApplied(t.Context(), 1)
		if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrServer) || e.Attempts != 2 || e.Message != "busy" {
			t.Errorf("%v, want the last answer", err)
		}
		_, err = a.HasApplied(t.Context(), 1)
		if !errors.As(err, &e) || !errors.Is(err, errLimited) || e.Attempts != 0 {
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

func TestDisableCompression(t *testing.T) {
	for disabled, want := range map[bool]string{false: "gzip", true: "identity"} {
		var got []string
		c := served(t, jobboard.Config{DisableCompression: disabled}, func(r *http.Request) *http.Response {
			got = r.Header["Accept-Encoding"]
			return answer(r, 200, "true")
		})
		if _, err := withToken(c).HasApplied(t.Context(), 1); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("disabled %v: %q, %v", disabled, got, err)
		}
	}
}

// A stream may take longer than an attempt, as long as it flows; a bounded body
// may not. Config.HTTPClient's Timeout bounds an attempt, too.
func TestAttemptTimeout(t *testing.T) {
	postings := func(pause time.Duration) *http.Client {
		return &http.Client{Timeout: 20 * time.Second, Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			body, w := io.Pipe()
			context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(r.Context().Err()) })
			go func() {
				_, _ = io.WriteString(w, `{"totalNumberOfJobs":10,"results":[`)
				for i := range 10 {
					time.Sleep(pause)
					_, _ = io.WriteString(w, strings.Repeat(",", min(i, 1))+`{"jobPostingId":1,"title":"x"}`)
				}
				_, _ = io.WriteString(w, "]}")
				_ = w.Close()
			}()
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
		})}
	}
	synctest.Test(t, func(t *testing.T) {
		c := rig.Client(t, jobboard.Config{
			BaseURL: "https://api.example", ClientID: "10", HTTPClient: postings(8 * time.Second),
			Retry: jobboard.RetryPolicy{AttemptTimeout: time.Hour, MaxAttempts: 1},
		})
		start, n := time.Now(), 0
		for _, err := range c.Postings(t.Context(), "x", jobboard.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 10 || time.Since(start) != 80*time.Second {
			t.Errorf("%d postings in %v", n, time.Since(start))
		}
		start = time.Now()
		if _, err := c.Search(t.Context(), "x", jobboard.Query{}); !errors.Is(err, jobboard.ErrTimeout) || time.Since(start) != 20*time.Second {
			t.Errorf("%v after %v, want a time-out after HTTPClient.Timeout", err, time.Since(start))
		}
		time.Sleep(time.Hour)
	})
}

// Behind a status 101 the connection speaks another protocol, and no context
// ends a read from it: a call must not begin one.
func TestSwitchedProtocols(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, closed := io.Pipe()
		c := rig.Client(t, jobboard.Config{
			BaseURL: "https://api.example", ClientID: "10",
			HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
				resp := answer(r, http.StatusSwitchingProtocols, "", "Content-Encoding", "gzip", "Upgrade", "x")
				resp.Body = silent
				return resp, nil
			})},
		})
		_, err := c.Search(t.Context(), "1_extern", jobboard.Query{})
		if e, ok := errors.AsType[*jobboard.Error](err); !ok || !errors.Is(err, jobboard.ErrTransport) || e.Attempts != 1 {
			t.Error(err)
		}
		if _, err := closed.Write([]byte{0}); err != io.ErrClosedPipe {
			t.Errorf("the connection is still read: %v", err)
		}
	})
}

// A transport for tests leaves out what net/http's never does.
func TestTransportLeavesThingsOut(t *testing.T) {
	var resp *http.Response
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://api.example", ClientID: "10",
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(*http.Request) (*http.Response, error) { return resp, nil })},
	})
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
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://api.example",
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			return answer(r, 401, "", "WWW-Authenticate", `Bearer error="`+quoted+`", error_description="not `+quoted+`"`), nil
		})},
	})
	_, err := c.Applicant(jobboard.StaticToken(token)).HasApplied(t.Context(), 1)
	var e *jobboard.Error
	if !errors.As(err, &e) || e.Code != "[hidden]" || e.Message != "not [hidden]" || strings.Contains(err.Error(), piece) {
		t.Errorf("%v, code %q, message %q", err, e.Code, e.Message)
	}
}

// The body of an answer is closed when its call returns; that of a stream, when
// it was read. Otherwise its connection would be lost.
func TestBodiesAreClosed(t *testing.T) {
	opened, closed := 0, 0
	c := served(t, jobboard.Config{JobDBURL: "https://jobs.example"}, func(r *http.Request) *http.Response {
		text := `{"jobId":1,"jobTitle":"x","applyPossible":true,"totalNumberOfJobs":0,"results":[]}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/applied"):
			text = "true"
		case strings.HasSuffix(r.URL.Path, "/application"):
			text = `"f7629"`
		}
		resp := answer(r, 200, text)
		opened++
		resp.Body = closeCounter{resp.Body, &closed}
		return resp
	})
	a := withToken(c)
	for name, call := range map[string]func() error{
		"HasApplied":     func() error { _, err := a.HasApplied(t.Context(), 1); return err },
		"ApplicationID":  func() error { _, err := a.ApplicationID(t.Context(), 1); return err },
		"JobInformation": func() error { _, err := c.JobInformation(t.Context(), 1); return err },
		"Search":         func() error { _, err := a.Search(t.Context(), "x", jobboard.Query{}); return err },
		"Postings": func() (err error) {
			for _, err = range a.Postings(t.Context(), "x", jobboard.Query{}) {
			}
			return err
		},
	} {
		opened, closed = 0, 0
		if err := call(); opened != 1 || closed != 1 {
			t.Errorf("%s: %d bodies, %d closed, %v", name, opened, closed, err)
		}
	}
}

// A call without a deadline ends after a minute, also where a limiter holds a
// redirect for most of it: the rest of its attempt does not come on top.
func TestLimiterOfARedirectKeepsTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &countingLimiter{}
		c := rig.Client(t, jobboard.Config{
			BaseURL: base, Limiter: limiter,
			HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/there" {
					<-r.Context().Done()
					return nil, context.Cause(r.Context())
				}
				limiter.pause = 50 * time.Second
				return answer(r, 302, "", "Location", "/there"), nil
			})},
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
				"Snapshot":       errOf(a.Snapshot(t.Context(), "x", jobboard.Query{})),
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

// A body that is at hand, or does not look at the context, is not read on after
// the deadline.
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
				"Snapshot":       func(ctx context.Context) error { return errOf(a.Snapshot(ctx, "x", jobboard.Query{})) },
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
