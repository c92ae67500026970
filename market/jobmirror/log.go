package jobmirror

import (
	"context"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// prune erases what Forget was killed before it had, and removes what is too old: sources that no process names
// any more, jobs that nothing does, what is remembered of postings, and changes that are older than Options.KeepChanges. Numbers of changes
// are not used again.
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
