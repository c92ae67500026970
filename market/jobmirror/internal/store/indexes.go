package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// ErrNotOwner reports that the role may not have the database's indexes built anew.
var ErrNotOwner = errors.New("jobmirror: the role does not own the tables")

// rebuildLock is the number of the lock that one process holds at a time while the server builds indexes
// anew: two that did so side by side would wait for each other.
const rebuildLock int64 = 7_202_611_270

// RebuildIndexes has a server build its indexes of some tables anew, while they answer. It waits for the
// transactions under way, and for other processes that do so. Its errors are ErrNotOwner and the
// database's; a pooler cannot do it.
func (db *DB) RebuildIndexes(ctx context.Context, tables ...string) error {
	if db.Pooled {
		return errors.New("jobmirror: building indexes anew needs the server's own address, not a pooler's")
	}
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	// A connection of the readers: whoever writes must not wait for one meanwhile.
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	defer conn.Close()
	unlock, err := lockRebuilding(ctx, conn)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	defer unlock()
	for _, table := range tables {
		if err := rebuildIndexes(ctx, conn, table); err != nil {
			if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == denied {
				return fmt.Errorf("%w: %w", ErrNotOwner, err)
			}
			return fmt.Errorf("jobmirror: %w", withHint(err))
		}
	}
	return nil
}

// lockRebuilding takes the lock for those who have the server build indexes anew. It asks again and
// again: a statement that waited for the lock would itself be waited for by the one who has it.
func lockRebuilding(ctx context.Context, conn *sql.Conn) (unlock func(), err error) {
	for {
		var locked bool
		if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", rebuildLock).Scan(&locked); err != nil {
			return nil, err
		}
		if locked {
			break
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", rebuildLock); err != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // the lock ends with the session
		}
	}, nil
}

func rebuildIndexes(ctx context.Context, conn *sql.Conn, table string) error {
	// What a process left that was killed.
	var left sql.NullString
	err := conn.QueryRowContext(ctx, `SELECT string_agg('DROP INDEX CONCURRENTLY IF EXISTS ' || c.oid::regclass::text, ';')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = $1::regclass AND NOT i.indisvalid AND strpos(c.relname, '_ccnew') > 0`, table).Scan(&left)
	if err != nil {
		return err
	}
	for drop := range strings.SplitSeq(left.String, ";") {
		if drop == "" {
			continue
		}
		if _, err := conn.ExecContext(ctx, drop); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, "REINDEX TABLE CONCURRENTLY "+table)
	return err
}

// IsDamage reports whether the database found what it keeps damaged.
func IsDamage(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "XX")
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	const generic, corrupt, notDatabase = 1, 11, 26 // the low byte of an extended code says what it is about
	switch e.Code() & 0xff {
	case corrupt, notDatabase:
		return true
	case generic: // FTS5 has no code of its own for settings that it cannot read
		return strings.Contains(e.Error(), "fts5") || strings.Contains(e.Error(), "vtable constructor failed")
	}
	return false
}
