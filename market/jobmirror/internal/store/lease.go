package store

import (
	"context"
	"errors"
	"time"
)

// A lease is a time in a column of a row: until then other processes leave the row to the one
// that took it. 0 is no lease. Times are those of the database's clock. A lease saves work and
// decides nothing: what a process writes is guarded by a number of its own.

// aloneLease is added to leases on SQLite, where nobody else works and leases only keep the
// calls of one process apart: renewing a lease may have to wait for the writer's turn.
const aloneLease = 45 * time.Second

// Lasting returns how long a lease lasts on the database.
func (db *DB) Lasting(lease time.Duration) time.Duration {
	if db.Shared {
		return lease
	}
	return lease + aloneLease
}

// Until returns when a lease ends that begins now; 0 for none.
func (t *Tx) Until(lease time.Duration) int64 {
	if lease == 0 {
		return 0
	}
	return t.Now + t.db.Lasting(lease).Milliseconds()
}

// IsFree is the condition for a row that nobody leases, with the arguments of Free. A lease that
// ends later than any can was taken before the clock was set back.
const IsFree = "(leased_until <= ? OR leased_until > ?)"

// Free returns the arguments of IsFree for rows that are leased for at most so long.
func (t *Tx) Free(lease time.Duration) []any {
	return []any{t.Now, Latest(t.Now) + t.db.Lasting(lease).Milliseconds()}
}

// IsLeased reports whether somebody leases what is leased until a time, for at most so long:
// the opposite of IsFree.
func (db *DB) IsLeased(until, now int64, lease time.Duration) bool {
	return until > now && until <= Latest(now)+db.Lasting(lease).Milliseconds()
}

// Latest returns the latest time that another transaction may have written by now. A
// transaction's time is when it began, so a transaction that began later may have ended
// earlier.
func Latest(now int64) int64 { return now + UpdateTimeout.Milliseconds() }

// ErrLeaseLost reports that another process has taken a lease.
var ErrLeaseLost = errors.New("jobmirror: another process has taken the lease")

// KeepLease renews a lease three times in its duration until ctx ends, and returns nil then. Its
// error is ErrLeaseLost where renew reports that the lease is not this process's any more, and
// that of renew where a server was away for longer than the lease. The writer of SQLite is waited
// for, however long that takes.
func (db *DB) KeepLease(ctx context.Context, lease time.Duration, renew func(context.Context) (mine bool, err error)) error {
	for renewed := time.Now(); ; {
		select {
		case <-time.After(lease / 3):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil
		}
		one, cancel := ctx, context.CancelFunc(func() {})
		if db.Shared {
			one, cancel = context.WithTimeout(ctx, lease/3)
		}
		mine, err := renew(one)
		cancel()
		switch {
		case err == nil && !mine:
			return ErrLeaseLost
		case err == nil:
			renewed = time.Now()
		case db.Shared && time.Since(renewed) > lease:
			return err
		}
	}
}
