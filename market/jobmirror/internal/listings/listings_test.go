package listings

import (
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store/storetest"
)

// source is a source with the number 1 in a database that has what its rows need. The row of a job has the
// job's number as its key: as the hash of a feed's entry, or as the number of a channel's posting.
type source struct {
	*testing.T
	db     *store.DB
	kind   string
	now    time.Duration // since the test began
	answer int64         // the number of the last answer
	odd    bool          // the refreshes have postings that cannot be read
}

var rules = Rules{Refresh: time.Hour, Hold: 24 * time.Hour}

// each runs a test with a feed and with a channel that have a row of each of so many jobs, on each database.
func each(t *testing.T, n int, test func(f *source)) {
	t.Helper()
	with := storetest.Tables{
		SQL: "CREATE TABLE forgotten (kind TEXT, id BIGINT); CREATE TABLE postings (id BIGINT, job BIGINT);", Counters: []string{"source", "batch"},
		Add: []func(*store.Schema){sources.AddTables, AddTables, lookups.AddTables},
	}
	for _, kind := range []string{sources.Feed, sources.Channel} {
		t.Run(kind, func(t *testing.T) {
			storetest.Each(t, with, func(t *testing.T, db *store.DB, _ func() *store.DB) {
				f := &source{T: t, db: db, kind: kind}
				f.do(func(w *Writer) error {
					err := sources.Enter(w.Tx, &sources.Source{Kind: kind, Name: "a"})
					return errors.Join(err, lookups.NewWriter(w.Tx, nil).PutNew(from(1, int64(n))))
				})
				f.show(from(1, int64(n))...)
				test(f)
			})
		})
	}
}

// show has the source show jobs that it does not have yet.
func (f *source) show(jobs ...int64) {
	f.Helper()
	f.do(func(w *Writer) error {
		for _, job := range jobs {
			show := func() error { return w.ShowEntry(job, job) }
			if f.kind == sources.Channel {
				show = func() error {
					return errors.Join(w.Do("INSERT INTO postings (id, job) VALUES (?, ?)", job, job), w.Show(job, 0))
				}
			}
			if err := show(); err != nil {
				return err
			}
		}
		return nil
	})
}

// showAgain has the source show jobs again that it has.
func (f *source) showAgain(jobs ...int64) {
	f.Helper()
	f.do(func(w *Writer) error {
		if f.kind == sources.Channel {
			return w.ShowAgain(jobs)
		}
		again, err := w.ShowEntriesAgain(store.IDs(append(jobs, 999)))
		if slices.Sort(again); !slices.Equal(again, jobs) {
			f.Errorf("the feed has %d of %d and one more", again, jobs)
		}
		return err
	})
}

// do runs a transaction at the source's time.
func (f *source) do(f2 func(w *Writer) error) {
	f.Helper()
	err := f.db.Update(f.Context(), func(t *store.Tx) error {
		t.Now += f.now.Milliseconds()
		return f2(NewWriter(t, f.kind, 1))
	})
	if err != nil {
		f.Fatal(err)
	}
}

// refresh has the source miss jobs, and returns those whose rows go, which are removed.
func (f *source) refresh(missing ...int64) (gone []int64) {
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
func (f *source) say(state string, jobs ...int64) {
	f.Helper()
	f.answer++
	f.do(func(w *Writer) error {
		return w.Do("UPDATE jobs SET state = ?, answer = ? WHERE job IN @ids", state, f.answer, store.IDs(jobs))
	})
}

// settled returns the jobs of the entries that lookups prove to be gone.
func (f *source) settled(all bool) (gone []int64) {
	f.Helper()
	f.do(func(w *Writer) (err error) {
		gone, err = w.Settle(all)
		slices.Sort(gone)
		return err
	})
	return gone
}

func (f *source) want(what string, got []int64, want ...int64) {
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
	each(t, 100, func(f *source) {
		f.want("a fifth", f.refresh(from(1, 20)...), from(1, 20)...)
		f.want("as many soon after", f.refresh(from(21, 36)...))
		f.showAgain(21)
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
	each(t, 100, func(f *source) {
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
		f.showAgain(14)
		f.want("which is shown again", f.settled(false), 13)
		f.refresh()
		f.want("after another refresh", f.settled(false))
	})
}

// What lookups say after a refresh that shows nothing of 40 decides how many rows go, once all were looked up.
func TestProofs(t *testing.T) {
	cases := map[string]struct {
		say  map[string]int // so many jobs, one after the other
		gone int
	}{
		"closed":                        {map[string]int{"closed": 30}, 30},
		"inactive":                      {map[string]int{"inactive": 40}, 40},
		"nothing":                       {nil, 0},
		"ten unavailable":               {map[string]int{"unavailable": 10}, 10},
		"eleven":                        {map[string]int{"unavailable": 11}, 0},
		"all unavailable":               {map[string]int{"unavailable": 40}, 0},
		"eleven, and one is open":       {map[string]int{"unavailable": 11, "open": 1}, 11},
		"eleven, and one is closed":     {map[string]int{"unavailable": 11, "closed": 1}, 12},
		"eleven, and one is inactive":   {map[string]int{"unavailable": 11, "inactive": 1}, 1},
		"thirty, and one is open":       {map[string]int{"unavailable": 30, "open": 1}, 30},
		"open alone":                    {map[string]int{"open": 40}, 0},
		"ten unavailable, ten inactive": {map[string]int{"unavailable": 10, "inactive": 10}, 20},
	}
	each(t, 40, func(f *source) {
		for name, c := range cases {
			f.refresh(from(1, 40)...)
			next := int64(1)
			for state, n := range c.say {
				f.say(state, from(next, next+int64(n)-1)...)
				next += int64(n)
			}
			if gone := f.settled(true); len(gone) != c.gone {
				f.Errorf("%s: %d rows go, not %d", name, len(gone), c.gone)
			}
			f.showAgain(from(1, 40)...)
			f.say("unknown", from(1, 40)...)
			f.refresh()
		}
	})
}

// A small source loses up to three rows at once, but never all of them.
func TestSmallSources(t *testing.T) {
	each(t, 3, func(f *source) {
		f.want("all of three", f.refresh(1, 2, 3))
		f.showAgain(1, 2, 3)
		f.show(4, 5)
		f.want("four of five", f.refresh(2, 3, 4, 5))
		f.showAgain(2, 3, 4, 5)
		f.now += 5 * time.Hour
		f.want("three of five", f.refresh(3, 4, 5), 3, 4, 5)
	})
}

// That few jobs are unavailable proves little, and does not add up: not in one hold, and in the next one it counts anew.
func TestUnavailableDoesNotAddUp(t *testing.T) {
	each(t, 40, func(f *source) {
		settle := func() (gone []int64) {
			gone = f.settled(true)
			f.do(func(w *Writer) error { return w.Remove(gone) })
			return gone
		}
		f.refresh(from(1, 40)...)
		f.say("unavailable", from(1, 8)...)
		f.want("8", settle(), from(1, 8)...)
		f.refresh()
		f.say("unavailable", from(9, 16)...)
		f.want("and 8 more", settle())
		f.refresh()
		f.say("open", 40)
		f.want("which were so before one was open", settle())
		f.say("unavailable", from(9, 16)...)
		f.want("and are so after it", settle(), from(9, 16)...)
		f.showAgain(from(17, 40)...)
		f.refresh()
		f.refresh(from(17, 40)...)
		f.say("unavailable", from(17, 24)...)
		f.want("8, after an end of the hold", settle(), from(17, 24)...)
	})
}

// What a lookup said before the last complete refresh does not say "unavailable" for it, nor that the board knows
// the jobs.
func TestAnswersOfAnEarlierRefresh(t *testing.T) {
	each(t, 40, func(f *source) {
		f.refresh(from(1, 40)...)
		f.say("open", 40)
		f.want("one is open", f.settled(true))
		f.refresh()
		f.say("unavailable", from(1, 11)...)
		f.want("11 are unavailable since", f.settled(true))
		f.refresh()
		f.say("open", 40)
		f.want("and were so before one was open again", f.settled(true))
		f.refresh()
		f.say("unavailable", from(7, 11)...)
		f.want("5 are unavailable still", f.settled(true), from(7, 11)...)
	})
}

// What is held, seen or lost since a time that the clock had before it was set back is so since now.
func TestClockSetBack(t *testing.T) {
	each(t, 100, func(f *source) {
		f.now = 1000 * time.Hour
		f.want("15 of 100", f.refresh(from(1, 15)...), from(1, 15)...)
		f.refresh(from(16, 60)...)
		f.now = 0
		f.do(func(w *Writer) error { return ClockSetBack(w.Tx) })
		f.refresh()
		f.now += 21 * time.Hour
		f.want("held for 23 hours since the clock was set back", f.refresh())
		f.now += 2 * time.Hour
		f.want("held for a day", f.refresh(), from(16, 60)...)
		f.want("few, long after the others went", f.refresh(61, 62, 63), 61, 62, 63)
	})
}

// The jobs of held rows are leased by one process at a time, and each once after a refresh.
func TestHeldRowsAreLookedUp(t *testing.T) {
	each(t, 100, func(f *source) {
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
	each(t, 100, func(f *source) {
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
	each(t, 10, func(f *source) {
		state := func() (holds, shows bool) {
			f.do(func(w *Writer) (err error) {
				holds, shows, err = w.State()
				return err
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
	each(t, 0, func(f *source) {
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
