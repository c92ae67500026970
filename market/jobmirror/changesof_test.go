package jobmirror_test

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A new posting comes once in the log, as its channel shows it, whatever the lookup of its job says; and so does each
// change of it.
func TestChangesOfPostings(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(3)
		m := open(t, address, board.options())
		refresh(t, m)
		var cursor jobmirror.Cursor
		postings := func() (marks []string) {
			t.Helper()
			for c, err := range m.Changes(t.Context(), cursor) {
				if err != nil {
					t.Fatal(err)
				}
				cursor = c.Cursor
				switch {
				case c.Kind != jobmirror.ChangePosting:
				case c.Before == nil:
					marks = append(marks, "new")
				case c.After == nil:
					marks = append(marks, "gone")
				default:
					marks = append(marks, "changed")
				}
			}
			return marks
		}
		is := func(what string, want string) {
			t.Helper()
			if got := strings.Join(postings(), " "); got != want {
				t.Errorf("%s: %s, not %s", what, got, want)
			}
		}
		is("the first copy", "new new new")
		if err := jobmirror.Exec(t.Context(), m, "UPDATE postings SET hash = 1"); err != nil {
			t.Fatal(err)
		}
		refresh(t, m)
		is("nothing changed", "")
		board.mu.Lock()
		board.title = "Doctor" // of the postings, and not of their jobs
		board.mu.Unlock()
		refresh(t, m)
		is("another title, which also is no job's", "changed changed changed")
		board.mu.Lock()
		board.title, board.link = "", "https://other.example/job/%d/y"
		board.mu.Unlock()
		refresh(t, m)
		is("another link, and the title of the job again", "changed changed changed")
	})
}
