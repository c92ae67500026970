// Package hostile_test lets a service do its worst: answers without end, in size
// or in time, and texts that are not fit to be seen.
package hostile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// endless repeats unit after head for good, and allocates nothing on the way.
type endless struct {
	head, unit string
	at         int
	started    bool
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		text := e.unit
		if !e.started {
			text = e.head
		}
		if e.at == len(text) {
			e.at, e.started = 0, true
			continue
		}
		m := copy(p[n:], text[e.at:])
		n, e.at = n+m, e.at+m
	}
	return n, nil
}

// bomb is head and then size bytes of unit, compressed.
func bomb(head, unit string, size int) string {
	return string(rig.Zip([]byte(head + strings.Repeat(unit, size/len(unit)))))
}

const (
	pageHead = `{"totalNumberOfJobs":1,"results":[`
	jobHead  = `{"jobId":5310482,"jobTitle":"t","applyPossible":true,`
)

type hostileBody struct{ name, head, unit string }

// hostileBodies lists what a service may send to use up memory: a beginning, and what is
// repeated without end. TestHostileMemory in the root tries more of them on the decoders.
var hostileBodies = []hostileBody{
	{"spaces", "", " "},
	{"text", "", "posting "},
	{"HTML", "<html>", "<p>posting</p>"},
	{"arrays in arrays", "", "["},
	{"an array of error codes", "[", `"ERROR_JOB_INACTIVE",`},
	{"a number without end", `{"totalNumberOfJobs":`, "1"},
	{"postings", pageHead, `{"jobPostingId":1,"title":""},`},
	{"one posting's title", pageHead + `{"jobPostingId":1,"title":"`, "t"},
	{"members after the page", `{"totalNumberOfJobs":1,"results":[],"x":[`, `{},`},
	{"questions", jobHead + `"questions":[`, `{},`},
	{"nationalities", jobHead + `"nationalities":[`, `{"id":"1","label":"a"},`},
	{"a title without end", `{"jobId":5310482,"jobTitle":"`, `a`},
}

// hostileTexts may begin a secret, or the quoting of one. They cost something where
// a failed answer is shown.
var hostileTexts = []hostileBody{
	{"backslashes", `{"message":"`, `\\`},
	{"escaped backslashes", `{"message":"`, `\u005c`},
	{"surrogates", `{"message":"`, `\ud83d\ude00`},
	{"invalid bytes", `"`, "\xff"},
	{"escapes of HTML", "", "&#x5c;"},
	{"escapes of URLs", "", "%25"},
	{"the token", "", rig.ApplicantToken.Secret},
	{"beginnings of the token", `{"code":"x","message":"`, strings.Repeat(`\`, 98) + rig.ApplicantToken.Secret[:7]},
}

// hostileWraps are the ways in which a body comes.
var hostileWraps = []struct {
	name   string
	status int
	body   func(head, unit string) (*endless, string) // and its encoding
}{
	{"endless", 200, plain},
	{"bombs without end", 200, bombs},
	{"empty members without end", 200, func(head, unit string) (*endless, string) {
		return &endless{head: bomb(head, unit, 1<<16), unit: many(bomb("", " ", 0))}, "gzip"
	}},
	{"endless error", 404, plain},
	{"bombs as an error", 403, bombs},
	{"endless repeated error", 503, plain},
	{"endless 401", 401, plain},
	{"bombs as a 401", 401, bombs},
}

func plain(head, unit string) (*endless, string) { return &endless{head: head, unit: many(unit)}, "" }

// many is unit often enough to be copied fast.
func many(unit string) string { return strings.Repeat(unit, 1+16<<10/len(unit)) }

// bombs is compressed a thousandfold, member after member.
func bombs(head, unit string) (*endless, string) {
	return &endless{head: bomb(head, unit, 1<<20), unit: bomb("", unit, 1<<20)}, "gzip"
}

// Whatever a service sends, a call allocates at most 32 MiB, a search two and a half times its
// bound, and a failed answer 4 MiB. Each answer goes to one operation, chosen by a seed, and at
// night to all of them.
func TestHostileAnswersAreBounded(t *testing.T) {
	var (
		body     func() io.Reader
		encoding string
		status   int
	)
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://api.example", JobDBURL: "https://jobs.example",
		TokenSource: rig.Renewing(rig.ClientToken.Secret), JobDBTokenSource: rig.Renewing(rig.LookupToken.Secret),
		Retry: jobboard.RetryPolicy{MinWait: 1, MaxWait: 1},
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {encoding}}
			if status == 401 {
				h.Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			}
			return rig.Respond(r, status, h, body())
		})},
	})
	a := c.Applicant(rig.Renewing(rig.ApplicantToken.Secret))
	call := func(op string) error {
		if op == "Postings" { // to its first posting: the caller may stop after that
			for _, err := range c.Postings(t.Context(), "ch", jobboard.Query{}) {
				return err
			}
			return nil
		}
		_, err := rig.Op(op).Call(t.Context(), c, a)
		return err
	}
	operations := []string{"HasApplied", "ApplicationID", "JobInformation", "Subscribe", "Postings", "Search"}
	one := func() []string { return operations }
	switch {
	case testing.Short() || rig.Race:
		operations = []string{"JobInformation"}
	case !testenv.Night():
		choice := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		one = func() []string { i := choice.IntN(len(operations)); return operations[i : i+1] }
	}
	worst, worstName := map[string]int64{}, map[string]string{}
	for i, b := range slices.Concat(hostileBodies, hostileTexts) {
		for _, w := range hostileWraps {
			if w.status == 200 && i >= len(hostileBodies) {
				continue
			}
			var kept *endless
			kept, encoding = w.body(b.head, b.unit)
			status = w.status
			body = func() io.Reader { again := *kept; return &again }
			for _, op := range one() {
				if op == "Postings" && !strings.Contains(b.head, pageHead+"{") {
					continue // up to 1 GiB
				}
				var err error
				n := rig.Allocated(func() { err = call(op) })
				name := fmt.Sprintf("%s, %s, %s", op, b.name, w.name)
				e, ok := errors.AsType[*jobboard.Error](err)
				if !ok {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if len(e.Body) > 64<<10 || len(err.Error()) > 2000 {
					t.Errorf("%s: the error keeps %d bytes and says %d", name, len(e.Body), len(err.Error()))
				}
				kind, limit := "other", int64(32<<20)
				switch {
				case w.status != 200:
					kind, limit = "failed", int64(e.Attempts)*4<<20
				case op == "Search":
					kind, limit = "Search", 160<<20
				}
				if n > worst[kind] {
					worst[kind], worstName[kind] = n, name
				}
				if rig.Race {
					limit *= 2 // it keeps the compiler from allocating less
				}
				if n > limit {
					t.Errorf("%s: %.1f MiB allocated, %v", name, float64(n)/(1<<20), err)
				}
			}
		}
	}
	for kind, n := range worst {
		t.Logf("figure: hostile answers: at most %.1f MiB, %s (%s)", float64(n)/(1<<20), kind, worstName[kind])
	}
}

// Headers are bounded by the client's own transport.
func TestHostileHeadersAreBounded(t *testing.T) {
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	line := "X-Filler: " + strings.Repeat("x", 1000)
	for name, answer := range map[string][2]string{
		"endless headers": {ok, line + "\r\n"}, "one endless header": {ok + "X: ", line},
		"endless status line":                {"", line},
		"endless informational answers":      {"", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"},
		"endless trailers":                   {chunked + "4\r\ntrue\r\n0\r\n", line + "\r\n"},
		"endless chunk sizes":                {chunked, "0000000000000000"},
		"chunks of one byte with extensions": {chunked, "1;" + strings.Repeat("x", 1000) + "\r\n \r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l := rig.Must(net.Listen("tcp", "127.0.0.1:0"))
			server := rig.Serve(l, func(x *rig.Exchange) { x.Endless(answer[0], answer[1]) })
			defer server.Close()
			c := rig.Client(t, jobboard.Config{
				BaseURL: "http://" + l.Addr().String(), Retry: jobboard.RetryPolicy{
					MaxAttempts: 1, AttemptTimeout: 5 * time.Second,
				},
			})
			var applied bool
			var err error
			n := rig.Allocated(func() { applied, err = c.Applicant(jobboard.StaticToken("t")).HasApplied(t.Context(), 1) })
			if err == nil || applied || n > 32<<20 {
				t.Errorf("applied %v, %.1f MiB allocated, %v", applied, float64(n)/(1<<20), err)
			}
		})
	}
}

// A service that makes no progress, or so little that it takes for ever, ends
// a call within the bounds of time.
func TestHostileTime(t *testing.T) {
	drip := func(pause time.Duration, text string) func() (io.Reader, string) {
		return func() (io.Reader, string) { return &dripping{pause: pause, text: text}, "" }
	}
	dripGzip := func() (io.Reader, string) { return &dripping{pause: time.Second, text: bomb("", " ", 0)}, "gzip" }
	for _, tt := range []struct {
		name   string
		op     string
		body   func() (io.Reader, string)
		atMost time.Duration
	}{
		{"a byte a second", "HasApplied", drip(time.Second, " "), 5 * (15 + 5) * time.Second},
		{"a byte a second", "Search", drip(time.Second, " "), time.Minute},
		{"a byte in nine seconds", "JobInformation", drip(9*time.Second, " "), time.Minute},
		{"a byte in eleven seconds", "HasApplied", drip(11*time.Second, " "), time.Minute},
		{"empty gzip members", "JobInformation", dripGzip, time.Minute},
		{"nothing", "Postings", drip(time.Hour, " "), 5*10*time.Second + 20*time.Second},
		{"a byte in eleven seconds", "Postings", drip(11*time.Second, " "), 5*10*time.Second + 20*time.Second},
		{"a byte a second", "Subscribe", drip(time.Second, " "), 15 * time.Second},
	} {
		t.Run(tt.op+", "+tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := rig.Client(t, jobboard.Config{
					BaseURL: "https://api.example", JobDBURL: "https://jobs.example", TokenSource: jobboard.StaticToken("token"),
					HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
						body, encoding := tt.body()
						d := body.(*dripping)
						d.ctx = r.Context()
						return rig.Respond(r, 200, http.Header{"Content-Encoding": {encoding}}, d)
					})},
				})
				start := time.Now()
				_, err := rig.Op(tt.op).Call(t.Context(), c, c.Applicant(jobboard.StaticToken("user")))
				if !errors.Is(err, jobboard.ErrTimeout) {
					t.Errorf("%v", err)
				}
				if took := time.Since(start); took > tt.atMost || took > 75*time.Second {
					t.Errorf("took %v, want at most %v", took, tt.atMost)
				}
			})
		})
	}
}

// dripping is a body that comes byte by byte, and ends with its request.
type dripping struct {
	ctx   context.Context
	pause time.Duration
	text  string
	at    int
}

func (d *dripping) Read(p []byte) (int, error) {
	select {
	case <-time.After(d.pause):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	p[0] = d.text[d.at%len(d.text)]
	d.at++
	return 1, nil
}

// The service's text reaches no log and no error text with a character that
// could forge a line, move the cursor or turn the rest of the line round.
func TestHostileTextIsCleaned(t *testing.T) {
	var bad strings.Builder
	for r := rune(0); r <= 0xffff; r++ {
		if _, found := rig.Unprintable(string(r)); found && !(0xd800 <= r && r <= 0xdfff) {
			bad.WriteRune(r)
		}
	}
	bad.WriteString("\xff\xfe\xc3(\xed\xa0\x80")
	for _, chunk := range []string{
		bad.String(), "\x1b[31mred\x1b[0m", "\r\nforged line", "\u202egnp.exe", "a\u061cb", "\x00\x9b2J",
	} {
		quoted := string(rig.Must(json.Marshal(chunk)))
		for status, bodies := range map[int][]string{
			200: {
				chunk, quoted, "<" + chunk, `{"x":` + quoted + `}`, `{` + quoted + `:1}`,
				pageHead + `{"config":{` + quoted + `:1}}]}`,
			},
			401: {chunk, `{"error":` + quoted + `,"error_description":` + quoted + `}`},
			404: {chunk, quoted, `{"code":` + quoted + `,"message":` + quoted + `}`, "posting " + chunk, "get_project_error"},
			410: {chunk, "posting " + chunk},
			500: {chunk, `{"code":"ERROR_JOB_INACTIVE","message":` + quoted + `}`, `"ERROR_JOB_INACTIVE ` + strings.Trim(quoted,
				`"`) + `"`},
			503: {chunk},
		} {
			for _, body := range bodies {
				log := new(rig.Log)
				c := rig.Client(t, jobboard.Config{
					BaseURL: "https://api.example", JobDBURL: "https://jobs.example", TokenSource: jobboard.StaticToken("token"),
					Retry: jobboard.RetryPolicy{MinWait: 1, MaxWait: 1}, Logger: slog.New(log),
					HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
						return &http.Response{
							StatusCode: status, Status: chunk, Body: io.NopCloser(strings.NewReader(body)), Request: r,
							Header: http.Header{
								"Content-Type":     {"text/" + chunk},
								"Www-Authenticate": {`Bearer error="` + chunk + `", error_description="` + chunk + `"`},
								"Content-Encoding": {map[bool]string{true: chunk}[body == chunk]}, "Retry-After": {chunk},
							},
						}, nil
					})},
				})
				for _, op := range rig.Operations {
					_, err := op.Call(t.Context(), c, c.Applicant(jobboard.StaticToken("user")))
					if err == nil {
						continue
					}
					var e *jobboard.Error
					if !errors.As(err, &e) {
						t.Fatal(err)
					}
					for where, text := range map[string]string{
						"Error()": err.Error(), "Message": e.Message, "Code": e.Code, "the log": strings.Join(log.Lines(), ""),
					} {
						if r, found := rig.Unprintable(text); found {
							t.Errorf("%s, %d, %.60q: %s has %U: %.200q", op.Label, status, body, where, r, text)
							return
						}
					}
				}
			}
		}
	}
	// What net/http quotes of a broken answer.
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nBroken \x1b[31m\u202e\r\n\r\n",
		"\x1b[31m\u202e\u061c garbage\r\n\r\n", "HTTP/1.1 \x1b\u202e\u061c x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: \x01\u061c\r\n\r\n",
	} {
		_, transport, stop := rig.Run(func(x *rig.Exchange) { x.Raw(answer) })
		defer stop()
		log := new(rig.Log)
		c := rig.Client(t, jobboard.Config{
			BaseURL: "https://api.example", TokenSource: jobboard.StaticToken("token"), Logger: slog.New(log),
			HTTPClient: &http.Client{Transport: transport},
		})
		_, err := c.Search(t.Context(), "ch", jobboard.Query{})
		if !errors.Is(err, jobboard.ErrTransport) {
			t.Errorf("%q: %v", answer, err)
			continue
		}
		for where, text := range map[string]string{"Error()": err.Error(), "the log": strings.Join(log.Lines(), "")} {
			if r, found := rig.Unprintable(text); found {
				t.Errorf("%q: %s has %U: %.200q", answer, where, r, text)
			}
		}
	}
}
