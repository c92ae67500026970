package jobmirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// searchable is a mirror of postings with words, places and categories, which are all indexed, with the
// server of its board and the jobs.
func searchable(t *testing.T, address string, n, words int) (m *jobmirror.Mirror, srv *jobboardtest.Server, jobs []int64) {
	t.Helper()
	srv = jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "1_search"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return fmt.Sprintf("w%cr%s", 'a'+r.IntN(26), strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(9)))
	}
	for i := range n {
		list := make([]string, words)
		for k := range list {
			list[k] = word()
		}
		job := srv.AddJob(jobboardtest.Job{
			Title: fmt.Sprintf("Nurse %s %d", word(), i), Language: "de",
			Location: jobboardtest.Location{City: "Town " + word(), Lat: fmt.Sprintf("%.5f", 47+8*r.Float64()), Long: fmt.Sprintf("%.5f", 6+9*r.Float64())},
		})
		jobs = append(jobs, job.ID)
		srv.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Title: job.Title, Language: "de", Channels: []string{"1_search"}, ApplyURL: fmt.Sprintf("https://jobs.example/job/%d/x", job.ID),
			Config: map[string][]string{"platform_internalAdText": {"<p>" + strings.Join(list, " ") + "</p>"}, "jobcategory": {strconv.Itoa(i % 7)}},
		})
	}
	m = open(t, address, jobmirror.Options{
		Config:   jobboard.Config{BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: "10", HTTPClient: srv.Client()},
		Channels: []jobmirror.Channel{{ID: "1_search", Languages: []string{"de"}}}, Limit: -1, Concurrency: 32,
	})
	refresh(t, m)
	return m, srv, jobs
}

// answers has what a mirror answers to words of titles and advertisements, parts of words, mistakes, circles,
// filters and beginnings of words.
func answers(t *testing.T, m *jobmirror.Mirror) map[string]string {
	t.Helper()
	queries := []jobmirror.Query{
		{},
		{All: true},
		{Text: "nurse"},
		{Text: "nurze"},
		{Text: `"nurse"`},
		{Text: "town"},
		{Near: jobboard.Near(51, 10, 200)},
		{Near: jobboard.Near(48, 8, 100), Text: "nurse", Order: jobmirror.Nearest},
		{Category: "3"},
		{Language: "de", Channel: "1_search"},
	}
	for first := 'a'; first <= 'z'; first++ {
		queries = append(queries, jobmirror.Query{Text: fmt.Sprintf("w%craaa", first)}, jobmirror.Query{Text: fmt.Sprintf("w%crzz -nurse", first)})
	}
	out := map[string]string{}
	for _, q := range queries {
		q.Limit, q.Facets = 1000, true
		page, err := m.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var ids []jobboard.JobPostingID
		for _, hit := range page.Postings {
			ids = append(ids, hit.Posting.JobPostingID)
		}
		out[fmt.Sprintf("%+v", q)] = fmt.Sprint(ids, page.Facets, page.Corrected)
	}
	for _, text := range []string{"nur", "war", "too"} {
		list, err := m.Suggest(t.Context(), jobmirror.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		out["suggest "+text] = fmt.Sprint(list)
	}
	return out
}

// damages are statements that change the index so that searches answer otherwise.
func damages(address string) map[string][]string {
	row := "document"
	if !strings.HasPrefix(address, "postgres") {
		row = "rowid"
	}
	const first = "(SELECT min(id) FROM postings)"
	all := map[string][]string{
		"a posting is gone":     {"DELETE FROM search WHERE " + row + " = " + first},
		"a row of no posting":   {"INSERT INTO search (" + row + ", words) VALUES (1000000, '_p nurse')", "INSERT INTO facets VALUES (1000000, 'o', 'x')"},
		"facets and places":     {"UPDATE facets SET value = value || 'x'", "UPDATE places SET latitude = latitude + 1"},
		"a place of no posting": {"INSERT INTO places VALUES (1000000, 0, 'x', 51, 10)", "DELETE FROM facets WHERE document = " + first},
		"stemmers":              {"UPDATE stemmers SET name = 'xx'"},
		"words":                 {"DELETE FROM vocabulary"},
		"other words":           {"UPDATE vocabulary SET words = 'nurze ' || words"},
	}
	if row == "rowid" {
		all["blocks"] = []string{"UPDATE search_data SET block = x'00' WHERE id > 10"}
		all["the structure"] = []string{"UPDATE search_data SET block = x'00' WHERE id = 10"}
		all["settings"] = []string{"UPDATE search_config SET v = 77 WHERE k = 'version'"}
		all["no settings"] = []string{"DELETE FROM search_config"}
	}
	return all
}

// Rebuild mends what is damaged in the index: a search answers then as it did before.
func TestRebuild(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		m, _, _ := searchable(t, address, 40, 12)
		want := answers(t, m)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		all := damages(address)
		for _, name := range testenv.Some(t, 4, slices.Sorted(maps.Keys(all))) {
			damaged := open(t, address, jobmirror.Options{})
			for _, statement := range all[name] {
				if err := jobmirror.Exec(t.Context(), damaged, statement); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if err := damaged.Close(); err != nil {
				t.Fatal(err)
			}
			mended := open(t, address, jobmirror.Options{})
			if err := mended.Rebuild(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := answers(t, mended); !maps.Equal(got, want) {
				for query := range want {
					if got[query] != want[query] {
						t.Errorf("%s: after Rebuild %s finds\n%s, before\n%s", name, query, got[query], want[query])
					}
				}
			}
			for _, table := range []string{"search WHERE " + map[bool]string{true: "rowid", false: "document"}[!strings.HasPrefix(address, "postgres")], "facets WHERE document", "places WHERE document"} {
				if left := count(t, address, "SELECT count(*) FROM "+table+" = 1000000"); left != 0 {
					t.Errorf("%s: a row of no posting is left in %s", name, table)
				}
			}
			if err := errors.Join(mended.CheckIndex(t.Context()), mended.Close()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		if err := reader.Rebuild(t.Context()); !errors.Is(err, jobmirror.ErrReadOnly) {
			t.Errorf("without the right to write: %v", err)
		}
	})
}

// SQLite's own check notices blocks that cannot be read. Where a page of the database is damaged so that
// the table cannot be dropped, Rebuild says what is left to do, and changes nothing.
func TestDamagedPagesOfTheIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jobs.db")
	m, _, _ := searchable(t, path, 60, 60)
	if err := m.CheckIndex(t.Context()); err != nil {
		t.Errorf("an index that is right: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db := openSQL(t, path)
	var size, root int
	err = db.QueryRowContext(t.Context(), "SELECT (SELECT * FROM pragma_page_size), rootpage FROM sqlite_schema WHERE name = 'search_data'").Scan(&size, &root)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	file := bytes.Clone(whole)
	for i := range size {
		file[(root-1)*size+i] = 0xa5
	}
	damaged := filepath.Join(t.TempDir(), "jobs.db")
	replaceFile(t, damaged, string(file))
	m = open(t, damaged, jobmirror.Options{})
	if err := m.CheckIndex(t.Context()); err == nil {
		t.Error("SQLite's check finds nothing")
	}
	if err := m.Rebuild(t.Context()); err == nil || !strings.Contains(err.Error(), "put a backup back") {
		t.Errorf("Rebuild: %v", err)
	}
	if n := count(t, damaged, "SELECT count(*) FROM unindexed"); n != 0 {
		t.Errorf("a Rebuild that failed has marked %d postings", n)
	}
	blocks := filepath.Join(t.TempDir(), "jobs.db")
	replaceFile(t, blocks, string(whole))
	m = open(t, blocks, jobmirror.Options{})
	if err := jobmirror.Exec(t.Context(), m, "UPDATE search_data SET block = x'00' WHERE id > 10"); err != nil {
		t.Fatal(err)
	}
	if err := m.CheckIndex(t.Context()); err == nil {
		t.Error("SQLite's check finds nothing in blocks that cannot be read")
	}
}

// A Rebuild that ends at any statement leaves no search with an error, and whoever indexes next ends with every
// posting found.
func TestRebuildEndsAtAnyStatement(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		const n = 12
		m, srv, jobs := searchable(t, address, n, 5)
		killed := errors.New("killed")
		for last, ended := 1, false; !ended; last += 1 + last/size(4, 40) {
			other := open(t, address, jobmirror.Options{})
			statements := 0
			jobmirror.FailStatements(other, func(string) error {
				if statements++; statements >= last {
					return killed
				}
				return nil
			})
			err := other.Rebuild(t.Context())
			if ended = err == nil; !ended && !errors.Is(err, killed) {
				t.Fatal(err)
			}
			page, err := m.Search(t.Context(), jobmirror.Query{Text: "nurse", Facets: true})
			if err != nil {
				t.Fatalf("statement %d: %v", last, err)
			}
			if found := len(page.Postings); found > n || found != page.Facets.Total || found < n && !page.Building {
				t.Fatalf("statement %d: a search finds %d of %d, counts %d, and is building: %t", last, found, n, page.Facets.Total, page.Building)
			}
			srv.UpdateJob(jobs[0], func(j *jobboardtest.Job) { j.Location.City = fmt.Sprintf("Town %d", last) })
			if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
				t.Fatal(err)
			}
			refresh(t, m)
			page, err = m.Search(t.Context(), jobmirror.Query{Text: "nurse"})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Postings) != n || page.Building {
				t.Fatalf("statement %d: after a refresh: %d of %d, building: %t", last, len(page.Postings), n, page.Building)
			}
		}
	})
}

// While several processes rebuild the index, others write and search; in the end the index is right.
func TestRebuildBesideOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		const n = 120
		m, srv, jobs := searchable(t, address, n, 5)
		ctx, stop := context.WithCancel(t.Context())
		var running, rebuilding sync.WaitGroup
		others := []*jobmirror.Mirror{open(t, address, jobmirror.Options{}), open(t, address, jobmirror.Options{})}
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		running.Go(func() {
			for ctx.Err() == nil {
				page, err := reader.Search(t.Context(), jobmirror.Query{Text: "nurse", Limit: 1, Facets: true})
				if err != nil || page.Facets.Total > n {
					t.Errorf("found %+v, %v", page, err)
					return
				}
			}
		})
		for round := range size(3, 20) {
			// Each rebuilds once a round: who rebuilds for ever may keep SQLite, which has no queue, from others.
			for _, other := range others {
				rebuilding.Go(func() {
					if err := other.Rebuild(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			for _, job := range jobs[:n/2] {
				srv.UpdateJob(job, func(j *jobboardtest.Job) {
					j.Title = fmt.Sprintf("Nurse %d", round)
					j.Location.City = fmt.Sprintf("Town %d", round)
				})
			}
			if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
				t.Fatal(err)
			}
			refresh(t, m)
			rebuilding.Wait()
		}
		stop()
		running.Wait()
		// What another one had locked at the end of the last call waits for whoever indexes next.
		if err := jobmirror.IndexNow(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		got := answers(t, m)
		if err := m.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		for query, want := range answers(t, m) {
			if got[query] != want {
				t.Errorf("%s found\n%s, and after a Rebuild alone\n%s", query, got[query], want)
			}
		}
		checkReplay(t, m)
	})
}

// A page says that the index is being built while more than a tenth of the postings wait, and not for a few.
func TestPageBuilding(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		m, _, _ := searchable(t, address, 40, 5)
		for _, c := range []struct {
			waiting int
			want    bool
		}{{0, false}, {1, false}, {4, false}, {5, true}, {40, true}} {
			for _, statement := range []string{
				"DELETE FROM unindexed", fmt.Sprintf("INSERT INTO unindexed (posting) SELECT id FROM postings ORDER BY id LIMIT %d", c.waiting),
			} {
				if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
					t.Fatal(err)
				}
			}
			page, err := m.Search(t.Context(), jobmirror.Query{})
			if err != nil {
				t.Fatal(err)
			}
			if page.Building != c.want || len(page.Postings) == 0 {
				t.Errorf("while %d of 40 wait: building is %t, and %d are found", c.waiting, page.Building, len(page.Postings))
			}
		}
		if err := jobmirror.Exec(t.Context(), m, "UPDATE search_state SET form = form - 1"); err != nil {
			t.Fatal(err)
		}
		if page, err := m.Search(t.Context(), jobmirror.Query{}); err != nil || !page.Building {
			t.Errorf("with the tokens of another version: %+v, %v", page, err)
		}
	})
}
