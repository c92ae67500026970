package listings

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store/storetest"
)

// feed is a feed with the number 1 in a database that has what its entries need. The entry of a job has the
// job's number as its hash.
type feed struct {
	*testing.T
	db     *store.DB
	now    time.Duration // since the test began
	answer int64         // the number of the last answer
	shown  []int64
	odd    bool // the refreshes have postings that cannot be read
}

var rules = Rules{Refresh: time.Hour, Hold: 24 * time.Hour}

// each runs a test with a feed that has an entry of each of so many jobs, on each database.
func each(t *testing.T, n int, test func(f *feed)) {
	t.Helper()
	with := storetest.Tables{
		SQL: "CREATE TABLE forgotten (kind TEXT, id BIGINT); CREATE TABLE postings (id BIGINT, job BIGINT);", Counters: []string{"source", "batch"},
		Add: []func(*store.Schema){sources.AddTables, AddTables, lookups.AddTables},
	}
	storetest.Each(t, with, func(t *testing.T, db *store.DB, _ func() *store.DB) {
		f := &feed{T: t, db: db}
		f.do(func(w *Writer) error {
			if err := sources.Enter(w.Tx, &sources.Source{Kind: sources.Feed, Name: "feed"}); err != nil {
				return err
			}
			for job := range int64(n) {
				f.shown = append(f.shown, job+1)
				if err := w.ShowEntry(job+1, job+1); err != nil {
					return err
				}
			}
			return lookups.NewWriter(w.Tx, nil).PutNew(f.shown)
		})
		test(f)
	})
}

// do runs a transaction at the feed's time.
func (f *feed) do(f2 func(w *Writer) error) {
	f.Helper()
	err := f.db.Update(f.Context(), func(t *store.Tx) error {
		t.Now += f.now.Milliseconds()
		return f2(NewWriter(t, sources.Feed, 1))
	})
	if err != nil {
		f.Fatal(err)
	}
}

// refresh has the feed miss jobs, and returns those whose entries go, which are removed.
func (f *feed) refresh(missing ...int64) (gone []int64) {
	f.Helper()
	f.now += time.Hour
	f.answer++
	f.do(func(w *Writer) error {
		before, err := w.Count()
		if err != nil {
			return err
		}
		unseen := iter.Seq[[]int64](func(yield func([]int64) bool) { yield(missing) })
		err = w.Miss(Refresh{f.answer, before, unseen, f.odd}, rules)
		if err != nil {
			return err
		}
		if err := w.WantLookups(); err != nil {
			return err
		}
		if gone, err = w.Going(); err != nil {
			return err
		}
		slices.Sort(gone)
		return w.Remove(gone)
	})
	return gone
}

// say has lookups say a state of jobs.
func (f *feed) say(state string, jobs ...int64) {
	f.Helper()
	f.answer++
	f.do(func(w *Writer) error {
		return w.Do("UPDATE jobs SET state = ?, answer = ? WHERE job IN @ids", state, f.answer, store.IDs(jobs))
	})
}

// settled returns the jobs of the entries that lookups prove to be gone.
func (f *feed) settled(all bool) (gone []int64) {
	f.Helper()
	f.do(func(w *Writer) (err error) {
		gone, err = w.Settle(all)
		slices.Sort(gone)
		return err
	})
	return gone
}

func (f *feed) want(what string, got []int64, want ...int64) {
	f.Helper()
	if !slices.Equal(got, want) {
		f.Errorf("%s: %d go, want %d", what, got, want)
	}
}

func from(first, last int64) (jobs []int64) {
	for job := first; job <= last; job++ {
		jobs = append(jobs, job)
	}
	return jobs
}

// Few rows go at once, but not again and again; many are held until three refreshes have missed them for
// as long as rows are held, if they are not shown again.
func TestFewGoAndManyAreHeld(t *testing.T) {
	each(t, 100, func(f *feed) {
		f.want("a fifth", f.refresh(from(1, 20)...), from(1, 20)...)
		f.want("as many soon after", f.refresh(from(21, 36)...))
		f.do(func(w *Writer) error { // one is shown again
			again, err := w.ShowEntriesAgain("[21, 999]")
			if fmt.Sprint(again) != "[21]" {
				f.Errorf("the feed has %d of two", again)
			}
			return err
		})
		f.want("a second time", f.refresh())
		f.now += 23 * time.Hour
		f.want("a third time, held for a day", f.refresh(), from(22, 36)...)
		f.now += 5 * time.Hour
		f.want("three", f.refresh(98, 99, 100), 98, 99, 100)
		f.want("all that is left", f.refresh(append(from(37, 97), 21)...))
		f.now += 48 * time.Hour
		f.want("held for long, missed twice", f.refresh())
	})
}

// "closed" proves that a row is gone, "unavailable" only with a lookup that gave information, or for a few rows
// once all were looked up. An answer from before the first refresh that missed the row proves nothing.
func TestWhatLookupsProve(t *testing.T) {
	each(t, 100, func(f *feed) {
		f.say("closed", 1)
		f.want("half of all", f.refresh(from(1, 50)...))
		f.want("said before", f.settled(false))
		f.say("inactive", 2)
		f.want("inactive", f.settled(false), 2)
		f.say("unavailable", from(3, 12)...)
		f.want("ten unavailable, some not looked up", f.settled(false), 2)
		gone := f.settled(true)
		f.want("ten unavailable of all", gone, from(2, 12)...)
		f.do(func(w *Writer) error { return w.Remove(gone) })
		f.say("unavailable", 13)
		f.want("one more", f.settled(true))
		f.say("open", 14)
		f.want("once one is open", f.settled(false), 13)
		f.do(func(w *Writer) error {
			_, err := w.ShowEntriesAgain("[14]")
			return err
		})
		f.want("which is shown again", f.settled(false), 13)
		f.refresh()
		f.want("after another refresh", f.settled(false))
	})
}

// The jobs of held rows are leased by one process at a time, and each once after a refresh.
func TestHeldRowsAreLookedUp(t *testing.T) {
	each(t, 100, func(f *feed) {
		take := func(n int) (jobs []int64, left int) {
			f.do(func(w *Writer) error {
				b, n, err := w.TakeHeld(lookups.NewWriter(w.Tx, nil), f.answer, n, "process")
				jobs, left = b.Jobs, n
				slices.Sort(jobs)
				return err
			})
			return jobs, left
		}
		f.refresh(from(1, 50)...)
		jobs, left := take(30)
		if len(jobs) != 30 || left != 50 {
			f.Errorf("it takes %d of %d", len(jobs), left)
		}
		more, left := take(30)
		if len(more) != 20 || left != 50 || slices.ContainsFunc(more, func(job int64) bool { return slices.Contains(jobs, job) }) {
			f.Errorf("then %d of %d", len(more), left)
		}
		refreshed := f.answer
		f.say("open", from(1, 50)...)
		f.answer = refreshed
		if jobs, left := take(30); len(jobs) != 0 || left != 0 {
			f.Errorf("after their answers it takes %d of %d", len(jobs), left)
		}
	})
}

// A refresh with postings that cannot be read lets no row go, and does not count among the three that must
// have missed one. What lookups say after it proves a row gone as ever.
func TestUnreadableRefreshes(t *testing.T) {
	each(t, 100, func(f *feed) {
		f.odd = true
		for range 60 {
			f.want("one, for long", f.refresh(1))
		}
		f.say("closed", 1)
		f.want("which is closed", f.settled(false), 1)
		f.do(func(w *Writer) error { return w.Remove([]int64{1}) })
		f.odd = false
		f.want("two, of which the first few go at once", f.refresh(2, 3), 2, 3)
		f.odd = true
		f.want("another", f.refresh(4))
		f.now += 48 * time.Hour
		f.odd = false
		f.want("missed once", f.refresh())
		f.odd = true
		f.want("and by one that does not count", f.refresh())
		f.odd = false
		f.want("twice", f.refresh())
		f.want("three times", f.refresh(), 4)
	})
}

// Rows and held rows are counted by source, and a source is found by the jobs of its held rows.
func TestWhatIsCounted(t *testing.T) {
	each(t, 10, func(f *feed) {
		state := func() (holds, shows bool) {
			f.do(func(w *Writer) (err error) {
				holds, shows, err = w.State()
				one, err1 := w.Holds()
				two, err2 := w.Shows()
				if one != holds || two != shows {
					f.Errorf("state is %t, %t, and alone %t, %t", holds, shows, one, two)
				}
				return errors.Join(err, err1, err2)
			})
			return holds, shows
		}
		if holds, shows := state(); holds || !shows {
			f.Errorf("at first it holds rows %t, shows some %t", holds, shows)
		}
		f.refresh(from(1, 6)...)
		f.do(func(w *Writer) error {
			rows, err1 := Counts(w.Tx)
			held, err2 := HeldCounts(w.Tx)
			if len(rows) != 1 || rows[1] != 10 || len(held) != 1 || held[1] != 6 {
				f.Errorf("it counts %v, of them held %v", rows, held)
			}
			some, err3 := Holding(w.Tx, "[6, 7]")
			none, err4 := Holding(w.Tx, "[7]")
			if !slices.Equal(some, []int64{1}) || len(none) > 0 {
				f.Errorf("jobs of held rows have %d, of others %d", some, none)
			}
			return errors.Join(err1, err2, err3, err4)
		})
		if holds, shows := state(); !holds || !shows {
			f.Errorf("then it holds rows %t, shows some %t", holds, shows)
		}
		f.refresh(from(1, 10)...)
		if holds, shows := state(); !holds || shows {
			f.Errorf("at last it holds rows %t, shows some %t", holds, shows)
		}
	})
}

// A lower version is noted with the time at which it was shown first, until a complete refresh does not find it.
func TestLowerVersions(t *testing.T) {
	each(t, 0, func(f *feed) {
		since := func() (since int64) {
			f.do(func(w *Writer) error {
				lower, err := w.LowerSince("[5, 6]")
				since = lower[5]
				return err
			})
			return since
		}
		var first int64
		f.do(func(w *Writer) error { first = w.Now; return w.NoteLower(5, 0, 3) })
		if got := since(); got != first {
			f.Errorf("it is shown since %d, not %d", got, first)
		}
		f.do(func(w *Writer) error { return errors.Join(w.NoteLower(5, first-9, 4), w.EndLower(4)) })
		if got := since(); got != first-9 {
			f.Errorf("then since %d, not %d", got, first-9)
		}
		f.do(func(w *Writer) error { return w.NoteLower(5, w.Now+9_000, 4) })
		if got := since(); got < first || got > first+8_000 {
			f.Errorf("after the clock was set back since %d, not %d", got, first)
		}
		f.do(func(w *Writer) error { return w.EndLower(5) })
		if got := since(); got != 0 {
			f.Errorf("after a refresh without it since %d", got)
		}
		f.do(func(w *Writer) error { return errors.Join(w.NoteLower(5, 0, 6), w.End()) })
		if got := since(); got != 0 {
			f.Errorf("after its source went since %d", got)
		}
	})
}
