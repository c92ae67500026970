package jobmirror

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

const (
	// markedRow is the name of a row of the table mirror: while postings are being marked for
	// indexing in another form of the tokens, its value is the last marked posting.
	markedRow = "tokens_marked"
	// markBatch bounds the postings that are marked in one transaction.
	markBatch = 1000
)

// formOf returns the form in which postings are indexed; 0: none is yet. all reports whether
// those of another form are all marked.
func formOf(t *tx) (form int64, all bool, err error) {
	if form, err = t.db.search.FormOf(t.Tx); err != nil {
		return 0, false, err
	}
	marked, err := store.Value[int](t, "SELECT count(*) FROM mirror WHERE name = ?", markedRow)
	return form, marked == 0, err
}

// indexed says how far the search index has come.
type indexed struct {
	waiting int // postings that wait to be indexed
	// none is indexed: all have tokens of another version, by which this one's Search finds none, or are just being
	// marked to be indexed anew.
	none bool
	markPlace
}

// indexedNow reads how far the search index has come.
func (t *tx) indexedNow() (now indexed, err error) {
	var form int64
	marked := 0
	const query = `SELECT (SELECT form FROM search_state),
		(SELECT count(*) FROM mirror WHERE name = ?), (SELECT count(*) FROM unindexed),
		(SELECT value FROM counters WHERE name = 'indexed'), log.number, log.stamp FROM (` + changelog.SelectLast + `) log`
	err = t.Row(query, []any{markedRow}, &form, &marked, &now.waiting, &now.number, &now.log.Number, &now.log.Stamp)
	now.none = form != 0 && (form != search.Form || marked > 0)
	return now, err
}

// takeForm marks all postings to be indexed where they were indexed in another form, batch by
// batch, and reports whether this process may index. While a process of a newer version works,
// it alone may: otherwise each of the two would index anew what the other has indexed.
func (m *Mirror) takeForm(ctx context.Context) (may bool, err error) {
	err = m.db.view(ctx, func(t *tx) error {
		form, all, err := formOf(t)
		may = form == search.Form && all
		return err
	})
	if err != nil || may {
		return may, err
	}
	err = m.db.updateAll(ctx, func(t *tx) (more bool, err error) {
		may, more, err = indexTx{t}.markSome()
		return more, err
	})
	return may, err
}

// markSome marks the next postings that were indexed in another form. It reports whether this
// process may index, and whether more are to be marked before it does.
func (t indexTx) markSome() (may, more bool, err error) {
	// The lock makes two processes do this one after the other.
	if _, err := store.Value[string](t, "SELECT value FROM mirror WHERE name = 'program' @lock"); err != nil {
		return false, false, err
	}
	form, all, err := formOf(t.tx)
	switch {
	case err != nil:
		return false, false, err
	case form == search.Form && all:
		return true, false, nil
	case form == 0:
		return true, false, t.db.search.BeginForm(t.Tx)
	case form != search.Form:
		newer, err := t.newerWorking()
		if err != nil || newer {
			return false, false, err
		}
		return true, true, errors.Join(t.db.search.BeginForm(t.Tx), t.mark(0))
	}
	// The rows are locked: a process that is indexing one of them now uses the previous form. Its
	// transaction then ends before this one, so that the posting gets indexed again.
	postings, err := t.Numbers(`SELECT id FROM postings WHERE id > (SELECT CAST(value AS BIGINT) FROM mirror WHERE name = ?)
		ORDER BY id LIMIT ? @lock`, markedRow, markBatch)
	if err != nil {
		return false, false, err
	}
	if len(postings) == 0 {
		return true, false, t.Do("DELETE FROM mirror WHERE name = ?", markedRow)
	}
	if err := t.unindexed.putAnew(postings); err != nil {
		return false, false, err
	}
	return true, true, t.mark(postings[len(postings)-1])
}

// mark notes the last posting that is marked to be indexed in another form.
func (t indexTx) mark(last int64) error {
	return t.Do("INSERT INTO mirror (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
		markedRow, strconv.FormatInt(last, 10))
}

// newerWorking reports whether a process works that indexes in a later form.
func (t indexTx) newerWorking() (bool, error) {
	alive := t.Now - 3*seenEvery.Milliseconds()
	newest, err := store.Value[sql.NullInt64](t, "SELECT max(tokens) FROM processes WHERE seen >= ?", alive)
	return newest.Int64 > search.Form, err
}
