package search

import (
	"errors"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Reset removes the vocabulary, and on SQLite all that is indexed: the table of the text index is dropped
// and made again, so that what is damaged in it is not read. whole reports that nothing is indexed any
// more; else the caller removes it by Empty, part by part. In the same transaction the caller notes that all
// documents are to be put anew.
func (x *Index) Reset(t *store.Tx) (whole bool, err error) {
	x.noteChange(t)
	if x.db.Shared {
		// The stemmers stay: until its part is emptied a document is found by them.
		return false, t.Do("DELETE FROM vocabulary")
	}
	err = t.DoAll(nil, "DELETE FROM vocabulary", "DELETE FROM stemmers", "DELETE FROM facets", "DELETE FROM places")
	return true, errors.Join(err, x.text.Renew(t, fts5Table))
}

// Empty removes what is indexed of some documents, and of rows above one number and at most another that
// are no documents. The table of the documents has their rows in its column id.
func (x *Index) Empty(t *store.Tx, table string, documents []int64, above, last int64) error {
	x.noteChange(t)
	for _, of := range []string{"search", "facets", "places"} {
		if err := t.Do("DELETE FROM "+of+" WHERE document IN @ids", store.IDs(documents)); err != nil {
			return err
		}
		// One statement, so that no document comes in between.
		_, err := t.Exec("DELETE FROM "+of+" WHERE document > ? AND document <= ? "+
			"AND NOT EXISTS (SELECT 1 FROM "+table+" d WHERE d.id = "+of+".document)", above, last)
		if err != nil {
			return err
		}
	}
	return nil
}

// Check has the database check its text index; where it cannot do that, it returns nil.
func (x *Index) Check(t *store.Tx) error { return x.text.Check(t) }
