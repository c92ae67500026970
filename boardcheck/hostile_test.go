package boardcheck_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A board of plausible nonsense, 200 with JSON of another kind everywhere, is told as a change within the bounds of a check.
func TestPlausibleNonsense(t *testing.T) {
	for _, body := range []string{
		`{"status":"ok","results":{"jobPostingId":[]},"totalNumberOfJobs":"many","jobId":{},"questions":7}`, `[]`, `null`, `"ok"`, `0`, ``,
		`{"results":[{"jobPostingId":1e400,"title":7,"applyOnlineLink":"https://x.example/job/99999999999999999999/","config":[null]},null,[[]]],"itemsPerPage":-1,"totalNumberOfJobs":-5,"jobId":-1,"location":[],"additionalLocations":[{"geoLat":"NaN"}]}`,
		strings.Repeat(`{"a":`, 100000), strings.Repeat("[", 100000), `{"results":[` + strings.Repeat(`[{"a":`, 5000),
		"\x1f\x8b\x00", "<!DOCTYPE html><p>Sign in", "\xff\xfe{}",
	} {
		synctest.Test(t, func(t *testing.T) {
			known := calm(t)
			sent := 0
			b := through(boardOf(steady(t)), transport(func(r *http.Request) (*http.Response, error) {
				sent++
				header := http.Header{"Content-Type": {"application/json"}}
				if strings.HasPrefix(body, "\x1f") {
					header.Set("Content-Encoding", "gzip")
				}
				return reply(200, header, strings.NewReader(body)), nil
			}))
			r := check(t, b)
			r.Since(known)
			if sent > boardcheck.MaxRequests || sent != r.Requests || !r.Answered || !strings.Contains(lines(r.Changes), "search: Err") {
				t.Errorf("%.40q: %d requests, %s, told %s", body, sent, r.Summary(), lines(r.Changes))
			}
			_ = written(t, known)
		})
	}
}

// An answer over the client's bound is told, and one with thousands of names makes no large profile.
func TestLargeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := calm(t)
		b := boardOf(steady(t))
		b.Config.MaxBodyBytes = 4000
		r := check(t, b)
		r.Since(known)
		if !strings.Contains(lines(r.Changes), "search: ErrResponseTooLarge, in 2 of 2 calls") {
			t.Errorf("told: %s", lines(r.Changes))
		}
		var body bytes.Buffer
		body.WriteString(`{"results":[`)
		for i := range 3000 {
			fmt.Fprintf(&body, `{"jobPostingId":%d,"title":"%s","m%s":1,"config":{"k%s":["x"]},"a":{"b":[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]}},`,
				i+1, strings.Repeat("x", 500), letters(i), letters(i/6))
		}
		body.WriteString(`{"jobPostingId":9999}],"totalNumberOfJobs":3001}`)
		large := through(boardOf(steady(t)), transport(func(r *http.Request) (*http.Response, error) {
			return reply(200, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body.Bytes())), nil
		}))
		large.FeedURL, large.Applicant, large.Config.JobDBURL, large.Languages = "", nil, "", nil
		fresh := &boardcheck.Profile{}
		check(t, large).Since(fresh)
		text := written(t, fresh)
		if n := len(text); n > 100<<10 || !strings.Contains(text, `"results[].title": {"in":3000,"of":3001`) {
			t.Errorf("the profile has %d bytes: %.3000s", n, text)
		}
	})
}

func letters(n int) string {
	var b strings.Builder
	for range 4 {
		b.WriteByte(byte('a' + n%26))
		n /= 26
	}
	return b.String()
}

// Equal nights give equal files.
func TestDeterministic(t *testing.T) {
	var first string
	for n := range 3 {
		synctest.Test(t, func(t *testing.T) {
			known := &boardcheck.Profile{}
			r := check(t, boardOf(anyDay(t, 7, jobboardtest.Variants{})))
			r.Since(known)
			all := written(t, known)
			if n == 0 {
				first = all
			} else if all != first {
				t.Error("the profile differs")
			}
		})
	}
}
