package jobmirror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A new posting comes twice in the log: as its channel shows it, and once the lookup of its job has
// told the same title. The second is marked, so that nobody takes the posting for a changed one.
// Other changes are not marked.
func TestConfirmingChanges(t *testing.T) {
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
				text, err := json.Marshal(c)
				if err != nil {
					t.Fatal(err)
				}
				if c.Confirming != strings.Contains(string(text), `"confirming":true`) {
					t.Errorf("confirming: %t, and written as %s", c.Confirming, text)
				}
				switch {
				case c.Kind != jobmirror.ChangePosting && c.Confirming:
					t.Errorf("a %s is confirming", c.Kind)
				case c.Kind != jobmirror.ChangePosting:
				case c.Confirming:
					marks = append(marks, "confirming")
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
		is("the first copy", "new new new confirming confirming confirming")
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
