package jobmirror_test

import (
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A page tells since when a posting is known and how often it has come back. What a source's first complete
// refresh shows may be of any age and has not come back, nor has what was held; a posting that left and comes back
// is known as it was, also where its source was removed meanwhile, until it has been gone for Options.KeepJobs.
func TestHistoryOfAPosting(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(100)
		m := open(t, address, board.options())
		var began time.Time // the last refresh
		show := func(m *jobmirror.Mirror, shown []int) {
			t.Helper()
			board.tell(shown, "open", nil)
			began = time.Now().Truncate(time.Millisecond)
			refresh(t, m)
		}
		// is checks the history of a posting of which there is one row: came is when the refresh began that
		// showed it first, zero for one whose age is not known.
		is := func(what string, id jobboard.JobID, came time.Time, again int) {
			t.Helper()
			postings, err := m.Postings(t.Context(), id)
			if err != nil || len(postings) != 1 {
				t.Fatalf("%s: %d postings, %v", what, len(postings), err)
			}
			p := postings[0]
			first := p.FirstSeen
			if first.IsZero() != came.IsZero() || first.Before(came) || first.Sub(came) > time.Minute || p.ShownAgain != again {
				t.Errorf("%s: seen first %s, shown again %d times; not %s and %d", what, first, p.ShownAgain, came, again)
			}
			j, err := m.Job(t.Context(), id)
			if err != nil || !j.FirstSeen.Equal(first) || j.ShownAgain != again {
				t.Errorf("%s: of the job %s, %d, of the posting %s, %v", what, j.FirstSeen, j.ShownAgain, first, err)
			}
		}
		never := time.Time{}
		show(m, upTo(100))
		is("the first copy", 100, never, 0)
		show(m, upTo(102))
		came := began
		is("a new one", 102, came, 0)
		is("one beside it", 100, never, 0)
		time.Sleep(3 * time.Millisecond) // so that another time is told from the first
		for again := 1; again <= 2; again++ {
			show(m, upTo(99))
			if again == 1 {
				has(t, m, "what is remembered", "gone_postings", 3)
			}
			show(m, upTo(102))
			has(t, m, "what came back", "gone_postings", 0)
			is("back", 102, came, again)
			is("back, of unknown age", 100, never, again)
			is("not gone", 99, never, 0)
		}
		show(m, nil)
		copied(t, m, "an empty answer", 102, 102)
		show(m, upTo(102))
		is("held", 102, came, 2)

		other := board.options()
		other.Channels = []jobmirror.Channel{{ID: "b"}}
		b := open(t, address, other)
		if err := b.RemoveSources(t.Context()); err != nil {
			t.Fatal(err)
		}
		has(t, m, "without its source", "postings", 0)
		show(m, upTo(102))
		is("copied anew", 102, came, 2)
		is("copied anew, of unknown age", 1, never, 0)
		show(b, upTo(103))
		is("the first copy of another channel", 103, never, 0)
		show(m, upTo(103))
		show(m, upTo(101))
		is("shown by one of two channels", 102, came, 2)

		show(b, upTo(101))
		has(t, m, "what is remembered", "gone_postings", 2)
		if err := m.ForgetPosting(t.Context(), 103); err != nil {
			t.Fatal(err)
		}
		has(t, m, "but what was forgotten", "gone_postings", 1)
		addYear(t, m, "UPDATE gone_postings SET gone = gone - %d / 4")
		show(m, upTo(101))
		has(t, m, "after KeepJobs", "gone_postings", 0)
		show(m, upTo(102))
		is("after KeepJobs", 102, began, 0)

		addYear(t, m, "UPDATE sources SET began = began + %d", "UPDATE postings SET first_seen = first_seen + %d WHERE first_seen > 0")
		show(m, upTo(102))
		is("after the clock was set back", 102, began, 0)
		checkReplay(t, m)
	})
}

// has checks how many rows a table has.
func has(t *testing.T, m *jobmirror.Mirror, what, table string, want int) {
	t.Helper()
	var n int
	if err := jobmirror.Ask(t.Context(), m, "SELECT count(*) FROM "+table, &n); err != nil || n != want {
		t.Errorf("%s: %d rows of %s, not %d, %v", what, n, table, want, err)
	}
}
