package jobmirror

import (
	"context"
)

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
