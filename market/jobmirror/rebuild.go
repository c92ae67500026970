package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// rowBatch bounds the postings that are put on the list of those to index in one transaction.
const rowBatch = 1000

// errOtherForm is the error of Rebuild while a process of another version indexes.
var errOtherForm = errors.New("jobmirror: a process of a newer version indexes this mirror: let that version rebuild the index")

// Rebuild empties the search index and indexes all postings anew, after it was damaged. Searches are
// answered from what is indexed so far, without an error; Page.Building is true until nine of ten postings
// are. Other processes may run meanwhile, and index as well. If Rebuild ends early, by an error, ctx or a kill, then
// Run, Refresh or the next Rebuild indexes the rest.
//
// Its errors are ErrReadOnly, those of the database, one while a process of a newer version works, and
// one where SQLite finds the index so damaged that it cannot drop it: then put a backup back, or have the board
// copied anew. PostgreSQL's own indexes are not built anew: whoever owns the tables does that with REINDEX.
func (m *Mirror) Rebuild(ctx context.Context) error {
	ctx, end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err = m.rebuild(ctx); ctx.Err() != nil {
		return ended(ctx)
	}
	return err
}

func (m *Mirror) rebuild(ctx context.Context) error {
	may, err := m.takeForm(ctx)
	if err == nil && !may {
		err = errOtherForm
	}
	if err == nil {
		err = m.emptyIndex(ctx)
	}
	if err == nil {
		err = m.index(ctx)
	}
	if err == nil {
		err = m.db.search.Merge(ctx)
	}
	return err
}

// emptyIndex removes what is indexed of all postings, and puts them on the list of those to index:
// where one process writes in one transaction, else in parts, between which others get their turn.
func (m *Mirror) emptyIndex(ctx context.Context) error {
	whole, err := fromUpdate(ctx, m.db, func(t *tx) (bool, error) {
		whole, err := t.db.search.Reset(t.Tx)
		if err == nil {
			err = t.unindexed.putAll()
		}
		return whole, err
	})
	if store.IsDamage(err) {
		return fmt.Errorf("jobmirror: the search index is so damaged that it cannot be dropped: put a backup back, or copy the board anew into an empty database: %w", err)
	}
	if err != nil || whole {
		return err
	}
	after := int64(0)
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		last, err := indexTx{t}.emptySome(after)
		after = last
		return last < math.MaxInt64, err
	})
}

// emptySome does so with the next postings after a row, and returns the last of them; math.MaxInt64: there are
// no more.
func (t indexTx) emptySome(after int64) (last int64, err error) {
	// The rows are locked: a process that is indexing one of them now ends its transaction before
	// this one, and the next one reads what is left of the index. They are put on the list again,
	// because it has taken from it what it has indexed.
	postings, err := t.Numbers("SELECT id FROM postings WHERE id > ? ORDER BY id LIMIT ? @lock", after, rowBatch)
	if err != nil {
		return after, err
	}
	last = math.MaxInt64
	if len(postings) > 0 {
		last = postings[len(postings)-1]
	}
	if err := t.db.search.Empty(t.Tx, "postings", postings, after, last); err != nil {
		return after, err
	}
	return last, t.unindexed.putAnew(postings)
}

// CheckIndex has SQLite check its text index, as PRAGMA integrity_check does, and returns what it finds as
// an error. It reads the whole index. It finds unreadable pages, and no entry that was changed into another
// readable one: call Rebuild if searches miss postings although CheckIndex returns nil. On PostgreSQL it does
// nothing; use amcheck there.
func (m *Mirror) CheckIndex(ctx context.Context) error {
	return m.db.view(ctx, func(t *tx) error { return t.db.search.Check(t.Tx) })
}

// isBuilding reports whether more than a tenth of the postings wait to be indexed.
func (t searchTx) isBuilding(now indexed) (bool, error) {
	if now.none || now.waiting == 0 {
		return now.none, nil
	}
	// Counted no further than that decides: mostly few postings wait.
	enough := 10 * now.waiting
	n, err := store.Value[int](t, "SELECT count(*) FROM (SELECT job FROM postings LIMIT ?) counted", enough)
	return n < enough, err
}
