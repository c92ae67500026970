package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// rowsOf returns rows of words as they are in memory.
func rowsOf(blocks ...*words.Block) *wordRows {
	rows := &wordRows{blocks: blocks}
	for i := range blocks {
		rows.ids = append(rows.ids, int64(i))
	}
	return rows
}

func blockOf(list ...string) *words.Block { return words.NewBlock(slices.Values(list)) }

// Words are new until a row has them, and again once that row is gone.
func TestWordsThatNoRowHas(t *testing.T) {
	var v vocabulary
	cooks, waiters := blockOf("koch", "köche"), blockOf("kellner", "koch")
	for i, c := range []struct {
		rows *wordRows
		want []string
	}{
		{rowsOf(), []string{"koch", "köche", "kellner"}},
		{rowsOf(cooks), []string{"kellner"}},
		{rowsOf(cooks, waiters), nil},
		{rowsOf(waiters), []string{"köche"}},
		{rowsOf(waiters, cooks), nil},
		{rowsOf(), []string{"koch", "köche", "kellner"}},
	} {
		if got := v.unknown(c.rows, []string{"koch", "köche", "kellner"}); !slices.Equal(got, c.want) {
			t.Errorf("step %d: %q are new, want %q", i, got, c.want)
		}
	}
}

// A vocabulary that is full learns no more words, and tells none of those that it lacks.
func TestVocabularyIsFull(t *testing.T) {
	var v vocabulary
	var blocks []*words.Block
	for part := range slices.Chunk(wordsOf(0, 1<<19-1), 1<<14) {
		blocks = append(blocks, blockOf(part...))
	}
	if list := v.unknown(rowsOf(blocks...), []string{"koch"}); len(list) != 1 {
		t.Errorf("before it is full %q are new", list)
	}
	if list := v.unknown(rowsOf(append(blocks, blockOf("kellner"))...), []string{"koch"}); list != nil {
		t.Errorf("once it is full %q are new", list)
	}
}

// Rows below 16 KiB are put together once there are 48 of them, and others are left alone.
func TestSmallRowsOfTheVocabulary(t *testing.T) {
	x := newIndex(t)
	note := func(list ...string) (rows int) {
		x.put(t, Document{Row: int64(len(x.documents) + 1), Title: strings.Join(list, " ")})
		x.do(t, func(t *tx) (err error) {
			rows, err = store.Value[int](t.Tx, "SELECT count(*) FROM vocabulary")
			return err
		})
		return rows
	}
	letters := func(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	var large []string // words of 63 letters
	for i := range 260 {
		large = append(large, strings.Repeat("x", 61)+letters(i))
	}
	large = append(large, strings.Repeat("x", 16<<10-260*63)) // with which they have 16 KiB
	if n := note(large...); n != 1 {
		t.Fatalf("%d rows", n)
	}
	for i := range 48 {
		if n := note("word" + letters(i)); n != i+2 {
			t.Fatalf("%d rows after %d small ones", n, i+1)
		}
	}
	if n := note(); n != 49 {
		t.Errorf("%d rows after nothing was noted", n)
	}
	if n := note("last"); n != 3 { // the large one, what was put together, and the new one
		t.Errorf("%d rows after the small ones were put together", n)
	}
}

// While the database stalls one who reads the vocabulary, another is answered.
func TestNobodyWaitsForAnothersWords(t *testing.T) {
	x := newIndex(t)
	x.put(t, Document{Row: 1, Title: "Nurse"})
	other := New(x.db, x.read) // which has not read it yet
	stalled, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	x.db.Fail = func(query string) error {
		if strings.Contains(query, "id FROM vocabulary") || strings.Contains(query, "words END FROM vocabulary") {
			if !first.Swap(true) {
				close(stalled)
				<-release
			}
		}
		return nil
	}
	read := func(ended chan<- error) {
		ended <- other.db.View(t.Context(), func(in *store.Tx) error { _, err := (&tx{in, other}).readVocabulary(); return err })
	}
	slow, quick := make(chan error, 1), make(chan error, 1)
	go read(slow)
	<-stalled
	go read(quick)
	select {
	case err := <-quick:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it waits for as long as the database stalls another")
	}
	close(release)
	if err := <-slow; err != nil {
		t.Error(err)
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
	before := other.vocabulary.last.Load().blocks
	if found := meant("dachdeker"); len(found) != 0 {
		t.Errorf("meant: %q", found)
	}
	if found := meant("kelnerin"); len(found) != 1 {
		t.Errorf("meant: %q", found)
	}
	now := other.vocabulary.last.Load().blocks
	if isNew := func(b *words.Block) bool { return !slices.Contains(before, b) }; len(now) != 2 || slices.ContainsFunc(now, isNew) {
		t.Errorf("%d rows, of which some were read again", len(now))
	}
}
