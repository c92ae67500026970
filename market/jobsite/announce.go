package jobsite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// announceReader is the name under which Announce reads the log of changes.
const announceReader = "announce"

// announceRetry is the time after which Announce begins again after a failure.
const announceRetry = time.Minute

// Announce tells search engines, by an announcer, of the pages of jobs that are new, changed or gone
// since it was first called on this mirror, until ctx ends, whose error it returns. Processes that
// share a mirror may all call it: one process at a time announces, by a lease, and after its end
// another continues at the same place. A failure, such as a refused key, is logged and tried again a
// minute later; nothing is passed over meanwhile, until the log of changes is cut off after
// [jobmirror.Options.KeepChanges].
//
// Pages that visitors must not see are not announced, unless they were shown before. An
// announcer over several processes has [jobmirror.Mirror.Announced] as its store.
func (s *Site) Announce(ctx context.Context, a *jobpublish.Announcer) error {
	if err := s.made(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := s.mirror.Consume(ctx, announceReader, func(ctx context.Context, changes []jobmirror.Change) error {
			return a.Announce(ctx, s.changedPages(ctx, changes))
		})
		if ctx.Err() != nil {
			break
		}
		if errors.Is(err, jobmirror.ErrReadOnly) {
			return err // it would be so for ever
		}
		s.cfg.Logger.ErrorContext(ctx, "jobsite: announcing", "error", err)
		timer := time.NewTimer(announceRetry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return ctx.Err()
}

// changedPages yields the addresses of the pages of jobs that changed.
func (s *Site) changedPages(ctx context.Context, changes []jobmirror.Change) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		var jobs []jobboard.JobID
		before := map[jobboard.JobID]string{} // titles of pages that visitors saw
		for _, change := range changes {
			job, title := s.pageOf(change)
			if job == 0 {
				continue
			}
			if _, known := before[job]; !known {
				jobs = append(jobs, job)
			}
			before[job] = cmp.Or(before[job], title)
		}
		for _, job := range jobs {
			address, err := s.changedPage(ctx, job, before[job])
			if (err != nil || address != "") && !yield(address, err) || err != nil {
				return
			}
		}
	}
}

// pageOf returns the job whose page a change may concern, 0 for none, and the title that the page had
// if the change is of a posting that everybody could see.
func (s *Site) pageOf(change jobmirror.Change) (job jobboard.JobID, title string) {
	if change.Kind == jobmirror.ChangeJob {
		return jobboard.JobID(change.ID), ""
	}
	if change.Kind != jobmirror.ChangePosting || change.Confirming {
		return 0, ""
	}
	for _, text := range []json.RawMessage{change.After, change.Before} {
		var record jobmirror.PostingRecord
		if len(text) > 0 && json.Unmarshal(text, &record) == nil {
			job, title = cmp.Or(job, record.Job), ""
			if record.Config.VisibleToAll() {
				title = record.Title
			}
		}
	}
	if change.Before == nil {
		title = ""
	}
	return job, title
}

// changedPage returns the address of a job's page that search engines may be told of, or "".
func (s *Site) changedPage(ctx context.Context, job jobboard.JobID, before string) (string, error) {
	known, err := s.mirror.Job(ctx, job)
	switch {
	case errors.Is(err, jobmirror.ErrUnknown), errors.Is(err, jobmirror.ErrIncomplete), errors.Is(err, jobmirror.ErrStale):
		return "", nil // the page says nothing that would be worth a visit
	case err != nil:
		return "", err
	}
	postings, err := s.mirror.Postings(ctx, job)
	if err != nil {
		return "", err
	}
	page := s.published(known, inLanguage(visible(known, postings), s.cfg.Languages[0]))
	page.Answered = time.Now() // the mirror has checked the age of the answer
	refused, _ := errors.AsType[*jobpublish.RefusedError](page.Check(page.Answered))
	if refused == nil {
		return page.URL, nil
	}
	if before != "" && refused.Reason != jobpublish.ReasonNotYet {
		return s.origin + s.Path(job, before), nil
	}
	// The job has ended, and the copy still has what visitors saw of it.
	ended := refused.Reason == jobpublish.ReasonClosed || refused.Reason == jobpublish.ReasonExpired ||
		refused.Reason == jobpublish.ReasonGone
	if ended && page.Posting != nil && page.Posting.Config.VisibleToAll() {
		return page.URL, nil
	}
	return "", nil
}
