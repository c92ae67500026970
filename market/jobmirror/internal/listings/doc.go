// Package listings keeps what each source shows: the postings of a channel in the table listings,
// the entries of a feed in the table entries. It notes which of these rows a source has ceased to
// show, and decides which of those go.
//
// The column state of a row has
//
//	shown  while the source shows it
//	held   since complete refreshes do not show it; the column since says since when
//	going  until it is removed
//
// The first complete refresh that misses a row makes it held, and sets missed to the
// number of its answer. A held row goes when a lookup proves that it is gone ([Writer.Settle]), when
// complete refreshes have missed it three times and for Rules.Hold ([Writer.Miss]), or when a
// person accepts that it goes ([Writer.Accept]). A refresh that shows it makes it shown again.
// [Writer.Going] names the rows that go, and [Writer.Settle] those of which a lookup has proved it. Whoever
// removes them also removes or saves what belongs to them.
//
// What it must remember of a source, the package sources keeps: the numbers of the last complete
// refreshes, and what the lookups for held rows said.
//
// A channel may also show a lower version of a posting than the copy has. [Writer.NoteLower] notes that, in the
// table lower_versions.
package listings

import (
	_ "embed"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

//go:embed tables.sql
var tables string

// AddTables adds the tables of what sources show to a schema.
func AddTables(s *store.Schema) { s.Tables += tables }

// IsHeld is the condition for a row that is held. Its first half lets SQLite use the
// index of the rows that are not shown.
const IsHeld = "state <> 'shown' AND state = 'held'"

// isShown is the condition for a row that the source shows.
const isShown = "state = 'shown'"

// IsHeldRow is the same as IsHeld for a row l.
const IsHeldRow = "l.state <> 'shown' AND l.state = 'held'"

// MissingSince selects since when a row of the table postings is shown by no source any
// more; 0: a source shows it.
const MissingSince = "(SELECT CASE WHEN min(state) = 'held' AND max(state) = 'held' THEN max(since) ELSE 0 END FROM listings WHERE posting = postings.id)"

// LastSeen selects when a source showed a row of the table postings last: for most that is
// when the last complete refresh of the source ended.
const LastSeen = `(SELECT coalesce(max(CASE WHEN l.state = 'held' OR s.complete < l.seen THEN l.seen ELSE s.complete END), 0)
	FROM listings l JOIN sources s ON s.id = l.source WHERE l.posting = postings.id)`

// Part bounds the rows that are marked or named at a time.
const Part = 500

// table describes the table whose rows say what a source shows.
type table struct {
	name, key string
	raw       string // selects the hash of the bytes that showed the row; 0: the table does not say
	seen      string // sets until when the source showed a row that it misses now; empty: the table does not say
	jobs      string // joins the row l with its job j
}

var tableOf = map[string]table{
	sources.Channel: {
		name: "listings", key: "posting", raw: "raw",
		seen: "seen = (SELECT CASE WHEN s.complete > listings.seen THEN s.complete ELSE listings.seen END FROM sources s WHERE s.id = listings.source), ",
		jobs: "JOIN postings p ON p.id = l.posting JOIN jobs j ON j.job = p.job",
	},
	sources.Feed: {name: "entries", key: "hash", raw: "0", jobs: "JOIN jobs j ON j.job = l.job"},
}

// Rules are the intervals by which rows go.
type Rules struct {
	Refresh time.Duration // between two refreshes of a source
	Hold    time.Duration // for which rows are held; below 0: none are
}

// Writer reads and writes the rows of one source, in one transaction.
type Writer struct {
	*store.Tx
	table
	source int64
	kind   string
}

// NewWriter returns a Writer of the rows of a source of a kind, by its number.
func NewWriter(t *store.Tx, kind string, source int64) *Writer {
	return &Writer{t, tableOf[kind], source, kind}
}

// Count returns how many rows the source has.
func (w *Writer) Count() (int, error) {
	return store.Value[int](w, "SELECT count(*) FROM "+w.name+" WHERE source = ?", w.source)
}

// Each calls f with each row, in the order of their keys: a posting's row or an entry's hash. raw is
// the hash of the bytes in which a channel showed the row; 0: it is not known.
func (w *Writer) Each(f func(key int64, missing bool, raw int64)) error {
	query := "SELECT " + w.key + ", state <> 'shown', " + w.raw + " FROM " + w.name + " WHERE source = ? ORDER BY " + w.key
	return w.Rows(query, []any{w.source}, func(scan func(...any) error) error {
		var (
			key, raw int64
			missing  bool
		)
		err := scan(&key, &missing, &raw)
		f(key, missing, raw)
		return err
	})
}

// State reports whether rows of the source are held, and whether it shows any row.
func (w *Writer) State() (holds, shows bool, err error) {
	err = w.Row("SELECT "+w.has(IsHeld)+", "+w.has(isShown), []any{w.source, w.source}, &holds, &shows)
	return holds, shows, err
}

// has selects whether the source has a row that a condition selects.
func (w *Writer) has(condition string) string {
	return "EXISTS (SELECT 1 FROM " + w.name + " WHERE source = ? AND " + condition + ")"
}

// Counts returns how many rows each source has, by its number; a source without rows is left out.
func Counts(t *store.Tx) (map[int64]int, error) { return counts(t, "1 = 1") }

// HeldCounts returns how many rows of each source are held, likewise.
func HeldCounts(t *store.Tx) (map[int64]int, error) { return counts(t, IsHeld) }

func counts(t *store.Tx, condition string) (map[int64]int, error) {
	return store.Pairs[int64, int](t, "SELECT source, count(*) FROM listings WHERE "+condition+" GROUP BY source"+
		" UNION ALL SELECT source, count(*) FROM entries WHERE "+condition+" GROUP BY source")
}

// Holding returns the numbers of the sources with held rows of some jobs. jobs is a list as store.IDs writes it.
func Holding(t *store.Tx, jobs string) ([]int64, error) {
	const held = " AND " + IsHeldRow
	return t.Numbers("SELECT l.source FROM listings l JOIN postings p ON p.id = l.posting WHERE p.job IN @ids"+held+
		" UNION SELECT l.source FROM entries l WHERE l.job IN @ids"+held, jobs, jobs)
}

// End removes what is noted of a source beside its rows, because the source is removed.
func (w *Writer) End() error {
	return w.DoAll([]any{w.source}, "DELETE FROM losses WHERE source = ?", "DELETE FROM lower_versions WHERE source = ?")
}

// ClockSetBack has rows count as held, seen and lost from now on that were at a time which is still to
// come, because the clock was set back.
func ClockSetBack(t *store.Tx) error {
	return t.DoAll([]any{t.Now, t.Now},
		"UPDATE listings SET since = ? WHERE state <> 'shown' AND since > ?",
		"UPDATE listings SET seen = ? WHERE seen > ?",
		"UPDATE entries SET since = ? WHERE state <> 'shown' AND since > ?",
		"UPDATE losses SET at = ? WHERE at > ?")
}
