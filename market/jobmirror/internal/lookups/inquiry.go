package lookups

import (
	"encoding/json"
	"fmt"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Inquiry reads the inquiry about jobs.
func Inquiry(t *store.Tx) (evidence.Inquiry, error) { return inquiry(t, "") }

func inquiry(t *store.Tx, lock string) (q evidence.Inquiry, err error) {
	var answers string
	err = t.Row("SELECT since, accepted <> 0, answers FROM inquiries WHERE about = 'jobs'"+lock, nil, &q.Since, &q.Accepted, &answers)
	if err != nil {
		return q, err
	}
	if err := json.Unmarshal([]byte(answers), &q.Counted); err != nil {
		return q, fmt.Errorf("jobmirror: a record: %w", err)
	}
	return q, nil
}

// Inquire lets f change the inquiry about jobs, and keeps others from doing so until the
// transaction ends.
func (w *Writer) Inquire(f func(*evidence.Inquiry) error) error {
	q, err := inquiry(w.Tx, " @lock")
	if err != nil {
		return err
	}
	if err := f(&q); err != nil {
		return err
	}
	answers, err := json.Marshal(q.Counted)
	if err != nil {
		return fmt.Errorf("jobmirror: %w", err)
	}
	accepted := 0
	if q.Accepted {
		accepted = 1
	}
	return w.Do("UPDATE inquiries SET since = ?, accepted = ?, answers = ? WHERE about = 'jobs'", q.Since, accepted, string(answers))
}

// Shown finds which of some jobs a source shows. It looks for one row of each, because many
// postings may be of one job. jobs is a list as store.IDs writes it.
func Shown(t *store.Tx, jobs string) (map[int64]bool, error) {
	return store.Pairs[int64, bool](t, `SELECT v.value, 1 = 1 FROM @ids v
		WHERE (SELECT 1 FROM postings p JOIN listings l ON l.posting = p.id
			WHERE p.job = v.value AND l.missing = 0 LIMIT 1) IS NOT NULL
		OR (SELECT 1 FROM entries e WHERE e.job = v.value AND e.missing = 0 LIMIT 1) IS NOT NULL`, jobs)
}
