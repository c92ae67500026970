package jobmirror_test

import (
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// measured collects metrics: values by name, and by the one attribute that tells
// those of a name apart.
func measured(t *testing.T, reader *metric.ManualReader) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return values(all)
}

func values(all metricdata.ResourceMetrics) map[string]float64 {
	out := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				addPoints(out, m.Name, data.DataPoints)
			case metricdata.Gauge[int64]:
				addPoints(out, m.Name, data.DataPoints)
			case metricdata.Gauge[float64]:
				addPoints(out, m.Name, data.DataPoints)
			}
		}
	}
	return out
}

func addPoints[N int64 | float64](out map[string]float64, name string, points []metricdata.DataPoint[N]) {
	for _, p := range points {
		full := name
		for _, key := range []attribute.Key{"jobboard.outcome", "jobboard.source.kind", "jobboard.source.language"} {
			if v, ok := p.Attributes.Value(key); ok && v.AsString() != "" {
				full += " " + v.AsString()
			}
		}
		out[full] = float64(p.Value)
	}
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
		if got := measured(t, reader); got["jobboard.mirror.limit.rate"] != 400 || got["jobboard.mirror.pauses"] != 0 {
			t.Errorf("before anything was done: %v", got)
		}
		<-time.After(20 * time.Millisecond)
		got := measured(t, reader)
		if got["jobboard.mirror.source.missing feed"] != 1 || got["jobboard.mirror.source.overdue feed"] < 0.02 {
			t.Errorf("of a source that nobody refreshes: %v", got)
		}
		refresh(t, m)
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = measured(t, reader)
		for name, want := range map[string]float64{
			"jobboard.mirror.up":                         1,
			"jobboard.mirror.lookups open":               float64(s.Jobs[jobmirror.StateOpen]),
			"jobboard.mirror.lookups inactive":           float64(s.Jobs[jobmirror.StateInactive]),
			"jobboard.mirror.due":                        0,
			"jobboard.mirror.due.age":                    0,
			"jobboard.mirror.unindexed":                  0,
			"jobboard.mirror.pauses":                     0,
			"jobboard.mirror.source.failures channel de": 0,
			"jobboard.mirror.source.missing channel de":  0,
			"jobboard.mirror.source.overdue channel de":  0,
			"jobboard.mirror.source.held feed":           0,
			"jobboard.mirror.processes":                  0,
			"jobboard.mirror.requests server_error":      0,
			"jobboard.mirror.requests refused":           0,
			"jobboard.mirror.requests lost":              0,
			"jobboard.mirror.refresh.every":              900,
		} {
			if value, ok := got[name]; !ok || value != want {
				t.Errorf("%s is %v (%t), not %v", name, value, ok, want)
			}
		}
		if age := got["jobboard.mirror.source.age channel de"]; age <= 0 || age > 60 {
			t.Errorf("a source that was just copied is %v s old", age)
		}

		answered := got["jobboard.mirror.requests answered"]
		if answered != float64(len(srv.Requests())+1) { // one for the feed, which is no operation
			t.Errorf("%v requests were answered, the board has answered %d and a feed", answered, len(srv.Requests()))
		}
		refreshUntilPaused(t, m, srv)
		if got = measured(t, reader); got["jobboard.mirror.requests rate_limited"] < 1 {
			t.Errorf("nothing is said of the answers with 429: %v", got)
		}
		if got["jobboard.mirror.pauses"] != 1 || got["jobboard.mirror.limit.rate"] != 200 {
			t.Errorf("in a pause: %v", got)
		}
		// If a database does not answer, this process's counters are still reported, and that the
		// database is away.
		if err := jobmirror.Exec(t.Context(), m, "ALTER TABLE unindexed RENAME TO away"); err != nil {
			t.Fatal(err)
		}
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err == nil {
			t.Error("nothing is said of a database that cannot be read")
		}
		got = values(all)
		if up, ok := got["jobboard.mirror.up"]; !ok || up != 0 || got["jobboard.mirror.pauses"] != 1 {
			t.Errorf("without the database: %v", got)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, ok := measured(t, reader)["jobboard.mirror.due"]; ok {
			t.Error("a mirror that is closed still asks its database")
		}
	})
}
