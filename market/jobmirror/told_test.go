package jobmirror

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/jobboard-sdk/jobboard-go"
)

// Measured collects the metrics of a mirror: values by name, and by what tells those of a name apart.
func Measured(t *testing.T, reader *metric.ManualReader) (map[string]float64, error) {
	t.Helper()
	var all metricdata.ResourceMetrics
	err := reader.Collect(t.Context(), &all)
	out := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			name := strings.TrimPrefix(m.Name, "jobboard.mirror.")
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				addPoints(out, name, data.DataPoints)
			case metricdata.Gauge[int64]:
				addPoints(out, name, data.DataPoints)
			case metricdata.Gauge[float64]:
				addPoints(out, name, data.DataPoints)
			}
		}
	}
	return out, err
}

func addPoints[N int64 | float64](out map[string]float64, name string, points []metricdata.DataPoint[N]) {
	for _, p := range points {
		full := name
		for _, key := range []attribute.Key{"jobboard.outcome", "jobboard.source.kind", "jobboard.source.name", "jobboard.source.language"} {
			if v, ok := p.Attributes.Value(key); ok && v.AsString() != "" {
				full += " " + v.AsString()
			}
		}
		out[full] = float64(p.Value)
	}
}

// gauges returns what a mirror tells now.
func gauges(t *testing.T, reader *metric.ManualReader) map[string]float64 {
	t.Helper()
	out, err := Measured(t, reader)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The metrics and the status tell what is in the database to the second: of sources that are
// due, missing or at work, of jobs that wait, of what a process holds and of a pause.
func TestFiguresOfWhatIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := metric.NewManualReader()
		m := OpenFor(t, filepath.Join(t.TempDir(), "jobs.db"), Options{
			Config:        jobboard.Config{BaseURL: "http://127.0.0.1:1", JobDBURL: "http://127.0.0.1:1", ClientID: "10"},
			Channels:      []Channel{{ID: "late"}, {ID: "ended"}, {ID: "early"}},
			Feeds:         []Feed{{Address: "busy.xml"}},
			Limit:         8,
			MeterProvider: metric.NewMeterProvider(metric.WithReader(reader)),
		})
		now := time.Now()
		at := func(seconds int) int64 { return now.Add(time.Duration(seconds) * time.Second).UnixMilli() }
		do(t, m, func(t *tx) error {
			for _, s := range []struct {
				complete, due, claimed, began int64
				holder                        string
				failures                      int
			}{
				{at(-90), at(-40), 0, at(-100), "", 3},
				{0, at(-40), at(-10), at(-50), "other", 0},
				{at(-1), at(100), 0, at(-2), "", 0},
				{at(-60), at(-40), at(5), at(-7), "own", 0},
			} {
				_, err := t.Exec(`UPDATE sources SET complete = ?, next_due = ?, leased_until = ?, began = ?, holder = ?, failures = ?
					WHERE id = (SELECT min(id) FROM sources WHERE began = 0)`, s.complete, s.due, s.claimed, s.began, s.holder, s.failures)
				if err != nil {
					return err
				}
			}
			for i, j := range []struct {
				due, claimed int64
				failures     int
			}{{at(-25), at(9), 1}, {at(-5), at(9), 0}, {at(-3), at(-1), 2}, {at(0), 0, 0}, {at(1), 0, 0}} {
				_, err := t.Exec("INSERT INTO jobs (job, state, next_due, leased_until, batch, failures) VALUES (?, 'open', ?, ?, 9, ?)", i+1, j.due, j.claimed, j.failures)
				if err != nil {
					return err
				}
			}
			for id, seen := range map[string]int64{"own": at(-30), "other": at(-31)} {
				_, err := t.Exec(`INSERT INTO processes (id, name, version, doing, started, seen, lookups, tokens) VALUES (?, ?, 'v1', 'run', ?, ?, 4, 1)`,
					id, "host:"+id, seen-1000, seen)
				if err != nil {
					return err
				}
			}
			return t.DoAll([]any{at(-12)}, "INSERT INTO batches (number, process, since) VALUES (9, 'own', ?)")
		})
		got := gauges(t, reader)
		for name, want := range map[string]float64{
			"up": 1, "due": 4, "due.age": 25, "processes": 1, "limit.rate": 8,
			"source.age channel late": 90, "source.overdue channel late": 40, "source.missing channel late": 0, "source.failures channel late": 3,
			"source.overdue channel ended": 10, "source.missing channel ended": 1, "source.failures channel ended": 0,
			"source.age channel early": 1, "source.overdue channel early": 0, "source.missing channel early": 0,
			"source.age feed busy.xml": 60, "source.overdue feed busy.xml": 0, "source.missing feed busy.xml": 0,
		} {
			if value, ok := got[name]; !ok || value != want {
				t.Errorf("%s is %v (%t), want %v", name, value, ok, want)
			}
		}
		if age, ok := got["source.age channel ended"]; ok {
			t.Errorf("a source that was never complete is %v s old", age)
		}
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Due != 4 || !s.DueSince.Equal(now.Add(-25*time.Second)) || s.Failing != 2 || s.Jobs[StateOpen] != 5 || s.Limit != 8 || !s.PausedUntil.IsZero() {
			t.Errorf("the status is %+v", s)
		}
		if len(s.Processes) != 2 || s.Processes[0].Name != "host:other" || len(s.Processes[0].Leases) != 0 || s.Processes[1].LookedUp != 4 {
			t.Fatalf("the processes are %+v", s.Processes)
		}
		want := []Lease{{Source: "feed busy.xml", Since: now.Add(-7 * time.Second).UTC()}, {Jobs: 2, Since: now.Add(-12 * time.Second).UTC()}}
		equal := func(a, b Lease) bool { return a.Source == b.Source && a.Jobs == b.Jobs && a.Since.Equal(b.Since) }
		if got := s.Processes[1].Leases; !slices.EqualFunc(got, want, equal) {
			t.Errorf("its leases are %+v, want %+v", got, want)
		}

		do(t, m, func(t *tx) error {
			_, err := t.Exec("UPDATE limits SET paused = ?, calm = ?, slowed = 1", at(30)*1000, at(30)*1000) // in microseconds
			return err
		})
		if got := gauges(t, reader); got["limit.rate"] != 4 {
			t.Errorf("in a pause: %v a second", got["limit.rate"])
		}
		if s, err := m.Status(t.Context()); err != nil || !s.PausedUntil.Equal(now.Add(30*time.Second)) || s.Limit != 4 {
			t.Errorf("in a pause: until %v, %v a second, %v", s.PausedUntil, s.Limit, err)
		}
	})
}

// Up to five things are named, in order, and more are counted.
func TestNamesInARow(t *testing.T) {
	for names, want := range map[string]string{
		"a": "channel a", "b a": "channels a, b", "e d c b a": "channels a, b, c, d, e", "f e d c b a": "channels a, b, c, d, e and 1 more",
		"g f e d c b a": "channels a, b, c, d, e and 2 more",
	} {
		if got := enumerate("channel", strings.Fields(names)); got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
}
