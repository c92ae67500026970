package jobmirror_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A database that can be read and not be written answers searches: the readiness answer says so and why, and a metric
// does, for a minute at least. Another failure says nothing of that.
func TestDatabaseThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	reader := metric.NewManualReader()
	opts := optionsOf(srv)
	opts.MeterProvider = metric.NewMeterProvider(metric.WithReader(reader))
	m := open(t, jobmirror.Databases["postgres"](t), opts)
	refresh(t, m)
	var fails error
	jobmirror.FailStatements(m, func(statement string) error {
		if strings.HasPrefix(statement, "UPDATE") {
			return fails
		}
		return nil
	})
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "ready\n"},
		{errors.New("another"), "ready\n"},
		{&pgconn.PgError{Code: "53100"}, "ready; the database cannot be written: its server's disk is full\n"},
		{context.Canceled, "ready; the database cannot be written: its server's disk is full\n"},
		{&pgconn.PgError{Code: "25006"}, "ready; the database cannot be written: its server lets nobody write\n"},
		{&pgconn.PgError{Code: "42501"}, "ready; the database cannot be written: its role lacks a right\n"},
		{nil, "ready; the database cannot be written: its role lacks a right\n"}, // a small transaction may find room
	} {
		fails = c.err
		err := jobmirror.Exec(t.Context(), m, "UPDATE sources SET named = named")
		if !errors.Is(err, c.err) {
			t.Errorf("%v: %v", c.err, err)
		}
		writable := 1.0
		if c.want != "ready\n" {
			writable = 0
		}
		w := answer(t, m, "/mirror/ready")
		if got := measured(t, reader)["writable"]; w.Body.String() != c.want || got != writable {
			t.Errorf("%v: %q, writable %v", c.err, w.Body, got)
		}
	}
}
