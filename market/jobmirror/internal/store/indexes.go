package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// ErrNotOwner reports that the role may not have the database's indexes built anew.
var ErrNotOwner = errors.New("jobmirror: the role does not own the tables")

// RebuildIndexes has a server build its indexes of a table anew, while they answer. It waits for the
// transactions under way. Its errors are ErrNotOwner and the database's.
func (db *DB) RebuildIndexes(ctx context.Context, table string) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	// On a connection of the readers: whoever writes must not wait for one meanwhile.
	run := func(statement string) error {
		_, err := db.readers.ExecContext(ctx, statement)
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == denied {
			return fmt.Errorf("%w: %w", ErrNotOwner, err)
		}
		if err != nil {
			return fmt.Errorf("jobmirror: %w", withHint(err))
		}
		return nil
	}
	// Those that a process left which was killed.
	left, err := names(ctx, db.readers, `SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = '`+table+`'::regclass AND NOT i.indisvalid AND strpos(c.relname, '_ccnew') > 0`)
	if err != nil {
		return err
	}
	for index := range left {
		if err := run("DROP INDEX CONCURRENTLY IF EXISTS " + index); err != nil {
			return err
		}
	}
	return run("REINDEX TABLE CONCURRENTLY " + table)
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
