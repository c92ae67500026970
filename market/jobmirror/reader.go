package jobmirror

import (
	"context"
	"errors"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// consumer is a call of Consume.
type consumer struct {
	*Mirror
	name   string
	reader *changelog.Reader
}

// Consume calls f with the changes of the log, in order and some at a time, until ctx ends, whose
// error it returns, or f fails. The database keeps the place of the reader with this name, which
// moves on once f has returned nil, also if ctx has ended meanwhile. Where a process ends before that,
// the next call gets the same changes, so that f gets each change at least once. A new reader begins
// at the end of the log, and one that has not read for longer than Options.KeepChanges at the first
// change that there is.
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
	c := &consumer{m, name, m.db.log.Reader(name)}
	for working.Err() == nil {
		at, mine, err := c.reader.Take(working)
		if err == nil && mine {
			err = c.read(working, at, f)
		}
		switch {
		case working.Err() != nil:
		case errors.Is(err, store.ErrLeaseLost):
		case err != nil:
			return err
		case !mine:
			rest(working, changelog.ReaderLease/5)
		}
	}
	return ended(working)
}

// errReadEnded ends the renewal of a lease, when the reading that needs it has ended.
var errReadEnded = errors.New("jobmirror: the reading has ended")

// read calls f with what follows a place, and keeps the lease meanwhile. It returns
// store.ErrLeaseLost when the lease was lost, and gives it back at any other end.
func (c *consumer) read(ctx context.Context, at changelog.Place, f func(context.Context, []Change) error) error {
	held, letGo := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		letGo(c.reader.Keep(held))
	}()
	err := c.readOn(held, at, f)
	cause := context.Cause(held)
	letGo(errReadEnded)
	<-ended
	last, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	giveBack := c.reader.GiveBack(last)
	if ctx.Err() == nil && cause != nil { // the lease was lost, or could not be renewed in time
		return store.ErrLeaseLost
	}
	return errors.Join(err, giveBack)
}

// readOn calls f with what follows a place until ctx ends.
func (c *consumer) readOn(ctx context.Context, at changelog.Place, f func(context.Context, []Change) error) error {
	for ctx.Err() == nil {
		entries, last, err := c.changesAfter(ctx, at)
		if errors.Is(err, ErrCursorTooOld) || errors.Is(err, ErrCursorAhead) {
			c.logger().WarnContext(ctx, "jobmirror: a reader passes over changes that the log has no more", "reader", c.name)
			at, err = fromView(ctx, c.db, func(t *tx) (changelog.Place, error) { return changelog.First(t.Tx) })
			if err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		changes := changesOf(entries)
		if len(changes) == 0 {
			c.db.log.Wait(ctx, at.Number, time.Hour)
			continue
		}
		c.db.log.Read.Add(int64(len(changes)))
		if err := f(ctx, changes); err != nil {
			return err
		}
		if err := c.moveTo(ctx, last); err != nil {
			return err
		}
		at = last
	}
	return ctx.Err()
}

// moveTo moves the place of the reader. It does so too when ctx has ended, or what f has finished
// would be given to the next call once more.
func (c *consumer) moveTo(ctx context.Context, place changelog.Place) error {
	longer, cancel := outlast(ctx, giveBackTime)
	defer cancel()
	return c.reader.Move(longer, place)
}

// Behind returns how long the first change of the log has waited that a reader of Consume has not read;
// 0: it has read all. The error is ErrNoReader where the database keeps no place for the reader.
func (m *Mirror) Behind(ctx context.Context, name string) (time.Duration, error) {
	if err := m.number(ctx); err != nil {
		return 0, err
	}
	all, err := fromView(ctx, m.db, func(t *tx) (map[string]time.Duration, error) { return changelog.Unread(t.Tx) })
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
	return m.db.update(ctx, func(t *tx) error { return changelog.RemoveReader(t.Tx, name) })
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
