package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go"
)

// Postings returns the postings that are a job's, in every language that is
// copied, with their advertisements, in the order in which the mirror came to know
// them; none where there is no evidence that a posting is the job's.
func (m *Mirror) Postings(ctx context.Context, job jobboard.JobID) (found []Posting, err error) {
	return fromView(ctx, m.db, func(t *tx) ([]Posting, error) {
		list, err := t.numbers("SELECT id FROM postings WHERE job = ? ORDER BY id", int64(job))
		if err != nil {
			return nil, err
		}
		_, found, err := t.postings(list, jobboard.GeoLocation{})
		if err != nil {
			return nil, err
		}
		return found, t.locate(found)
	})
}
