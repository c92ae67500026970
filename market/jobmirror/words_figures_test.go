package jobmirror_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// wordyBoard answers for a channel of any number of postings of 2 to 6 KB without holding them.
// As in any language, a few words occur in most postings, and most words in few: twice as many
// different words as postings.
type wordyBoard struct {
	postings int
	hidden   int // the posting after so many others is hidden from visitors; 0: none is
	markup   int // bytes without words that each advertisement has besides
}

// word returns a word by its rank.
func (b wordyBoard) word(rank int) string {
	if rank < len(vocabulary) {
		return vocabulary[rank]
	}
	syllables := strings.Fields("ba ber bund dach dorf ein fach feld ge hand haus in kauf kraft land lei mann mei nah pfle ra schul ster tech ung ver werk zu")
	var word strings.Builder
	for n := rank * 7919; n > 0; n /= len(syllables) {
		word.WriteString(syllables[n%len(syllables)])
	}
	return word.String()
}

func (b wordyBoard) some(r *rand.Rand, n int) string {
	z := rand.NewZipf(r, 1.15, 20, uint64(2*b.postings))
	list := make([]string, n)
	for i := range list {
		list[i] = b.word(int(z.Uint64()))
	}
	return strings.Join(list, " ")
}

func (b wordyBoard) handler() http.Handler {
	mux := http.NewServeMux()
	const first = 10_000_000
	mux.HandleFunc("GET /board/api/rest/v2/frontend/jobboards/1_all/jobs", func(w http.ResponseWriter, _ *http.Request) {
		out := bufio.NewWriter(w)
		r := rand.New(rand.NewPCG(1, 2))
		fmt.Fprintf(out, `{"totalNumberOfJobs":%d,"numPages":1,"results":[`, b.postings)
		for i := range b.postings {
			if i > 0 {
				out.WriteByte(',')
			}
			link, visibility := "", "visible"
			if b.hidden > 0 && i%b.hidden == b.hidden-1 {
				visibility = "internal"
			}
			if i%4 == 0 {
				link = fmt.Sprintf("https://jobs.example/job/%d/x", first+i)
			}
			fmt.Fprintf(out, `{"jobPostingId":%d,"postingVersionId":%d,"title":%q,"applyOnlineLink":%q,"config":{"jobcategory":["%d"],"platformvisibility":[%q],`+
				`"ProjectLocationGerman":[%q],"ProjectCompanyNameGerman":[%q],"platform_internalAdText":[%q]}}`, i+1, i+1, b.some(r, 1+r.IntN(4)), link, i%40, visibility,
				b.word(100+r.IntN(500)), b.some(r, 2), "<p>"+b.some(r, 200+r.IntN(400))+strings.Repeat("<br>", b.markup/4))
		}
		out.WriteString("]}")
		_ = out.Flush()
	})
	mux.HandleFunc("GET /jobdb/public/apply/external", func(w http.ResponseWriter, r *http.Request) {
		job, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jobId":%d,"jobTitle":"Job","jobLanguage":"de","applyPossible":true,"location":{"geoLat":"%.3f","geoLong":"%.3f"}}`,
			job, 47+float64(job%800)/100, 6+float64(job%900)/100)
	})
	return mux
}

// serverTime returns the processor time of the processes of the PostgreSQL server.
func serverTime() (sum time.Duration) {
	if postgres == nil {
		return 0
	}
	pid, _ := os.ReadFile(filepath.Join(postgres.data, "db", "postmaster.pid"))
	parent, _, _ := strings.Cut(string(pid), "\n")
	children, _ := os.ReadFile("/proc/" + parent + "/task/" + parent + "/children")
	for child := range strings.FieldsSeq(string(children)) {
		text, _ := os.ReadFile("/proc/" + child + "/schedstat")
		ran, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ran, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// Searches of postings of a natural size cost little of a processor, whatever is typed, and
// so does their index of room.
func TestSearchesOfLargePostings(t *testing.T) {
	onEachMeasured(t, func(t *testing.T, address string) {
		b := wordyBoard{postings: size(300, 100_000), hidden: 20}
		board := httptest.NewServer(b.handler())
		defer board.Close()
		m := open(t, address, jobmirror.Options{
			Config:   jobboard.Config{BaseURL: board.URL + "/board", JobDBURL: board.URL, ClientID: "10", MaxBodyBytes: 4 << 30},
			Channels: []jobmirror.Channel{{ID: "1_all", Languages: []string{"de"}}}, Limit: -1, Concurrency: 32,
		})
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
		defer cancel()
		if err := m.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		b.measure(ctx, t, m, address)
		b.measureHidden(t, m)
		b.measureChanged(t, m)
	})
}

// measure tells the figures of a mirror of the board, and in a long run holds searches to
// the times of a processor that they may take.
func (b wordyBoard) measure(ctx context.Context, t *testing.T, m *jobmirror.Mirror, address string) {
	onServer := strings.HasPrefix(address, "postgres")
	list, rows, err := jobmirror.Vocabulary(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	perPosting := func(statement string) int64 { return query[int64](t, address, statement) / int64(b.postings) }
	if onServer {
		t.Logf("figure: of the index %d bytes a posting, with the tokens of each %d, the vocabulary %d: %d words in %d rows",
			perPosting("SELECT pg_relation_size('search_words')"), perPosting("SELECT pg_total_relation_size('search')"),
			perPosting("SELECT pg_total_relation_size('vocabulary')"), len(list), rows)
	} else {
		of := func(statement string) int64 {
			t.Helper()
			// Closed at once: as long as it is open, the mirror's own connections read pages of the
			// file again and again, and facets take more than twice the time.
			db := openSQL(t, address)
			var n int64
			err := db.QueryRowContext(ctx, statement).Scan(&n)
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			return n / int64(b.postings)
		}
		t.Logf("figure: of the index %d bytes a posting, the vocabulary %d: %d words in %d rows",
			of("SELECT sum(length(block)) FROM search_data"), of("SELECT sum(length(words)) FROM vocabulary"), len(list), rows)
	}
	r := rand.New(rand.NewPCG(3, 4))
	words := func() string { return b.some(r, 1) }
	deep := deepCursor(ctx, t, m, words)
	for _, c := range []struct {
		what string
		most time.Duration
		next func() jobmirror.Query
	}{
		{"a word", 20 * time.Millisecond, func() jobmirror.Query { return jobmirror.Query{Text: words()} }},
		{"a part of a word", 20 * time.Millisecond, func() jobmirror.Query {
			word := b.word(60 + r.IntN(2*b.postings-60))
			from := r.IntN(len(word) - 3)
			return jobmirror.Query{Text: word[from : from+4+r.IntN(len(word)-from-3)]}
		}},
		{"two words in a circle", 20 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: b.some(r, 2), Near: jobboard.Near(47+8*r.Float64(), 6+9*r.Float64(), 50)}
		}},
		{"the 1000th page", 20 * time.Millisecond, func() jobmirror.Query { return deep }},
		{"a typing error", 30 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: mistyped(r, list[r.IntN(len(list))])}
		}},
		{"a word with facets", 200 * time.Millisecond, func() jobmirror.Query { return jobmirror.Query{Text: words(), Facets: true} }},
		{"a word with facets, asked again", 20 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: b.word(0), Facets: true}
		}},
		{"a word in a circle with facets", 200 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: b.word(0), Near: jobboard.Near(47+8*r.Float64(), 6+9*r.Float64(), 50), Facets: true}
		}},
		{"a word in a circle with facets, asked again", 20 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: b.word(0), Near: jobboard.Near(51, 10, 50), Facets: true}
		}},
		{"a word in quotes with facets", 200 * time.Millisecond, func() jobmirror.Query {
			return jobmirror.Query{Text: `"` + words() + `"`, Facets: true}
		}},
	} {
		var times []time.Duration
		for range size(10, 200) {
			q := c.next()
			there := serverTime()
			here := cpuTime(t)
			if _, err := m.Search(ctx, q); err != nil {
				t.Fatalf("%q: %v", q.Text, err)
			}
			here = cpuTime(t) - here
			times = append(times, here+serverTime()-there)
		}
		slices.Sort(times)
		p99 := times[len(times)*99/100-1]
		t.Logf("figure: %s: of a processor p50 %s, p99 %s", c.what, times[len(times)/2], p99)
		if long() && p99 > c.most {
			t.Errorf("%s takes %s of a processor at p99, more than %s", c.what, p99, c.most)
		}
	}
}

// measureHidden tells what it costs a search to leave out what a visitor may not see, which is to be next to nothing. Each
// search runs with Query.All and without it by turns, and the shortest processor times are compared.
func (b wordyBoard) measureHidden(t *testing.T, m *jobmirror.Mirror) {
	if _, shown := all(t, m, jobmirror.Query{Limit: 1000}); shown != b.postings-b.postings/b.hidden {
		t.Errorf("%d of %d postings are shown", shown, b.postings)
	}
	r := rand.New(rand.NewPCG(3, 4))
	var sum [2]time.Duration
	for _, c := range []struct {
		what string
		next func() jobmirror.Query
	}{
		{"no text", func() jobmirror.Query { return jobmirror.Query{Language: "de"} }},
		{"a word", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 1)} }},
		{"two words in a circle", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 2), Near: jobboard.Near(50, 10, 200)} }},
		{"a word with facets", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 1), Facets: true} }},
		{"no text with facets", func() jobmirror.Query { return jobmirror.Query{Facets: true} }},
	} {
		var of [2]time.Duration
		for range size(3, 40) {
			q := c.next()
			least := [2]time.Duration{time.Hour, time.Hour}
			for i := range 2 * size(2, 8) {
				q.All = i%2 == 1
				there, here := serverTime(), cpuTime(t)
				if _, err := m.Search(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				if used := cpuTime(t) - here + serverTime() - there; used > 0 { // below 0 where a process of the server ended
					least[i%2] = min(least[i%2], used)
				}
			}
			of[0], of[1] = of[0]+least[0], of[1]+least[1]
		}
		sum[0], sum[1] = sum[0]+of[0], sum[1]+of[1]
		t.Logf("figure: %s: %s, of all postings %s: %.3f of it", c.what, of[0], of[1], float64(of[0])/float64(of[1]))
	}
	ratio := float64(sum[0]) / float64(sum[1])
	t.Logf("figure: in all %.3f of the time", ratio)
	if long() && ratio > 1.05 {
		t.Errorf("leaving out hidden postings takes %.3f of the time of a search of all", ratio)
	}
}

// measureChanged tells what ten thousand searches cost that are asked at once what changed, which takes seconds if few
// postings did.
func (b wordyBoard) measureChanged(t *testing.T, m *jobmirror.Mirror) {
	r := rand.New(rand.NewPCG(3, 4))
	queries := make([]jobmirror.Query, size(100, 10_000))
	for i := range queries {
		if queries[i].Text = b.some(r, 1+i%2); i%5 == 0 {
			queries[i].Near = jobboard.Near(47+8*r.Float64(), 6+9*r.Float64(), 50)
		}
	}
	for _, n := range []int{42, size(100, 5000), size(300, 6000)} {
		page, err := m.Search(t.Context(), jobmirror.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{
			"UPDATE counters SET value = value + 1 WHERE name = 'indexed'",
			fmt.Sprintf("UPDATE marks SET number = (SELECT value FROM counters WHERE name = 'indexed') WHERE posting IN (SELECT id FROM postings ORDER BY id LIMIT %d)", n),
		} {
			if err := jobmirror.Exec(t.Context(), m, statement); err != nil {
				t.Fatal(err)
			}
		}
		if n > 5000 {
			queries = queries[:100]
		}
		there, here := serverTime(), cpuTime(t)
		changed, err := m.SearchChanged(t.Context(), page.Mark, queries)
		if err != nil {
			t.Fatal(err)
		}
		used, hits := cpuTime(t)-here+serverTime()-there, 0
		for _, list := range changed.Postings {
			hits += len(list)
		}
		t.Logf("figure: %d searches with %d of %d changed: %s of a processor, %d hits", len(queries), n, b.postings, used, hits)
		if hits == 0 || long() && n == 42 && used > 4*time.Second {
			t.Errorf("%d hits in %s of a processor", hits, used)
		}
	}
}

// A page of what most postings have costs PostgreSQL some of them, however many there are.
func TestPageOfCommonWordsReadsFew(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	b := wordyBoard{postings: 800}
	address := postgres.createMigrated(t)
	board := httptest.NewServer(b.handler())
	defer board.Close()
	m := open(t, address, jobmirror.Options{
		Config:      jobboard.Config{BaseURL: board.URL + "/board", ClientID: "10", MaxBodyBytes: 4 << 30},
		LookupEvery: -1,
		Channels:    []jobmirror.Channel{{ID: "1_all", Languages: []string{"de"}}}, Limit: -1,
	})
	refresh(t, m)
	execute(t, address, "ANALYZE") // as the server does sooner or later by itself
	// Those that have the word in the title come first, and end on this page.
	far := found(t, m, jobmirror.Query{Text: b.word(0), Limit: 100})
	for _, q := range []jobmirror.Query{
		{Order: jobmirror.Newest},
		{Order: jobmirror.Newest, Channel: "1_all"},
		{Order: jobmirror.Oldest},
		{Order: jobmirror.Newest, Text: b.word(0)},
		{Order: jobmirror.Oldest, Text: b.word(0)},
		{Text: b.word(0), After: far.Next},
		{Text: "bund"}, // a part of words that most postings have in their titles or elsewhere
	} {
		q.Limit = 20
		page, err := m.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		read, err := jobmirror.RowsRead(t.Context(), m, q)
		if err != nil || read < 20 || read > 300 || page.Next == "" {
			t.Errorf("%q in order %d: %d rows are read for %d postings, %v", q.Text, q.Order, read, len(page.Postings), err)
		}
	}
}

// A page whose hits of the first tier leave room for few of the others costs a statement for
// each chunk of what was read before, not for each posting of it.
func TestPageThatIsAlmostFullTakesFewStatements(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	srv, add := wordBoard(t)
	const titles = 200
	for range titles {
		add("Pflege", "")
	}
	add("Kellner", "<p>Pflege")
	m := mirrorOf(t, "postgres", srv, "1_words", "de")
	q := jobmirror.Query{Text: "pflege", Limit: titles}
	page, err := m.Search(t.Context(), q)
	if err != nil || len(page.Postings) != titles || page.Next == "" {
		t.Fatalf("%d postings, %v", len(page.Postings), err)
	}
	times, err := jobmirror.TimesRead(t.Context(), m, q)
	if err != nil || times < 5 || times > 30 {
		t.Errorf("the text index is read %d times, %v", times, err)
	}
}

// deepCursor returns a query for a page far behind the first one of a word that many
// postings have.
func deepCursor(ctx context.Context, t *testing.T, m *jobmirror.Mirror, words func() string) jobmirror.Query {
	for {
		q := jobmirror.Query{Text: words(), Limit: 1000}
		for range size(1, 20) {
			page, err := m.Search(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if q.After != "" || !long() {
			q.Limit = 20
			return q
		}
	}
}
