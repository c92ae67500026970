package textindex_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// A posting whose number in search_docsize is another one is told exactly if it would go on to be found
// by words that it no longer has, in an index of any number of segments, also while they are merged.
func TestUndeletable(t *testing.T) {
	t.Parallel()
	schema := store.Schema{Program: "postings", Version: 1, Own: map[string]string{}, Tables: `
		CREATE TABLE mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL) @clustered;
		INSERT INTO mirror VALUES ('program', 'postings'), ('oldest', '1');`}
	search.AddTables(&schema)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "postings.db"), schema, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, r := &textindex.FTS5, rand.New(rand.NewPCG(1, 2))
	do := func(f func(in *store.Tx) error) {
		t.Helper()
		if err := db.Update(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	const many = 4500 // whose list has several pages
	first := make([]int64, many)
	for i := range first {
		first[i] = int64(i)*3 + 1
	}
	// While segments are merged, tokens behind Every may still stand in other segments than it does.
	old := func(posting int64) []string { return []string{fmt.Sprintf("%02d", posting%50)} }
	put := func(postings ...int64) {
		t.Helper()
		do(func(in *store.Tx) error {
			for _, posting := range postings {
				if err := x.Put(in, posting, old(posting)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(first...)
	merging := 0
	for range 8 {
		for range 3 {
			some := make([]int64, 1+r.IntN(40))
			for i := range some {
				some[i] = r.Int64N(3*many) + 1
			}
			put(some...)
		}
		do(func(in *store.Tx) error {
			if err := x.Remove(in, r.Int64N(3*many)+1); err != nil || r.IntN(2) == 0 {
				return err
			}
			merging++
			_, err := in.Exec("INSERT INTO search (search, rank) VALUES ('merge', ?)", 1-2*r.IntN(2)*(1+r.IntN(9)))
			return err
		})
		for range 4 {
			notDeleted(t, db, x, r, old)
		}
	}
	if merging == 0 {
		t.Error("nothing is merged")
	}
}

// errUndone ends a transaction in which something was tried.
var errUndone = errors.New("undone")

// notDeleted gives a posting another number, and looks whether Undeletable tells what becomes of it.
func notDeleted(t *testing.T, db *store.DB, x *textindex.Index, r *rand.Rand, old func(posting int64) []string) {
	t.Helper()
	err := db.Update(t.Context(), func(in *store.Tx) error {
		told := func() (list []int64) {
			if err := x.Undeletable(in, 0, 1<<62, func(posting int64) { list = append(list, posting) }); err != nil {
				t.Fatal(err)
			}
			return list
		}
		if list := told(); len(list) > 0 {
			t.Fatalf("%v are told of an index that is right", list)
		}
		var posting, newest int64
		err := in.Row("SELECT id, (SELECT max(origin) FROM search_docsize) FROM search_docsize ORDER BY abs(id - ?) LIMIT 1",
			[]any{r.Int64N(13_500)}, &posting, &newest)
		if err != nil {
			return err
		}
		number := r.Int64N(newest + 3)
		if err := in.Do("UPDATE search_docsize SET origin = ? WHERE id = ?", number, posting); err != nil {
			return err
		}
		list := told()
		if err := x.Put(in, posting, []string{"99"}); err != nil {
			return err
		}
		found, err := x.Any(in, x.Question(words.Expr{Op: words.And, Of: []words.Expr{{Text: "99"}, {Text: old(posting)[0]}}}))
		if err != nil {
			return err
		}
		if found != (len(list) == 1 && list[0] == posting) || len(list) > 1 {
			t.Errorf("posting %d with the number %d: %v is told; it is found by its old words: %t", posting, number, list, found)
		}
		return errUndone
	})
	if !errors.Is(err, errUndone) {
		t.Fatal(err)
	}
}
