package jobmirror

import (
	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// row is a row of the table postings that is being changed.
type row struct {
	id            int64
	rec           PostingRecord
	before        string        // the record as it is stored; empty: the row is new
	stored        PostingRecord // the same, decoded
	ads           string
	hash          int64 // of what the board gave: rec without what the mirror adds, and ads
	raw           int64 // the hash of rec's bytes in the source that is refreshed; 0: unknown, or rec comes from another
	linked        int64 // the job that the posting's own link names; 0: none
	answer        int64 // the number of the answer that rec came from
	giver         int64 // the source that rec came from
	fromAnswer    bool  // rec and ads are from an answer of this refresh, not from the table
	newVersion    bool  // the row is new, or rec is of a newer version than the stored record
	visibilityDue int64 // when its dates change whether a visitor may see it, as the table has it; 0: never
	firstSeen     int64 // when it came; 0: with the first complete refresh of a source
	shownAgain    int64 // of a row that is added: how often its posting has come back
}

const rowColumns = "id, record, ads, hash, linked, answer, giver, visibility_due, first_seen"

// load reads the rows that a condition on the table postings selects, and keeps
// others from changing them.
func (t *tx) load(condition string, args ...any) (out []*row, err error) {
	return t.read(condition+" ORDER BY id @lock", args...)
}

// read returns the rows that a condition selects, which others may change.
func (t *tx) read(condition string, args ...any) (out []*row, err error) {
	query := "SELECT " + rowColumns + " FROM postings WHERE " + condition
	err = t.Rows(query, args, func(scan func(...any) error) error {
		r := &row{}
		if err := scan(&r.id, &r.before, &r.ads, &r.hash, &r.linked, &r.answer, &r.giver, &r.visibilityDue, &r.firstSeen); err != nil {
			return err
		}
		r.rec, err = decodeRecord[PostingRecord](r.before)
		r.stored = r.rec
		out = append(out, r)
		return err
	})
	return out, err
}

// log logs that the record of the row, which is of a job, becomes another one; empty: none.
func (r *row) log(log *changelog.Writer, job jobboard.JobID, after, cause string) {
	c := changelog.Change{
		Kind: string(ChangePosting), ID: int64(r.rec.Posting), Language: r.rec.Language, Job: int64(job),
		Before: r.before, After: after, Cause: cause,
	}
	if r.stored.Job != job {
		c.EarlierJob = int64(r.stored.Job)
	}
	log.Append(c)
}
