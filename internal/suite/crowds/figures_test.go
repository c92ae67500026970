package crowds_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/hedge"
	trouble "github.com/jobboard-sdk/jobboard-go/internal/suite/outage"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// documented is a line of the table of docs/decisions/retries.md: a case, its figure and
// unit, and the aim.
var documented = regexp.MustCompile(`(?m)^\| (.+) \| ([0-9.]+) (.+) \| ([0-9.]+) \|$`)

// What the documentation says of the default policy is what it does, within the tolerance that
// it names, and reaches the aims. A tenth of its callers does so within three times the
// tolerance; the night's test has all callers.
func TestDocumentedFigures(t *testing.T) {
	page, err := os.ReadFile("../../../docs/decisions/retries.md")
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ name, unit string }
	lines := map[key][]string{}
	for _, m := range documented.FindAllStringSubmatch(string(page), -1) {
		lines[key{m[1], m[3]}] = m[2:]
	}
	callers, known := callers(20), 0
	// The mean of a tenth of the callers scatters three times as far.
	scatter := math.Sqrt(200 / float64(callers))
	for _, c := range trouble.Cases(callers) {
		known += len(c.Aims)
		t.Run(c.Name, func(t *testing.T) {
			measured := measure(t, c.Plan, 0, byMethod)
			for _, aim := range c.Aims {
				checkFigure(t, lines[key{c.Name, string(aim.Unit)}], aim, measured[aim.Unit], scatter)
			}
		})
	}
	if len(lines) != known {
		t.Errorf("docs/decisions/retries.md has %d figures, want %d", len(lines), known)
	}
}

// checkFigure holds a line of the documentation against the aim and against
// what was measured.
func checkFigure(t *testing.T, line []string, aim trouble.Aim, got, scatter float64) {
	t.Logf("figure: %.3f %s", got, aim.Unit)
	if line == nil {
		t.Errorf("docs/decisions/retries.md does not have the figure in %s", aim.Unit)
		return
	}
	figure, limit := number(t, line[0]), number(t, line[2])
	if limit != aim.Limit {
		t.Errorf("docs: the aim is %s, want %v", line[2], aim.Limit)
	}
	if !aim.Meets(figure) {
		t.Errorf("docs: %v %s; the aim is %v", figure, aim.Unit, aim.Limit)
	}
	if within := aim.Scatter * scatter; math.Abs(got-figure) > within {
		t.Errorf("%.3f %s, the documentation says %v, give or take %.3f", got, aim.Unit, figure, within)
	}
}

// measure runs a plan in a bubble of its own; slow requests are hedged after wait, if it is not 0.
func measure(t *testing.T, p trouble.Plan, wait time.Duration, ask asks) map[trouble.Unit]float64 {
	var r *trouble.Record
	var fetches []*int
	synctest.Test(t, func(t *testing.T) {
		r = p.Run(func(next http.RoundTripper, attempt time.Duration) trouble.Client {
			fetched := new(int)
			fetches = append(fetches, fetched)
			return renewingClient(t, hedge.After(wait)(next), jobboard.RetryPolicy{AttemptTimeout: attempt}, fetched, p.Sources, ask)
		})
	})
	most := 0
	for _, n := range fetches {
		most = max(most, *n)
	}
	return map[trouble.Unit]float64{
		trouble.PerCall:  r.PerCall(0, p.Fault),
		trouble.Renewals: float64(most-1) / p.Fault.Seconds(),
		trouble.Share:    100 * r.Success(0, p.Fault),
	}
}

// asks is a way to ask the service about an applicant and a job.
type asks func(context.Context, *jobboard.Applicant, jobboard.JobID) error

func byMethod(ctx context.Context, a *jobboard.Applicant, job jobboard.JobID) error {
	_, err := a.HasApplied(ctx, job)
	return err
}

// byTransport asks as a client of somebody else's does over Applicant.Transport.
func byTransport(ctx context.Context, a *jobboard.Applicant, job jobboard.JobID) error {
	return byHand(ctx, &http.Client{Transport: a.Transport()}, job)
}

// byHand asks about a job without a method of this client.
func byHand(ctx context.Context, client *http.Client, job jobboard.JobID) error {
	address := fmt.Sprintf("%s/jobs/%d/applied", trouble.Base, job)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// renewingClient makes a client of a policy that fetches its tokens
// itself, one at a time, each another one. Each call has an applicant with a source
// of its own if own is set.
func renewingClient(
	tb testing.TB, next http.RoundTripper, policy jobboard.RetryPolicy, fetched *int, own bool, ask asks,
) trouble.Client {
	client := rig.Client(tb, jobboard.Config{
		BaseURL: trouble.Base, HTTPClient: &http.Client{Transport: next}, Retry: policy,
	})
	var mu sync.Mutex
	fetch := func(context.Context) (*oauth2.Token, error) {
		mu.Lock()
		defer mu.Unlock()
		*fetched++
		return &oauth2.Token{AccessToken: strconv.Itoa(*fetched), Expiry: time.Now().Add(time.Hour)}, nil
	}
	shared := client.Applicant(jobboard.RenewingToken(fetch))
	return func(ctx context.Context, number int) error {
		applicant := shared
		if own {
			applicant = client.Applicant(jobboard.RenewingToken(fetch))
		}
		return ask(ctx, applicant, jobboard.JobID(number))
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
