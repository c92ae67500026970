package jobmirror

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// reader is a call of Consume: a reader of the log whose place the database keeps.
type reader struct {
	*Mirror
	name   string
	holder string // identifies the call in the table readers
}

// Consume calls f with the changes of the log, in order and some at a time, until ctx ends, whose
// error it returns, or f fails. The database keeps the place of the reader with this name, which
// moves on once f has returned nil, also if ctx has ended meanwhile: what a process leaves undone that ends before that is given to
// the next call, so that f gets each change at least once. A new reader begins at the end of the
// log, and one that has not read for longer than Options.KeepChanges at the first change that there
// is.
//
// If several calls have the same name, in one process or several, one reads at a time, and the
// others wait for the end of its lease. The context of f ends if the lease was lost. Close ends
// Consume.
func (m *Mirror) Consume(ctx context.Context, name string, f func(ctx context.Context, changes []Change) error) error {
	working, end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	r := &reader{m, name, rand.Text()}
	for working.Err() == nil {
		at, mine, err := r.take(working)
		if err == nil && mine {
			err = r.read(working, at, f)
		}
		switch {
		case working.Err() != nil:
		case errors.Is(err, store.ErrLeaseLost):
		case err != nil:
			return err
		case !mine:
			rest(working, sourceLease/5)
		}
	}
	return ended(working)
}

// take leases the reader's place, unless another call has leased it.
func (r *reader) take(ctx context.Context) (at logPlace, mine bool, err error) {
	if err := r.number(ctx); err != nil { // a new reader begins after what was committed before
		return at, false, err
	}
	err = r.db.update(ctx, func(t *tx) error {
		at, mine, err = t.takePlace(r.name, r.holder)
		return err
	})
	return at, mine, err
}

// takePlace leases the place of a reader to a holder. A reader that is new gets a place, at the end of the log.
func (t *tx) takePlace(name, holder string) (at logPlace, mine bool, err error) {
	last, err := t.counter(lastChange)
	if err != nil {
		return at, false, err
	}
	if last > 0 {
		if at, err = t.placeOf(last); err != nil {
			return at, false, err
		}
	}
	if err := t.Do("INSERT INTO readers (name, number, stamp) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING", name, at.number, at.stamp); err != nil {
		return at, false, err
	}
	var until int64
	err = t.Row("SELECT number, stamp, claimed FROM readers WHERE name = ? @lock", []any{name}, &at.number, &at.stamp, &until)
	if err != nil || t.db.IsLeased(until, t.Now, sourceLease) {
		return at, false, err
	}
	return at, true, t.Do("UPDATE readers SET claimed = ?, holder = ? WHERE name = ?", t.Until(sourceLease), holder, name)
}

// errReadEnded ends the renewal of a lease, when the reading that needs it has ended.
var errReadEnded = errors.New("jobmirror: the reading has ended")

// read calls f with what follows a place, and keeps the lease meanwhile. It returns store.ErrLeaseLost when
// the lease was lost, and gives it back at any other end.
func (r *reader) read(ctx context.Context, at logPlace, f func(context.Context, []Change) error) error {
	held, letGo := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		letGo(r.db.KeepLease(held, sourceLease, func(ctx context.Context) (mine bool, err error) {
			return fromUpdate(ctx, r.db, func(t *tx) (bool, error) {
				rows, err := t.Exec("UPDATE readers SET claimed = ? WHERE name = ? AND holder = ?", t.Until(sourceLease), r.name, r.holder)
				return rows > 0, err
			})
		}))
	}()
	err := r.readOn(held, at, f)
	cause := context.Cause(held)
	letGo(errReadEnded)
	<-ended
	last, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	_, giveBack := r.set(last, "UPDATE readers SET claimed = 0 WHERE name = ? AND holder = ?", r.name, r.holder)
	if ctx.Err() == nil && cause != nil { // the lease was lost, or could not be renewed in time
		return store.ErrLeaseLost
	}
	return errors.Join(err, giveBack)
}

// readOn calls f with what follows a place until ctx ends.
func (r *reader) readOn(ctx context.Context, at logPlace, f func(context.Context, []Change) error) error {
	for ctx.Err() == nil {
		entries, last, err := r.changesAfter(ctx, at)
		if errors.Is(err, ErrCursorTooOld) || errors.Is(err, ErrCursorAhead) {
			r.logger().WarnContext(ctx, "jobmirror: a reader passes over changes that the log has no more", "reader", r.name)
			if at, err = fromView(ctx, r.db, (*tx).firstPlace); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		changes := changesOf(entries)
		if len(changes) == 0 {
			r.await(ctx, at.number, time.Hour)
			continue
		}
		r.db.read.Add(int64(len(changes)))
		if err := f(ctx, changes); err != nil {
			return err
		}
		mine, err := r.moveTo(ctx, last)
		if err != nil {
			return err
		}
		if !mine {
			return store.ErrLeaseLost
		}
		at = last
	}
	return ctx.Err()
}

// moveTo moves the place of the reader, and reports whether the reader still had the lease. It does so
// too when ctx has ended, or what f has finished would be given to the next call once more.
func (r *reader) moveTo(ctx context.Context, place logPlace) (bool, error) {
	longer, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	return r.set(longer, "UPDATE readers SET number = ?, stamp = ? WHERE name = ? AND holder = ?",
		place.number, place.stamp, r.name, r.holder)
}

// set runs a statement on the reader's row, and reports whether it changed the row.
func (r *reader) set(ctx context.Context, statement string, args ...any) (bool, error) {
	return fromUpdate(ctx, r.db, func(t *tx) (bool, error) {
		rows, err := t.Exec(statement, args...)
		return rows > 0, err
	})
}

// firstPlace returns the place before the first change that the log has.
func (t *tx) firstPlace() (logPlace, error) {
	erased, err := t.counter(lastErased)
	if err != nil || erased == 0 {
		return logPlace{}, err
	}
	return t.placeOf(erased)
}

// unread returns for each reader by its name how long the first change has waited that it has not
// read.
func (t *tx) unread() (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	err := t.Rows("SELECT r.name, (SELECT c.at FROM changes c WHERE c.number > r.number ORDER BY c.number LIMIT 1) FROM readers r", nil,
		func(scan func(...any) error) error {
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

// Behind returns how long the first change of the log has waited that a reader of Consume has not read;
// 0: it has read all. The error is ErrNoReader where the database keeps no place for the reader.
func (m *Mirror) Behind(ctx context.Context, name string) (time.Duration, error) {
	if err := m.number(ctx); err != nil {
		return 0, err
	}
	all, err := fromView(ctx, m.db, (*tx).unread)
	if err != nil {
		return 0, err
	}
	behind, ok := all[name]
	if !ok {
		return 0, ErrNoReader
	}
	return behind, nil
}

// ErrNoReader reports that the database keeps no place for a reader: it has never read.
var ErrNoReader = errors.New("jobmirror: no reader of the log has this name")

// RemoveReader removes the place that the database keeps for a reader of Consume; there may be none.
// Until it is removed the metric jobboard.mirror.reader.age tells how far behind it is.
func (m *Mirror) RemoveReader(ctx context.Context, name string) error {
	if err := m.writes(); err != nil {
		return err
	}
	return m.db.update(ctx, func(t *tx) error { return t.Do("DELETE FROM readers WHERE name = ?", name) })
}

// Announced is a store for a jobpublish.Announcer: it keeps in a mirror's database which pages
// search engines were told of, for all processes that share it.
type Announced struct{ m *Mirror }

// Announced returns the store of what was announced.
func (m *Mirror) Announced() Announced { return Announced{m} }

// keepAnnounced is how long it is kept what was announced: the longest time in which an announcer counts.
const keepAnnounced = 24 * time.Hour

// Told returns when each address was told since a time, the earliest first.
func (a Announced) Told(ctx context.Context, since time.Time) (map[string][]time.Time, error) {
	out := map[string][]time.Time{}
	err := a.m.db.view(ctx, func(t *tx) error {
		clear(out)
		const query = "SELECT address, at FROM announced WHERE at >= ? ORDER BY at"
		return t.Rows(query, []any{since.UnixMilli()}, func(scan func(...any) error) error {
			var (
				address string
				at      time.Time
			)
			err := scan(&address, instantColumn{&at})
			out[address] = append(out[address], at)
			return err
		})
	})
	return out, err
}

// SetTold notes that addresses were told at a time, and forgets what was told 24 hours before.
func (a Announced) SetTold(ctx context.Context, addresses []string, at time.Time) error {
	if err := a.m.writes(); err != nil {
		return err
	}
	return a.m.db.update(ctx, func(t *tx) error {
		if err := t.Do("DELETE FROM announced WHERE at < ?", at.Add(-keepAnnounced).UnixMilli()); err != nil {
			return err
		}
		for _, address := range addresses {
			err := t.Do("INSERT INTO announced (address, at) VALUES (?, ?) ON CONFLICT (address, at) DO NOTHING", storable(address), at.UnixMilli())
			if err != nil {
				return err
			}
		}
		return nil
	})
}
