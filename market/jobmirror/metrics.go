package jobmirror

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/listings"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

const meterName = "github.com/jobboard-sdk/jobboard-go/market/jobmirror"

// metrics are the instruments of a mirror: counters of what this process does,
// and gauges of what the database says of all processes, read when they are
// collected. No attribute holds a job or a posting. The name of a source may be a feed's
// address without user, password, query and fragment; see Feed.Name.
type metrics struct {
	lookups metric.Int64Counter
	reading metric.Registration // of the gauges

	up, writable, due, unindexed, failures, working, missing, held metric.Int64ObservableGauge
	dueAge, sourceAge, every, overdue, rate                        metric.Float64ObservableGauge
	pauses, requests                                               metric.Int64ObservableCounter
}

// measure reports to Options.MeterProvider from now on, until Close.
func (m *Mirror) measure() error {
	provider := m.opts.MeterProvider
	if provider == nil {
		provider = noop.NewMeterProvider()
	}
	var (
		meter  = provider.Meter(meterName)
		failed []error
		x      = &m.metrics
	)
	text, unit := metric.WithDescription, metric.WithUnit
	number := func(name, of, description string) metric.Int64ObservableGauge {
		gauge, err := meter.Int64ObservableGauge("jobboard.mirror."+name, unit(of), text(description))
		failed = append(failed, err)
		return gauge
	}
	amount := func(name, of, description string) metric.Float64ObservableGauge {
		gauge, err := meter.Float64ObservableGauge("jobboard.mirror."+name, unit(of), text(description))
		failed = append(failed, err)
		return gauge
	}
	count := func(name, of, description string) metric.Int64ObservableCounter {
		counter, err := meter.Int64ObservableCounter("jobboard.mirror."+name, unit(of), text(description))
		failed = append(failed, err)
		return counter
	}
	var err error
	x.lookups, err = meter.Int64Counter("jobboard.mirror.lookups", unit("{lookup}"),
		text("Lookups that this process wrote, by outcome."))
	failed = append(failed, err)
	x.pauses = count("pauses", "{pause}", "Pauses that the board asked this process for.")
	x.requests = count("requests", "{request}", "Requests that this process sent the board, by outcome.")
	x.every = amount("refresh.every", "s", "Time between two refreshes of a source that this process names.")
	x.up = number("up", "{database}", "1: the database was read for the gauges; 0: it was not, and some or all of them are missing.")
	x.writable = number("writable", "{database}", "0: within a minute a transaction by which this process was to write the database failed, "+
		"because its disk is full or nobody may write it; else 1.")
	x.due = number("due", "{job}", "Jobs whose lookup is due.")
	x.dueAge = amount("due.age", "s", "How long the job has been due that has waited the longest.")
	x.unindexed = number("unindexed", "{posting}", "Postings that a search does not find yet, or as they were.")
	x.sourceAge = amount("source.age", "s", "Time since a source was copied whole.")
	x.missing = number("source.missing", "{source}", "1: the source was never copied whole; else 0.")
	x.overdue = amount("source.overdue", "s", "How long a source has been due that nobody refreshes.")
	x.held = number("source.held", "{row}", "Pending removals: rows of a source that it does not show any more, and that stay until that is certain.")
	x.failures = number("source.failures", "{refresh}", "Refreshes of a source in a row that were not complete.")
	x.rate = amount("limit.rate", "{request}/s", "Requests that all processes may send in a second now; 0: no limit.")
	x.working = number("processes", "{process}", "Processes that said within half a minute that they work.")
	x.reading, err = meter.RegisterCallback(m.observe,
		x.pauses, x.up, x.writable, x.due, x.dueAge, x.unindexed, x.sourceAge, x.failures, x.rate, x.working,
		x.missing, x.overdue, x.held, x.requests, x.every)
	return errors.Join(append(failed, err)...)
}

// countLookups counts lookups whose results are in the database.
func (m *Mirror) countLookups(ctx context.Context, batch []lookedUp) {
	m.lookups.Add(int64(len(batch)))
	outcomes := map[State]int64{}
	for _, r := range batch {
		outcomes[stateOf(r.info, r.err)]++
	}
	for state, n := range outcomes {
		outcome := string(state)
		if state == "" {
			outcome = "no_answer"
		}
		m.metrics.lookups.Add(ctx, n, metric.WithAttributes(attribute.String("jobboard.outcome", outcome)))
	}
}

// observeTime bounds how long the gauges are read. Who collects them is told that the
// database is away before giving up, which Prometheus does after 10 s.
const observeTime = 8 * time.Second

// observe reads the gauges, and tells by one of them whether it could.
func (m *Mirror) observe(ctx context.Context, o metric.Observer) error {
	x := &m.metrics
	o.ObserveInt64(x.pauses, m.limit.Pauses())
	if m.db.Writes() {
		o.ObserveInt64(x.writable, int64(flag(m.db.Unwritable() == "")))
	}
	if m.client != nil { // else it sends nothing and refreshes nothing
		for outcome, n := range m.limit.Sent() {
			o.ObserveInt64(x.requests, n, metric.WithAttributes(attribute.String("jobboard.outcome", outcome)))
		}
		o.ObserveFloat64(x.every, m.opts.RefreshEvery.Seconds())
	}
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	err := m.db.view(ctx, func(t *tx) error { return statusTx{t}.observe(x, o) })
	o.ObserveInt64(x.up, int64(flag(err == nil)))
	return err
}

// observe reads the gauges that the database has.
func (t statusTx) observe(x *metrics, o metric.Observer) error {
	var waiting Status
	if err := t.backlog(&waiting); err != nil {
		return err
	}
	working, err := t.working()
	if err != nil {
		return err
	}
	age := 0.0
	if !waiting.DueSince.IsZero() {
		age = instant(t.Now).Sub(waiting.DueSince).Seconds()
	}
	o.ObserveInt64(x.due, int64(waiting.Due))
	o.ObserveFloat64(x.dueAge, age)
	o.ObserveInt64(x.unindexed, int64(waiting.Unindexed))
	o.ObserveInt64(x.working, working)
	o.ObserveFloat64(x.rate, waiting.Limit)
	return t.observeSources(x, o)
}

// observeSources reads how old the sources are. One that was never copied whole
// has no age.
func (t statusTx) observeSources(x *metrics, o metric.Observer) error {
	states, err := sources.States(t.Tx)
	if err != nil {
		return err
	}
	held, err := listings.HeldCounts(t.Tx)
	if err != nil {
		return err
	}
	for _, s := range states {
		which := metric.WithAttributes(attribute.String("jobboard.source.kind", s.Kind),
			attribute.String("jobboard.source.name", s.Name), attribute.String("jobboard.source.language", s.Language))
		missing, overdue := int64(0), 0.0
		if s.Complete == 0 {
			missing = 1
		}
		if s.NextDue <= t.Now && s.LeasedUntil <= t.Now {
			overdue = t.Since(max(s.NextDue, s.LeasedUntil)).Seconds()
		}
		o.ObserveInt64(x.missing, missing, which)
		o.ObserveFloat64(x.overdue, overdue, which)
		o.ObserveInt64(x.held, int64(held[s.ID]), which)
		o.ObserveInt64(x.failures, int64(s.Failures), which)
		if s.Complete > 0 {
			o.ObserveFloat64(x.sourceAge, t.Since(s.Complete).Seconds(), which)
		}
	}
	return nil
}
