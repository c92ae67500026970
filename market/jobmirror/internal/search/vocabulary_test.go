package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
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

// Words are written in rows of 32 KiB, each word once.
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
		list []string
		want []int // words of the rows
	}{
		{nil, nil},
		{wordsOf(0, 1), []int{1}},
		{wordsOf(0, 512), []int{512}}, // each with a space
		{wordsOf(0, 513), []int{512, 1}},
		{wordsOf(0, 1025), []int{512, 512, 1}},
		{slices.Concat(wordsOf(3, 2), wordsOf(0, 4), wordsOf(3, 2)), []int{5}},
	} {
		x.do(t, func(t *tx) error { return t.DoAll(nil, "DELETE FROM vocabulary") })
		x.do(t, func(t *tx) error { return t.addBlocks(slices.Clone(c.list)) })
		var sizes []int
		var all []string
		for _, b := range rows() {
			sizes, all = append(sizes, len(b.words)), append(all, b.words...)
		}
		want := slices.Compact(slices.Sorted(slices.Values(c.list)))
		if !slices.Equal(sizes, c.want) || !slices.Equal(all, want) {
			t.Errorf("%d words are in rows of %d, want %d", len(c.list), sizes, c.want)
		}
	}
}

// blocksOf returns words as they are in memory.
func blocksOf(list ...string) []*words.Block {
	return []*words.Block{words.NewBlock(slices.Values(list))}
}

// A vocabulary that is full learns no more words, and tells none of those that it lacks.
func TestVocabularyIsFull(t *testing.T) {
	rows := &wordRows{}
	ask := func(n int) int {
		rows.known.Store(&hashes{n: n})
		set := map[string]struct{}{}
		rows.unknown([]string{"koch", "kellner", "koch"}, set)
		return len(set)
	}
	if n := ask(1<<19 - 1); n != 2 {
		t.Errorf("before it is full %d words are new", n)
	}
	if n := ask(1 << 19); n != 0 {
		t.Errorf("once it is full %d words are new", n)
	}
}

// A set of hashes that grows has the words of all steps, in a few layers; a set that grew stays as it was.
func TestHashesGrow(t *testing.T) {
	sets := []*hashes{{}}
	for i := range 300 {
		last := sets[len(sets)-1]
		sets = append(sets, last.with(blocksOf(wordsOf(5*i, 6)...))) // the first is there already
	}
	for i, set := range sets[1:] {
		if n := 5*i + 6; set.n != n || !set.has(wordsOf(n-1, 1)[0]) || set.has(wordsOf(n, 1)[0]) || !set.has(wordsOf(0, 1)[0]) {
			t.Fatalf("after %d steps: %d words", i+1, set.n)
		}
		if len(set.layers) > 9 {
			t.Fatalf("%d layers after %d steps", len(set.layers), i+1)
		}
	}
}

// Words that another process learns are meant by this one at its next transaction, and those that another took out of the
// table are gone then; those that stay are not read again.
func TestWordsGoInEveryProcess(t *testing.T) {
	x := newIndex(t)
	x.put(t, Document{Row: 1, Title: "Dachdecker"})
	x.put(t, Document{Row: 2, Title: "Kellnerin"})
	other := New(x.db, x.read)
	meant := func(typed string) (found []string) {
		t.Helper()
		err := other.db.View(t.Context(), func(in *store.Tx) error {
			rows, err := (&tx{in, other}).readVocabulary()
			if err == nil {
				for _, near := range words.Nearest(rows.blocks, []string{typed}, 9)[0] {
					found = append(found, near.Word)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := meant("dachdeker"); len(found) != 1 {
		t.Fatalf("meant: %q", found)
	}
	x.put(t, Document{Row: 3, Title: "Zimmerer"})
	if found := meant("zimerer"); len(found) != 1 {
		t.Errorf("of what another process has indexed since, %q is meant", found)
	}
	x.do(t, func(t *tx) error { return t.Remove(t.Tx, 1) })
	x.do(t, func(t *tx) error { return t.EraseWords(t.Tx, []Document{x.documents[1]}) })
	read := 0
	x.db.Fail = func(query string) error {
		if strings.Contains(query, "SELECT id, words FROM vocabulary") {
			read++
		}
		return nil
	}
	if found := meant("dachdeker"); len(found) != 0 || read != 0 {
		t.Errorf("meant: %q, and %d rows were read", found, read)
	}
	if found := meant("kelnerin"); len(found) != 1 || read != 0 {
		t.Errorf("meant: %q, and %d rows were read", found, read)
	}
}
