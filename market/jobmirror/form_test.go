package jobmirror

import (
	"errors"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// inAnotherForm has a mirror whose postings were indexed by a version whose tokens have another
// form: those of the first half are found by none of this version's tokens.
func inAnotherForm(t *testing.T, m *Mirror, form int, postings int) {
	t.Helper()
	do(t, m, func(t *tx) error {
		put := "INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)"
		if t.db.Shared {
			put = "UPDATE search SET words = array_to_tsvector(ARRAY[$2]) WHERE document = $1"
		}
		for id := range int64(postings / 2) {
			if _, err := t.Exec(put, id+1, "_another"); err != nil {
				return err
			}
		}
		if _, err := t.Exec("DELETE FROM vocabulary"); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO vocabulary (id, words) VALUES (1, 'another word')"); err != nil {
			return err
		}
		_, err := t.Exec("UPDATE search_state SET form = ?", form)
		return err
	})
}

func countFound(t *testing.T, m *Mirror) int {
	t.Helper()
	page, err := m.Search(t.Context(), Query{Text: "nurse", Limit: 1, Facets: true})
	if err != nil {
		t.Fatal(err)
	}
	return page.Facets.Total
}

// manyNurses is a mirror of so many postings.
func manyNurses(t *testing.T, address string, n int) *Mirror {
	t.Helper()
	shown := pages{}
	for i := range n {
		shown["a"] = append(shown["a"], versionOf(i+1, 1, 0))
	}
	m, _ := knows(t, address, shown, Channel{ID: "a"})
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// Postings that a version indexed whose tokens have another form are indexed anew, and so is
// the vocabulary; searches answer meanwhile with what is there.
func TestTokensOfAnotherForm(t *testing.T) {
	OnBoth(t, func(t *testing.T, address string) {
		const n = 2*indexBatch + 20
		m := manyNurses(t, address, n)
		if found := countFound(t, m); found != n {
			t.Fatalf("%d are found of %d", found, n)
		}
		for _, form := range []int{search.Form - 1, search.Form + 1} { // this version is the newer, then the older
			if form == 0 {
				form = -1 // 0 is none
			}
			inAnotherForm(t, m, form, n)
			waiting := func() {
				t.Helper()
				status, err := m.Status(t.Context())
				if err != nil || status.Unindexed != n {
					t.Errorf("form %d: %d wait to be indexed, not %d, %v", form, status.Unindexed, n, err)
				}
			}
			waiting()
			if may, err := m.takeForm(t.Context()); err != nil || !may {
				t.Errorf("form %d: this process may index: %t, %v", form, may, err)
			}
			waiting()
			if found := countFound(t, m); found != n/2 {
				t.Errorf("form %d: %d are found meanwhile, not %d", form, found, n/2)
			}
			if err := m.index(t.Context()); err != nil { // as a process continues after another was killed
				t.Fatal(err)
			}
			if found := countFound(t, m); found != n {
				t.Errorf("form %d: %d are found afterwards, not %d", form, found, n)
			}
			if status, err := m.Status(t.Context()); err != nil || status.Unindexed != 0 {
				t.Errorf("form %d: %d wait to be indexed afterwards, %v", form, status.Unindexed, err)
			}
			list, _, err := Vocabulary(t.Context(), m)
			if err != nil || !slices.Equal(list, []string{"nurse"}) {
				t.Errorf("form %d: the vocabulary has %q, %v", form, list, err)
			}
		}
	})
}

// While a process of a newer version works, this one leaves it to that to index: otherwise each
// of the two would undo the other's work.
func TestNewerVersionIndexes(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		const n = 4
		m := manyNurses(t, address, n)
		inAnotherForm(t, m, search.Form+1, n)
		do(t, m, func(t *tx) error {
			_, err := t.Exec(`INSERT INTO processes (id, name, version, doing, started, seen, lookups, tokens)
				VALUES ('newer', '', '', 'run', ?, ?, 0, ?)`, t.Now, t.Now, search.Form+1)
			return err
		})
		mark := func(t *tx) error { return t.Do("INSERT INTO unindexed (posting) VALUES (1)") }
		do(t, m, mark)
		index := func(want int) {
			t.Helper()
			if err := m.index(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := countFound(t, m); found != want {
				t.Errorf("%d are found, not %d", found, want)
			}
		}
		index(n / 2)
		do(t, m, func(t *tx) error { return t.Do("DELETE FROM processes WHERE id = 'newer'") })
		index(n)
	})
}

// A process of a newer version is seen before it begins to index: otherwise an older process
// would mark all postings for indexing once more, and then the newer one would as well.
func TestNewerVersionIsSeenBeforeItWorks(t *testing.T) {
	OnBoth(t, func(t *testing.T, address string) {
		m := manyNurses(t, address, 1)
		_, done, err := m.start(t.Context(), "run")
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		form, err := fromView(t.Context(), m.db, func(t *tx) (int64, error) {
			return store.Value[int64](t, "SELECT coalesce(max(tokens), 0) FROM processes")
		})
		if err != nil || form != search.Form {
			t.Errorf("a process of form %d is seen, %v", form, err)
		}
	})
}

// A process that is indexing while another one changes the form leaves the postings to be
// indexed again.
func TestFormChangesWhileIndexed(t *testing.T) {
	OnBoth(t, func(t *testing.T, address string) {
		m := manyNurses(t, address, 1)
		inAnotherForm(t, m, search.Form+1, 2)
		do(t, m, func(t *tx) error { return t.Do("INSERT INTO unindexed (posting) VALUES (1)") })
		more, err := fromUpdate(t.Context(), m.db, func(t *tx) (bool, error) { return indexTx{t}.indexUnindexed() })
		if err != nil || more {
			t.Errorf("more: %t, %v", more, err)
		}
		waits, err := fromView(t.Context(), m.db, func(t *tx) (int, error) { return store.Value[int](t, "SELECT count(*) FROM unindexed") })
		if found := countFound(t, m); err != nil || found != 0 || waits != 1 {
			t.Errorf("it is indexed in a form of before: %d found, %d wait, %v", found, waits, err)
		}
	})
}

// A process that begins another form waits for one that indexes in the form of before, and puts what that has
// taken from the list on it again.
func TestFormBeginsWhileIndexed(t *testing.T) {
	t.Parallel()
	address := Databases["postgres"]
	if address == nil {
		t.Skip("PostgreSQL alone has two writers")
	}
	m := manyNurses(t, address(t), 1)
	other := OpenFor(t, m.db.address, Options{}) // another process: those of one write one after the other
	do(t, m, func(t *tx) error {
		return errors.Join(t.Do("INSERT INTO unindexed (posting) VALUES (1)"), t.Do("UPDATE search_state SET form = ?", search.Form+1))
	})
	begun := make(chan error, 1)
	do(t, m, func(in *tx) error {
		if _, err := (indexTx{in}).keepForm(); err != nil { // as of another version, in its form
			return err
		}
		go func() {
			begun <- other.db.update(t.Context(), func(t *tx) error {
				_, err := indexTx{t}.takeForm()
				return err
			})
		}()
		for waiting := 0; waiting == 0 && len(begun) == 0; {
			const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
			if err := m.db.Ask(t.Context(), query, nil, &waiting); err != nil {
				return err
			}
		}
		return in.Do("DELETE FROM unindexed WHERE posting = 1")
	})
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	waits, err := fromView(t.Context(), m.db, func(t *tx) (int, error) { return store.Value[int](t, "SELECT count(*) FROM unindexed") })
	if err != nil || waits != 1 {
		t.Errorf("%d postings wait to be indexed, %v", waits, err)
	}
}

// Of the words that another version noted this one erases those of a forgotten posting, and leaves the others
// alone: it finds none of the other's postings, and so would take every word for unused.
func TestWordsOfAnotherForm(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		const n = 2
		m := manyNurses(t, address, n)
		inAnotherForm(t, m, search.Form+1, 2*n)
		has := func(want ...string) {
			t.Helper()
			list, _, err := Vocabulary(t.Context(), m)
			if err != nil || !slices.Equal(list, want) {
				t.Errorf("the vocabulary has %q, %v, want %q", list, err, want)
			}
		}
		if err := m.db.search.EraseGoneWords(t.Context()); !errors.Is(err, search.ErrForm) {
			t.Errorf("erasing the words of postings that are gone: %v", err)
		}
		has("another", "word")
		do(t, m, func(t *tx) error { return t.db.search.EraseWords(t.Tx, []search.Document{{Title: "another"}}) })
		has("word")

		// The version that wrote the words knows which are gone.
		do(t, m, func(t *tx) error { return t.Do("UPDATE search_state SET form = ?", search.Form) })
		if err := m.db.search.EraseGoneWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		has()
	})
}
