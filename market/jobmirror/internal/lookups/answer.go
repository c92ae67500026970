package lookups

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Job is what is stored of a job: a row of the table jobs.
type Job struct {
	Record      string
	State       string
	Streak      int
	Answer      int64
	Wanted      int64 // an answer with a lower number may be older than what is known of the job
	Failures    int
	ServiceTime int64  // of the last information
	Made        int64  // the earliest time at which the stored answer may have been made: caches keep answers
	Said        string // the state that the board says and that is not believed; empty: none
	Doubted     int64  // since when it has; 0: it does not
}

// Stored reads jobs, and keeps others from changing them until the transaction ends. jobs is a list
// as store.IDs writes it.
func (w *Writer) Stored(jobs string) (map[int64]*Job, error) {
	stored := map[int64]*Job{}
	err := w.Rows(`SELECT job, record, state, streak, answer, wanted, failures, service_time, made, said, doubted FROM jobs
		WHERE job IN @ids ORDER BY job @lock`, []any{jobs}, func(scan func(...any) error) error {
		var (
			id int64
			j  Job
		)
		err := scan(&id, &j.Record, &j.State, &j.Streak, &j.Answer, &j.Wanted, &j.Failures,
			&j.ServiceTime, &j.Made, &j.Said, &j.Doubted)
		stored[id] = &j
		return err
	})
	return stored, err
}

// Shown finds which of some jobs a source shows. It looks for one row of each, because many
// postings may be of one job. jobs is a list as store.IDs writes it.
func Shown(t *store.Tx, jobs string) (map[int64]bool, error) {
	return store.Pairs[int64, bool](t, `SELECT v.value, 1 = 1 FROM @ids v
		WHERE (SELECT 1 FROM postings p JOIN listings l ON l.posting = p.id
			WHERE p.job = v.value AND l.state = 'shown' LIMIT 1) IS NOT NULL
		OR (SELECT 1 FROM entries e WHERE e.job = v.value AND e.state = 'shown' LIMIT 1) IS NOT NULL`, jobs)
}

// Answer is an answer that is believed, as it is stored.
type Answer struct {
	Job         int64
	Number      int64 // of the answer
	State       string
	Streak      int
	Language    string
	Record      string
	Catalogue   string
	ServiceTime int64
	LookedUp    int64
	Made        int64
	Due         int64 // when the job is to be looked up next
}

// Repeat stores an answer that says what the stored one says: its times and its number.
func (w *Writer) Repeat(a *Answer) error {
	return w.Do(`UPDATE jobs SET service_time = ?, looked_up = ?, streak = ?, answer = ?, next_due = ?, failures = 0, problem = '', leased_until = 0,
		made = ?, said = '', doubted = 0 WHERE job = ?`, a.ServiceTime, a.LookedUp, a.Streak, a.Number, a.Due, a.Made, a.Job)
}

// Save stores an answer by which the record of a job changes, and logs the change.
func (w *Writer) Save(a *Answer, before string) error {
	err := w.Do(`UPDATE jobs SET state = ?, language = ?, record = ?, catalogue = ?, service_time = ?, looked_up = ?, streak = ?, answer = ?,
		next_due = ?, failures = 0, problem = '', leased_until = 0, made = ?, said = '', doubted = 0 WHERE job = ?`,
		a.State, a.Language, a.Record, a.Catalogue, a.ServiceTime, a.LookedUp, a.Streak, a.Number,
		a.Due, a.Made, a.Job)
	if err != nil {
		return err
	}
	w.append(a.Job, before, a.Record, CauseLookup)
	return nil
}

// PostingLeft keeps what the caller writes of a job's posting, by its identifier, that leaves the copy, in place
// of what was kept of an earlier one.
func (w *Writer) PostingLeft(job, id int64, posting string) error {
	return w.Do("UPDATE jobs SET last_posting = ?, last_posting_id = ? WHERE job = ?", posting, id, job)
}

// Fail notes that a lookup was not answered, and why, and when the job is to be looked up again.
func (w *Writer) Fail(job int64, problem string, due int64) error {
	return w.Do("UPDATE jobs SET failures = failures + 1, problem = ?, next_due = ?, leased_until = 0 WHERE job = ?", problem, due, job)
}

// Doubt notes an answer, by its number, that is not believed: what the board says, since when, and
// why that is not believed. The job is to be looked up again.
func (w *Writer) Doubt(job, number int64, said string, since int64, why string, due int64) error {
	return w.Do(`UPDATE jobs SET said = ?, doubted = ?, failures = 0, problem = ?, next_due = ?, leased_until = 0,
		last_lookup = CASE WHEN last_lookup < ? THEN ? ELSE last_lookup END WHERE job = ?`, said, since, why, due, number, number, job)
}

// ForgetPostings removes what jobs keep of postings that left, by their identifiers.
func (w *Writer) ForgetPostings(ids []int64) error {
	_, err := w.Exec("UPDATE jobs SET last_posting = '', last_posting_id = 0 WHERE last_posting_id IN @ids AND last_posting_id <> 0", store.IDs(ids))
	return err
}

// Forget removes what is stored of a job, without a change in the log.
func (w *Writer) Forget(job int64) error { return w.Do("DELETE FROM jobs WHERE job = ?", job) }

// Sent notes that jobs were looked up for held rows, by a number, whether or not an answer came.
func (w *Writer) Sent(jobs string, number int64) error {
	_, err := w.Exec("UPDATE jobs SET last_lookup = ? WHERE job IN @ids AND last_lookup < ?", number, jobs, number)
	return err
}

// SaysEnd selects the jobs of which the board says, unbelieved, that they have ended. Its first
// half lets the databases use the index of the jobs in doubt.
const SaysEnd = "said <> '' AND said IN ('closed', 'inactive', 'unavailable')"

// PutDoubted puts the jobs on the list of which the board said lately that they have ended, as if
// a time were over since. Each doubt is brought forward once.
func (w *Writer) PutDoubted(every time.Duration) error {
	since := w.Now - every.Milliseconds()
	_, err := w.Exec("UPDATE jobs SET doubted = ?, next_due = CASE WHEN next_due > ? THEN ? ELSE next_due END WHERE "+SaysEnd+" AND doubted > ?",
		since, w.Now, w.Now, since)
	return err
}

// Catalogue stores a catalogue of nationalities by its hash, unless it is there.
func (w *Writer) Catalogue(hash, text string) error {
	if w.stored == hash { // a batch's jobs mostly share one catalogue
		return nil
	}
	w.stored = hash
	// One that no job has had lately may be removed just now: this waits for that.
	lately := w.Now - passEvery.Milliseconds()/2
	err := w.Do("UPDATE catalogues SET used = ? WHERE hash = ? AND used < ?", w.Now, hash, lately)
	if err != nil {
		return err
	}
	return w.Do("INSERT INTO catalogues (hash, used, entries) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", hash, w.Now, text)
}

// CatalogueOf returns the text of a catalogue by its hash.
func CatalogueOf(t *store.Tx, hash string) (string, error) {
	return store.Value[string](t, "SELECT entries FROM catalogues WHERE hash = ?", hash)
}
