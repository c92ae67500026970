package jobmirror

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// markNow returns the mark of a search.
func markNow(t *testing.T, m *Mirror) ChangeMark {
	t.Helper()
	page, err := m.Search(t.Context(), Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.Mark
}

// changedSince returns the postings that a search finds of what changed after a mark.
func changedSince(t *testing.T, m *Mirror, mark ChangeMark, q Query) (found []int) {
	t.Helper()
	q.ChangedAfter = mark
	page, err := m.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Postings {
		found = append(found, int(p.Posting.JobPostingID))
	}
	return found
}

func indexNow(t *testing.T, m *Mirror) {
	t.Helper()
	if err := m.index(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A search after a mark finds what came since then, and what only since then is found by something: by its text, its
// job's place, its channel, because its job is open again, or because it has begun. What only the copy's own work touches it does
// not find: a lookup that says the same, an index that is built anew, another version of the tokens.
func TestChangedAfterAMark(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		first, second := m.sources[0], m.sources[1]
		posting := func(title string) *jobboard.JobPosting {
			return &jobboard.JobPosting{JobPostingID: 1, PostingVersionID: 1, Title: title, ApplyOnlineLink: linkTo7}
		}
		shown := func(src *source, p *jobboard.JobPosting) func() {
			return func() { save(t, m, src, beginTurn(t, m, src), p) }
		}
		lookedUp := func(town string, open bool) func() {
			return func() {
				answered(t, m, nextAnswer(t, m), &jobboard.JobInformation{
					JobID: 7, JobTitle: "Nurse", ApplyPossible: open, Location: jobboard.Location{GeoCity: town, GeoLat: "52.5", GeoLong: "13.4"},
				}, nil)
			}
		}
		save(t, m, first, beginTurn(t, m, first), &jobboard.JobPosting{JobPostingID: 2, Title: "Nurse that stays as it is"})
		near := jobboard.Near(52.5, 13.4, 10)
		const day = 24 * time.Hour
		begins := jobboard.Millis(time.Now().Add(day).UnixMilli())
		for _, c := range []struct {
			what   string
			happen func()
			q      Query
			want   []int
		}{
			{"nothing", func() {}, Query{}, nil},
			{"it comes", shown(first, posting("Nurse")), Query{}, []int{1}},
			{"it is shown as it was", shown(first, posting("Nurse")), Query{}, nil},
			{"a late lookup", lookedUp("Berlin", true), Query{Near: near}, []int{1}},
			{"the same lookup", lookedUp("Berlin", true), Query{}, nil},
			{"another place", lookedUp("Potsdam", true), Query{Place: "Potsdam"}, []int{1}},
			{"another place, and another search", lookedUp("Berlin", true), Query{Place: "Potsdam"}, nil},
			{"another text", shown(first, posting("Doctor")), Query{Text: "doctor"}, []int{1}},
			{"another text, that is not found as it is typed", shown(first, posting("Dentist")), Query{Text: "dentits"}, nil},
			{"its job ends", lookedUp("Berlin", false), Query{}, nil},
			{"its job is open again", lookedUp("Berlin", true), Query{}, []int{1}},
			{"another channel", shown(second, posting("Dentist")), Query{Channel: "part"}, []int{1}},
			{"it leaves a channel", func() {
				do(t, m, func(t *tx) error { return channelTx{t.refreshing(&second.Source, turn{})}.dropPostings([]int64{2}, "") })
			}, Query{Channel: "part"}, nil},
			{"it goes", func() {
				do(t, m, func(t *tx) error { return channelTx{t.refreshing(&first.Source, turn{})}.dropPostings([]int64{2}, "") })
			}, Query{}, nil},
			{"it comes back", shown(first, posting("Dentist")), Query{}, []int{1}},
			{"it is to begin tomorrow", func() {
				p := posting("Dentist")
				p.PostingVersionStartDate = begins
				save(t, m, first, beginTurn(t, m, first), p)
			}, Query{}, nil},
			{"its date comes while it waits to be built anew", func() {
				do(t, m, func(t *tx) error {
					const come = "UPDATE postings SET record = replace(record, ?, '\"postingVersionStartDate\":1'), visibility_due = 1 WHERE posting = 1"
					return errors.Join(t.Do(come, fmt.Sprintf(`"postingVersionStartDate":%d`, begins)), t.unindexed.putAll())
				})
			}, Query{}, []int{1}},
			{"a clock that is set back", func() {
				do(t, m, func(t *tx) error {
					return t.Do("UPDATE sources SET began = began + ?, complete = complete + ?", day.Milliseconds(), day.Milliseconds())
				})
				shown(first, posting("Nurse"))()
			}, Query{}, []int{1}},
			{"an index built anew", func() {
				if err := m.Rebuild(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, Query{}, nil},
			{"another version of the tokens", func() {
				do(t, m, func(t *tx) error { return t.Do("UPDATE search_state SET form = ?", search.Form-1) })
			}, Query{}, nil},
			{"what changes while it waits to be built anew", func() {
				do(t, m, func(t *tx) error { return t.unindexed.putAll() })
				shown(first, posting("Doctor"))()
				do(t, m, func(t *tx) error { return t.unindexed.putAll() })
			}, Query{}, []int{1}},
		} {
			indexNow(t, m)
			before, mark := time.Now(), markNow(t, m)
			c.happen()
			if found := changedSince(t, m, mark, c.q); len(found) > 0 {
				t.Errorf("%s: before it is indexed, %v is found", c.what, found)
			}
			indexNow(t, m)
			if found := changedSince(t, m, mark, c.q); !slices.Equal(found, c.want) {
				t.Errorf("%s: %v is found, not %v (%s)", c.what, found, c.want, time.Since(before))
			}
			if found := changedSince(t, m, markNow(t, m), Query{}); len(found) > 0 {
				t.Errorf("%s: after the last mark, %v is found", c.what, found)
			}
		}
		if found := changedSince(t, m, "", Query{}); !slices.Equal(found, []int{1, 2}) {
			t.Errorf("before all marks, %v is found", found)
		}
	})
}

// A search after a mark gives its hits in the order of the query, page by page, and counts them alone.
func TestPagesAfterAMark(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		number := 0
		shown := func(titles ...string) {
			turn := beginTurn(t, m, m.sources[0])
			for _, title := range titles {
				number++
				save(t, m, m.sources[0], turn, &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(number), Title: title})
			}
			indexNow(t, m)
		}
		shown("Koch", "Koch Kellner")
		mark := markNow(t, m)
		shown("Koch im Hotel", "Küchenhilfe", "Kochlehrling", "Beikoch", "Koch")
		for _, c := range []struct {
			q    Query
			want []int
		}{
			{Query{}, []int{7, 6, 5, 4, 3}},
			{Query{Order: Oldest}, []int{3, 4, 5, 6, 7}},
			{Query{Text: "koch"}, []int{7, 3, 6, 5}}, // a part of a word comes last
			{Query{Text: "koch", Order: Newest}, []int{7, 6, 5, 3}},
			{Query{Text: `"koch"`}, []int{7, 3}},
			{Query{Text: "koch -hotel"}, []int{7, 6, 5}},
			{Query{Text: "kellner"}, nil},
		} {
			for limit := 1; limit < 7; limit++ {
				q, found := c.q, []int(nil)
				q.ChangedAfter, q.Limit, q.Facets = mark, limit, true
				for pages := 0; pages == 0 || q.After != "" && pages < 10; pages++ {
					page, err := m.Search(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range page.Postings {
						found = append(found, int(p.Posting.JobPostingID))
					}
					if page.Facets.Total != len(c.want) {
						t.Errorf("%+v: %d in all", c.q, page.Facets.Total)
					}
					q.After = page.Next
				}
				if !slices.Equal(found, c.want) {
					t.Errorf("%+v, %d at a time: %v, not %v", c.q, limit, found, c.want)
				}
			}
		}
	})
}

// A process that began to index first and commits last loses nothing: what it indexes has a mark later than
// the one that a search got in between.
func TestMarksAreInTheOrderOfCommits(t *testing.T) {
	t.Parallel()
	address, ok := Databases["postgres"]
	if !ok {
		t.Skip("one process at a time writes to SQLite")
	}
	at := address(t)
	slow, fast := guardedAt(t, at), guardedAt(t, at)
	indexNow(t, slow)
	save(t, slow, slow.sources[0], beginTurn(t, slow, slow.sources[0]), &jobboard.JobPosting{JobPostingID: 1, Title: "Nurse"})
	started := markNow(t, slow)
	begun, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
	paused := false
	slow.db.Fail = func(query string) error {
		if strings.Contains(query, "FROM facets") && !paused { // the posting is read and locked by then
			paused = true
			close(begun)
			<-goOn
		}
		return nil
	}
	go func() {
		done <- slow.db.update(t.Context(), func(t *tx) error { _, err := indexTx{t}.indexUnindexed(); return err })
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	}
	save(t, fast, fast.sources[1], beginTurn(t, fast, fast.sources[1]), &jobboard.JobPosting{JobPostingID: 2, Title: "Nurse"})
	indexNow(t, fast)
	between := markNow(t, fast)
	if found := changedSince(t, fast, started, Query{}); !slices.Equal(found, []int{2}) {
		t.Errorf("in between, %v is found", found)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if found := changedSince(t, fast, between, Query{}); !slices.Equal(found, []int{1}) {
		t.Errorf("after the mark of in between, %v is found", found)
	}
}

// A mark that the database has not given is refused: one of another database, one that is made up, and one that is later
// than a backup that was put back, also once the copy has gone on with other changes; an earlier one is taken.
func TestMarksOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	m := guardedAt(t, filepath.Join(folder, "jobs.db"))
	show := func(m *Mirror, ids ...int) {
		t.Helper()
		for _, id := range ids {
			save(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(id), Title: "Nurse"})
			indexNow(t, m)
		}
	}
	refused := func(what string, m *Mirror, mark ChangeMark) {
		t.Helper()
		if _, err := m.Search(t.Context(), Query{ChangedAfter: mark}); !errors.Is(err, ErrPageCursor) || !errors.Is(err, jobboard.ErrInvalidInput) {
			t.Errorf("%s: %q: %v", what, mark, err)
		}
		if _, err := m.SearchChanged(t.Context(), mark, []Query{{}}); !errors.Is(err, ErrPageCursor) {
			t.Errorf("%s: %q: SearchChanged: %v", what, mark, err)
		}
	}
	show(m, 1)
	kept := markNow(t, m)
	backup := filepath.Join(folder, "backup.db")
	if err := m.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	show(m, 2, 3)
	lost := markNow(t, m)
	restored := guardedAt(t, backup)
	refused("ahead of a backup", restored, lost)
	show(restored, 4, 5, 6)
	refused("of a history that the backup ended", restored, lost)
	if found := changedSince(t, restored, kept, Query{}); !slices.Equal(found, []int{6, 5, 4}) {
		t.Errorf("after a mark that the backup has: %v", found)
	}
	do(t, restored, func(t *tx) error { // the log has been pruned, and does not tell
		return t.DoAll(nil, "DELETE FROM changes", "UPDATE counters SET value = (SELECT value FROM counters WHERE name = 'change') WHERE name = 'erased'")
	})
	if found := changedSince(t, restored, kept, Query{}); !slices.Equal(found, []int{6, 5, 4}) {
		t.Errorf("after a mark that the log does not reach back to: %v", found)
	}
	other := guarded(t)
	show(other, 1, 2, 3)
	refused("of another database", other, lost)
	i := strings.LastIndex(string(kept), "-")
	number, err := strconv.Atoi(string(kept[i+1:]))
	if err != nil {
		t.Fatal(kept, err)
	}
	for _, mark := range []string{
		" ", "-", "1", "x-1", string(kept[:i]), string(kept[:i+1]), string(kept) + " ", string(kept[:i+1]) + "+1", string(kept[:i+1]) + "-1", string(kept[:i+1]) + "x",
		fmt.Sprintf("%s-%d", kept[:i], number+1000), string(kept[i:]), string(kept[:i+1]) + "99999999999999999999",
	} {
		refused("made up", m, ChangeMark(mark))
	}
}

// A database has a mark for each posting that is indexed, and none for one that is gone.
func TestMarksGoWithTheirPostings(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		save(t, m, m.sources[0], beginTurn(t, m, m.sources[0]), &jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", ApplyOnlineLink: linkTo7})
		indexNow(t, m)
		marks := func() int {
			t.Helper()
			n, err := fromView(t.Context(), m.db, func(t *tx) (int, error) { return store.Value[int](t, "SELECT count(*) FROM marks") })
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := marks(); n != 1 {
			t.Errorf("%d marks", n)
		}
		if err := m.Forget(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		if n := marks(); n != 0 {
			t.Errorf("%d marks of postings that are gone", n)
		}
	})
}
