package jobmirror

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// indexed says how far the search index has come.
type indexed struct {
	waiting int  // postings that wait to be indexed
	none    bool // all have tokens of another version, by which this one's Search finds none
	markPlace
}

// indexedNow reads how far the search index has come.
func (t *tx) indexedNow() (now indexed, err error) {
	var form int64
	const query = `SELECT (SELECT form FROM search_state), (SELECT count(*) FROM unindexed),
		(SELECT value FROM counters WHERE name = 'indexed'), log.number, log.stamp FROM (` + changelog.SelectLast + `) log`
	err = t.Row(query, nil, &form, &now.waiting, &now.number, &now.log.Number, &now.log.Stamp)
	now.none = form != 0 && form != search.Form
	return now, err
}

// takeForm reports whether this process may index. Where postings were indexed in another form, it puts all on
// the list of those to index. While a process of a newer version works, it alone may: otherwise each of the two
// would index anew what the other has indexed.
func (m *Mirror) takeForm(ctx context.Context) (may bool, err error) {
	may, err = fromView(ctx, m.db, func(t *tx) (bool, error) { return t.db.search.InForm(t.Tx) })
	if err != nil || may {
		return may, err
	}
	return fromUpdate(ctx, m.db, func(t *tx) (bool, error) { return indexTx{t}.takeForm() })
}

// takeForm does so in a transaction. Whoever indexes in the form of before is waited for, see keepForm, so that what
// he takes from the list is put on it again.
func (t indexTx) takeForm() (may bool, err error) {
	if _, err := store.Value[string](t, "SELECT value FROM mirror WHERE name = 'program' @lock"); err != nil {
		return false, err
	}
	may, err = t.db.search.InForm(t.Tx)
	if err != nil || may { // another process has come before this one
		return may, err
	}
	if newer, err := t.newerWorking(); err != nil || newer {
		return false, err
	}
	// The state of the index is locked last, as by whoever removes postings or puts some on the list.
	return true, errors.Join(t.unindexed.putAll(), t.db.search.BeginForm(t.Tx))
}

// keepForm reports whether postings are indexed in this process's form, and keeps others from beginning another one
// until the transaction ends.
func (t indexTx) keepForm() (bool, error) {
	if _, err := store.Value[string](t, "SELECT value FROM mirror WHERE name = 'program' @share"); err != nil {
		return false, err
	}
	return t.db.search.InForm(t.Tx)
}

// newerWorking reports whether a process works that indexes in a later form.
func (t indexTx) newerWorking() (bool, error) {
	alive := t.Now - 3*seenEvery.Milliseconds()
	newest, err := store.Value[sql.NullInt64](t, "SELECT max(tokens) FROM processes WHERE seen >= ?", alive)
	return newest.Int64 > search.Form, err
}
