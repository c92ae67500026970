// Package sources keeps the table sources: which channels and feeds are copied, whose turn it is to
// refresh each of them, how its last refresh ended, and what the lookups for its held rows have come to.
//
// A process that names a source calls [Enter]. [Due] finds the source that is to be refreshed next, and
// [Begin] begins a refresh of it: a [Turn], with a number. A turn writes to the source's row only while no
// later one has begun. [Turn.IsLast] says whether that is so, and locks the row, so that it stays so until
// the transaction ends. A lease keeps other processes from refreshing the source as well; it saves work
// and decides nothing. [Turn.Complete] and [Turn.Fail] end a turn.
//
// Which rows of a source are held decides the package listings. Here stands what it must remember of a
// source for that; see the file held.go.
package sources

import (
	_ "embed"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

//go:embed tables.sql
var tables string

// AddTables adds the table of sources to a schema.
func AddTables(s *store.Schema) { s.Tables += tables }

// Lease is how long a process has a source to itself. A refresh renews it each third of that time.
const Lease = 15 * time.Second

// The names of counters; see the file numbers.go of the mirror.
const (
	// generations number the refreshes of all sources. A source's column generation has the number of
	// its last refresh: one with a lower number writes nothing more.
	generations = "generation"
	// rows number the rows.
	rows = "source"
)

// ClockSetBack makes sources due that wait for a time which the clock had before it was set back. A
// refresh that began in the future shows that it was. What was copied or named in the future counts from
// now on.
func ClockSetBack(t *store.Tx) error {
	for _, statement := range []string{
		"UPDATE sources SET next_due = @now WHERE next_due > @now AND (began = 0 OR began > @now)",
		"UPDATE sources SET began = @now WHERE began > @now",
		"UPDATE sources SET complete = @now - 1 WHERE complete >= @now", // earlier than a refresh that begins now
		"UPDATE sources SET named = @now WHERE named > @now",
	} {
		if _, err := t.Exec(strings.ReplaceAll(statement, "@now", strconv.FormatInt(t.Now, 10))); err != nil {
			return err
		}
	}
	return nil
}

// EndLeases ends the leases that a process left which was killed. Only a process that runs the mirror
// alone may call it.
func EndLeases(t *store.Tx) error {
	return t.DoAll(nil,
		"UPDATE sources SET leased_until = 0 WHERE leased_until > 0",
		"UPDATE sources SET held_lease = 1 WHERE held_lease > 0")
}
