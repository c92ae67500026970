package jobmirror_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A word of the owner's list finds what its synonyms find, tier by tier and page by page, is marked in
// snippets, and is not taken for mistyped; a cursor is of one list.
func TestSynonymsOfTheOwner(t *testing.T) {
	t.Parallel()
	for kind, address := range jobmirror.Databases {
		t.Run(kind, func(t *testing.T) {
			srv, add := wordBoard(t)
			ad := add("Aushilfe", "<p>Wir suchen eine Krankenschwester")
			part := add("Oberkrankenschwester", "")
			title := add("Krankenschwester", "")
			add("Pflegefachkrapt", "") // near to a word of the list that no posting has
			open := func(list string) *jobmirror.Mirror {
				return open(t, address(t), jobmirror.Options{
					Config:      jobboard.Config{BaseURL: srv.BaseURL, ClientID: "10"},
					LookupEvery: -1,
					Channels:    []jobmirror.Channel{{ID: "1_words", Languages: []string{"de"}}}, Limit: -1, Synonyms: list,
				})
			}
			m, without := open("Pflegefachkraft, Krankenschwester"), open("")
			refresh(t, m)
			refresh(t, without)
			want := []jobboard.JobPostingID{title, part, ad}
			for _, limit := range []int{1, 2, 20} {
				q := jobmirror.Query{Text: "Pflegefachkraft", Limit: limit}
				if got, total := all(t, m, q); !slices.Equal(got, want) || total != len(want) {
					t.Errorf("%d a page: %v (%d), want %v", limit, got, total, want)
				}
			}
			page, err := m.Search(t.Context(), jobmirror.Query{Text: "Pflegefachkraft", Snippets: true})
			if err != nil || len(page.Corrected) > 0 {
				t.Fatal(page, err)
			}
			s := page.Postings[2].Snippet
			if len(s.Marks) != 1 || s.Text[s.Marks[0].Begin:s.Marks[0].End] != "Krankenschwester" {
				t.Errorf("the snippet is %+v", s)
			}
			if got := searchAsBoard(t, m, "Pflegefachkraft"); got.TotalNumberOfJobs != 3 {
				t.Errorf("4.1 finds %d", got.TotalNumberOfJobs)
			}
			q := jobmirror.Query{Text: "Krankenschwester", Limit: 1}
			if page, err = m.Search(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			q.After = page.Next
			if _, err := without.Search(t.Context(), q); !errors.Is(err, jobmirror.ErrPageCursor) {
				t.Errorf("the cursor of another list: %v", err)
			}
			if _, err := m.Search(t.Context(), q); err != nil {
				t.Error(err)
			}
		})
	}
}

// Open refuses a mistyped list with its line, before it makes a database.
func TestMistypedSynonymsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs.db")
	_, err := jobmirror.Open(t.Context(), file, jobmirror.Options{Synonyms: "Koch, Köchin\nPfleger"})
	if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), "line 2: ") {
		t.Error(err)
	}
	if found, _ := filepath.Glob(file + "*"); found != nil {
		t.Error(found)
	}
}
