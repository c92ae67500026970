package store

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

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
