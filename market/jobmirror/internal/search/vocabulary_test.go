package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// wordsOf returns words of 63 letters from a number on, in order.
func wordsOf(from, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%063d", from+i))
	}
	return list
}

// Words are written in rows of 32 KiB, each word once; those that are leaving stand in the first
// row, also where there are no others.
func TestRowsOfTheVocabulary(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		rows := func() (out []block) {
			do(t, m, func(t *tx) (err error) {
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
			do(t, m, func(t *tx) error { return t.DoAll(nil, "DELETE FROM vocabulary") })
			do(t, m, func(t *tx) error { return t.addBlocks(slices.Clone(c.list), c.leaving) })
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
	})
}

// Rows below 16 KiB are put together once there are 48 of them, and others are left alone.
func TestSmallRowsOfTheVocabulary(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		note := func(list ...string) (rows int64) {
			do(t, m, func(t *tx) error {
				if _, err := t.vocabulary(); err != nil {
					return err
				}
				return t.note(list)
			})
			do(t, m, func(t *tx) (err error) {
				rows, err = store.Value[int64](t, "SELECT count(*) FROM vocabulary")
				return err
			})
			return rows
		}
		large := wordsOf(1000, 261)
		large[260] = strings.Repeat("9", 16<<10-260*63) // with which they have 16 KiB
		if n := note(large...); n != 1 {
			t.Fatalf("%d rows", n)
		}
		for i := range 48 {
			if n := note(fmt.Sprintf("word%d", i)); n != int64(i+2) {
				t.Fatalf("%d rows after %d small ones", n, i+1)
			}
		}
		if n := note(); n != 49 {
			t.Errorf("%d rows after nothing was noted", n)
		}
		if n := note("last"); n != 3 { // the large one, what was put together, and the new one
			t.Errorf("%d rows after the small ones were put together", n)
		}
	})
}

// While the database stalls one who reads the vocabulary, another is answered.
func TestNobodyWaitsForAnothersWords(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		savePosting(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), 1, "Nurse")
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.db.vocabulary.blocks = nil // as in a process that has not read it yet
		stalled, release := make(chan struct{}), make(chan struct{})
		var first atomic.Bool
		m.db.Fail = func(query string) error {
			if strings.Contains(query, "SELECT id, words FROM vocabulary") && !first.Swap(true) {
				close(stalled)
				<-release
			}
			return nil
		}
		ended := make(chan error)
		suggest := func(ctx context.Context) {
			_, err := m.Suggest(ctx, Query{Text: "nur"})
			ended <- err
		}
		go suggest(t.Context())
		<-stalled
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		go suggest(ctx)
		select {
		case err := <-ended:
			if err != nil && !errors.Is(err, context.DeadlineExceeded) { // on a machine that is slow
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("who may wait for 100 ms waits for as long as the database stalls another")
			defer func() { t.Log(<-ended) }()
		}
		close(release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
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
