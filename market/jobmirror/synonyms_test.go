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

// A word of the owner's list finds what has its synonyms in the title, page by page, and is not taken for mistyped; a
// cursor is of one list.
func TestSynonymsOfTheOwner(t *testing.T) {
	t.Parallel()
	for kind, address := range jobmirror.Databases {
		t.Run(kind, func(t *testing.T) {
			srv, add := wordBoard(t)
			add("Aushilfe", "<p>Wir suchen eine Krankenschwester")
			add("Oberkrankenschwester", "")
			first := add("Krankenschwester im Nachtdienst", "")
			title := add("Krankenschwester", "")
			add("Pflegefachkrapt", "") // near to a word of the list that no posting has
			open := func(list string) *jobmirror.Mirror {
				return open(t, address(t), jobmirror.Options{
					Config:      jobboard.Config{BaseURL: srv.BaseURL, ClientID: "10"},
					LookupEvery: -1,
					Channels:    []jobmirror.Channel{{ID: "1_words", Languages: []string{"de"}}}, Limit: -1, Synonyms: list,
				})
			}
			m, without := open("Pflegefachkraft, Krankenschwester"), open("-")
			refresh(t, m)
			refresh(t, without)
			want := []jobboard.JobPostingID{title, first}
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
			if got := searchAsBoard(t, m, "Pflegefachkraft"); got.TotalNumberOfJobs != 2 {
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

// Without a list of the owner's the built-in one holds, for German postings; each profession's plain word stands in
// its group.
func TestBuiltInSynonyms(t *testing.T) {
	t.Parallel()
	srv, add := wordBoard(t)
	for _, title := range []string{
		"Pflegefachkraft (m/w/d)", "Reinigungskraft", "Berufskraftfahrer CE", "Medizinische Fachangestellte", "IT Security Engineer MFA und SSO",
	} {
		add(title, "")
	}
	open := func(list string, languages ...string) *jobmirror.Mirror {
		m := open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{
			Config:      jobboard.Config{BaseURL: srv.BaseURL, ClientID: "10"},
			LookupEvery: -1,
			Channels:    []jobmirror.Channel{{ID: "1_words", Languages: languages}}, Limit: -1, Synonyms: list,
		})
		refresh(t, m)
		return m
	}
	german, without, english := open("", "de"), open("-", "de"), open("", "en")
	for text, want := range map[string]int{"Pfleger": 1, "Krankenschwester": 1, "Putzkraft": 1, "LKW Fahrer": 1, "Arzthelferin": 1, "MFA": 2} {
		for m, want := range map[*jobmirror.Mirror]int{german: want, without: want / 2, english: want / 2} {
			page := found(t, m, jobmirror.Query{Text: text, Facets: true})
			got := page.Facets.Total
			if len(page.Corrected) > 0 {
				got = 0
			}
			if got != want {
				t.Errorf("%q finds %d, want %d", text, got, want)
			}
		}
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
