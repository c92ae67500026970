// Package listings keeps what each source shows: the postings of a channel in the table listings,
// the entries of a feed in the table entries. It notes which of these rows a source has ceased to
// show, and decides which of those go.
//
// The column missing of a row has
//
//	0       while the source shows it
//	a time  while the row is held: since then complete refreshes have not shown it
//	-1      when the row goes, until it is removed
//
// The first complete refresh that misses a row sets missing, and sets missed to the
// number of its answer. A held row goes when a lookup proves that it is gone ([Writer.Settle]), when
// complete refreshes have missed it three times and for Rules.Hold ([Writer.Miss]), or when a
// person accepts that it goes ([Writer.Accept]). A refresh that shows it sets missing to 0.
// [Writer.Going] names the rows that go. Whoever removes them also removes or saves what belongs to
// them.
//
// What the lookups for held rows need to know stands in the source's row of the table sources: the
// numbers of its last complete refreshes, and what these lookups said.
package listings

import (
	_ "embed"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

//go:embed tables.sql
var tables string

// AddTables adds the tables of what sources show to a schema.
func AddTables(s *store.Schema) { s.Tables += tables }

// The kinds of sources.
const (
	Channel = "channel"
	Feed    = "feed"
)

// IsHeld is the condition for a row that is held. Its first half lets SQLite use the
// index of the rows that are missing.
const IsHeld = "missing <> 0 AND missing > 0"

// IsHeldRow is the same for a row l.
const IsHeldRow = "l.missing <> 0 AND l.missing > 0"

// Rows counts the rows of a source s.
const Rows = `CASE s.kind WHEN 'channel' THEN (SELECT count(*) FROM listings WHERE source = s.id)
	ELSE (SELECT count(*) FROM entries WHERE source = s.id) END`

// Held counts the rows of a source s that are held.
const Held = `CASE s.kind WHEN 'channel' THEN (SELECT count(*) FROM listings WHERE source = s.id AND ` + IsHeld + `)
	ELSE (SELECT count(*) FROM entries WHERE source = s.id AND ` + IsHeld + `) END`

// MissingSince selects since when a row of the table postings is shown by no source any
// more; 0: a source shows it.
const MissingSince = "(SELECT CASE WHEN min(missing) > 0 THEN max(missing) ELSE 0 END FROM listings WHERE posting = postings.id)"

// LastSeen selects when a source showed a row of the table postings last: for most that is
// when the last complete refresh of the source ended.
const LastSeen = `(SELECT coalesce(max(CASE WHEN l.missing > 0 OR s.complete < l.seen THEN l.seen ELSE s.complete END), 0)
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
	Channel: {
		name: "listings", key: "posting", raw: "raw",
		seen: "seen = (SELECT CASE WHEN s.complete > listings.seen THEN s.complete ELSE listings.seen END FROM sources s WHERE s.id = listings.source), ",
		jobs: "JOIN postings p ON p.id = l.posting JOIN jobs j ON j.job = p.job",
	},
	Feed: {name: "entries", key: "hash", raw: "0", jobs: "JOIN jobs j ON j.job = l.job"},
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
	query := "SELECT " + w.key + ", missing <> 0, " + w.raw + " FROM " + w.name + " WHERE source = ? ORDER BY " + w.key
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

// State reports whether rows are held, and whether the source shows any.
func (w *Writer) State() (held, shows bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM " + w.name + " WHERE source = ? AND " + IsHeld + "), " +
		"EXISTS (SELECT 1 FROM " + w.name + " WHERE source = ? AND missing = 0)"
	err = w.Row(query, []any{w.source, w.source}, &held, &shows)
	return held, shows, err
}

// ClockSetBack has rows count as held, seen and lost from now on that were at a time which is still to
// come, because the clock was set back.
func ClockSetBack(t *store.Tx) error {
	return t.DoAll([]any{t.Now, t.Now},
		"UPDATE listings SET missing = ? WHERE missing <> 0 AND missing > ?",
		"UPDATE listings SET seen = ? WHERE seen > ?",
		"UPDATE entries SET missing = ? WHERE missing <> 0 AND missing > ?",
		"UPDATE losses SET at = ? WHERE at > ?")
}
