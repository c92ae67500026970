package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// ErrNotOwner reports that Reindex could not have PostgreSQL build its own indexes anew, because the
// role does not own the tables.
var ErrNotOwner = store.ErrNotOwner

// errOtherForm is the error of Reindex while a process of another version indexes.
var errOtherForm = errors.New("jobmirror: a process of a newer version indexes this mirror: let that version build the index anew")

// Reindex builds the search index anew from the postings: what is damaged in it is not read. Searches
// are answered from the index as it is until then, also by other processes, which may run meanwhile
// and write what they copy into both. CheckIndex says whether it is needed.
//
// It works at most half of the time, in steps of 100 postings, so that others get their turn. If it
// ends early - an error, ctx, a process that is killed - the index answers as before, and the next
// call goes on where this one ended.
//
// On PostgreSQL the server's own indexes are built anew as well, which the role that owns the tables
// may do. For others the error is an ErrNotOwner: all rows are written anew, but searches go on by
// the server's indexes as they were. A pooler's address is refused: it needs the server's own. Its other errors
// are ErrReadOnly, those of the database, and one while a process of a newer version works.
func (m *Mirror) Reindex(ctx context.Context) error {
	ctx, end, err := m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := m.reindex(ctx); err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return err
	}
	return nil
}

func (m *Mirror) reindex(ctx context.Context) error {
	may, err := m.takeForm(ctx)
	if err != nil {
		return err
	}
	if !may {
		return errOtherForm
	}
	rebuild, notOwner := m.db.search.Rebuild(ctx, "postings")
	if rebuild == nil {
		return notOwner
	}
	if notOwner != nil {
		notOwner = fmt.Errorf("the server's own indexes are as they were, the rows are written anew; run it with the role that owns the tables: %w", notOwner)
	}
	pause := giveWay(ctx)
	for more := true; more; pause() {
		more, err = fromUpdate(ctx, m.db, func(t *tx) (bool, error) { return indexTx{t}.reindexSome(rebuild) })
		if err != nil {
			return errors.Join(err, notOwner)
		}
	}
	return errors.Join(rebuild.End(ctx, pause), m.db.search.Merge(ctx), notOwner)
}

// reindexSome does a step of Reindex, and reports whether there is another.
func (t indexTx) reindexSome(rebuild *search.Rebuild) (more bool, err error) {
	return rebuild.Step(t.Tx, func(after int64) (documents []search.Document, last int64, err error) {
		ids, err := t.Numbers("SELECT id FROM postings WHERE id > ? ORDER BY id LIMIT ?", after, indexBatch)
		if err != nil || len(ids) == 0 {
			return nil, 0, err
		}
		rows, err := t.load("id IN @ids", store.IDs(ids))
		if err != nil {
			return nil, 0, err
		}
		// Asked once the postings are locked: who changes the form marks them later than that.
		if own, err := t.db.search.InForm(t.Tx); err != nil || !own {
			return nil, 0, errors.Join(err, errOtherForm)
		}
		documents, err = t.documents(rows)
		return documents, ids[len(ids)-1], err
	})
}

// giveWay returns a function that waits for as long as its caller worked since it was called last, so
// that others get their turn; at most a second.
func giveWay(ctx context.Context) func() {
	began := time.Now()
	return func() {
		rest(ctx, min(time.Since(began), time.Second))
		began = time.Now()
	}
}
