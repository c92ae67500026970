package jobboard_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
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
		c := mustClient(t, jobboard.Config{
			BaseURL: "https://api.example", Limiter: limiter,
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				sent = append(sent, r.URL.Path)
				if limiter.asked != len(sent) {
					t.Errorf("request %d after %d questions", len(sent), limiter.asked)
				}
				switch len(sent) {
				case 1:
					return answer(r, 503, ""), nil
				case 2:
					return answer(r, 302, "", "Location", "/there"), nil
				}
				return answer(r, 200, "true"), nil
			})},
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if ok, err := c.Applicant(jobboard.StaticToken("x")).HasApplied(ctx, 1); !ok || err != nil {
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
		c := mustClient(t, jobboard.Config{
			BaseURL: "https://api.example", Limiter: limiter,
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				return answer(r, 503, "busy"), nil
			})},
		})
		a := c.Applicant(jobboard.StaticToken("x"))
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

// What fails before a connection is repeated for every method, unless it is
// lasting, and takes no token of the budget.
func TestFailuresBeforeTheConnection(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, test := range []struct {
		name     string
		err      error
		attempts int
	}{
		{"SERVFAIL", dial(&net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}), 5},
		{"no answer of the name service", dial(&net.DNSError{Err: "i/o timeout", Name: "x", IsTimeout: true}), 5},
		{"no such name", dial(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}), 1},
		{"no route", dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), 5},
		{"network unreachable", dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), 5},
		{"no local port", dial(os.NewSyscallError("connect", syscall.EADDRNOTAVAIL)), 5},
		{"no file descriptor", dial(os.NewSyscallError("socket", syscall.EMFILE)), 5},
		{"refused", dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), 5},
		{"a proxy that refuses", &net.OpError{Op: "proxyconnect", Net: "tcp", Err: dial(syscall.ECONNREFUSED)}, 5},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			sent := 0
			c := mustClient(t, jobboard.Config{
				BaseURL: "https://api.example", ClientID: "10",
				HTTPClient: &http.Client{Transport: &http.Transport{
					DialContext: func(context.Context, string, string) (net.Conn, error) { sent++; return nil, test.err },
				}},
			})
			for name, call := range map[string]func() error{
				"GET":    func() error { _, err := c.Search(t.Context(), "x", jobboard.Query{}); return err },
				"PUT":    func() error { _, err := c.ConfirmSubscription(t.Context(), "x", nil); return err },
				"DELETE": func() error { _, err := c.Unsubscribe(t.Context(), "x"); return err },
				"POST":   func() error { _, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{}); return err },
			} {
				sent = 0
				err := call()
				var e *jobboard.Error
				if !errors.As(err, &e) || e.Attempts != test.attempts || sent != test.attempts || e.MayHaveExecuted {
					t.Errorf("%s: %d dials, %v, want %d", name, sent, err, test.attempts)
				}
			}
			if b := c.RetryBudgets()[0]; b.Tokens != b.Capacity {
				t.Errorf("%v tokens of %v are left", b.Tokens, b.Capacity)
			}
		})
	}
}

// raw serves bytes, one answer a connection.
func raw(t *testing.T, text string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = conn.Write([]byte(text))
				_ = conn.Close()
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// An answer that ends with its connection is good only where it shows that it
// is whole.
func TestAnswerWithoutItsLength(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	client := func(text string) *jobboard.Client {
		return mustClient(t, jobboard.Config{
			BaseURL: raw(t, text), ClientID: "10", Retry: jobboard.RetryPolicy{MaxAttempts: 2, MinWait: 1, MaxWait: 1},
		})
	}
	var e *jobboard.Error
	_, err := client(head+"f7629").Applicant(jobboard.StaticToken("x")).ApplicationID(t.Context(), 1)
	if !errors.As(err, &e) || !errors.Is(err, jobboard.ErrTransport) || e.Attempts != 2 {
		t.Errorf("an identifier: %v", err)
	}
	if ok, err := client(head+"true").Applicant(jobboard.StaticToken("x")).HasApplied(t.Context(), 1); !ok || err != nil {
		t.Errorf("a boolean: %v, %v", ok, err)
	}
	for body, good := range map[string]bool{"": false, "12": false, "true": true, `{"rss":"1"}`: true} {
		_, err := client(head+body).Subscribe(t.Context(), jobboard.SubscriptionRequest{})
		if good != (err == nil) || !good && (!errors.As(err, &e) || !errors.Is(err, jobboard.ErrDecode) || !e.MayHaveExecuted || e.Attempts != 1) {
			t.Errorf("a subscription's %q: %v", body, err)
		}
	}
	if _, err := client("HTTP/1.1 204 No Content\r\n\r\n").Unsubscribe(t.Context(), "x"); err != nil {
		t.Errorf("204: %v", err)
	}
}

func TestAnswerWithoutAStatus(t *testing.T) {
	c := mustClient(t, jobboard.Config{BaseURL: raw(t, "HTTP/1.1 000 Nothing\r\nContent-Length: 4\r\n\r\ntrue")})
	_, err := c.Applicant(jobboard.StaticToken("x")).HasApplied(t.Context(), 1)
	if !errors.Is(err, jobboard.ErrTransport) || !strings.Contains(err.Error(), "status") {
		t.Error(err)
	}
}

func TestAnswerAboutAnotherJob(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		_, _ = w.Write([]byte(`{"jobId":` + strconv.Itoa(id+id/100) + `,"jobTitle":"x","applyPossible":true}`))
	}))
	defer server.Close()
	c := mustClient(t, jobboard.Config{JobDBURL: server.URL})
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
		c := mustClient(t, jobboard.Config{
			BaseURL: "https://api.example", DisableCompression: disabled,
			HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				got = r.Header["Accept-Encoding"]
				return answer(r, 200, "true"), nil
			})},
		})
		if _, err := c.Applicant(jobboard.StaticToken("x")).HasApplied(t.Context(), 1); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("disabled %v: %q, %v", disabled, got, err)
		}
	}
}

// A stream may take longer than an attempt, as long as it flows; a bounded body
// may not. Config.HTTPClient's Timeout bounds an attempt, too.
func TestAttemptTimeout(t *testing.T) {
	postings := func(pause time.Duration) *http.Client {
		return &http.Client{Timeout: 20 * time.Second, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
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
		c := mustClient(t, jobboard.Config{
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
