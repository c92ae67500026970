package jobmirror_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// PostgreSQL compiles the plan of no statement of a search: that takes up to hundreds of milliseconds, and
// none of these statements takes as long.
func TestSearchesCompileNoPlan(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	address := s.create(t)
	if !query[bool](t, address, "SELECT pg_jit_available()") {
		t.Skip("this PostgreSQL compiles nothing")
	}
	if err := jobmirror.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	srv, add := wordBoard(t)
	for range 50 {
		add("Software Entwickler", "<p>Wir suchen jemanden.")
	}
	add("Koch", "<p>Wir suchen dich.")
	opts := optionsOf(srv)
	opts.Config.ClientID, opts.Feeds = "10", nil
	opts.Channels = []jobmirror.Channel{{ID: "1_words", Languages: []string{"de"}}}
	m := open(t, address, opts)
	refresh(t, m)
	execute(t, address, "ANALYZE")
	for _, setting := range []string{
		"session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0", "jit = on",
	} {
		execute(t, address, "ALTER DATABASE "+filepath.Base(strings.Split(address, "?")[0])+" SET "+setting)
	}
	reader := open(t, address, jobmirror.Options{ReadOnly: true})
	for range 2 { // the second time the facets are known
		for _, q := range []jobmirror.Query{
			{Facets: true},
			{Text: "software", Facets: true, Snippets: true},
			{Text: "softwere", Facets: true},
			{Text: `"jemanden"`, Facets: true},
			{Near: jobboard.Near(52.5, 13.4, 100), Facets: true},
			{Near: jobboard.Near(52.5, 13.4, 100), Order: jobmirror.Nearest, Facets: true},
		} {
			if _, err := reader.Search(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := reader.Suggest(t.Context(), jobmirror.Query{Text: "soft"}); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(s.data, "log"))
	if err != nil {
		t.Fatal(err)
	}
	plans := strings.Split(string(log), "Query Text: ")[1:]
	if !slices.ContainsFunc(plans, func(plan string) bool { return strings.Contains(plan, "SELECT stamp FROM search_state") }) {
		t.Errorf("of %d plans in the server's log none is of the state of the index", len(plans))
	}
	for _, plan := range plans {
		if strings.Contains(plan, "JIT:") {
			t.Errorf("compiled: %s", plan)
		}
	}
}
