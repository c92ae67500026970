package jobmirror_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

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
