package jobmirror

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Rows below 16 KiB are put together once there are 48 of them, and others are left alone.
func TestSmallRowsOfTheVocabulary(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		row := int64(0)
		note := func(list ...string) (rows int64) {
			row++
			do(t, m, func(t *tx) error {
				return t.db.search.Put(t.Tx, []search.Document{{Row: row, Title: strings.Join(list, " ")}})
			})
			do(t, m, func(t *tx) (err error) {
				rows, err = store.Value[int64](t, "SELECT count(*) FROM vocabulary")
				return err
			})
			return rows
		}
		var large []string // words of 63 letters
		for i := range 260 {
			large = append(large, strings.Repeat("x", 61)+string(rune('a'+i/26))+string(rune('a'+i%26)))
		}
		large = append(large, strings.Repeat("x", 16<<10-260*63)) // with which they have 16 KiB
		if n := note(large...); n != 1 {
			t.Fatalf("%d rows", n)
		}
		for i := range 48 {
			if n := note("word" + string(rune('a'+i/26)) + string(rune('a'+i%26))); n != int64(i+2) {
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
	onBoth(t, func(t *testing.T, m *Mirror) {
		savePosting(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), 1, "Nurse")
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		m, err := Open(t.Context(), m.db.address, Options{ReadOnly: true}) // which has not read it yet
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		stalled, release := make(chan struct{}), make(chan struct{})
		var first atomic.Bool
		m.db.Fail = func(query string) error {
			if strings.Contains(query, "ELSE words END FROM vocabulary") && !first.Swap(true) {
				close(stalled)
				<-release
			}
			return nil
		}
		ended := make(chan error)
		suggest := func(ctx context.Context) {
			_, err := m.Search(ctx, Query{Text: "nursse"})
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
