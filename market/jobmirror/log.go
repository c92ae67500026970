package jobmirror

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// counter returns lastChange or lastErased.
func (t *tx) counter(name string) (int64, error) {
	return store.Value[int64](t, "SELECT value FROM counters WHERE name = ?", name)
}

// log writes a change in the transaction that makes it: job is the job, or the posting's job
// before or after the change; 0: none. An empty text for before or after stands for no row.
//
// On SQLite, which has one writer, a change has its number at once. On PostgreSQL a change gets
// its number after the commit; see number.
func (t *tx) log(kind ChangeKind, id int64, language string, job int64, before, after, cause string) error {
	var number any
	if !t.db.Shared {
		if t.logged == 0 {
			last, err := t.counter(lastChange)
			if err != nil {
				return err
			}
			t.changed = last
		}
		number = t.changed + int64(t.logged) + 1
	}
	t.logged++
	return t.Do(`INSERT INTO changes (number, stamp, at, kind, id, language, job, before, after, cause)
		VALUES (?, ?, ?, ?, ?, ?, NULLIF(CAST(? AS BIGINT), 0), NULLIF(?, ''), NULLIF(?, ''), ?)`,
		number, int64(rand.Uint64()), t.Now, string(kind), id, language, job, before, after, cause)
}

// count moves the counter of changes past those of this transaction.
func (t *tx) count() error {
	if t.logged == 0 || t.db.Shared {
		return nil
	}
	_, err := t.Exec("UPDATE counters SET value = ? WHERE name = ?", t.changed+int64(t.logged), lastChange)
	return err
}

// numberLock is the advisory lock of whoever numbers changes.
const numberLock = 0x6a6f626d // "jobm"

// unnumbered is the condition that changes wait for their numbers, on a database with
// many writers.
const unnumbered = "(SELECT written FROM changes WHERE number IS NULL ORDER BY written LIMIT 1) IS NOT NULL"

// number gives the changes that are committed their numbers, on a database with many
// writers. With a sequence readers would skip changes that are committed late, and with a
// counter that is locked until the commit one sleeping writer would stall all others.
func (m *Mirror) number(ctx context.Context) error {
	if m.db == nil || !m.db.Shared || !m.db.Writes() {
		return nil
	}
	waiting := false
	if err := m.db.Ask(ctx, "SELECT "+unnumbered, nil, &waiting); err != nil || !waiting {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		if _, err := t.Exec("SELECT pg_advisory_xact_lock(?)", numberLock); err != nil {
			return err
		}
		// A statement of its own: it must see what was committed before the
		// lock was given.
		_, err := t.Exec(`WITH fresh AS (
				SELECT written, row_number() OVER (ORDER BY written) AS place FROM changes WHERE number IS NULL
			), numbered AS (
				UPDATE changes SET number = (SELECT value FROM counters WHERE name = 'change') + fresh.place
				FROM fresh WHERE changes.written = fresh.written RETURNING 1
			)
			UPDATE counters SET value = value + (SELECT count(*) FROM numbered) WHERE name = 'change'`)
		return err
	})
}

// numberSoon numbers changes, and then lets some more come together.
func (m *Mirror) numberSoon(ctx context.Context) error {
	err := m.number(ctx)
	rest(ctx, followEvery)
	return err
}

// prune removes what is too old: sources that no process names any more, jobs that nothing does,
// and changes that are older than Options.KeepChanges. Numbers of changes are
// not used again.
func (m *Mirror) prune(ctx context.Context) error {
	if err := m.retire(ctx, false); err != nil {
		return err
	}
	if err := m.passJobs(ctx); err != nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.pruneSome(m.opts.KeepChanges) })
}

// pruneSome removes the first changes of the log that are older than keep.
func (t *tx) pruneSome(keep time.Duration) (more bool, err error) {
	var last logPlace
	err = t.Rows("SELECT number, stamp, at FROM changes WHERE number IS NOT NULL ORDER BY number LIMIT ?", []any{changesBatch},
		func(scan func(...any) error) error {
			var (
				place logPlace
				at    int64
			)
			err := scan(&place.number, &place.stamp, &at)
			if more = at < t.Now-keep.Milliseconds(); more {
				last = place
			}
			return err
		})
	if err != nil || last.number == 0 {
		return false, err
	}
	if _, err := t.Exec("DELETE FROM changes WHERE number <= ?", last.number); err != nil {
		return false, err
	}
	// Two processes may erase at the same time: the stamp stays with its number.
	n, err := t.Exec("UPDATE counters SET value = ? WHERE name = ? AND value < ?", last.number, lastErased, last.number)
	if err == nil && n > 0 {
		_, err = t.Exec("UPDATE counters SET value = ? WHERE name = ?", last.stamp, erasedStamp)
	}
	return more, err
}
