package jobmirror_test

import (
	"context"
	"database/sql"
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
// server of its board and the jobs. The words are so many that the index has several pages.
func searchable(t *testing.T, address string, n int) (m *jobmirror.Mirror, srv *jobboardtest.Server, jobs []int64) {
	t.Helper()
	return searchableBy(t, address, n, 60)
}

// searchableBy is such a mirror of postings with advertisements of so many words.
func searchableBy(t *testing.T, address string, n, words int) (m *jobmirror.Mirror, srv *jobboardtest.Server, jobs []int64) {
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

// checkIndex compares the index with the postings.
func checkIndex(t *testing.T, m *jobmirror.Mirror) *jobmirror.IndexCheck {
	t.Helper()
	found, err := m.CheckIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// flips says which columns of the index's tables a test changes a byte of.
var flips = []struct {
	table, column string
	times         int
}{
	{"search_data", "block", 24},
	{"search_idx", "term", 3},
	{"search_idx", "pgno", 2},
	{"search_docsize", "id", 2},
	{"search_docsize", "origin", 2},
	{"search_config", "v", 1},
	{"facets", "value", 3},
	{"places", "name", 1},
	{"places", "latitude", 1},
	{"stemmers", "name", 1},
	{"vocabulary", "words", 3},
}

// flip changes a byte of a column in a row of a table, and tells which.
func flip(t *testing.T, db *sql.DB, r *rand.Rand, table, column string) string {
	t.Helper()
	ctx := t.Context()
	key := "rowid"
	if table != "search_data" && table != "search_docsize" && table != "vocabulary" {
		key = map[string]string{
			"search_idx": "segid || '/' || hex(term)", "search_config": "k", "facets": "document || kind || value",
			"places": "document || '/' || number", "stemmers": "name",
		}[table]
	}
	var where, kind string
	var value []byte
	offset := r.IntN(1 << 20)
	err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT %[1]s, typeof(%[2]s), CAST(%[2]s AS BLOB) FROM %[3]s WHERE length(CAST(%[2]s AS BLOB)) > 0
		ORDER BY %[1]s LIMIT 1 OFFSET %[4]d %% (SELECT count(*) FROM %[3]s WHERE length(CAST(%[2]s AS BLOB)) > 0)`, key, column, table, offset)).Scan(&where, &kind, &value)
	if err != nil {
		t.Fatal(err)
	}
	at := r.IntN(len(value))
	was := value[at]
	if column == "id" {
		value = append(value, '9') // any other number may be another row's
	} else if kind == "integer" || kind == "real" {
		value[at] = '0' + (value[at]-'0'+1)%10
		if was == '.' || was == '-' {
			value[at] = '1'
		}
	} else {
		value[at] ^= byte(1 + r.IntN(127))
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("UPDATE OR IGNORE %s SET %s = CAST(? AS %s) WHERE %s = ?", table, column, kind, key), value, where)
	if err != nil {
		t.Fatalf("%s.%s of %s to %q, %s: %v", table, column, where, value, kind, err)
	}
	return fmt.Sprintf("%s.%s of %s, byte %d of %d: %#x became %#x", table, column, where, at, len(value), was, value[at])
}

// answers has what a search finds for each token of the index, in both directions.
func answers(t *testing.T, db *sql.DB, tokens []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, token := range tokens {
		for _, order := range []string{"", "DESC"} {
			for _, form := range []string{`"%s"`, `"%s"*`, `"%s" AND "_p"`} {
				question := fmt.Sprintf(form, token)
				rows, err := db.QueryContext(t.Context(), "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid "+order, question)
				if err != nil {
					out[question+order] = "error"
					continue
				}
				var list []int64
				for rows.Next() {
					var row int64
					if err = rows.Scan(&row); err != nil {
						break
					}
					list = append(list, row)
				}
				out[question+order] = fmt.Sprint(list, errors.Join(err, rows.Err()) == nil)
				_ = rows.Close()
			}
		}
	}
	return out
}

func column(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// A byte of the index that is another is noticed where a search would answer otherwise, and Reindex
// mends it. Neither SQLite's own checks nor those of its text index notice most of them.
func TestFlippedBytesOfTheIndex(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "jobs.db")
	m, _, _ := searchable(t, base, size(60, 500))
	if found := checkIndex(t, m); found.Damaged() || found.Waiting > 0 || found.Postings == 0 {
		t.Fatalf("%+v", found)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	whole := openSQL(t, base)
	tokens := column(t, whole, "SELECT term FROM tokens")
	few := slices.Clone(tokens)
	r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	r.Shuffle(len(few), func(i, j int) { few[i], few[j] = few[j], few[i] })
	few = few[:100]
	want, wantFew := answers(t, whole, tokens), answers(t, whole, few)
	file, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	var tried []struct{ table, column string }
	for _, f := range flips {
		for range f.times {
			tried = append(tried, struct{ table, column string }{f.table, f.column})
		}
	}
	var found, bySQLite, byIndex, harmless int
	for _, f := range testenv.Some(t, 5, tried) {
		path := filepath.Join(t.TempDir(), "jobs.db")
		replaceFile(t, path, string(file))
		what := flip(t, openSQL(t, path), r, f.table, f.column)
		if !tellsFlip(t, path) {
			if got := answers(t, openSQL(t, path), tokens); !maps.Equal(got, want) {
				t.Errorf("not noticed: %s", what)
			}
			t.Logf("changes no answer: %s", what)
			harmless++
			continue
		}
		found++
		if quick := column(t, openSQL(t, path), "PRAGMA quick_check"); !slices.Equal(quick, []string{"ok"}) {
			bySQLite++
		}
		if _, err := openSQL(t, path).ExecContext(t.Context(), "INSERT INTO search (search) VALUES ('integrity-check')"); err != nil {
			byIndex++
		}
		mended := open(t, path, jobmirror.Options{})
		if err := mended.Reindex(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if again := checkIndex(t, mended); again.Damaged() {
			t.Errorf("%s: after Reindex %+v", what, again)
		}
		if got := answers(t, openSQL(t, path), few); !maps.Equal(got, wantFew) {
			t.Errorf("%s: Reindex does not mend it", what)
		}
		if err := mended.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("figure: of %d flipped bytes CheckIndex finds %d, quick_check %d and FTS5's own check %d of them; %d change no answer",
		found+harmless, found, bySQLite, byIndex, harmless)
}

// tellsFlip reports whether CheckIndex, or opening the mirror, tells that something is damaged.
func tellsFlip(t *testing.T, path string) bool {
	t.Helper()
	m, err := jobmirror.Open(t.Context(), path, jobmirror.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	return checkIndex(t, m).Damaged()
}

// On PostgreSQL a row whose tokens are others, that is gone, or that is no posting's, is noticed and
// mended, and so are entries that the index of the rows lacks, or has kept. A role that does not own the
// tables is told what it cannot have mended.
func TestDamagedIndexOfAServer(t *testing.T) {
	t.Parallel()
	create := jobmirror.Databases["postgres"]
	if create == nil {
		t.Skip("there is no server")
	}
	address := create(t)
	m, _, _ := searchableBy(t, address, 30, 5)
	if found := checkIndex(t, m); found.Damaged() || found.Waiting > 0 || found.Postings == 0 {
		t.Fatalf("%+v", found)
	}
	silently := func(statements ...string) func(t *testing.T) { // past the index of the rows
		return func(t *testing.T) {
			t.Helper()
			execute(t, address, "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indexrelid = 'search_words'::regclass")
			for _, statement := range statements {
				execute(t, address, statement)
			}
			execute(t, address, "UPDATE pg_index SET indisready = true, indisvalid = true WHERE indexrelid = 'search_words'::regclass")
		}
	}
	statements := func(statements ...string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			for _, statement := range statements {
				execute(t, address, statement)
			}
		}
	}
	const first = "(SELECT min(document) FROM search)"
	for name, c := range map[string]struct {
		damage func(t *testing.T)
		differ int
	}{
		"another token":        {statements("UPDATE search SET words = ts_delete(words, '_p') WHERE document = " + first), 1},
		"a row is gone":        {statements("DELETE FROM search WHERE document = " + first), 1},
		"a row of no posting":  {statements("INSERT INTO search SELECT 1000000, words FROM search WHERE document = " + first), 1},
		"facets":               {statements("UPDATE facets SET value = value || 'x' WHERE document = " + first), 1},
		"facets of no posting": {statements("INSERT INTO facets VALUES (1000000, 'o', 'x')"), 1},
		"a place":              {statements("UPDATE places SET latitude = latitude + 1 WHERE document = " + first), 1},
		"a stemmer":            {statements("UPDATE stemmers SET name = 'xx'"), 30},
		"an entry of the index is gone": {silently("CREATE TABLE kept AS SELECT * FROM search WHERE document = "+first,
			"DELETE FROM search WHERE document IN (SELECT document FROM kept)", "INSERT INTO search SELECT * FROM kept"), 1},
		"a new row is not in the index":  {silently("INSERT INTO search SELECT 1000000, words FROM search WHERE document = " + first), 1},
		"words are gone":                 {statements("DELETE FROM vocabulary"), 0},
		"words of the vocabulary differ": {statements("UPDATE vocabulary SET words = 'nurze ' || words"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.damage(t)
			found := checkIndex(t, m)
			if found.Differ != c.differ || len(found.First) != min(c.differ, 10) || !found.Damaged() && name != "words of the vocabulary differ" {
				t.Errorf("%+v", found)
			}
			if err := m.Reindex(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := checkIndex(t, m); found.Damaged() {
				t.Errorf("after Reindex: %+v", found)
			}
			list, _, err := jobmirror.Vocabulary(t.Context(), m)
			if err != nil || !slices.Contains(list, "nurse") || slices.Contains(list, "nurze") {
				t.Errorf("the vocabulary has %d words, %v", len(list), err)
			}
		})
	}
}

// Reindex that ends at any statement leaves an index that answers as before, into which the others go on
// to write; the next one goes on, and the index is right.
func TestReindexEndsAtAnyStatement(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		const n = 12
		m, srv, jobs := searchableBy(t, address, n, 5)
		damage := "DELETE FROM search WHERE document = (SELECT min(id) FROM postings)"
		if !strings.HasPrefix(address, "postgres") {
			damage = strings.ReplaceAll(damage, "document", "rowid")
		}
		killed, round := errors.New("killed"), 0
		// reindex ends at a statement, of which fails says whether it is that one, and others go on.
		reindex := func(fails func(query string) bool) (ended bool) {
			t.Helper()
			round++
			if err := jobmirror.Exec(t.Context(), m, damage); err != nil {
				t.Fatal(err)
			}
			other := open(t, address, jobmirror.Options{})
			dead := false
			jobmirror.FailStatements(other, func(query string) error {
				if dead = dead || fails(query); dead {
					return killed
				}
				return nil
			})
			err := other.Reindex(t.Context())
			if ended = err == nil; !ended && !errors.Is(err, killed) {
				t.Fatal(err)
			}
			if found := len(find(t, m, jobmirror.Query{Text: "nurse"})); found != n && (found != n-1 || ended) {
				t.Fatalf("round %d: a search finds %d of %d", round, found, n)
			}
			srv.UpdateJob(jobs[0], func(j *jobboardtest.Job) { j.Location.City = fmt.Sprintf("Town %d", round) })
			if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
				t.Fatal(err)
			}
			refresh(t, m)
			return ended
		}
		mend := func() {
			t.Helper()
			if err := m.Reindex(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := checkIndex(t, m); found.Damaged() {
				t.Fatalf("round %d, after a whole Reindex: %+v", round, found)
			}
		}
		for last, ended := 1, false; !ended; last += 1 + last/size(4, 40) {
			statements := 0
			ended = reindex(func(string) bool {
				statements++
				return statements >= last
			})
			if round%3 != 0 || ended { // else the next one finds what this one left
				mend()
			}
		}
		// All postings are put anew and one changes; only then comes the last step.
		reindex(func(query string) bool { return strings.HasPrefix(query, "SELECT name FROM stemmers") })
		mend()
	})
}

// While several processes build the index anew, others write and search: nobody misses a posting.
func TestReindexBesideOthers(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		const n = 120
		m, srv, jobs := searchableBy(t, address, n, 5)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range 2 {
			other := open(t, address, jobmirror.Options{})
			running.Go(func() {
				for ctx.Err() == nil {
					if err := other.Reindex(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		running.Go(func() {
			for ctx.Err() == nil {
				page, err := reader.Search(t.Context(), jobmirror.Query{Text: "nurse", Limit: 1, Facets: true})
				if err != nil || page.Facets.Total != n {
					t.Errorf("found %+v, %v", page.Facets, err)
					return
				}
			}
		})
		for round := range size(3, 20) {
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
		}
		stop()
		running.Wait()
		// What a step of Reindex had locked at the end of the last refresh waits for whoever indexes next.
		if err := jobmirror.IndexNow(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if found := checkIndex(t, m); found.Damaged() || found.Waiting > 0 {
			t.Errorf("%+v", found)
		}
		checkReplay(t, m)
	})
}
