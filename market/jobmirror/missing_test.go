package jobmirror_test

import (
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

// After a refresh that shows nothing the jobs of the held rows are looked up, each once for all sources, until 50 in a row
// are open; what a lookup calls closed goes, and of what is called unavailable what the rules let go.
func TestLookupsOfHeldRows(t *testing.T) {
	everyTenth := map[int]string{}
	for i := 10; i <= 120; i += 10 {
		everyTenth[i] = unavailable
	}
	channels := []jobmirror.Channel{{ID: "a", Languages: []string{"de", "en"}}, {ID: "b", Languages: []string{"de", "en"}}}
	for name, c := range map[string]struct {
		says    string // then
		states  map[int]string
		with    func(opts *jobmirror.Options)
		lookups int
		held    int // rows that are left, all held
	}{
		"all are open":                 {says: "open", lookups: 50, held: 120},
		"each tenth is unavailable":    {says: "open", states: everyTenth, lookups: 120, held: 108},
		"all are closed":               {says: "closed", lookups: 120},
		"all are closed, many sources": {says: "closed", with: func(opts *jobmirror.Options) { opts.Channels, opts.Feeds = channels, asFeed(*opts).Feeds }, lookups: 120},
		"nothing is said":              {says: "ERROR_OTHER", lookups: 120, held: 120},
		"nothing is held":              {says: "open", with: func(opts *jobmirror.Options) { opts.HoldMissing = -1 }},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				board := newShelf(120)
				opts := board.options()
				if c.with != nil {
					c.with(&opts)
				}
				m := open(t, address, opts)
				refresh(t, m)
				board.tell(nil, c.says, c.states)
				if err := m.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				copied(t, m, name, c.held, c.held)
				if all, most := board.lookups(); all != c.lookups || most > 1 {
					t.Errorf("%d lookups, up to %d of one job, not %d", all, most, c.lookups)
				}
				checkReplay(t, m)
			})
		})
	}
}

// A board that shows nothing takes nothing away: nobody who reads sees a change. Each refresh asks about other jobs.
func TestEmptyAnswer(t *testing.T) {
	onEachSource(t, 120, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		_, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for i := range 3 {
			board.tell(nil, "open", nil)
			settled(t, m, "empty", 120, 120)
			for job := range board.asked {
				seen[job] = true
			}
			if want := min(50*(i+1), 120); len(seen) != want {
				t.Errorf("refresh %d: %d jobs were asked about so far, not %d", i, len(seen), want)
			}
			for _, p := range find(t, m, jobmirror.Query{Limit: 1000}) {
				if since := time.Since(p.MissingSince); since < 0 || since > time.Hour {
					t.Fatalf("a posting is missing since %s", p.MissingSince)
				}
			}
		}
		board.tell(upTo(120), "open", nil)
		settled(t, m, "back", 120, 0)
		for change, err := range m.Changes(t.Context(), at) {
			t.Fatalf("a change: %+v, %v", change, err)
		}
		board.tell(upTo(119), "closed", nil)
		settled(t, m, "one went", 119, 0)
		if all, _ := board.lookups(); all != board.asked[120] {
			t.Errorf("%d lookups, of which %d are of its job", all, board.asked[120])
		}
	})
}

// Boards that mislead for hours, or for ever: postings that they cease to show stay, jobs that they show and call
// unavailable go on, and the mirror asks them little.
func TestBoardsThatMisleadForLong(t *testing.T) {
	t.Parallel()
	all := func(int) []int { return upTo(100) }
	tests := map[string]struct {
		state  string
		script func(search int) []int
		rows   int // after 5 hours
		most   int // lookups in an hour
	}{
		"empty":                             {"open", func(int) []int { return nil }, 100, 5 * 50},
		"empty, and codes that say nothing": {postingUnavailable, func(int) []int { return nil }, 100, 5 * 100},
		"empty, and all unavailable":        {unavailable, func(int) []int { return nil }, 100, 5 * 100},
		"all, and all unavailable":          {unavailable, all, 100, 5 * 100},
		"all, and codes that say nothing":   {postingUnavailable, all, 100, 5 * 100},
		"empty each second time":            {"open", func(search int) []int { return upTo(100 * (search % 2)) }, 100, 3 * 50},
		"loses a part for ever":             {"open", func(search int) []int { return upTo(int(100 * math.Pow(0.85, float64(search)))) }, 85, 5 * 50},
		"loses one each time":               {"open", func(search int) []int { return upTo(max(100-search, 85)) }, 85, 5 * 50},
		"shows others":                      {"open", func(int) []int { return upTo(200)[100:] }, 200, 5 * 50},
	}
	for _, name := range testenv.Some(t, 3, slices.Sorted(maps.Keys(tests))) {
		test := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				board := newShelf(100)
				opts := board.options()
				opts.LookupEvery = 2 * time.Hour
				m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
				refresh(t, m)
				time.Sleep(time.Hour) // lookups are spread from the second on
				asks(t, m)
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
				if n := status.Jobs[jobmirror.StateUnavailable]; n > 3 && strings.HasPrefix(name, "all") { // which sources show, and three are never too many
					t.Errorf("%d jobs are unavailable", n)
				}
				if n := len(board.times); n > 5*test.most {
					t.Errorf("%d lookups", n)
				}
				board.script = nil
				board.tell(upTo(100), "open", nil)
				if done, err := jobmirror.RefreshedStatus(t.Context(), m); err != nil || done.Held > 0 && name != "shows others" {
					t.Errorf("all is back: %+v, %v", done, err)
				}
				checkReplay(t, m)
			})
		})
	}
}

func merged(into, from map[int]string) map[int]string {
	for k, v := range from {
		into[k] = v
	}
	return into
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

// Lookups for held rows leave half of the limit to others.
func TestHeldRowsLeaveHalfOfTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(480)
		opts := board.options()
		opts.Limit = 20
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
		refresh(t, m)
		stop := run(t, m)
		defer stop()
		board.tell(upTo(480)[400:], "closed", nil)
		for len(board.lookedUp()) == 0 {
			time.Sleep(time.Second)
		}
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1 WHERE job > 400"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		held, others := 0, 0
		for _, job := range board.lookedUp() {
			if job > 400 {
				others++
			} else {
				held++
			}
		}
		if held < 70 || others < 70 {
			t.Errorf("%d lookups for held rows, and %d others, in ten seconds at a limit of 20", held, others)
		}
	})
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
