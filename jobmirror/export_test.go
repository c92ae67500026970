package jobmirror

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Databases are the addresses of new, empty databases, one of each kind.
var Databases = map[string]func(t *testing.T) string{
	"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "jobs.db") },
}

// Limited gives a client's configuration the limit of the mirror at an address,
// without a mirror that works. The process's clock is wrong by skew.
func Limited(
	ctx context.Context, address string, perSecond float64, skew time.Duration, config jobboard.Config,
) (limited jobboard.Config, stop func() error, err error) {
	db, err := open(ctx, address, false)
	if err != nil {
		return config, nil, err
	}
	l := newLimit(perSecond)
	l.now = func() time.Time { return time.Now().Add(skew) }
	l.ledger = db.ledger(perSecond)
	switch ledger := l.ledger.(type) {
	case *fleet:
		ledger.clock, ledger.began = l.now, l.now()
	case *memory:
		ledger.clock, ledger.began = l.now, l.now()
	}
	if err := db.view(ctx, func(t *tx) error { return t.loadPace(l.ledger) }); err != nil {
		return config, nil, errors.Join(err, db.close())
	}
	config.Limiter, config.Observer = l, l.observer(config.Observer)
	return config, func() error {
		l.close()
		return db.close()
	}, nil
}

// LimitAlone returns the limit of a process that shares it with nobody. Takings
// of slots fail with an error that is not nil.
func LimitAlone(tb testing.TB, perSecond float64, failure error) (l jobboard.Limiter, observe func(status int, retryAfter string)) {
	out := newLimit(perSecond)
	tb.Cleanup(out.close)
	alone := &memory{gap: gapOf(perSecond).Microseconds(), clock: time.Now, began: time.Now()}
	out.ledger = alone
	if failure != nil {
		out.ledger = failing{alone, failure}
	}
	return out, out.observe
}

type failing struct {
	*memory
	err error
}

func (f failing) take(context.Context, int) (block, error) { return block{}, f.err }

// MigrateLater migrates a mirror's database as a later version would, which has one
// more step.
func MigrateLater(ctx context.Context, m *Mirror, step string) error {
	return migrate(ctx, m.db.writers.db, m.db.dialect, step)
}

// Exec runs a statement in a mirror's database.
func Exec(ctx context.Context, m *Mirror, statement string) error {
	return m.db.update(ctx, func(t *tx) error {
		_, err := t.exec(statement)
		return err
	})
}

// CopyOne copies a posting whose link names a job, as a refresh of a mirror's first
// source does, and calls f before that is committed.
func CopyOne(ctx context.Context, m *Mirror, posting *jobboard.JobPosting, f func()) error {
	src := m.sources[0]
	return m.db.update(ctx, func(t *tx) error {
		turn, err := t.begin(src, "")
		if err != nil {
			return err
		}
		if _, err := t.savePostings(src, turn, []*jobboard.JobPosting{posting}); err != nil {
			return err
		}
		f()
		return nil
	})
}
