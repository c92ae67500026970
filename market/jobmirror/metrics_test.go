package jobmirror_test

import (
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// measured collects the metrics of a mirror.
func measured(t *testing.T, reader *metric.ManualReader) map[string]float64 {
	t.Helper()
	out, err := jobmirror.Measured(t, reader)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMetricsTellHowTheMirrorIsDoing(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		reader := metric.NewManualReader()
		provider := metric.NewMeterProvider(metric.WithReader(reader))
		opts := optionsOf(srv)
		opts.Limit, opts.Config.Retry.MaxAttempts = 400, 1
		opts.MeterProvider = provider
		m := open(t, address, opts)
		if got := measured(t, reader); got["limit.rate"] != 400 || got["pauses"] != 0 {
			t.Errorf("before anything was done: %v", got)
		}
		<-time.After(20 * time.Millisecond)
		got := measured(t, reader)
		if got["source.missing feed feed"] != 1 || got["source.overdue feed feed"] < 0.02 {
			t.Errorf("of a source that nobody refreshes: %v", got)
		}
		refresh(t, m)
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = measured(t, reader)
		for name, want := range map[string]float64{
			"up":               1,
			"lookups open":     float64(s.Jobs[jobmirror.StateOpen]),
			"lookups inactive": float64(s.Jobs[jobmirror.StateInactive]),
			"due":              0,
			"due.age":          0,
			"unindexed":        0,
			"pauses":           0,
			"source.failures channel 27828_extern de": 0,
			"source.missing channel 27828_extern de":  0,
			"source.overdue channel 27828_extern de":  0,
			"source.held feed feed":                   0,
			"processes":                               0,
			"requests server_error":                   0,
			"requests refused":                        0,
			"requests lost":                           0,
			"refresh.every":                           900,
		} {
			if value, ok := got[name]; !ok || value != want {
				t.Errorf("%s is %v (%t), not %v", name, value, ok, want)
			}
		}
		if age := got["source.age channel 27828_extern de"]; age <= 0 || age > 60 {
			t.Errorf("a source that was just copied is %v s old", age)
		}

		answered := got["requests answered"]
		if answered != float64(len(srv.Requests())+1) { // one for the feed, which is no operation
			t.Errorf("%v requests were answered, the board has answered %d and a feed", answered, len(srv.Requests()))
		}
		refreshUntilPaused(t, m, srv)
		if got = measured(t, reader); got["requests rate_limited"] < 1 {
			t.Errorf("nothing is said of the answers with 429: %v", got)
		}
		if got["pauses"] != 1 || got["limit.rate"] != 200 {
			t.Errorf("in a pause: %v", got)
		}
		// If a database does not answer, this process's counters are still reported, and that the
		// database is away.
		if err := jobmirror.Exec(t.Context(), m, "ALTER TABLE unindexed RENAME TO away"); err != nil {
			t.Fatal(err)
		}
		if got, err = jobmirror.Measured(t, reader); err == nil {
			t.Error("nothing is said of a database that cannot be read")
		}
		if up, ok := got["up"]; !ok || up != 0 || got["pauses"] != 1 {
			t.Errorf("without the database: %v", got)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, ok := measured(t, reader)["due"]; ok {
			t.Error("a mirror that is closed still asks its database")
		}
	})
}
