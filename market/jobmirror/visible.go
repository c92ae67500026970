package jobmirror

import "context"

// A visitor may see a posting that is visible, has begun and not ended, and whose job is not known
// to be closed, inactive or unavailable. What the copy does not know hides nothing, and how old it is
// does not either. The index has a tag for those that a visitor may not see, tagHidden: they are few,
// so that leaving them out costs a search next to nothing. It is renewed with the posting, by the
// answers of lookups that end a job or open it again, and when its dates come: postings.visibility_due says
// when, and putVisibilityDue puts such postings on the list of those to index.

// shown reports whether a visitor may see a posting at a time, whose job has a state; empty: it is not
// known.
func (r *PostingRecord) shown(job State, now int64) bool {
	lasts, _ := r.lasts(now)
	return lasts && r.Config.VisibleToAll() && !job.ended()
}

// ended reports whether a job takes no applications.
func (s State) ended() bool { return s == StateClosed || s == StateInactive || s == StateUnavailable }

// lasts reports whether the posting has begun and not ended at a time, and when that changes next;
// 0: never. It begins when it is listed; without that date, with its version.
func (r *PostingRecord) lasts(now int64) (lasts bool, next int64) {
	begins, ends := int64(r.VersionStart), int64(r.VersionEnd)
	if listed := r.Config.ListingStartDate(); !listed.IsZero() {
		begins = listed.UnixMilli()
	}
	switch {
	case begins > now:
		return false, begins
	case ends != 0 && ends <= now:
		return false, 0
	}
	return true, ends
}

// isVisibilityDue is the condition for a posting whose dates have changed whether a visitor may see it.
const isVisibilityDue = "visibility_due > 0 AND visibility_due <= ?"

// putVisibilityDue puts the postings on the list of those to index whose dates have come.
func (m *Mirror) putVisibilityDue(ctx context.Context) error {
	for {
		due, err := fromView(ctx, m.db, func(t *tx) ([]int64, error) {
			return t.Numbers(`SELECT id FROM postings WHERE `+isVisibilityDue+` AND NOT EXISTS (SELECT 1 FROM unindexed u WHERE u.posting = id AND u.changed = 1)
				ORDER BY id LIMIT ?`, t.Now, rowBatch)
		})
		if err != nil || len(due) == 0 {
			return err
		}
		if err := m.db.update(ctx, func(t *tx) error { return t.unindexed.put(due) }); err != nil {
			return err
		}
	}
}

// noteVisibility notes when the dates of a posting change next whether a visitor may see it.
func (t indexTx) noteVisibility(r *row) error {
	_, next := r.rec.lasts(t.Now)
	if next == r.visibilityDue {
		return nil
	}
	return t.Do("UPDATE postings SET visibility_due = ? WHERE id = ?", next, r.id)
}

// firstVisibilityDue selects the time at which the dates of a posting change next whether a visitor may see it.
const firstVisibilityDue = "SELECT min(visibility_due) FROM postings WHERE visibility_due > 0"
