package jobmirror_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// part matches what PostgreSQL tells of a part of a plan: how many rows it gave each time,
// how many times it ran, and how many rows it read beside them each time.
var part = regexp.MustCompile(`actual rows=([\d.]+) loops=(\d+)\)(?:\n\t\s*[^-\n]*)*?(?:\n\t\s*Rows Removed by [\w ]+: ([\d.]+))?\n`)

// A table has no statistics until PostgreSQL comes round to gather them, a minute or more
// after it was filled. Until then, too, no statement reads all rows of a source once for
// each of them.
func TestNoStatementNeedsStatistics(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	for _, statement := range []string{
		"ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()",
		"ALTER ROLE mirror SET session_preload_libraries = 'auto_explain'", "ALTER ROLE mirror SET auto_explain.log_min_duration = 0",
		"ALTER ROLE mirror SET auto_explain.log_analyze = on", "ALTER ROLE mirror SET auto_explain.log_timing = off",
	} {
		if err := s.execute(statement); err != nil {
			t.Fatal(err)
		}
	}
	const n = 2000
	board, feed := newShelf(n), filepath.Join(t.TempDir(), "feed.xml")
	jobs := make([]int64, n)
	for i := range jobs {
		jobs[i] = int64(i + 1)
	}
	feedOf(t, feed, jobs, 0)
	opts := board.options()
	opts.Feeds = append(opts.Feeds, jobmirror.Feed{Name: "of a file", Address: feed})
	m := open(t, s.create(t), opts)
	refresh(t, m)
	feedOf(t, feed, jobs, n/2) // half of its entries have another title
	refresh(t, m)
	board.shows = upTo(n / 2) // the others are held
	feedOf(t, feed, jobs[:n/2], 0)
	refresh(t, m)
	if err := m.AskHeld(t.Context()); err != nil {
		t.Fatal(err)
	}
	board.shows = upTo(n * 3 / 4) // half of them are back
	refresh(t, m)
	if err := m.AcceptRemovals(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.Forget(t.Context(), jobboard.JobID(1)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []jobmirror.Query{{Text: "nurse", Facets: true}, {Text: "nurse", Near: jobboard.Near(52.5, 13.4, 50)}, {Text: "nusre"}} {
		find(t, m, q)
	}
	if _, err := m.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.data + "/log")
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 1<<20 {
		t.Fatalf("the log explains nothing: %d bytes", len(text))
	}
	parts := part.FindAllSubmatchIndex(text, -1)
	if len(parts) == 0 {
		t.Fatal("the log tells of no plan")
	}
	for _, match := range parts {
		number := func(i int) float64 {
			if match[i] < 0 {
				return 0
			}
			n, err := strconv.ParseFloat(string(text[match[i]:match[i+1]]), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if rows := (number(2) + number(6)) * number(4); rows > 20*n {
			t.Errorf("a statement reads %.0f rows:\n%s", rows, text[max(0, match[0]-2000):match[1]])
		}
	}
}
