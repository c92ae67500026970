package jobmirror

import (
	"context"
	"iter"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// JobPostings holds a job of the copy and its postings.
type JobPostings struct {
	// Job holds the job as Mirror.Job returns it, without Nationalities and Postings. Its Answer
	// is ErrStale where Mirror.Job has that error.
	Job      *Job
	Postings []Posting // as Mirror.Postings returns them
}

// Jobs yields every job of the copy with its postings, in the order of the jobs'
// identifiers. It reads 200 at a time, each part in a transaction of its own, so a slow
// reader holds up nobody; a job that changes meanwhile comes as it was or as it is. An
// error is the last item. While [Mirror.Ready] returns an error, that is the only item:
// jobs that were not copied yet would look as if they were gone.
func (m *Mirror) Jobs(ctx context.Context) iter.Seq2[JobPostings, error] {
	return func(yield func(JobPostings, error) bool) {
		err := m.Ready(ctx)
		for last := jobboard.JobID(0); err == nil; {
			var part []JobPostings
			part, err = fromView(ctx, m.db, func(t *tx) ([]JobPostings, error) { return t.jobs(last) })
			for _, j := range part {
				_ = m.judge(j.Job) // its error is that of Job.Answer
				if !yield(j, nil) {
					return
				}
				last = j.Job.JobRecord.Job
			}
			if err == nil && len(part) < pagePart {
				return
			}
		}
		yield(JobPostings{}, err)
	}
}

// jobs reads at most pagePart jobs whose identifiers are above last, with their postings.
func (t *tx) jobs(last jobboard.JobID) (part []JobPostings, err error) {
	var ids []int64
	at := map[jobboard.JobID]int{}
	query := "SELECT " + jobColumns + " FROM jobs WHERE job > ? ORDER BY job LIMIT ?"
	err = t.Rows(query, []any{int64(last), pagePart}, func(scan func(...any) error) error {
		j, err := t.scanJob(scan)
		if err != nil {
			return err
		}
		at[j.JobRecord.Job], ids = len(part), append(ids, int64(j.JobRecord.Job))
		part = append(part, JobPostings{Job: j})
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := t.Numbers("SELECT id FROM postings WHERE job IN @ids ORDER BY id", store.IDs(ids))
	if err != nil {
		return nil, err
	}
	hits, err := t.postings(list, words.Query{})
	for _, h := range hits {
		own := &part[at[h.posting.Job]]
		h.posting.tell(own.Job.Information)
		own.Postings = append(own.Postings, h.posting)
	}
	return part, err
}
