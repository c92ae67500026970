package sources

import (
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Last is what the row of a source says of its last refresh.
type Last struct {
	Source      int64
	Generation  int64 // 0: there was none
	Began       int64
	Complete    int64 // when a refresh was complete last
	LeasedUntil int64
}

const lastColumns = "id, generation, began, complete, leased_until"

func (l *Last) columns() []any {
	return []any{&l.Source, &l.Generation, &l.Began, &l.Complete, &l.LeasedUntil}
}

// LockLast locks the row of a source, and returns what it says of the last refresh. Without a row the error
// is sql.ErrNoRows.
func LockLast(t *store.Tx, source int64) (last Last, err error) {
	err = t.Row("SELECT "+lastColumns+" FROM sources WHERE id = ? @lock", []any{source}, last.columns()...)
	return last, err
}

// Due locks the row of that source which has been due the longest, of some that nobody refreshes. Without
// one the error is sql.ErrNoRows. ids is a list as store.IDs writes it.
func Due(t *store.Tx, ids string) (last Last, err error) {
	args := append([]any{ids, t.Now, store.Latest(t.Now)}, t.Free(Lease)...)
	err = t.Row("SELECT "+lastColumns+" FROM sources WHERE id IN @ids AND (next_due <= ? OR began > ?) AND "+store.IsFree+
		" ORDER BY next_due, id LIMIT 1 @skip", args, last.columns()...)
	return last, err
}

// Waiting selects of some sources how many have a row, when the first of them is to be refreshed that no process
// refreshes (NULL: there is none), when the last refresh began, and when the last lease ends.
const Waiting = `SELECT count(*) AS entered, min(CASE WHEN leased_until > next_due THEN leased_until ELSE next_due END) AS first,
	coalesce(max(began), 0) AS began, coalesce(max(leased_until), 0) AS leased_until FROM sources WHERE id IN @ids`

// Count returns how many of some sources have a row.
func Count(t *store.Tx, ids string) (int, error) {
	return store.Value[int](t, "SELECT count(*) FROM sources WHERE id IN @ids", ids)
}

// LastGeneration returns the number of the last refresh of all sources.
func LastGeneration(t *store.Tx) (int64, error) {
	return store.Value[int64](t, "SELECT coalesce(max(generation), 0) FROM sources")
}

// Turn is one refresh of a source.
type Turn struct {
	Source     int64
	Generation int64 // its number
	// What the row said when it began.
	LastMade     int64 // when the last answer of the board was made at the earliest: caches keep answers; 0: not known
	LastComplete int64 // when a refresh was complete last; 0: none was
}

// Begin begins a refresh of a source, and leases the source to a process; empty: to none. A refresh of the
// same source that is still at work elsewhere sees that its turn is over, and writes nothing more.
func Begin(t *store.Tx, source int64, process string) (Turn, error) {
	n := Turn{Source: source}
	var err error
	if n.Generation, err = t.Next(generations); err != nil {
		return n, err
	}
	until := int64(0)
	if process != "" {
		until = t.Until(Lease)
	}
	err = t.Row("UPDATE sources SET generation = ?, began = ?, leased_until = ?, holder = ? WHERE id = ? RETURNING made, complete",
		[]any{n.Generation, t.Now, until, process, source}, &n.LastMade, &n.LastComplete)
	if errors.Is(err, sql.ErrNoRows) { // it was removed meanwhile
		err = nil
	}
	return n, err
}

// IsLast reports whether no other refresh of the source has begun meanwhile, and nobody has removed it, and
// keeps that so until the transaction ends.
func (n Turn) IsLast(t *store.Tx) (bool, error) {
	last, err := t.Numbers("SELECT generation FROM sources WHERE id = ? @lock", n.Source)
	return slices.Contains(last, n.Generation), err
}

// set changes columns of the source's row, unless another refresh has begun.
func (n Turn) set(t *store.Tx, columns string, args ...any) (isLast bool, err error) {
	args = append(args, n.Source, n.Generation)
	rows, err := t.Exec("UPDATE sources SET "+columns+" WHERE id = ? AND generation = ?", args...)
	return rows > 0, err
}

// Lease leases the source for d from now on, or gives it back if d is 0, while the turn is the last one.
func (n Turn) Lease(t *store.Tx, d time.Duration) (isLast bool, err error) {
	return n.set(t, "leased_until = ?", t.Until(d))
}

// SetMade notes when the answer of the turn was made at the earliest.
func (n Turn) SetMade(t *store.Tx, made int64) error {
	_, err := n.set(t, "made = ?", made)
	return err
}

// Logged returns what the operator's log has of the source, as SetLogged has noted it; 0 where the turn is
// not the last one.
func (n Turn) Logged(t *store.Tx) (int64, error) {
	return store.Value[int64](t, "SELECT coalesce(max(logged), 0) FROM sources WHERE id = ? AND generation = ?", n.Source, n.Generation)
}

// SetLogged notes what the operator's log has of the source.
func (n Turn) SetLogged(t *store.Tx, logged int64) (isLast bool, err error) {
	return n.set(t, "logged = ?", logged)
}

// Complete ends a turn that copied the whole source, but for postings that could not be read. The source is
// due again at a time.
func (n Turn) Complete(t *store.Tx, due int64, unreadable int) error {
	_, err := n.set(t, "complete = ?, next_due = ?, leased_until = 0, failures = 0, problem = '', refused = 0, left_out = 0, unreadable = ?",
		t.Now, due, unreadable)
	return err
}

// Word is what a board says on whether it has a source.
type Word int

// What a board says.
const (
	Nothing Word = iota // it did not answer, or its answer does not say
	Yes
	No
)

// Fail ends a turn that did not copy the whole source, and notes why. The source is due again after wait,
// which is told how many refreshes in a row had failed before. says is what the board says of the source.
func (n Turn) Fail(t *store.Tx, problem string, says Word, wait func(failures int) time.Duration) error {
	var failures int
	var r refusal
	err := t.Row("SELECT coalesce(max(failures), 0), coalesce(max(refused), 0), coalesce(max(left_out), 0) = 1 FROM sources WHERE id = ?",
		[]any{n.Source}, &failures, &r.since, &r.leftOut)
	if err != nil {
		return err
	}
	r = r.after(says, t.Now)
	leftOut := 0
	if r.leftOut {
		leftOut = 1
	}
	_, err = n.set(t, "next_due = ?, leased_until = 0, failures = failures + 1, problem = ?, refused = ?, left_out = ?",
		t.Now+wait(failures).Milliseconds(), problem, r.since, leftOut)
	return err
}

// refusedFor is how long the board refuses a source before the copy does without it. A board
// that is being deployed may not know its channels for a moment.
const refusedFor = 4 * time.Minute

// refusal says whether a board refuses a source.
type refusal struct {
	since   int64 // when it refused the source first; 0: it does not
	leftOut bool  // the board has refused the source for refusedFor, and the copy does without it
}

// after returns the refusal of a source after a turn in which the board says a word on it.
func (r refusal) after(says Word, now int64) refusal {
	switch {
	case says == Yes:
		return refusal{}
	case says == Nothing || r.leftOut:
		return r
	case r.since == 0 || r.since > store.Latest(now): // or the clock was set back
		return refusal{since: now}
	}
	r.leftOut = now-r.since >= refusedFor.Milliseconds()
	return r
}
