package search

import (
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Check finds a document that the index holds as it is, and would go on to hold once it changes.
func TestCheckFindsWhatWouldStay(t *testing.T) {
	x := newIndex(t)
	for row := int64(1); row <= 3; row++ { // each in a transaction, so that each has a number of its own
		x.put(t, Document{Row: row, Title: "Nurse", Languages: []string{"en"}})
	}
	check := func() (differ []int64) {
		t.Helper()
		next := func(after int64) (list []ToCheck, err error) {
			for row := after + 1; row <= 3; row++ {
				list = append(list, ToCheck{Document: x.documents[row]})
			}
			return list, nil
		}
		err := x.db.View(t.Context(), func(in *store.Tx) error {
			found, err := x.Check(in, next, func() {})
			if err != nil {
				return err
			}
			if found.Compared != 3 || found.Tokens > 0 || len(found.Words) > 0 {
				t.Errorf("%+v", found)
			}
			differ = found.Differ
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return differ
	}
	if differ := check(); differ != nil {
		t.Errorf("%v of an index that is right", differ)
	}
	x.do(t, func(t *tx) error {
		return t.Do("UPDATE search_docsize SET origin = (SELECT origin FROM search_docsize WHERE id = 1) WHERE id = 2")
	})
	if differ := check(); !slices.Equal(differ, []int64{2}) {
		t.Errorf("%v, and not document 2", differ)
	}
}
