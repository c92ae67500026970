package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// prune erases what Forget was killed before it had, and removes what is too old: sources that no process names any
// more, jobs that nothing does, what is remembered of postings, and changes. Numbers of changes are not used again.
func (m *Mirror) prune(ctx context.Context) error {
	if err := m.forgetRest(ctx); err != nil {
		return err
	}
	if err := m.retire(ctx, false); err != nil {
		return err
	}
	if err := m.passJobs(ctx); err != nil {
		return err
	}
	if err := m.db.update(ctx, func(t *tx) error { return t.forgetHistory(m.opts.KeepJobs) }); err != nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return changelog.Prune(t.Tx, m.opts.KeepChanges) })
}

// passJobs goes on with the pass over all jobs, if it is due, to its end: jobs go that
// nothing has named for Options.KeepJobs.
func (m *Mirror) passJobs(ctx context.Context) error {
	if len(m.named()) == 0 {
		return nil
	}
	var (
		removed int
		err     error
	)
	for more := true; more && err == nil; {
		n := 0
		err = m.db.update(ctx, func(t *tx) (err error) {
			n, more, err = t.lookups.Pass(m.opts.rules())
			return err
		})
		if err == nil {
			removed += n
		}
	}
	if removed > 0 {
		m.opts.Logger.InfoContext(ctx, "jobmirror: orphaned jobs were removed", "jobs", removed)
	}
	return err
}
