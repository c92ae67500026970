package jobmirror_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// ago lets time pass for what is missing in a mirror: the database of PostgreSQL has a
// clock of its own.
func ago(t *testing.T, m *jobmirror.Mirror, d time.Duration) {
	t.Helper()
	for _, statement := range []string{
		"UPDATE listings SET since = since - %d WHERE since > 0",
		"UPDATE entries SET since = since - %d WHERE since > 0",
		"UPDATE losses SET at = at - %d",
	} {
		if err := jobmirror.Exec(t.Context(), m, fmt.Sprintf(statement, d.Milliseconds())); err != nil {
			t.Fatal(err)
		}
	}
}

// A board that shows nothing takes nothing away: nobody who reads sees a change. Once 50
// jobs in a row are open no more are asked about until the next complete refresh, which
// asks about others.
func TestEmptyAnswer(t *testing.T) {
	onEachSource(t, 120, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		_, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		board.tell(nil, "open", nil)
		seen := map[int]bool{}
		for i := range 3 {
			settled(t, m, "empty", 120, 120)
			all, most := board.lookups()
			for job := range board.asked {
				seen[job] = true
			}
			if want := min(50*(i+1), 120); all != 50 || most != 1 || len(seen) != want {
				t.Errorf("refresh %d: %d lookups, %d at most of one job, and %d jobs so far, not %d", i, all, most, len(seen), want)
			}
			for _, p := range find(t, m, jobmirror.Query{Limit: 1000}) {
				if since := time.Since(p.MissingSince); since < 0 || since > time.Hour {
					t.Fatalf("a posting is missing since %s", p.MissingSince)
				}
			}
			board.tell(nil, "open", nil)
		}
		if done, err := m.Refresh(t.Context()); err != nil || done.Held != 120 {
			t.Errorf("%+v, %v", done, err)
		}
		board.tell(upTo(120), "open", nil)
		settled(t, m, "back", 120, 0)
		for _, p := range find(t, m, jobmirror.Query{Limit: 1000}) {
			if !p.MissingSince.IsZero() {
				t.Fatalf("a posting that is shown is missing since %s", p.MissingSince)
			}
		}
		for change, err := range m.Changes(t.Context(), at) {
			t.Fatalf("a change: %+v, %v", change, err)
		}
	})
}

func merged(into, from map[int]string) map[int]string {
	for k, v := range from {
		into[k] = v
	}
	return into
}

// Only answers that say "open" one after the other end the asking: one that says
// something else begins the count anew.
func TestOpenInARow(t *testing.T) {
	onEachSource(t, 120, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		states := map[int]string{}
		for i := 10; i <= 120; i += 10 {
			states[i] = unavailable
		}
		board.tell(nil, "open", states)
		settled(t, m, "each tenth is unavailable", 108, 108)
		if all, most := board.lookups(); all != 120 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 120 jobs", all, most)
		}
	})
}

func TestIncompleteRefreshesDoNotCount(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell([]int{1}, "open", nil)
		settled(t, m, "missed once", 40, 39)
		ago(t, m, 25*time.Hour)
		board.part = true
		for range 4 {
			done, err := m.Refresh(t.Context())
			if err != nil || done.Held != 39 || len(done.Partial) != 1 || done.Partial[0].Name != "a" || done.Partial[0].Problem == "" {
				t.Errorf("an answer that counts more than it shows: %+v, %v", done, err)
			}
		}
		board.part = false
		settled(t, m, "missed twice", 40, 39)
		settled(t, m, "missed three times", 1, 0)
	})
}

// What a source shows again stays, though it is removed while the refresh reads that.
func TestBackWhileItIsRemoved(t *testing.T) {
	onEachSource(t, 40, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 40, 40)
		removed := false
		board.tell(upTo(40), "open", nil)
		board.read = func() {
			removed = true
			if err := m.AcceptRemovals(t.Context()); err != nil {
				t.Error(err)
			}
			copied(t, m, "while the answer is read", 0, 0)
		}
		settled(t, m, "back", 40, 0)
		if !removed {
			t.Error("nothing was removed meanwhile")
		}
		board.read = nil
		settled(t, m, "and once more", 40, 0)
	})
}

// A job whose entry went from a feed is looked up at once.
func TestJobOfAnEntryThatWent(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		m := open(t, address, asFeed(board.options()))
		refresh(t, m)
		board.tell(upTo(39), "closed", nil)
		settled(t, m, "one went", 39, 0)
		if all, _ := board.lookups(); all != 1 || board.asked[40] != 1 {
			t.Errorf("%d lookups, of which %d are of its job", all, board.asked[40])
		}
	})
}

// What was answered before a refresh missed a row proves nothing of the row.
func TestAnswersFromBeforeProveNothing(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		board.state = inactive
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell(nil, "ERROR_OTHER", nil)
		refresh(t, m) // which ends, though no lookup is answered
		copied(t, m, "empty", 40, 40)
		if all, most := board.lookups(); all != 40 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 40 jobs", all, most)
		}
	})
}

// Without a hold what a complete refresh misses goes at once.
func TestNothingIsHeld(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.HoldMissing = -1
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 0, 0)
		checkReplay(t, m)
	})
}

// A person lets held rows go, of all sources or of some.
func TestAcceptRemovals(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.Channels = append(opts.Channels, jobmirror.Channel{ID: "b"})
		opts.Feeds = asFeed(opts).Feeds
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "open", nil)
		settled(t, m, "empty", 40, 40)
		if err := m.AcceptRemovals(t.Context(), "c"); err == nil || !strings.Contains(err.Error(), `"c"`) {
			t.Errorf("a source that there is not: %v", err)
		}
		copied(t, m, "before", 40, 40)
		rows := func() (out []int) {
			status, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range status.Sources {
				out = append(out, s.Rows)
			}
			return out
		}
		for _, step := range []struct {
			names []string
			want  []int
		}{{[]string{"b"}, []int{40, 0, 40}}, {nil, []int{0, 0, 0}}} {
			if n := len(find(t, m, jobmirror.Query{Limit: 1000})); n != 40 {
				t.Errorf("%d postings, while a source has them", n)
			}
			if err := m.AcceptRemovals(t.Context(), step.names...); err != nil || !slices.Equal(rows(), step.want) {
				t.Errorf("%q: %d, not %d; %v", step.names, rows(), step.want, err)
			}
		}
		if n := len(find(t, m, jobmirror.Query{Limit: 1000})); n != 0 {
			t.Errorf("%d postings, which no source has", n)
		}
		checkReplay(t, m)
	})
}

// One lookup tells of a job to all channels, languages and feeds that miss it.
func TestOneLookupAJobThatIsMissing(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(40)
		opts := board.options()
		opts.Channels = []jobmirror.Channel{{ID: "a", Languages: []string{"de", "en"}}, {ID: "b", Languages: []string{"de", "en"}}}
		opts.Feeds = asFeed(opts).Feeds
		m := open(t, address, opts)
		refresh(t, m)
		board.tell(nil, "closed", nil)
		settled(t, m, "empty", 0, 0)
		if all, most := board.lookups(); all != 40 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job, for 40 jobs", all, most)
		}
		checkReplay(t, m)
	})
}

// Lookups for held rows leave half of the limit to others.
func TestHeldRowsUseHalfOfTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(200)
		opts := board.options()
		opts.Limit = 20
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
		refresh(t, m)
		board.tell(nil, inactive, nil)
		settled(t, m, "empty", 0, 0)
		most := 0
		for i := range board.times {
			n := 0
			for _, at := range board.times[i:] {
				if at.Sub(board.times[i]) < time.Second {
					n++
				}
			}
			most = max(most, n)
		}
		if len(board.times) != 200 || most > 10 || most < 7 {
			t.Errorf("%d lookups, up to %d in a second, at a limit of 20", len(board.times), most)
		}
	})
}

// Boards that mislead for hours, or for ever: postings that they cease to show stay, and the
// mirror asks them little.
func TestBoardsThatMisleadForLong(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		state  string
		script func(search int) []int
		rows   int // after 5 hours
		most   int // lookups in an hour
	}{
		"empty":                             {"open", func(int) []int { return nil }, 100, 5 * 50},
		"empty, and codes that say nothing": {postingUnavailable, func(int) []int { return nil }, 100, 5 * 100},
		"empty, and all unavailable":        {unavailable, func(int) []int { return nil }, 100, 5 * 100},
		"empty each second time":            {"open", func(search int) []int { return upTo(100 * (search % 2)) }, 100, 3 * 50},
		"loses a part for ever":             {"open", func(search int) []int { return upTo(int(100 * math.Pow(0.85, float64(search)))) }, 85, 5 * 50},
		"loses one each time":               {"open", func(search int) []int { return upTo(max(100-search, 85)) }, 85, 5 * 50},
		"shows others":                      {"open", func(int) []int { return upTo(200)[100:] }, 200, 5 * 50},
	}
	for _, name := range testenv.Some(t, 2, slices.Sorted(maps.Keys(tests))) {
		test := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				board := newShelf(100)
				m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
				refresh(t, m)
				board.tell(board.shows, test.state, nil)
				board.searches, board.script = 0, test.script
				stop := run(t, m)
				time.Sleep(5 * time.Hour)
				synctest.Wait()
				stop()
				status, err := m.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if rows := status.Sources[0].Rows; rows != test.rows {
					t.Errorf("%d rows are left, not %d", rows, test.rows)
				}
				if n := len(board.times); n > 5*test.most {
					t.Errorf("%d lookups", n)
				}
				board.script = nil
				board.tell(upTo(100), "open", nil)
				if done, err := m.Refresh(t.Context()); err != nil || done.Held > 0 && name != "shows others" {
					t.Errorf("all is back: %+v, %v", done, err)
				}
				checkReplay(t, m)
			})
		})
	}
}

// What is asked for held rows while the mirror runs removes them within minutes, once
// the next refresh missed them.
func TestRunAsksAboutHeldRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(100)
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
		run(t, m)
		time.Sleep(time.Minute)
		board.tell(nil, inactive, nil)
		time.Sleep(18 * time.Minute)
		synctest.Wait()
		copied(t, m, "all inactive", 0, 0)
		if all, most := board.lookups(); all != 100 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job", all, most)
		}
	})
}

// Who runs the mirror asks about held rows within seconds when another process has noted
// that somebody is to.
func TestPollTellsOfHeldRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(40)
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
		refresh(t, m)
		board.tell(nil, postingUnavailable, nil)
		settled(t, m, "empty", 40, 40)
		run(t, m)
		time.Sleep(5 * time.Second)
		board.tell(nil, inactive, nil)
		for _, statement := range []string{"UPDATE jobs SET last_lookup = 0, answer = 0", "UPDATE sources SET held_lease = 1"} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		copied(t, m, "asked about", 0, 0)
	})
}

// Who was killed while it asked about held rows leaves that to others, once its lease is
// over; and several processes ask about each job once.
func TestHeldRowsInAFleet(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(120)
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell(nil, postingUnavailable, nil)
		settled(t, m, "empty", 120, 120)
		board.tell(nil, inactive, nil)
		for _, statement := range []string{ // as the killed process leaves them
			"UPDATE sources SET held_lease = 1000, next_due = next_due + 1000000",
			"UPDATE jobs SET last_lookup = 0, answer = 0, leased_until = 1000, batch = 7 WHERE job > 20",
		} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		others := []*jobmirror.Mirror{m}
		if strings.HasPrefix(address, "postgres") {
			others = append(others, open(t, address, board.options()))
		}
		errs := make(chan error, len(others))
		for _, m := range others {
			go func() { errs <- m.AskHeld(t.Context()) }()
		}
		for range others {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		copied(t, m, "asked by others", 20, 20)
		if all, most := board.lookups(); all != 100 || most != 1 {
			t.Errorf("%d lookups, up to %d of one job", all, most)
		}
		checkReplay(t, m)
	})
}

// An answer with postings that cannot be read removes nothing by itself, however few are missing, however
// often and for how long, and whatever HoldMissing says. A posting goes when the lookup of its job says so.
// The status and the log name the channel.
func TestUnreadablePostingsRemoveNothing(t *testing.T) {
	for name, hold := range map[string]time.Duration{"held": 0, "nothing is held": -1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := &logged{}
				board := newShelf(20)
				opts := board.options()
				opts.Logger, opts.HoldMissing = slogTo(told), hold
				m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
				refresh := func() (out jobmirror.Refreshed) {
					t.Helper()
					time.Sleep(time.Hour)
					out, err := m.Refresh(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				source := func() jobmirror.SourceStatus {
					t.Helper()
					status, err := m.Status(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return status.Sources[0]
				}
				has := func(what string, want int) {
					t.Helper()
					if s := source(); s.Rows != want || s.Failures != 0 || s.Problem != "" {
						t.Fatalf("%s: %+v; want %d rows", what, s, want)
					}
				}
				refresh()
				has("at first", 20)
				told.since()

				// One is missing, which would go at once, and one cannot be read.
				odd := []string{`{"jobPostingId":"x","title":"s3cret"}`, `{"jobPostingId":7,"title":"s3cret","title":"a"}`}
				board.tell(append(upTo(6), from(9, 20)...), "open", nil)
				board.odd = odd
				for range 60 { // more than two days
					if out := refresh(); out.Unreadable != 2 || out.Held != 2 || len(out.Partial) > 0 {
						t.Fatalf("%+v", out)
					}
				}
				has("two are missing and two cannot be read", 20)
				if s := source(); s.Unreadable != 2 || s.Held != 2 {
					t.Errorf("%+v", s)
				}
				if board.asked[7] < 10 || board.asked[8] < 10 {
					t.Errorf("asked about their jobs %d and %d times", board.asked[7], board.asked[8])
				}
				text := told.text.String()
				want := []string{"WARN rows are kept for now that a source ceased to show", "WARN postings of a source cannot be read"}
				if got := told.since(); !slices.Equal(got, want) {
					t.Errorf("logged %q", got)
				}
				if !strings.Contains(text, `source="channel a" postings=2`) || !strings.Contains(text, "jobPostingId not an integer") || strings.Contains(text, "s3cret") {
					t.Errorf("logged %s", text)
				}

				// The lookup of one says that it is closed.
				board.tell(board.shows, "open", map[int]string{8: "closed"})
				refresh()
				has("one is closed", 19)

				// Everything is missing, for long.
				board.tell(upTo(1), "open", nil)
				for range 60 {
					refresh()
				}
				has("all but one are missing", 19)

				// Once all can be read, the rules are those of any answer: three of these must miss a row.
				board.tell(append(upTo(7), from(9, 19)...), "open", nil)
				board.odd = nil
				for i := range 3 {
					refresh()
					if i < 2 && hold >= 0 {
						has("all can be read, one is missing", 19)
					}
				}
				has("it is missing from three answers", 18)
				if s := source(); s.Unreadable != 0 || s.Held != 0 {
					t.Errorf("%+v", s)
				}
				got := told.since()
				slices.Sort(got)
				if want := []string{
					"INFO all postings of a source can be read again", "INFO no rows are kept any more that a source ceased to show",
				}; !slices.Equal(got, want) {
					t.Errorf("logged %q", got)
				}
			})
		})
	}
}

// from returns the numbers from first to last.
func from(first, last int) []int { return upTo(last)[first-1:] }

// An answer of which no posting can be read fails as a call, and one that counts more than it shows is a
// part: neither removes anything, nor does an unreadable posting stand for one that is not shown.
func TestUnreadablePostingsAndParts(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(20)
		m := open(t, address, board.options())
		if _, err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for what, step := range map[string]struct {
			shows   []int
			part    bool
			problem string
		}{
			"no posting can be read": {nil, false, "results[0] not an object"},
			"a part":                 {upTo(10), true, "the answer holds 11 of 12 postings"},
		} {
			board.mu.Lock()
			board.shows, board.part, board.odd = step.shows, step.part, []string{"7"}
			board.mu.Unlock()
			_, err := m.Refresh(t.Context())
			status, failed := m.Status(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			if s := status.Sources[0]; (err != nil) != (step.shows == nil) || s.Rows != 20 || s.Held != 0 || s.Failures == 0 || !strings.Contains(s.Problem, step.problem) {
				t.Errorf("%s: %v, %+v", what, err, s)
			}
		}
	})
}
