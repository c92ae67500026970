package search

import (
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// testIndex is the index of a database that has nothing but documents.
type testIndex struct {
	*Index
	documents map[int64]Document
}

func newIndex(t testing.TB) *testIndex {
	t.Helper()
	schema := store.Schema{Program: "documents", Version: 1, Own: map[string]string{}, Tables: `
		CREATE TABLE mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL) @clustered;
		INSERT INTO mirror VALUES ('program', 'documents'), ('oldest', '1');`}
	AddTables(&schema)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "documents.db"), schema, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := &testIndex{documents: map[int64]Document{}}
	x.Index = New(db, func(_ *store.Tx, rows []int64) (found []Document, err error) {
		for _, row := range rows {
			found = append(found, x.documents[row])
		}
		return found, nil
	})
	x.do(t, func(t *tx) error { return t.BeginForm(t.Tx) })
	return x
}

// do runs a transaction.
func (x *testIndex) do(t testing.TB, f func(*tx) error) {
	t.Helper()
	if err := x.db.Update(t.Context(), func(in *store.Tx) error { return f(&tx{in, x.Index}) }); err != nil {
		t.Fatal(err)
	}
}

// put indexes documents.
func (x *testIndex) put(t testing.TB, documents ...Document) {
	t.Helper()
	for _, d := range documents {
		x.documents[d.Row] = d
	}
	x.do(t, func(t *tx) error { return t.Put(t.Tx, documents) })
}

// wordsOf returns words of 63 letters from a number on, in order.
func wordsOf(from, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%063d", from+i))
	}
	return list
}

// Words are written in rows of 32 KiB, each word once; leaving words stand in the first row,
// even if there are no other words.
func TestRowsOfTheVocabulary(t *testing.T) {
	x := newIndex(t)
	rows := func() (out []block) {
		x.do(t, func(t *tx) (err error) {
			out, err = t.blocks("true")
			return err
		})
		slices.SortFunc(out, func(a, b block) int { return slices.Compare(a.words, b.words) })
		return out
	}
	for _, c := range []struct {
		list    []string
		leaving string
		want    []int // words of the rows
	}{
		{nil, "", nil},
		{nil, "a b", []int{0}},
		{wordsOf(0, 1), "", []int{1}},
		{wordsOf(0, 512), "", []int{512}}, // each with a space
		{wordsOf(0, 513), "a", []int{512, 1}},
		{wordsOf(0, 1025), "a b", []int{512, 512, 1}},
		{slices.Concat(wordsOf(3, 2), wordsOf(0, 4), wordsOf(3, 2)), "", []int{5}},
	} {
		x.do(t, func(t *tx) error { return t.DoAll(nil, "DELETE FROM vocabulary") })
		x.do(t, func(t *tx) error { return t.addBlocks(slices.Clone(c.list), c.leaving) })
		var sizes []int
		var all []string
		for i, b := range rows() {
			sizes, all = append(sizes, len(b.words)), append(all, b.words...)
			if leaving := strings.Join(b.leaving, " "); i == 0 && leaving != c.leaving || i > 0 && leaving != "" {
				t.Errorf("of row %d %q are leaving", i, leaving)
			}
		}
		want := slices.Compact(slices.Sorted(slices.Values(c.list)))
		if !slices.Equal(sizes, c.want) || !slices.Equal(all, want) {
			t.Errorf("%d words are in rows of %d, want %d", len(c.list), sizes, c.want)
		}
	}
}

// A word that a process took for known, while another took it out of the vocabulary, comes back.
func TestWordThatIsTakenOutMeanwhile(t *testing.T) {
	x := newIndex(t)
	check := func() {
		t.Helper()
		x.do(t, func(t *tx) error { return t.Do("UPDATE vocabulary SET checked = 0") })
		if err := x.CheckWords(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	has := func() (found bool) {
		t.Helper()
		x.do(t, func(t *tx) error {
			list, _, err := t.Words(t.Tx)
			found = slices.Contains(list, "dachdecker")
			return err
		})
		return found
	}
	x.put(t, Document{Row: 1, Title: "Dachdecker"})
	if !has() {
		t.Fatal("the word is not noted")
	}
	x.do(t, func(t *tx) error { return t.Remove(t.Tx, 1) })
	check()
	x.do(t, func(t *tx) error {
		_, err := t.readVocabulary()
		return err
	})
	x.vocabulary.unknown(nil, nil)
	x.vocabulary.known[maphash.String(wordSeed, "dachdecker")] = struct{}{} // as it was before the check
	x.put(t, Document{Row: 2, Title: "Dachdecker"})
	if has() {
		t.Error("the word is there already: the test shows nothing")
	}
	if check(); !has() {
		t.Error("a word that was taken out while a document got it is not there")
	}
}

// A vocabulary that is full learns no more words, and tells none of those that it lacks.
func TestVocabularyIsFull(t *testing.T) {
	v := &vocabulary{known: map[uint64]struct{}{}}
	for i := range uint64(1<<19 - 1) {
		v.known[i] = struct{}{}
	}
	ask := func() int {
		set := map[string]struct{}{}
		v.unknown([]string{"koch", "kellner", "koch"}, set)
		return len(set)
	}
	if n := ask(); n != 2 {
		t.Errorf("before it is full %d words are new", n)
	}
	v.known[1<<19] = struct{}{}
	if n := ask(); n != 0 {
		t.Errorf("once it is full %d words are new", n)
	}
}
