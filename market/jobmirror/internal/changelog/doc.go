// Package changelog keeps the log of changes in a table of a database, numbered without gaps.
//
// A [Writer] writes a change in the transaction that makes it. On SQLite, which has one writer at a
// time, the change gets its number at once. On PostgreSQL [Log.Number] gives the changes that are
// committed their numbers: with a sequence readers would skip changes that are committed late,
// and with a counter that is locked until the commit one sleeping writer would stall all others.
//
// A [Place] is the number of a change and its stamp. Readers go on from a place, by [Log.After];
// [Check] says whether the log still does. [Log.Wait] waits for further changes.
//
// The package does not know postings and jobs: kinds and texts of changes are the caller's. Its
// table is changes; the rows "change", "erased" and "erased_stamp" of the table counters belong to it.
package changelog

import (
	_ "embed"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

var (
	//go:embed schema/tables.sql
	tables string
	//go:embed schema/sqlite.sql
	sqliteTables string
	//go:embed schema/postgres.sql
	postgresTables string
)

// AddTables adds the tables of the log to a schema that has a table counters.
func AddTables(s *store.Schema) {
	s.Tables += tables
	s.Own["sqlite"] += sqliteTables
	s.Own["postgres"] += postgresTables
}

// The names of rows of the table counters.
const (
	// lastChange has the number of the last change in the log.
	lastChange = "change"
	// lastErased has the number of the last change that was erased from the log.
	lastErased = "erased"
	// erasedStamp has the stamp of that change.
	erasedStamp = "erased_stamp"
)

func counter(t *store.Tx, name string) (int64, error) {
	return store.Value[int64](t, "SELECT value FROM counters WHERE name = ?", name)
}
