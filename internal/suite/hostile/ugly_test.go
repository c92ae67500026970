package hostile_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// uglyBodies are 64 KiB that are expensive to look through: full of what may
// begin a secret, or the quoting of one.
func uglyBodies() map[string]string {
	const size = 64 << 10
	all := map[string]string{}
	for _, unit := range []string{
		`"`, `\`, `\\`, `\"`, `\u005c`, `\u`, `\ud83d\ude00`, `\n`, "&", "&amp;", "&#92;", "&#x5c;", "%", "%25", "%5C", "+", "A", "0", "=",
		"\x00", "\xff", "ä", `{`, `[`, `{"message":`, `"posting`, "<", "posting ", "not accessible ",
		rig.ApplicantToken.Secret, rig.ApplicantToken.Secret[:7], strings.Repeat(`\`, 99) + rig.ApplicantToken.Secret[:7],
		rig.SearchText.Secret[:5], `\u006b`, `\\u006b`, "ERROR_JOB_INACTIV",
	} {
		text := strings.Repeat(unit, size/len(unit))
		all[fmt.Sprintf("%.20q", unit)] = text
		all[fmt.Sprintf("%.20q in a message", unit)] = `{"code":"x","message":"` + text[:size-40] + `"}`
	}
	return all
}

// An ugly text costs no more memory than a plain one of its length, and callers
// with a deadline come back at it. That the work is linear in the text is counted
// in steps where it is done: packages redact and challenge, and FuzzClassifySteps.
func TestUglyTexts(t *testing.T) {
	const atMost = 4 << 20 // for an answer of 64 KiB, compressed or not
	worst, worstName := uint64(0), ""
	for name, text := range uglyBodies() {
		for _, encoding := range []string{"", "gzip"} {
			body := text
			if encoding != "" {
				body = string(rig.Zip([]byte(text)))
			}
			for _, status := range []int{401, 404, 503} {
				for _, op := range []*rig.Operation{rig.Op("Search"), rig.Op("HasApplied"), rig.Op("JobInformation")} {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					ugly(t, status, body, encoding, 1, op, 1, time.Minute)
					runtime.ReadMemStats(&after)
					cost := after.TotalAlloc - before.TotalAlloc
					what := fmt.Sprintf("%s, %d, %s, %s", name, status, encoding, op.Label)
					if cost > worst {
						worst, worstName = cost, what
					}
					if cost > atMost {
						t.Errorf("%s: one answer costs %d bytes", what, cost)
					}
				}
			}
		}
	}
	t.Logf("figure: ugly texts: at most %d KiB an answer (%s)", worst>>10, worstName)

	for _, unit := range []string{`\`, `\u005c`, "&", "%"} {
		body := string(rig.Zip([]byte(strings.Repeat(unit, 64<<10/len(unit)))))
		synctest.Test(t, func(t *testing.T) {
			const deadline = 300 * time.Millisecond
			if took := ugly(t, 503, body, "gzip", 5, rig.Op("HasApplied"), 4, deadline); took > deadline {
				t.Errorf("%q: four callers come back after %v of %v", unit, took, deadline)
			}
		})
	}
}

// ugly makes calls at once and returns when the last of them is back.
func ugly(
	t *testing.T, status int, body, encoding string, attempts int, op *rig.Operation, callers int, deadline time.Duration,
) time.Duration {
	c := rig.Client(t, jobboard.Config{
		BaseURL: "https://api.example", JobDBURL: "https://jobs.example", TokenSource: jobboard.StaticToken(rig.ClientToken.Secret),
		JobDBTokenSource: jobboard.StaticToken(rig.LookupToken.Secret),
		Retry:            jobboard.RetryPolicy{MaxAttempts: attempts, MinWait: 100 * time.Millisecond, Budget: -1},
		HTTPClient: &http.Client{Transport: rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {encoding}}
			return rig.Respond(r, status, header, strings.NewReader(body))
		})},
	})
	a := c.Applicant(jobboard.StaticToken(rig.ApplicantToken.Secret))
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	start := time.Now()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			if _, err := op.Call(ctx, c, a); err == nil {
				t.Error("no error")
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
