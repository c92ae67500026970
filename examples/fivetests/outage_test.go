package fivetests

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// jobList is the program: the jobs of a channel, or those of last time with a
// word of excuse.
func jobList(ctx context.Context, client *jobboard.Client, last []string) (titles []string, fresh bool, err error) {
	result, err := client.Search(ctx, "27828_extern", jobboard.Query{})
	if err != nil {
		return last, false, err
	}
	for _, posting := range result.Results {
		titles = append(titles, posting.Title)
	}
	return titles, true, nil
}

// The service is down for three seconds. Work that has the time waits it out; a
// page that has not gets the list of last time, at once and not when its time
// is up.
func TestServiceIsDownForThreeSeconds(t *testing.T) {
	for name, outage := range map[string]jobboardtest.Fault{
		"503":                    {Status: 503, Body: "down for maintenance"},
		"503 that asks for time": {Status: 503, Header: http.Header{"Retry-After": {"2"}}},
		"connections reset":      {Break: jobboardtest.ResetBefore},
	} {
		t.Run(name, func(t *testing.T) {
			// In the bubble the seconds pass in no time.
			synctest.Test(t, func(t *testing.T) {
				fake := jobboardtest.New(t, jobboardtest.WithoutSockets())
				fake.AddClient(jobboardtest.ClientApp{ID: "10"})
				fake.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
				client, err := jobboard.NewClient(jobboard.Config{
					BaseURL: fake.BaseURL, ClientID: "10", HTTPClient: fake.Client(),
					// Five attempts, the default, may be over after 1.5 seconds:
					// waits double from 200 ms, less up to a half by chance.
					// A new client may repeat twice, until it has successes to
					// show: work that must wait an outage out takes more tokens.
					Retry: jobboard.RetryPolicy{MaxAttempts: 8, Budget: 8},
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				outage.For = 3 * time.Second
				fake.Fail(outage)

				page, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				titles, fresh, err := jobList(page, client, []string{"Nurse, as of yesterday"})
				if fresh || len(titles) != 1 || titles[0] != "Nurse, as of yesterday" {
					t.Errorf("the page shows %v, fresh: %v", titles, fresh)
				}
				// No wait fits into its time, so the answer there is comes back
				// at once: the error says what the service said.
				var e *jobboard.Error
				if !errors.As(err, &e) || e.Stopped != jobboard.StopDeadline || e.Attempts != 1 {
					t.Errorf("the page's error is %v", err)
				}
				if d := time.Since(began); d > 50*time.Millisecond {
					t.Errorf("the page waited %v", d)
				}

				titles, fresh, err = jobList(t.Context(), client, nil)
				if err != nil || !fresh || len(titles) != 1 || titles[0] != "Nurse" {
					t.Errorf("the patient work gets %v, %v", titles, err)
				}
				if d := time.Since(began); d < 3*time.Second || d > 10*time.Second {
					t.Errorf("it took %v", d)
				}
				// And it was polite meanwhile.
				if n := fake.Count(jobboardtest.OpSearch); n > 9 {
					t.Errorf("%d requests in an outage of three seconds", n)
				}
			})
		})
	}
}
