package jobmirror

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What stays of a posting that changes is not written anew: its advertisement, its words and
// its facets.
func TestWhatStaysIsNotWritten(t *testing.T) {
	t.Parallel()
	address, ok := Databases["postgres"]
	if !ok {
		t.Skip("PostgreSQL tells which rows were written")
	}
	var ad strings.Builder // more than has room in a row, and cannot be compressed
	for r := rand.New(rand.NewPCG(1, 2)); ad.Len() < 20_000; {
		fmt.Fprintf(&ad, "%x ", r.Uint64())
	}
	posting := func(version int) string {
		return fmt.Sprintf(`{"jobPostingId":1,"postingVersionId":%d,"title":"Nurse","applyOnlineLink":"https://jobs.example/job/12345/x",`+
			`"config":{"ProjectLocationGerman":["Bonn"],"platform_internalAdText":[%q]}}`, version, ad.String())
	}
	shown := pages{"a": {posting(1)}}
	m, _ := knows(t, address(t), shown, Channel{ID: "a"})
	refresh := func() {
		t.Helper()
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(table string) (text string) {
		t.Helper()
		if err := m.db.Ask(t.Context(), "SELECT string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid) FROM "+table, nil, &text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	refresh()
	var beside string
	if err := m.db.Ask(t.Context(), "SELECT reltoastrelid::regclass::text FROM pg_class WHERE relname = 'postings'", nil, &beside); err != nil {
		t.Fatal(err)
	}
	tables := []string{beside, "search", "facets"}
	before := map[string]string{}
	for _, table := range tables {
		before[table] = rows(table)
	}
	record := rows("postings")
	shown["a"] = []string{posting(2)}
	refresh()
	if rows("postings") == record {
		t.Error("the new version is not written")
	}
	for _, table := range tables {
		if rows(table) != before[table] {
			t.Errorf("rows of %s are written anew", table)
		}
	}
	CheckReplay(t, m)
}
