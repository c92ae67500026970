package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A board that misleads in random ways, step by step: a mirror never has other rows, or
// others that are held, than a simple model says which knows the rules of market/docs/promises.md,
// "What a board may get wrong", and what the board answered. Once the board tells the
// truth, the copy is right. JOBMIRROR_SEEDS says with which seeds, such as 1000,300: 300
// from 1000 on.
func TestModelOfAMisleadingBoard(t *testing.T) {
	first, seeds := 1, size(100, 1000)
	onServer := seeds
	if text := os.Getenv("JOBMIRROR_SEEDS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &first, &seeds); err != nil {
			t.Fatal(err)
		}
		onServer = seeds
	} else if !testenv.Whole() { // PostgreSQL takes four times as long for one
		first, seeds, onServer = int(testenv.Seed(t)%1_000_000), 4, 2
	}
	onBoth(t, func(t *testing.T, address string) {
		seeds := seeds
		if strings.HasPrefix(address, "postgres") {
			seeds = onServer
		}
		for seed := first; seed < first+seeds; seed++ {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				at := address
				if seed > first {
					at = jobmirror.Databases[databaseOf(address)](t)
				}
				mislead(t, at, uint64(seed))
			})
		}
	})
}

func databaseOf(address string) string {
	if strings.HasPrefix(address, "postgres") {
		return "postgres"
	}
	return "sqlite"
}

// item is a posting that a channel shows, or an entry of a feed.
type item struct{ id, version, job int }

func (i item) json() string {
	return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":"Nurse %d of %d","applyOnlineLink":"https://jobs.example/job/%d/x"}`,
		i.id, i.version, i.version, i.job, i.job)
}

func (i item) xml() string {
	return fmt.Sprintf("<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo><!--%d %d--></PositionOpening>",
		i.job, i.id, i.version)
}

// page is how the board answers for a source.
type page struct {
	status  int
	items   []item
	more    int  // counts so many more than it shows
	pages   int  // says that there are so many pages
	cut     bool // ends early
	age     time.Duration
	garbage string // instead
}

// whole reports whether the answer is complete.
func (p page) whole(feed bool) bool {
	return p.status == http.StatusOK && !p.cut && p.garbage == "" && (feed || p.more <= 0 && p.pages < 2)
}

func (p page) body(feed bool) string {
	var b strings.Builder
	switch {
	case p.garbage != "":
		return p.garbage
	case feed:
		b.WriteString("<PositionOpenings>")
		for _, i := range p.items {
			b.WriteString(i.xml())
		}
		if p.cut {
			return b.String()
		}
		return b.String() + "</PositionOpenings>"
	}
	fmt.Fprintf(&b, `{"totalNumberOfJobs":%d,"numPages":%d,"results":[`, len(p.items)+p.more, p.pages)
	for k, i := range p.items {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(i.json())
	}
	if p.cut {
		return b.String()
	}
	return b.String() + "]}"
}

// verdict is how the board answers a lookup: "open", "closed", or the code of a refusal.
type verdict struct {
	state string
	age   time.Duration
}

// liar is a board that answers as it is told, and keeps what it said of jobs.
type liar struct {
	mu    sync.Mutex
	pages map[string]page // by source
	says  func(job int) verdict
	said  map[int][]verdict
}

func (l *liar) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{}}
	var (
		body string
		age  time.Duration
	)
	if job, _ := strconv.Atoi(r.URL.Query().Get("jobid")); job != 0 {
		v := l.says(job)
		l.said[job] = append(l.said[job], v)
		age = v.age
		switch v.state {
		case "open", "closed":
			body = fmt.Sprintf(`{"jobId":%d,"jobTitle":"Nurse","applyPossible":%t}`, job, v.state == "open")
		default:
			out.StatusCode, body = http.StatusNotFound, v.state
		}
	} else {
		feed := strings.HasSuffix(r.URL.Path, ".xml")
		name := "feed"
		if !feed {
			parts := strings.Split(r.URL.Path, "/")
			name = parts[len(parts)-2] + " " + r.Header.Get("Accept-Language")
		}
		p, ok := l.pages[name]
		if !ok {
			panic("the board has no source " + name)
		}
		out.StatusCode, body, age = p.status, p.body(feed), p.age
	}
	if age > 0 {
		out.Header.Set("Age", strconv.Itoa(int(age/time.Second)))
	}
	out.Status, out.Body = strconv.Itoa(out.StatusCode), io.NopCloser(strings.NewReader(body))
	return out, nil
}

// span is a moment that is known to lie between two, in milliseconds of the database's
// clock.
type span struct{ from, to int64 }

func (s span) shift(ms int64) span { return span{s.from + ms, s.to + ms} }

// before reports whether s is before another moment, and whether that is certain.
func (s span) before(other span) (before, certain bool) {
	return s.to < other.from, s.to < other.from || s.from >= other.to
}

// modelRow is a row of a source.
type modelRow struct {
	missing span // since when it is held; zero: it is shown
	missed  int  // the step of the first complete refresh that missed it
	job     int
}

func (r *modelRow) held() bool { return r.missing != span{} }

// modelSource is what the model knows of a source.
type modelSource struct {
	name     string
	rows     map[int64]*modelRow // by posting, or by an entry's hash
	complete [3]int              // the steps of the last complete refreshes, the last one first
	losses   []loss
	believed int  // rows that went because their jobs were called unavailable, without more proof
	informed bool // a lookup about a held row gave a job's information
	perhaps  bool // a refresh did, but the source may not have noted it
	made     span // the earliest moment at which the last answer that was read was made
}

func (s *modelSource) feed() bool { return s.name == "feed" }

func (s *modelSource) held() (n int) {
	for _, r := range s.rows {
		if r.held() {
			n++
		}
	}
	return n
}

type loss struct {
	at   span
	rows int
}

// version is what the copy may have of a posting that sources of one language show.
type version struct {
	item
	giver  string  // the source that gave it
	step   int     // when it did, at the latest
	listed [2]bool // by sources of the language
	doubts [2]span // likewise: since when a lower version is shown
}

// modelJob is what the model knows of a job.
type modelJob struct {
	state string
	step  int // of the last answer that held
	made  span
	noted string // the end that the board says and the mirror does not believe; empty: none
}

// model knows what a mirror may have.
type model struct {
	*testing.T
	address string
	opts    jobmirror.Options
	board   *liar
	r       *rand.Rand
	seed    uint64
	step    int
	trace   []string
	sources []*modelSource
	stored  map[string]map[int64][]version // possible states, by language and posting
	jobs    map[int]*modelJob
	ending  map[int]bool // jobs that the last answer about them ends, while a source shows them
	opened  []int        // that were said to be open since

	unbelieved []int // jobs that this step's answers plainly call ended, and the mirror does not

	truth  map[string][]item // what the board would say for each source
	past   []map[string][]item
	states map[int]string
	next   int
}

func (m *model) wrong(format string, args ...any) {
	m.Helper()
	m.Errorf("seed %d, step %d: %s\n%s", m.seed, m.step, fmt.Sprintf(format, args...), strings.Join(m.trace, "\n"))
}

func (m *model) note(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf("%d: ", m.step)+fmt.Sprintf(format, args...))
}

var misledSources = []string{"a de", "b de", "a en", "feed"}

func languageOf(source string) string { return source[max(len(source)-2, 0):] }

// mislead lets a board mislead a mirror, and compares the copy with the model after each
// step.
func mislead(t *testing.T, address string, seed uint64) {
	board := &liar{said: map[int][]verdict{}}
	client := &http.Client{Transport: board}
	m := &model{
		T: t, address: address, board: board, r: rand.New(rand.NewPCG(seed, 1)), seed: seed,
		stored: map[string]map[int64][]version{"de": {}, "en": {}}, jobs: map[int]*modelJob{}, ending: map[int]bool{}, truth: map[string][]item{}, states: map[int]string{},
		opts: jobmirror.Options{
			Config: jobboard.Config{
				BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "10", HTTPClient: client,
				Retry: jobboard.RetryPolicy{MaxAttempts: 1},
			},
			Channels: []jobmirror.Channel{{ID: "a", Languages: []string{"de", "en"}}, {ID: "b", Languages: []string{"de"}}},
			Feeds:    []jobmirror.Feed{{Name: "feed", Address: "https://board.example/feed.xml", HTTPClient: client}},
			Limit:    -1, Concurrency: 1, // so that equal seeds give equal runs
		},
	}
	for _, name := range misledSources {
		m.sources = append(m.sources, &modelSource{name: name, rows: map[int64]*modelRow{}})
	}
	for range 3 + m.r.IntN(m.pick(12, 70)) {
		m.publish()
	}
	mirror := open(t, address, m.opts)
	for m.step = 1; m.step <= 14 && !t.Failed(); m.step++ {
		mirror = m.happen(mirror)
		m.develop()
		m.lie(m.step > 1 && m.r.IntN(5) > 0)
		m.refresh(mirror)
	}
	// The board tells the truth from now on, and each job is asked about in the end.
	for _, wait := range []time.Duration{time.Minute, 25 * time.Hour, 25 * time.Hour, 25 * time.Hour, 36 * 24 * time.Hour} {
		if t.Failed() {
			return
		}
		m.pass(mirror, wait)
		m.lie(false)
		m.refresh(mirror)
		m.step++
	}
	m.honest()
	checkReplay(t, mirror)
	if err := mirror.Close(); err != nil {
		t.Error(err)
	}
}

// pick returns one of some numbers.
func (m *model) pick(numbers ...int) int { return numbers[m.r.IntN(len(numbers))] }

// publish adds a posting to what the board would say.
func (m *model) publish() {
	m.next++
	i := item{id: m.next, version: 10, job: m.next}
	if m.r.IntN(4) == 0 {
		i.job = 1 + m.r.IntN(m.next) // one job more with several postings
	}
	m.states[i.job] = "open"
	for _, name := range misledSources {
		if m.r.IntN(3) > 0 {
			m.truth[name] = append(m.truth[name], i)
		}
	}
}

// develop lets honest things happen at the board.
func (m *model) develop() {
	past := map[string][]item{}
	for name, items := range m.truth {
		past[name] = slices.Clone(items)
	}
	m.past = append(m.past, past)
	for range m.r.IntN(4) {
		m.publish()
	}
	for range m.r.IntN(4) { // a posting of a source ends, moves to another one, or gets a new version
		from, to := m.pickSource(), m.pickSource()
		items := m.truth[from]
		if len(items) == 0 {
			continue
		}
		k := m.r.IntN(len(items))
		i := items[k]
		switch m.r.IntN(4) {
		case 0:
			m.truth[from] = slices.Delete(items, k, k+1)
			if m.r.IntN(2) == 0 {
				m.states[i.job] = []string{"closed", inactive, unavailable}[m.r.IntN(3)]
			}
		case 1:
			m.truth[from] = slices.Delete(items, k, k+1)
			if !slices.ContainsFunc(m.truth[to], func(o item) bool { return o.id == i.id }) {
				m.truth[to] = append(m.truth[to], i)
			}
		default:
			for _, name := range misledSources {
				for k, o := range m.truth[name] {
					if o.id == i.id {
						m.truth[name][k].version = i.version + 1
					}
				}
			}
		}
	}
}

func (m *model) pickSource() string { return misledSources[m.r.IntN(len(misledSources))] }

// lie decides how the board answers until the next step: truthfully, or with some lies.
func (m *model) lie(lies bool) {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	m.board.pages, m.board.said = map[string]page{}, map[int][]verdict{}
	for _, name := range misledSources {
		p := page{status: http.StatusOK, items: slices.Clone(m.truth[name]), pages: 1}
		if lies && m.r.IntN(2) == 0 {
			p = m.lying(name, p)
		}
		m.board.pages[name] = p
		m.note("%s shows %+v", name, p)
	}
	seed, how := m.r.Uint64(), 0
	if lies {
		how = m.r.IntN(10)
	}
	codes := []string{"open", "closed", inactive, unavailable, postingUnavailable, "ERROR_OTHER"}
	always := codes[m.r.IntN(len(codes))]
	old := m.r.IntN(2) == 0
	states := maps.Clone(m.states)
	m.board.says = func(job int) verdict {
		r := rand.New(rand.NewPCG(seed, uint64(job)))
		v := verdict{state: states[job]}
		switch {
		case how > 6:
			v.state = always
		case how > 4:
			v.state = codes[r.IntN(len(codes))]
		case how > 3 && r.IntN(10) > 0:
			v.state = always
		case how > 2 && old && r.IntN(2) == 0:
			v = verdict{codes[r.IntN(len(codes))], longAgo}
		}
		if v.state == "" {
			v.state = unavailable
		}
		return v
	}
	m.note("lookups: %d %s", how, always)
}

// longAgo is the age of answers out of a cache.
const longAgo = 6 * 24 * time.Hour

// lying returns a page that is wrong in some way.
func (m *model) lying(name string, p page) page {
	keep := func(share float64) {
		p.items = slices.DeleteFunc(p.items, func(item) bool { return m.r.Float64() > share })
	}
	switch m.r.IntN(16) {
	case 0, 1:
		p.items = nil
	case 2:
		keep(m.r.Float64())
	case 3:
		keep(0.8 + 0.2*m.r.Float64())
	case 4:
		p.more = 1 + m.r.IntN(3)
		keep(m.r.Float64())
	case 5:
		p.pages = 2
		keep(0.5)
	case 6: // some twice, in any order
		for _, i := range p.items {
			if m.r.IntN(3) == 0 {
				p.items = append(p.items, i)
			}
		}
		m.r.Shuffle(len(p.items), func(i, k int) { p.items[i], p.items[k] = p.items[k], p.items[i] })
	case 7: // shows some twice, and others not, so that the number is right
		for k := range p.items {
			if m.r.IntN(3) == 0 {
				p.items[k] = p.items[m.r.IntN(len(p.items))]
			}
		}
	case 8: // another source's
		p.items = slices.Clone(m.truth[m.pickSource()])
	case 9: // another board's
		p.items = nil
		for id := range 3 + m.r.IntN(10) {
			p.items = append(p.items, item{id: 1 + id*m.pick(1, 1000), version: m.pick(1, 50), job: 5000 + id})
		}
		slices.SortFunc(p.items, func(a, b item) int { return a.id - b.id })
		p.items = slices.CompactFunc(p.items, func(a, b item) bool { return a.id == b.id })
	case 10, 11: // what held before
		p.items = slices.Clone(m.past[m.r.IntN(len(m.past))][name])
	case 12:
		p.items = slices.Clone(m.past[m.r.IntN(len(m.past))][name])
		p.age = longAgo
	case 13:
		p.status = m.pick(http.StatusInternalServerError, http.StatusNotFound, http.StatusServiceUnavailable)
		p.garbage = "no"
	case 14:
		p.cut = true
		keep(m.r.Float64())
	case 15:
		p.garbage = []string{"null", "[]", "<html>", `{"totalNumberOfJobs":`, `{"totalNumberOfJobs":"many","results":[]}`, " "}[m.r.IntN(6)]
	}
	return p
}

// pass lets time pass for what is stored, or sets the clock back: the database of
// PostgreSQL has a clock of its own.
func (m *model) pass(mirror *jobmirror.Mirror, d time.Duration) {
	m.note("%s pass", d)
	for table, columns := range map[string][]string{
		"sources": {"began", "complete", "next_due", "made"}, "listings": {"seen", "since"}, "entries": {"since"}, "losses": {"at"},
		"jobs": {"looked_up", "next_due", "made", "doubted"}, "lower_versions": {"since"},
	} {
		for _, column := range columns {
			statement := fmt.Sprintf("UPDATE %s SET %s = %[2]s - %d WHERE %[2]s > 0", table, column, d.Milliseconds())
			if err := jobmirror.Exec(m.Context(), mirror, statement); err != nil {
				m.Fatal(err)
			}
		}
	}
	shift := func(s *span) {
		if *s != (span{}) {
			*s = s.shift(-d.Milliseconds())
		}
	}
	for _, s := range m.sources {
		shift(&s.made)
		for _, r := range s.rows {
			shift(&r.missing)
		}
		for i := range s.losses {
			shift(&s.losses[i].at)
		}
	}
	for _, j := range m.jobs {
		shift(&j.made)
	}
	for _, all := range m.stored {
		for _, versions := range all {
			for i := range versions {
				shift(&versions[i].doubts[0])
				shift(&versions[i].doubts[1])
			}
		}
	}
}

// happen is what happens to the mirror between two refreshes.
func (m *model) happen(mirror *jobmirror.Mirror) *jobmirror.Mirror {
	minutes := m.pick(1, 7, 20, 70, 300, 780, 1500, 1800)
	if m.r.IntN(12) == 0 {
		minutes = m.pick(-120, -365*24*60)
	}
	m.pass(mirror, time.Duration(minutes)*time.Minute+time.Duration(m.r.IntN(60_000))*time.Millisecond)
	reopen := func(opts jobmirror.Options) {
		if err := mirror.Close(); err != nil {
			m.Error(err)
		}
		mirror = open(m.T, m.address, opts)
	}
	switch m.r.IntN(30) {
	case 0, 1:
		var names []string
		if m.r.IntN(2) == 0 {
			names = []string{"a"}
		}
		m.note("accept %v", names)
		if err := mirror.AcceptRemovals(m.Context(), names...); err != nil {
			m.Error(err)
		}
		for _, s := range m.sources {
			if names == nil || strings.HasPrefix(s.name, "a ") {
				maps.DeleteFunc(s.rows, func(_ int64, r *modelRow) bool { return r.held() })
			}
		}
		states := m.observe().jobs
		for job, j := range m.jobs {
			if state := states[job]; j.noted != "" && (state == j.noted || names == nil) {
				if state != j.noted {
					m.wrong("job %d is %s, and %s was accepted", job, state, j.noted)
				}
				j.state, j.noted = state, ""
			}
		}
		m.forgetUnlisted()
	case 2, 3, 4:
		m.note("opened anew")
		reopen(m.opts)
	case 5, 6:
		other := m.opts
		other.Config.BaseURL = "https://other.example"
		if wrong, err := jobmirror.Open(m.Context(), m.address, other); !errors.Is(err, jobmirror.ErrOtherBoard) {
			m.wrong("another board: %v", err)
			if err == nil {
				_ = wrong.Close()
			}
		}
	case 7:
		m.note("b is removed")
		without := m.opts
		without.Channels = without.Channels[:1]
		reopen(without)
		if err := mirror.RemoveSources(m.Context()); err != nil {
			m.Error(err)
		}
		*m.sources[1] = modelSource{name: "b de", rows: map[int64]*modelRow{}}
		for _, versions := range m.stored["de"] {
			for k := range versions {
				if versions[k].doubts[1] = (span{}); versions[k].giver == "b de" {
					versions[k].giver = " de"
				}
			}
		}
		m.forgetUnlisted()
		reopen(m.opts)
	}
	return mirror
}

// now returns the time, which is the database's too: it runs on this machine.
func now() int64 { return time.Now().UnixMilli() }

// refresh refreshes the mirror, and compares it with what may be.
func (m *model) refresh(mirror *jobmirror.Mirror) {
	ctx, cancel := context.WithTimeout(m.Context(), 5*time.Minute)
	defer cancel()
	t := span{from: now() - 5}
	err := mirror.RefreshInTurn(ctx)
	if t.to = now() + 5; ctx.Err() != nil {
		m.Fatal(err)
	}
	seen := m.observe()
	m.clip(t)
	failing := false
	events, complete := map[string]map[int64]event{}, map[string]bool{}
	for _, s := range m.sources {
		p := m.board.pages[s.name]
		fails := p.status != http.StatusOK || p.garbage != "" || p.cut
		failing = failing || fails
		events[s.name] = map[int64]event{}
		whole := m.read(s, p, t, seen, events[s.name])
		if whole != seen.complete[s.name] {
			m.wrong("%s: complete %t, not %t", s.name, seen.complete[s.name], whole)
			return
		}
		complete[s.name] = whole
	}
	if (err != nil) != failing {
		m.wrong("a refresh returns %v", err)
	}
	m.giveVersions(events, complete, t, seen)
	for _, s := range m.sources {
		if !complete[s.name] { // during the lookups, and after them
			was := s.perhaps
			s.perhaps = true
			m.perhapsSettled(s, seen)
			s.perhaps = was
		}
	}
	m.lookups(t, seen)
	held := 0
	for _, s := range m.sources {
		m.settle(s, seen)
		m.compare(s, seen)
		held += s.held()
	}
	m.forgetUnlisted()
	m.comparePostings(mirror, seen)
	status, err := mirror.Status(ctx)
	if err != nil {
		m.Fatal(err)
	}
	for _, s := range status.Sources {
		held -= s.Held
	}
	if held != 0 {
		m.wrong("%+v: %d more are held", status.Sources, held)
	}
}

// seen is what the tables have.
type seen struct {
	rows     map[string]map[int64]bool // by source and posting or hash: whether the row is held
	complete map[string]bool           // the sources that were complete the last time
	postings map[string]map[int64]version
	jobs     map[int]string
}

// observe reads the tables.
func (m *model) observe() seen {
	out := seen{map[string]map[int64]bool{}, map[string]bool{}, map[string]map[int64]version{"de": {}, "en": {}}, map[int]string{}}
	for _, name := range misledSources {
		out.rows[name] = map[int64]bool{}
	}
	db := openSQL(m.T, m.address)
	defer db.Close()
	each := func(query string, columns []any, f func()) {
		rows, err := db.QueryContext(m.Context(), query)
		if err != nil {
			m.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(columns...); err != nil {
				m.Fatal(err)
			}
			f()
		}
		if err := rows.Err(); err != nil {
			m.Fatal(err)
		}
	}
	var (
		name, language, title string
		key, number, job      int64
	)
	each("SELECT s.name, s.language, p.posting, CASE WHEN l.state = 'shown' THEN 0 ELSE 1 END FROM listings l JOIN sources s ON s.id = l.source JOIN postings p ON p.id = l.posting",
		[]any{&name, &language, &key, &number}, func() { out.rows[name+" "+language][key] = number != 0 })
	each("SELECT hash, CASE WHEN state = 'shown' THEN 0 ELSE 1 END FROM entries", []any{&key, &number}, func() { out.rows["feed"][key] = number != 0 })
	each("SELECT name, language, failures FROM sources", []any{&name, &language, &number}, func() {
		out.complete[strings.TrimSpace(name+" "+language)] = number == 0
	})
	each("SELECT p.posting, p.language, p.version, p.job, coalesce(s.name, ''), p.title FROM postings p LEFT JOIN sources s ON s.id = p.giver",
		[]any{&key, &language, &number, &job, &name, &title}, func() {
			v := version{item: item{int(key), int(number), int(job)}, giver: name + " " + language}
			if title != fmt.Sprintf("Nurse %d of %d", v.version, v.job) {
				m.wrong("posting %+v has the title %q", v, title)
			}
			out.postings[language][key] = v
		})
	each("SELECT job, state FROM jobs", []any{&job, &name}, func() { out.jobs[int(job)] = name })
	return out
}

// read lets a source show a page, and reports whether it was complete. It notes for the page's
// postings what the source shows, and which rows go at once.
func (m *model) read(s *modelSource, p page, t span, seen seen, events map[int64]event) bool {
	made := t.shift(-p.age.Milliseconds())
	ok := p.status == http.StatusOK && p.garbage == ""
	if p.age > 0 && s.made != (span{}) && s.made.from <= t.to {
		old, certain := made.before(s.made)
		if !certain || s.made.to > t.from { // or noted before the clock was set back, and does not count
			old = !seen.complete[s.name]
		}
		if old {
			return false
		}
	}
	whole := p.whole(s.feed())
	since := span{min(t.from, made.from-1000), min(t.to, made.to-1000)}
	switch {
	case !whole: // it may have been read as far as it goes, or not
		s.made = span{min(s.made.from, since.from), max(s.made.to, since.to)}
	case s.made.from > t.to: // noted before the clock was set back
		s.made = since
	default:
		s.made = span{max(s.made.from, since.from), max(s.made.to, since.to)}
	}
	had, shown := len(s.rows), map[int64]bool{}
	if ok {
		for _, i := range p.items {
			key := int64(i.id)
			if s.feed() {
				key = jobmirror.HashOf([]byte(i.xml()))
			}
			if held, there := seen.rows[s.name][key]; p.cut && (!there || held) {
				continue // it was not read
			}
			shown[key] = true
			if s.rows[key] == nil {
				s.rows[key] = &modelRow{}
			}
			*s.rows[key] = modelRow{job: i.job}
			events[key] = event{item: i, made: made}
		}
	}
	if whole {
		m.sweep(s, shown, had, t, seen, events)
	}
	return whole
}

// sweep decides what becomes of the rows that a complete refresh does not show.
func (m *model) sweep(s *modelSource, shown map[int64]bool, had int, t span, seen seen, events map[int64]event) {
	drop := func(key int64) {
		m.note("%s: row %d goes: %+v", s.name, key, *s.rows[key])
		delete(s.rows, key)
		events[key] = event{gone: true}
	}
	m.proven(s, s.complete[0], func(key int64, certain bool) {
		if _, there := seen.rows[s.name][key]; certain && !m.rejoins(s, key) || !there {
			drop(key)
		}
	})
	for key, r := range s.rows {
		if _, there := seen.rows[s.name][key]; r.held() && !there && m.rejoins(s, key) {
			drop(key)
		}
	}
	again := map[int]bool{} // jobs of a feed that have another entry
	for key, r := range s.rows {
		if shown[key] {
			again[r.job] = true
		}
	}
	fresh, held, left := 0, 0, 0
	for key, r := range s.rows {
		switch {
		case shown[key]:
			left++
			continue
		case !r.held():
			r.missing, r.missed = t, m.step
		}
		if s.feed() && again[r.job] {
			drop(key)
			continue
		}
		if held++; r.missed == m.step {
			fresh++
		}
	}
	s.complete = [3]int{m.step, s.complete[0], s.complete[1]}
	if fresh > 0 && left > 0 {
		least, most := held, held
		s.losses = slices.DeleteFunc(s.losses, func(l loss) bool { return l.at.to < t.from-time.Hour.Milliseconds() })
		for _, l := range s.losses {
			if most += l.rows; l.at.from > t.to-time.Hour.Milliseconds() {
				least += l.rows
			}
		}
		few := func(n int) bool { return n <= 3 || n*5 <= had }
		goes := few(most)
		if few(least) != goes { // not certain
			for key, r := range s.rows {
				if _, there := seen.rows[s.name][key]; r.missed == m.step && r.held() && !there {
					goes = true
				}
			}
		}
		if goes {
			s.losses = append(s.losses, loss{t, fresh})
			for key, r := range s.rows {
				if r.held() && r.missed == m.step {
					drop(key)
				}
			}
		}
	}
	for key, r := range s.rows {
		if !r.held() || r.missed > s.complete[2] {
			continue
		}
		since := t.shift(-(24 * time.Hour).Milliseconds())
		_, there := seen.rows[s.name][key]
		if r.missing.to <= since.from || r.missing.from <= since.to && !there {
			drop(key)
		}
	}
	if s.held() == 0 {
		s.believed = 0
	} else {
		s.informed, s.perhaps = false, false
	}
}

// rejoins reports whether another source may have given the posting of a row another job
// just now, perhaps before the rows that lookups prove to be gone were looked for.
func (m *model) rejoins(s *modelSource, key int64) bool {
	for name, p := range m.board.pages {
		if name != "feed" && languageOf(name) == languageOf(s.name) && slices.ContainsFunc(p.items, func(i item) bool {
			return int64(i.id) == key && i.job != s.rows[key].job
		}) {
			return true
		}
	}
	return false
}

// proven calls f with the held rows of a source that lookups prove to be gone, of those that
// were sent after the complete refresh of a step.
func (m *model) proven(s *modelSource, since int, f func(key int64, certain bool)) {
	var gone, called []int64
	for key, r := range s.rows {
		j := m.jobs[r.job]
		if !r.held() || j == nil || j.step < r.missed {
			continue
		}
		if (j.state == "open" || j.state == "closed") && j.step >= since {
			s.informed = true
		}
		switch {
		case j.state == "closed" || j.state == "inactive":
			gone = append(gone, key)
		case j.state == "unavailable" && j.step >= since:
			called = append(called, key)
		}
	}
	for _, key := range gone {
		f(key, true)
	}
	if s.informed || s.perhaps {
		for _, key := range called {
			f(key, s.informed)
		}
	}
}

// perhapsSettled removes the held rows of a source that was not complete which lookups prove to
// be gone, as far as the mirror has done so: the mirror does so when it asks about the same
// jobs for another source.
func (m *model) perhapsSettled(s *modelSource, seen seen) {
	was := s.informed
	m.proven(s, s.complete[0], func(key int64, _ bool) {
		if _, there := seen.rows[s.name][key]; !there {
			delete(s.rows, key)
		}
	})
	s.informed, s.perhaps = was, s.perhaps || s.informed
}

// settle removes the held rows that lookups prove to be gone, after a refresh.
func (m *model) settle(s *modelSource, seen seen) {
	if s.complete[0] < m.step {
		m.perhapsSettled(s, seen)
		return
	}
	m.proven(s, m.step, func(key int64, _ bool) {
		m.note("%s: row %d is proven to be gone: %+v", s.name, key, *s.rows[key])
		delete(s.rows, key)
	})
	if s.informed {
		return
	}
	var called []int64
	for key, r := range s.rows {
		if j := m.jobs[r.job]; r.held() && j != nil && j.state == "unavailable" && j.step == m.step {
			called = append(called, key)
		}
	}
	if len(called) > 0 && len(called)+s.believed <= 10 {
		s.believed += len(called)
		for _, key := range called {
			delete(s.rows, key)
		}
	}
}

// lookups notes what the board said of jobs.
func (m *model) lookups(t span, seen seen) {
	states := map[string]string{"open": "open", "closed": "closed", inactive: "inactive", unavailable: "unavailable"}
	m.note("said of jobs: %v", m.board.said)
	for job, said := range m.board.said {
		j := m.jobs[job]
		if j == nil {
			j = &modelJob{state: "unknown"}
			m.jobs[job] = j
		}
		answered := 0
		for _, v := range said {
			state, made := states[v.state], t.shift(-v.age.Milliseconds())
			if old, certain := made.before(j.made); state == "" || v.age > 0 && j.made != (span{}) && j.made.from <= t.to && (old && certain || !certain && seen.jobs[job] != state) {
				continue
			}
			if m.doubts(job, j, state, seen) {
				continue
			}
			answered++
			since := span{min(t.from, made.from-1000), min(t.to, made.to-1000)}
			if j.made.from <= t.to {
				since = span{max(since.from, j.made.from), max(since.to, j.made.to)}
			}
			*j = modelJob{state: state, step: m.step, made: since}
		}
		if answered > 1 || len(said) > 2 {
			m.wrong("job %d was asked about %d times", job, len(said))
		}
	}
	for _, job := range m.unbelieved {
		if len(m.ending) <= 3 {
			m.wrong("job %d is not believed to be %s, and only %v have ended", job, m.jobs[job].noted, m.ending)
		}
	}
	m.unbelieved = nil
	for _, job := range m.opened { // the order of the answers is not known
		delete(m.ending, job)
	}
	m.opened = nil
	for job, state := range seen.jobs {
		if j := m.jobs[job]; j == nil && state != "unknown" || j != nil && j.state != state {
			m.wrong("job %d is %s, not %+v", job, state, j)
		}
	}
}

// doubts reports whether an answer is not believed: one that ends a job which a source shows. It
// may be, unless it is the first that calls the job unavailable; a plain statement must be
// believed while few jobs have ended.
func (m *model) doubts(job int, j *modelJob, state string, seen seen) bool {
	shown := slices.ContainsFunc(m.sources, func(s *modelSource) bool {
		for _, r := range s.rows {
			if r.job == job && !r.held() {
				return true
			}
		}
		return false
	})
	if !shown || state == "open" || j.state != "open" && (j.state != "unknown" || state != "unavailable") {
		if shown && state == "open" {
			m.opened = append(m.opened, job)
		}
		return false
	}
	m.ending[job] = true
	believed := seen.jobs[job] == state
	if believed && state == "unavailable" && j.noted == "" {
		m.wrong("job %d is believed to be unavailable, which was said once", job)
	}
	if !believed {
		if j.noted = state; state != "unavailable" {
			m.unbelieved = append(m.unbelieved, job)
		}
	}
	return !believed
}

// compare compares a source's rows with the possible ones.
func (m *model) compare(s *modelSource, seen seen) {
	there := seen.rows[s.name]
	for key, r := range s.rows {
		if held, ok := there[key]; !ok || held != r.held() {
			m.wrong("%s lacks row %d of job %d, or holds it: %t, %t; not %+v", s.name, key, r.job, ok, held, r)
		}
	}
	for key := range there {
		if s.rows[key] == nil {
			m.wrong("%s has row %d, which should be gone", s.name, key)
		}
	}
}

// clip brings what was noted before the clock was set back to the present.
func (m *model) clip(t span) {
	clip := func(s *span) {
		if s.from > t.to {
			*s = t
		}
	}
	for _, s := range m.sources {
		for _, r := range s.rows {
			clip(&r.missing)
		}
		for i := range s.losses {
			clip(&s.losses[i].at)
		}
	}
}

// event is what a refresh makes of a row of a source: the source shows it in an answer, or
// it goes.
type event struct {
	item
	made span
	gone bool
}

// giveVersions finds out what the copy may have of each posting. Sources are read side by
// side, so what they show is written in any order.
func (m *model) giveVersions(events map[string]map[int64]event, complete map[string]bool, t span, seen seen) {
	for language, sources := range map[string][]*modelSource{"de": m.sources[:2], "en": m.sources[2:3]} {
		all := map[int64]bool{}
		for key := range m.stored[language] {
			all[key] = true
		}
		for _, s := range sources {
			for key := range events[s.name] {
				all[key] = true
			}
		}
		for key := range all {
			before := m.stored[language][key]
			if before == nil {
				before = []version{{}}
			}
			var after []version
			for _, v := range before {
				for order := range 4 {
					o, backwards, late := v, order&1 != 0, order&2 != 0
					var noted [2]bool
					for i := range sources {
						if backwards {
							i = len(sources) - 1 - i
						}
						if e, ok := events[sources[i].name][key]; ok {
							if late && o.step == m.step && !e.gone { // by an answer that was asked for later
								o.listed[i] = true
								continue
							}
							if noted[i] = o.take(e, i, sources, t); o.item == e.item && o.giver == sources[i].name {
								o.step = m.step
							}
						}
					}
					for i, s := range sources {
						if complete[s.name] && !noted[i] {
							o.doubts[i] = span{}
						}
					}
					after = append(after, o)
				}
			}
			got, there := seen.postings[language][key]
			if there {
				after = slices.DeleteFunc(after, func(v version) bool { return v.item != got.item || v.giver != got.giver })
				if len(after) == 0 {
					m.wrong("posting %d in %s is %+v; it was one of %+v", key, language, got, before)
				}
			}
			slices.SortFunc(after, func(a, b version) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			m.stored[language][key] = slices.Compact(after)
			for _, s := range sources {
				if r := s.rows[key]; r != nil && len(after) > 0 {
					r.job = after[0].job
				}
			}
		}
	}
}

// take has the copy take what a source shows of a posting, or does not show any more. It
// reports whether the source shows a lower version that is not believed.
func (v *version) take(e event, i int, sources []*modelSource, t span) (doubted bool) {
	if e.gone {
		if v.listed[i] = false; v.listed == [2]bool{} {
			*v = version{}
		}
		return false
	}
	giver := slices.IndexFunc(sources, func(s *modelSource) bool { return s.name == v.giver })
	shown := giver >= 0 && v.listed[giver]
	had := v.listed != [2]bool{}
	v.listed[i] = true
	switch since := v.doubts[i]; {
	case had && e.item == v.item, had && e.version < v.version && shown && giver != i:
		return false
	case had && e.version < v.version && shown && (since == span{} || since.from > t.to || e.made.from <= since.to):
		if since == (span{}) || since.from > t.to {
			v.doubts[i] = t
		}
		return true
	}
	v.item, v.giver = e.item, sources[i].name
	return false
}

// forgetUnlisted forgets the postings that no source has any more.
func (m *model) forgetUnlisted() {
	for language, sources := range map[string][]*modelSource{"de": m.sources[:2], "en": m.sources[2:3]} {
		for key, versions := range m.stored[language] {
			for k := range versions {
				versions[k].listed = [2]bool{}
				for i, s := range sources {
					versions[k].listed[i] = s.rows[key] != nil
				}
			}
			if len(versions) > 0 && versions[0].listed == [2]bool{} {
				delete(m.stored[language], key)
			}
		}
	}
}

// comparePostings compares the postings that are found with the rows of the sources.
func (m *model) comparePostings(mirror *jobmirror.Mirror, seen seen) {
	for language, sources := range map[string][]*modelSource{"de": m.sources[:2], "en": m.sources[2:3]} {
		found := map[int64]jobmirror.Posting{}
		shown := map[jobboard.JobPostingID]bool{}
		for _, p := range find(m.T, mirror, jobmirror.Query{Language: language, Limit: 1000}) {
			shown[p.Posting.JobPostingID] = true
		}
		for _, p := range find(m.T, mirror, jobmirror.Query{Language: language, Limit: 1000, All: true}) {
			found[int64(p.Posting.JobPostingID)] = p
			state := jobmirror.StateUnknown
			if job, _ := mirror.Job(m.T.Context(), p.Job); job != nil {
				state = job.State
			}
			ended := slices.Contains([]jobmirror.State{jobmirror.StateClosed, jobmirror.StateInactive, jobmirror.StateUnavailable}, state)
			if shown[p.Posting.JobPostingID] == ended {
				m.wrong("posting %d in %s, whose job is %s, is shown to visitors: %t", p.Posting.JobPostingID, language, state, !ended)
			}
		}
		if len(found) != len(m.stored[language]) || len(seen.postings[language]) != len(found) {
			m.wrong("%d postings are found in %s, of %d; not %d", len(found), language, len(seen.postings[language]), len(m.stored[language]))
		}
		for key := range m.stored[language] {
			held := true
			for _, s := range sources {
				if r := s.rows[key]; r != nil && !r.held() {
					held = false
				}
			}
			if p, ok := found[key]; !ok || p.MissingSince.IsZero() == held || p.Posting.Title != fmt.Sprintf("Nurse %d of %d", p.Posting.PostingVersionID, p.Job) {
				m.wrong("posting %d in %s is found: %t, %+v; held: %t", key, language, ok, p, held)
			}
		}
	}
}

// honest compares the copy with what the board says now.
func (m *model) honest() {
	for _, s := range m.sources {
		if len(s.rows) != len(m.truth[s.name]) || s.held() > 0 {
			m.wrong("%s has %d rows in the end, of which %d are held; not %d", s.name, len(s.rows), s.held(), len(m.truth[s.name]))
		}
		for _, i := range m.truth[s.name] {
			if s.feed() {
				if s.rows[jobmirror.HashOf([]byte(i.xml()))] == nil {
					m.wrong("the feed lacks %+v in the end", i)
				}
			} else if v := m.stored[languageOf(s.name)][int64(i.id)]; len(v) != 1 || v[0].item != i {
				m.wrong("%s has %+v in the end, not %+v", s.name, v, i)
			}
			want := jobmirror.State(strings.ToLower(strings.TrimPrefix(m.states[i.job], "ERROR_JOB_")))
			if j := m.jobs[i.job]; j == nil || j.state != string(want) {
				m.wrong("job %d is %+v in the end, not %s", i.job, j, want)
			}
		}
	}
}
