package search

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Rebuild builds the index anew while it answers, step by step, each in a transaction. Where it stands
// is in the row 'rebuilt' of search_state: the last document that was put anew. So whoever comes next
// goes on where a process that was killed ended, and several that rebuild at the same time share the
// work.
//
// SQLite's text index is built beside the one that answers, by rebuild and by everybody who puts and
// removes documents meanwhile, and takes its place in the last step. The rows of the other tables, and
// PostgreSQL's of the text index, are written anew in place: those of a document together.
type Rebuild struct {
	x         *Index
	documents string
}

// rebuiltRow is the last document that was put anew; without the row nobody rebuilds.
const rebuiltRow = "SELECT value FROM search_state WHERE name = 'rebuilt'"

// Rebuild begins to build the index anew, or goes on with what another process began. documents is the
// table that has a row of each document, which is its column id. The database's own indexes are
// renewed first; where the role may not do that, the error matches store.ErrNotOwner and the rest can
// go on.
func (x *Index) Rebuild(ctx context.Context, documents string) (*Rebuild, error) {
	// What this process has of the vocabulary in memory may be right where the table is wrong.
	own := New(x.db, x.read)
	renewed := own.text.Renew(ctx, own.db, "search", "facets", "places", "stemmers", "vocabulary")
	if renewed != nil && !errors.Is(renewed, store.ErrNotOwner) {
		return nil, renewed
	}
	err := own.db.Update(ctx, own.beginRebuild)
	if err != nil {
		return nil, err
	}
	return &Rebuild{own, documents}, renewed
}

func (x *Index) beginRebuild(t *store.Tx) error {
	n, err := t.Exec("INSERT INTO search_state (name, value) VALUES ('rebuilt', 0) ON CONFLICT DO NOTHING")
	if err != nil || n == 0 || x.text.Beside() == nil {
		return err
	}
	return x.text.Make(t, fts5Table)
}

// rebuilding reports whether what is put has to be put into the index that is built beside, too.
func (x *Index) rebuilding(t *store.Tx) (bool, error) {
	if x.text.Beside() == nil {
		return false, nil
	}
	_, err := store.Value[int64](t, rebuiltRow)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// abandonRebuild ends what beginRebuild began.
func (x *Index) abandonRebuild(t *store.Tx) error {
	if x.text.Beside() != nil {
		if err := x.text.Abandon(t); err != nil {
			return err
		}
	}
	return t.Do("DELETE FROM search_state WHERE name = 'rebuilt'")
}

// Step puts the next documents anew: those that next returns for a row, as the database has them now.
// They are those of the next rows, of which the last is next's second result; 0: there are none, so that
// this is the last step. more reports whether there is another; there is none, either, if another process
// has done the last one.
func (r *Rebuild) Step(t *store.Tx, next func(after int64) ([]Document, int64, error)) (more bool, err error) {
	x := r.x
	last, err := store.Value[int64](t, rebuiltRow+" @lock")
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	documents, to, err := next(last)
	if err != nil {
		return false, err
	}
	if more = to > 0; !more {
		to = math.MaxInt64
	}
	into := x.text
	if beside := x.text.Beside(); beside != nil {
		into = beside
	}
	if err := x.putInto(t, []*textindex.Index{into}, documents); err != nil {
		return false, err
	}
	if err := r.removeOthers(t, last, to); err != nil {
		return false, err
	}
	if more {
		return true, t.Do("UPDATE search_state SET value = ? WHERE name = 'rebuilt'", to)
	}
	if x.text.Beside() != nil {
		if err := x.text.Replace(t); err != nil {
			return false, err
		}
	}
	if err := (&tx{t, x}).removeStemmers(); err != nil {
		return false, err
	}
	return false, errors.Join(x.noteChange(t), t.Do("DELETE FROM search_state WHERE name = 'rebuilt'"))
}

// removeOthers removes what is indexed under rows that are no document's.
func (r *Rebuild) removeOthers(t *store.Tx, above, last int64) error {
	tables := []string{"facets", "places"}
	if r.x.text.Beside() == nil {
		tables = append(tables, "search")
	}
	for _, table := range tables {
		// One statement, so that no document comes in between.
		_, err := t.Exec("DELETE FROM "+table+" WHERE document > ? AND document <= ? "+
			"AND NOT EXISTS (SELECT 1 FROM "+r.documents+" d WHERE d.id = "+table+".document)", above, last)
		if err != nil {
			return err
		}
	}
	return nil
}

// End takes words out of the vocabulary that no document has, row by row; rest is called in between.
func (r *Rebuild) End(ctx context.Context, rest func()) error {
	x := r.x
	var rows []int64
	err := x.db.View(ctx, func(t *store.Tx) (err error) {
		rows, err = t.Numbers("SELECT id FROM vocabulary ORDER BY id")
		return err
	})
	for _, id := range rows {
		if err == nil {
			err = x.checkRow(ctx, id)
			rest()
		}
	}
	return err
}

// removeStemmers removes names that are none of a stemmer. Those that no document has do no harm.
func (t *tx) removeStemmers() error {
	names, err := t.stemmers()
	if err != nil {
		return err
	}
	for _, name := range names {
		if words.Stemmer(name) != name {
			if err := t.Do("DELETE FROM stemmers WHERE name = ?", name); err != nil {
				return err
			}
		}
	}
	return nil
}
