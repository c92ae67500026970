package sources

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A source's row has what the package listings must remember to decide which of its held rows go: the
// numbers of its last three complete refreshes, whose turn it is to look up the jobs of held rows, and what these
// lookups said since the last complete refresh.

// Held is a source with held rows whose jobs are to be looked up.
type Held struct {
	Source
	Answer int64 // the number of the answer of its last complete refresh
	Until  int64 // until when a process looks the jobs up; 1: none does
	Opens  int   // how many lookups in a row said "open"
}

// LockHeld locks and returns the sources with held rows whose jobs are to be looked up.
func LockHeld(t *store.Tx) (list []*Held, err error) {
	const query = "SELECT " + columns + ", last_answer, held_lease, opens FROM sources WHERE held_lease > 0 ORDER BY id @lock"
	err = t.Rows(query, nil, func(scan func(...any) error) error {
		s := &Held{}
		list = append(list, s)
		return scan(append(s.columns(), &s.Answer, &s.Until, &s.Opens)...)
	})
	return list, err
}

// FirstHeld selects until when a process looks up the jobs of held rows: NULL if none are to be looked up, 1 if
// no process does.
const FirstHeld = "SELECT max(held_lease) FROM sources WHERE held_lease > 0"

// NoteAnswer notes the number of the answer of a complete refresh of a source of which every posting could
// be read, and returns that of the third last of these refreshes, which counts this one as the last; 0: there
// were not as many.
func NoteAnswer(t *store.Tx, source, answer int64) (third int64, err error) {
	return store.Value[int64](t, `UPDATE sources SET third_last_answer = second_last_answer, second_last_answer = last_read_answer,
		last_read_answer = ?, last_answer = ? WHERE id = ? RETURNING third_last_answer`, answer, answer, source)
}

// NoteUnreadable notes the number of the answer of a complete refresh of a source of which some postings could
// not be read.
func NoteUnreadable(t *store.Tx, source, answer int64) error {
	_, err := t.Exec("UPDATE sources SET last_answer = ? WHERE id = ?", answer, source)
	return err
}

// WantLookups notes whether the jobs of held rows of a source are to be looked up: whether there are such rows.
func WantLookups(t *store.Tx, source int64, held bool) error {
	statement := "UPDATE sources SET held_lease = 0, believed = 0 WHERE id = ? AND held_lease + believed > 0"
	if held { // a process that looks them up just now keeps its lease
		statement = "UPDATE sources SET held_lease = CASE WHEN held_lease = 0 THEN 1 ELSE held_lease END, opens = 0, informed = 0 WHERE id = ?"
	}
	_, err := t.Exec(statement, source)
	return err
}

// LeaseLookups leases the right to look up the jobs of the held rows of a source for d, or gives it back if
// d is 0.
func LeaseLookups(t *store.Tx, source int64, d time.Duration) error {
	_, err := t.Exec("UPDATE sources SET held_lease = ? WHERE id = ? AND held_lease > 0", max(t.Until(d), 1), source)
	return err
}

// EndLookups notes that no further lookups for the held rows of a source are needed, unless another complete
// refresh has ended since the one whose answer has the number answer.
func EndLookups(t *store.Tx, source, answer int64) error {
	_, err := t.Exec("UPDATE sources SET held_lease = 0 WHERE id = ? AND last_answer = ?", source, answer)
	return err
}

// CountOpens brings the count up to date of the lookups for held rows that said "open" one after the
// other: opens more have, or, with anew, opens have since one that said otherwise.
func CountOpens(t *store.Tx, source int64, opens int, anew bool, answer int64) error {
	counted := "opens + ?"
	if anew {
		counted = "?"
	}
	_, err := t.Exec("UPDATE sources SET opens = "+counted+" WHERE id = ? AND last_answer = ?", opens, source, answer)
	return err
}

// Proof is what is known of the lookups for the held rows of a source since its last complete refresh.
type Proof struct {
	Answer   int64 // the number of the answer of that refresh
	Informed bool  // one of the lookups gave a job's information
	Believed int64 // rows that went because lookups said "unavailable" while none gave any
}

// LockProof locks the row of a source, as Lock does, and returns what it says of the lookups for held rows.
// Without a row the error is sql.ErrNoRows.
func LockProof(t *store.Tx, source int64) (p Proof, err error) {
	err = t.Row("SELECT last_answer, informed <> 0, believed FROM sources WHERE id = ? @lock", []any{source},
		&p.Answer, &p.Informed, &p.Believed)
	return p, err
}

// SetInformed notes that a lookup gave a job's information. The row that the lookup was for may be removed later
// in the transaction, and the job's answer with it.
func SetInformed(t *store.Tx, source int64) error {
	_, err := t.Exec("UPDATE sources SET informed = 1 WHERE id = ?", source)
	return err
}

// AddBelieved counts rows that go because lookups say "unavailable" while none gives any information.
func AddBelieved(t *store.Tx, source, rows int64) error {
	_, err := t.Exec("UPDATE sources SET believed = believed + ? WHERE id = ?", rows, source)
	return err
}
