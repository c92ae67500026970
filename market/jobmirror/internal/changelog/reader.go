package changelog

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// ReaderLease is how long a reader's place is leased.
const ReaderLease = 15 * time.Second

// Reader reads the log from a place that the database keeps under its name. One Reader at a time
// has the lease of a name, and moves the place.
type Reader struct {
	log    *Log
	name   string
	holder string // identifies the Reader in the table readers
}

// Reader returns a reader with a name. It has no lease.
func (l *Log) Reader(name string) *Reader { return &Reader{l, name, rand.Text()} }

// Take leases the reader's place, unless another Reader has the lease. A new name begins at the end
// of the log, after every committed change.
func (r *Reader) Take(ctx context.Context) (at Place, taken bool, err error) {
	if err := r.log.Number(ctx); err != nil {
		return at, false, err
	}
	err = r.log.db.Update(ctx, func(t *store.Tx) error {
		taken = false
		last, err := Last(t)
		if err != nil {
			return err
		}
		err = t.Do("INSERT INTO readers (name, number, stamp) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", r.name, last.Number, last.Stamp)
		if err != nil {
			return err
		}
		var until int64
		err = t.Row("SELECT number, stamp, leased_until FROM readers WHERE name = ? @lock", []any{r.name}, &at.Number, &at.Stamp, &until)
		if err != nil || r.log.db.IsLeased(until, t.Now, ReaderLease) {
			return err
		}
		taken = true
		return t.Do("UPDATE readers SET leased_until = ?, holder = ? WHERE name = ?", t.Until(ReaderLease), r.holder, r.name)
	})
	return at, taken, err
}

// Keep renews the lease until ctx ends, as store.DB.KeepLease does.
func (r *Reader) Keep(ctx context.Context) error {
	return r.log.db.KeepLease(ctx, ReaderLease, func(ctx context.Context) (mine bool, err error) {
		return r.lease(ctx, ReaderLease)
	})
}

// GiveBack ends the lease, if the Reader has it.
func (r *Reader) GiveBack(ctx context.Context) error {
	_, err := r.lease(ctx, 0)
	return err
}

func (r *Reader) lease(ctx context.Context, d time.Duration) (mine bool, err error) {
	err = r.log.db.Update(ctx, func(t *store.Tx) error {
		rows, err := t.Exec("UPDATE readers SET leased_until = ? WHERE name = ? AND holder = ?", t.Until(d), r.name, r.holder)
		mine = rows > 0
		return err
	})
	return mine, err
}

// Move puts the reader behind what it has read. Its error is store.ErrLeaseLost if another Reader
// has the lease.
func (r *Reader) Move(ctx context.Context, to Place) error {
	return r.log.db.Update(ctx, func(t *store.Tx) error {
		rows, err := t.Exec("UPDATE readers SET number = ?, stamp = ? WHERE name = ? AND holder = ?", to.Number, to.Stamp, r.name, r.holder)
		if err == nil && rows == 0 {
			err = store.ErrLeaseLost
		}
		return err
	})
}

// Unread returns for each reader by its name how long the first change has waited that it has not
// read; 0: it has read all.
func Unread(t *store.Tx) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	const query = "SELECT r.name, (SELECT c.at FROM changes c WHERE c.number > r.number ORDER BY c.number LIMIT 1) FROM readers r"
	err := t.Rows(query, nil, func(scan func(...any) error) error {
		var (
			name  string
			since sql.NullInt64
		)
		err := scan(&name, &since)
		out[name] = 0
		if since.Valid {
			out[name] = max(t.Since(since.Int64), time.Millisecond)
		}
		return err
	})
	return out, err
}

// RemoveReader removes the place of a name; there may be none.
func RemoveReader(t *store.Tx, name string) error {
	return t.Do("DELETE FROM readers WHERE name = ?", name)
}
