package boardcheck_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func reply(status int, header http.Header, body io.Reader) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body)}
}

// stalled never ends until its request does.
type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }

// A board that does not answer tells nothing: no change, the profile stays as it was, and the check ends within its bounds. A
// board whose answers cannot be read has changed.
func TestOutages(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(r *http.Request) (*http.Response, error)
		answered bool
		want     string
	}{
		"never answers": {func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }, false, "ErrTimeout"},
		"stalls":        {func(r *http.Request) (*http.Response, error) { return reply(200, nil, stalled{r.Context()}), nil }, true, "ErrTimeout"},
		"429": {func(*http.Request) (*http.Response, error) {
			return reply(429, nil, strings.NewReader("slow down")), nil
		}, false, "ErrRateLimited"},
		"429 with an hour": {func(*http.Request) (*http.Response, error) {
			return reply(429, http.Header{"Retry-After": {"3600"}}, strings.NewReader("")), nil
		}, false, "ErrRateLimited"},
		"500":     {func(*http.Request) (*http.Response, error) { return reply(500, nil, strings.NewReader("oops")), nil }, false, "ErrServer"},
		"503":     {func(*http.Request) (*http.Response, error) { return reply(503, nil, strings.NewReader("oops")), nil }, false, "ErrServer"},
		"401":     {func(*http.Request) (*http.Response, error) { return reply(401, nil, strings.NewReader("")), nil }, true, "ErrUnauthorized"},
		"refused": {func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial: s3cret") }, false, "ErrTransport"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known := calm(t)
				before := written(t, known)
				sent := 0
				b := through(boardOf(steady(t)), transport(func(r *http.Request) (*http.Response, error) {
					sent++
					return c.answer(r)
				}))
				began := time.Now()
				r := check(t, b)
				if took := time.Since(began); took > time.Hour || sent > boardcheck.MaxRequests || sent != r.Requests {
					t.Errorf("%d requests in %v, and it says %d", sent, took, r.Requests)
				}
				r.Since(known)
				if len(r.Changes) > 0 || r.Answered != c.answered || !strings.Contains(lines(r.Unjudged), c.want) || strings.Contains(lines(r.Unjudged), "s3cret") {
					t.Errorf("answered %t, told %s, no judgement %s", r.Answered, lines(r.Changes), lines(r.Unjudged))
				}
				if after := written(t, known); withoutHead(after) != withoutHead(before) {
					t.Errorf("the profile learned of it: %s", after)
				}
			})
		})
	}
}

// withoutHead leaves out the number of nights.
func withoutHead(profile string) string {
	var b strings.Builder
	for l := range strings.Lines(profile) {
		if !strings.HasPrefix(l, ` "nights"`) {
			b.WriteString(l)
		}
	}
	return b.String()
}

// Up to a fifth of a kind's calls may fail; with more of them there is no judgement of that kind, and one of the others.
func TestAFifthMayFail(t *testing.T) {
	for name, c := range map[string]struct {
		failing int
		want    string
	}{
		"a fifth":           {6, ""},
		"more than a fifth": {7, "job information: 7 of 30 calls failed: ErrServer 7"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known := calm(t)
				down := map[string]bool{}
				calls := 0
				b := edited(boardOf(steady(t)), edit{raw: func(path string, resp *http.Response, body []byte) []byte {
					if !strings.HasSuffix(path, infoPath) {
						return body
					}
					id := resp.Request.URL.RawQuery
					if calls++; len(down) < c.failing && calls%2 == 0 { // never four, one after the other
						down[id] = true
					}
					if down[id] {
						resp.StatusCode = http.StatusServiceUnavailable
					}
					return body
				}})
				b.Config.Retry = jobboard.RetryPolicy{MaxAttempts: 1}
				r := check(t, b)
				r.Since(known)
				if got := lines(r.Unjudged); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || len(r.Changes) > 0 {
					t.Errorf("no judgement: %s, told: %s", got, lines(r.Changes))
				}
			})
		})
	}
}

// A credential that has ended is no change of the board. What does without it is judged.
func TestCredentialHasEnded(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(b *boardcheck.Board, srv *jobboardtest.Server)
		want   string
		judged string
	}{
		"the applicant's token": {func(b *boardcheck.Board, _ *jobboardtest.Server) { b.Applicant = jobboard.StaticToken("ended") }, "applied check: 4 of 4 calls failed: ErrUnauthorized 4", "search"},
		"the client identifier": {func(b *boardcheck.Board, _ *jobboardtest.Server) { b.Config.ClientID = "4711" }, "search: 2 of 2 calls failed: ErrUnauthorized 2", "applied check"},
		"no token": {func(b *boardcheck.Board, _ *jobboardtest.Server) {
			b.Config.ClientID, b.Config.TokenSource = "", jobboard.RenewingToken(noToken)
		}, "search: 2 of 2 calls failed: ErrToken 2", "applied check"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known := calm(t)
				srv := steady(t)
				b := boardOf(srv)
				c.end(&b, srv)
				r := check(t, b)
				r.Since(known)
				if got := lines(r.Unjudged); len(r.Changes) > 0 || !strings.Contains(got, c.want) || strings.Contains(got, "\n"+c.judged+":") {
					t.Errorf("told %s, no judgement %s", lines(r.Changes), got)
				}
				refused := 0
				for _, q := range srv.Requests() {
					if q.Status == http.StatusUnauthorized {
						refused++
					}
				}
				if refused > 10 {
					t.Errorf("it was refused %d times", refused)
				}
			})
		})
	}
}

func noToken(context.Context) (*oauth2.Token, error) { return nil, errors.New("no token today") }

// One endpoint that fails is left alone, and the others are asked.
func TestLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := calm(t)
		srv := steady(t)
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: http.StatusForbidden, Body: "no"})
		r := check(t, boardOf(srv))
		r.Since(known)
		if n := srv.Count(jobboardtest.OpApplied); n != 4 || len(r.Unjudged) != 2 || len(r.Changes) > 0 || srv.Count(jobboardtest.OpApplication) != 30 {
			t.Errorf("%d applied checks, no judgement %s, told %s", n, lines(r.Unjudged), lines(r.Changes))
		}
	})
}

// Where nothing names a job any more, nothing is known of jobs: no night passes in silence.
func TestNoJobsAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := steady(t)
		srv.SetVariants(jobboardtest.Variants{Links: jobboardtest.LinksOpaque})
		b := boardOf(srv)
		b.FeedURL = ""
		r := check(t, b)
		r.Since(&boardcheck.Profile{})
		if len(r.Unjudged) > 0 || !strings.Contains(lines(r.Notes), "name some in Jobs") {
			t.Errorf("the first night: noted %s, no judgement %s", lines(r.Notes), lines(r.Unjudged))
		}
		r = check(t, b)
		r.Since(calm(t))
		if !strings.Contains(lines(r.Unjudged), "job information: no link and no feed names a job any more") {
			t.Errorf("no judgement: %s", lines(r.Unjudged))
		}
	})
}

// Time that is up is no judgement of what was not asked; a context that the caller ends is an error.
func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := boardOf(steady(t))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		r, err := boardcheck.Check(ctx, b)
		if err != nil || time.Since(began) > 4*time.Second || !r.Answered || !strings.Contains(lines(r.Unjudged), "job information: the time was up after 1") ||
			strings.Contains(lines(r.Unjudged), "search: ") {
			t.Errorf("after %v: %v, %s", time.Since(began), err, lines(r.Unjudged))
		}
		ctx, end := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, end)
		if _, err := boardcheck.Check(ctx, b); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	})
}

// An answer of a mock server is read whatever its encoding: in the feed too.
func TestEncodings(t *testing.T) {
	for _, label := range []string{"ISO-8859-1", "windows-1252", "UTF-16"} {
		t.Run(label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := edited(boardOf(steady(t)), edit{raw: func(_ string, resp *http.Response, body []byte) []byte {
					if strings.Contains(resp.Header.Get("Content-Type"), "xml") {
						return encoded(label)
					}
					return body
				}})
				r := check(t, b)
				known := &boardcheck.Profile{}
				r.Since(known)
				if text := written(t, known); !strings.Contains(text, `"feed": 25`) || !strings.Contains(text, `"entries[].title": {"in":25,"of":25`) || len(r.Unjudged) > 0 {
					t.Errorf("no judgement %s; the profile: %s", lines(r.Unjudged), text)
				}
			})
		})
	}
}

// encoded is a feed of 25 jobs with an umlaut.
func encoded(label string) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="` + label + `"?><PositionOpenings>`)
	for i := range 25 {
		fmt.Fprintf(&b, `<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo>`+
			`<PositionProfile><ProfileName>Bäcker</ProfileName></PositionProfile></PositionOpening>`, i+1)
	}
	b.WriteString(`</PositionOpenings>`)
	out := []byte{}
	if label == "UTF-16" {
		out = append(out, 0xfe, 0xff)
	}
	for _, r := range b.String() {
		if label == "UTF-16" {
			out = append(out, byte(r>>8))
		}
		out = append(out, byte(r))
	}
	return out
}

// Another version of the SDK may read what the last one did not: what is new then is noted.
func TestAnotherSDK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Replace(written(t, calm(t)), ` "sdk": "`, ` "sdk": "v0.0.1-`, 1)
		file := filepath.Join(t.TempDir(), "board.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		known, err := boardcheck.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		r := check(t, edited(boardOf(steady(t)), edit{json: infos(1000, func(o object) { delete(o, "applyPossible") })}))
		r.Since(known)
		if len(r.Changes) > 0 || !strings.Contains(lines(r.Notes), "ErrDecode of applyPossible") {
			t.Errorf("told %s, noted %s", lines(r.Changes), lines(r.Notes))
		}
	})
}

// recorded is a test that fails where this one shall not.
type recorded struct {
	testing.TB
	errors []string
}

func (r *recorded) Helper()           {}
func (r *recorded) Log(...any)        {}
func (r *recorded) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorded) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}
func (r *recorded) Fatal(args ...any) { r.errors = append(r.errors, "fatal: "+fmt.Sprint(args...)) }

// Run writes its file the first time and fails; then it passes, fails at a change, once, and where nothing can be judged.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := steady(t)
		file := filepath.Join(t.TempDir(), "testdata", "board.json")
		run := func(b boardcheck.Board, want string) {
			t.Helper()
			tb := &recorded{TB: t}
			boardcheck.Run(tb, file, b)
			if got := strings.Join(tb.errors, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("it fails with %q, want %q", got, want)
			}
		}
		run(boardOf(srv), file+" is new")
		run(boardOf(srv), "")
		quoted := edited(boardOf(srv), edit{json: each("results", func(_ int, o object) { o["jobPostingId"] = fmt.Sprint(o["jobPostingId"]) })})
		run(quoted, "the board changed: search results[].jobPostingId: it is number in quotes")
		run(quoted, "")
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run(through(boardOf(srv), transport(func(*http.Request) (*http.Response, error) { return nil, io.EOF })), "no call was answered")
		after, err := os.ReadFile(file)
		if err != nil || string(after) != string(before) {
			t.Errorf("the file of an outage is another: %v", err)
		}
		b := boardOf(srv)
		b.Applicant = jobboard.StaticToken("ended")
		run(b, "no judgement: applied check")
	})
}

// A file that is no profile is refused.
func TestLoad(t *testing.T) {
	for text, want := range map[string]string{
		"<html>": "no profile of a board", `{}`: "has the format 0", `{"format": 1}`: "has the format 1",
		`{"format":2,"calls":{"search":null}}`: "nothing under", `{"format":2,"calls":{"search":{"members":{"a":null}}}}`: "nothing under",
		`{"format":2,"calls":{"search":{"members":{"a":{"last":[1]}}}}}`: "two numbers", `{"format":2,"effects":{"word":null}}`: "empty effect",
	} {
		file := filepath.Join(t.TempDir(), "board.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := boardcheck.Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
