// Package changelog keeps the log of changes in a table of a database, numbered without gaps.
//
// A [Writer] keeps the changes of a transaction until its end, and then writes them with their numbers. They
// come from the row "change" of the table counters, which the transaction raises by as many and so locks until
// its commit, as the last of its locks but that of the search index's state. So the numbers are in the order of the commits, none is
// missing, and any number of processes may write; a reader who has seen a number has seen all below it. A
// database's own sequence would not do: readers would skip what is committed late.
//
// All who have changes wait for whoever has the lock, for as long as a commit takes. A process that
// stops just there, or whose machine does, loses its session on PostgreSQL once the server has not heard from it for
// five seconds: the package store sets idle_in_transaction_session_timeout, behind a pooler as well. Its
// transaction is undone, with the numbers, and the next one goes on. On SQLite, where one writes at a time,
// the end of the process ends its transaction.
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

//go:embed tables.sql
var tables string

// AddTables adds the tables of the log to a schema that has a table counters.
func AddTables(s *store.Schema) { s.Tables += tables }

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
