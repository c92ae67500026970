package jobmirror_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A board that lies in ways that a seed draws, step by step: of what the copy does then each part has a cause among
// those of market/docs/promises.md, "What a board may get wrong". Once the board tells the truth, the copy is right.
// The packages listings and evidence hold the rules one by one; here it shows that answers reach them.
// JOBMIRROR_SEEDS says with which seeds, such as 1000,300: 300 from 1000 on.
func TestLyingBoard(t *testing.T) {
	first, seeds := 1, size(40, 1000)
	onServer := seeds
	if text := os.Getenv("JOBMIRROR_SEEDS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &first, &seeds); err != nil {
			t.Fatal(err)
		}
		onServer = seeds
	} else if !testenv.Whole() { // PostgreSQL takes four times as long for one
		first, seeds, onServer = int(testenv.Seed(t)%1_000_000), 4, 1
	}
	onBoth(t, func(t *testing.T, address string) {
		kind, n := "sqlite", seeds
		if strings.HasPrefix(address, "postgres") {
			kind, n = "postgres", onServer
		}
		for seed := first; seed < first+n; seed++ {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				lied(t, jobmirror.Databases[kind](t), uint64(seed))
			})
		}
	})
}

// liar lies to a mirror, and judges what becomes of the copy.
type liar struct {
	*testing.T
	*shelf
	address string
	opts    jobmirror.Options
	m       *jobmirror.Mirror
	r       *rand.Rand
	seed    uint64
	step    int
	clock   time.Duration // since the first step
	trace   []string

	truth map[string][]item // what the board would say of each source
	past  []map[string][]item
	next  int
	real  map[int]string // states of jobs

	before  tables
	sources map[string]*lossOf
	lower   map[string]bool  // "source id": the source showed a lower version than the stored one when it was read last
	shown   map[string]bool  // "languageitem": a page showed it
	ends    map[int][]string // by job: the ends that the board has told, and not yet again that it is open
	ending  map[int]bool     // jobs that the last answer about them ends, while a source shows them
	open    map[int]int      // by job: the step at which a lookup gave its information last
}

// lossOf is what the liar knows of a source.
type lossOf struct {
	name    string
	read    time.Duration // when the newest answer was made that was read
	tried   time.Duration // likewise, of those that may have been read in part
	went    time.Duration // when rows went last
	missing map[int64]*missed
	lost    []time.Duration // when rows went because they were few
	odd     int             // of the last answer that was read
	called  int             // rows that went because their jobs are unavailable, since nothing was held
}

// missed tells since when a row is missing.
type missed struct {
	since   time.Duration
	step    int
	answers int // complete ones that missed it, without odd postings
}

func (l *liar) wrong(format string, args ...any) {
	l.Helper()
	l.Errorf("seed %d, step %d: %s\n%s", l.seed, l.step, fmt.Sprintf(format, args...), strings.Join(l.trace, "\n"))
}

func (l *liar) note(format string, args ...any) {
	l.trace = append(l.trace, fmt.Sprintf("%d: ", l.step)+fmt.Sprintf(format, args...))
}

var liesOf = []string{"a de", "b de", "a en", "feed"}

func lied(t *testing.T, address string, seed uint64) {
	board := newShelf(0)
	l := &liar{
		T: t, shelf: board, address: address, opts: board.options(), r: rand.New(rand.NewPCG(seed, 1)), seed: seed, truth: map[string][]item{}, real: map[int]string{},
		sources: map[string]*lossOf{}, lower: map[string]bool{}, shown: map[string]bool{}, ends: map[int][]string{}, ending: map[int]bool{}, open: map[int]int{},
	}
	l.opts.Channels = []jobmirror.Channel{{ID: "a", Languages: []string{"de", "en"}}, {ID: "b", Languages: []string{"de"}}}
	l.opts.Feeds = asFeed(l.opts).Feeds
	for _, name := range liesOf {
		l.sources[name] = &lossOf{name: name, read: -1000 * time.Hour, tried: -1000 * time.Hour, went: -1000 * time.Hour, missing: map[int64]*missed{}}
	}
	for range 3 + l.r.IntN(l.pick(12, 70)) {
		l.publish()
	}
	l.m = open(t, address, l.opts)
	l.before = l.observe()
	for l.step = 1; l.step <= 14 && !t.Failed(); l.step++ {
		l.happen()
		l.develop()
		l.lie(l.step > 1 && l.r.IntN(5) > 0)
		l.refresh()
	}
	// The board tells the truth from now on, and each job is asked about in the end.
	for _, wait := range []time.Duration{time.Minute, 25 * time.Hour, 25 * time.Hour, 25 * time.Hour, 36 * 24 * time.Hour} {
		if t.Failed() {
			return
		}
		l.pass(wait)
		l.lie(false)
		l.refresh()
		l.step++
	}
	l.honest()
	checkReplay(t, l.m)
}

// pick returns one of some numbers.
func (l *liar) pick(numbers ...int) int { return numbers[l.r.IntN(len(numbers))] }

func (l *liar) pickSource() string { return liesOf[l.r.IntN(len(liesOf))] }

// publish adds a posting to what the board would say.
func (l *liar) publish() {
	l.next++
	i := item{id: l.next, version: 10, job: l.next}
	if l.r.IntN(4) == 0 {
		i.job = 1 + l.r.IntN(l.next) // one job more with several postings
	}
	l.real[i.job] = "open"
	for _, name := range liesOf {
		if l.r.IntN(3) > 0 {
			l.truth[name] = append(l.truth[name], i)
		}
	}
}

// develop lets honest things happen at the board.
func (l *liar) develop() {
	past := map[string][]item{}
	for name, items := range l.truth {
		past[name] = slices.Clone(items)
	}
	l.past = append(l.past, past)
	for range l.r.IntN(4) {
		l.publish()
	}
	for range l.r.IntN(4) { // a posting of a source ends, moves to another one, or gets a new version
		from, to := l.pickSource(), l.pickSource()
		items := l.truth[from]
		if len(items) == 0 {
			continue
		}
		k := l.r.IntN(len(items))
		i := items[k]
		switch l.r.IntN(4) {
		case 0:
			l.truth[from] = slices.Delete(items, k, k+1)
			if l.r.IntN(2) == 0 {
				l.real[i.job] = []string{"closed", inactive, unavailable}[l.r.IntN(3)]
			}
		case 1:
			l.truth[from] = slices.Delete(items, k, k+1)
			if !slices.ContainsFunc(l.truth[to], func(o item) bool { return o.id == i.id }) {
				l.truth[to] = append(l.truth[to], i)
			}
		default:
			for _, name := range liesOf {
				for k, o := range l.truth[name] {
					if o.id == i.id {
						l.truth[name][k].version = i.version + 1
					}
				}
			}
		}
	}
}

// lie decides how the board answers until the next step: truthfully, or with some lies.
func (l *liar) lie(lies bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages = map[string]page{}
	for _, name := range liesOf {
		p := page{items: slices.Clone(l.truth[name])}
		if lies && l.r.IntN(2) == 0 {
			p = l.lying(name, p)
		}
		l.pages[name] = p
		l.note("%s shows %+v", name, p)
	}
	seed, how := l.r.Uint64(), 0
	if lies {
		how = l.r.IntN(10)
	}
	codes := []string{"open", "closed", inactive, unavailable, postingUnavailable, "ERROR_OTHER"}
	always, real := codes[l.r.IntN(len(codes))], maps.Clone(l.real)
	l.asked, l.says = map[int]int{}, func(job int) (string, time.Duration) {
		r := rand.New(rand.NewPCG(seed, uint64(job)))
		switch {
		case how > 6:
			return always, 0
		case how > 4:
			return codes[r.IntN(len(codes))], 0
		case how > 3 && r.IntN(10) > 0:
			return always, 0
		case how > 2 && r.IntN(2) == 0:
			return codes[r.IntN(len(codes))], longAgo
		case real[job] == "":
			return unavailable, 0
		}
		return real[job], 0
	}
	l.note("lookups: %d %s", how, always)
}

// longAgo is the age of answers out of a cache.
const longAgo = 6 * 24 * time.Hour

// lying returns a page that is wrong in some way.
func (l *liar) lying(name string, p page) page {
	keep := func(share float64) {
		p.items = slices.DeleteFunc(p.items, func(item) bool { return l.r.Float64() > share })
	}
	switch l.r.IntN(20) {
	case 0, 1:
		p.items = nil
	case 2:
		keep(l.r.Float64())
	case 3:
		keep(0.8 + 0.2*l.r.Float64())
	case 4:
		p.more = 1 + l.r.IntN(3)
		keep(l.r.Float64())
	case 5:
		p.several = true
		keep(0.5)
	case 6: // some twice, in any order
		for _, i := range p.items {
			if l.r.IntN(3) == 0 {
				p.items = append(p.items, i)
			}
		}
		l.r.Shuffle(len(p.items), func(i, k int) { p.items[i], p.items[k] = p.items[k], p.items[i] })
	case 7: // shows some twice, and others not, so that the number is right
		for k := range p.items {
			if l.r.IntN(3) == 0 {
				p.items[k] = p.items[l.r.IntN(len(p.items))]
			}
		}
	case 8: // another source's
		p.items = slices.Clone(l.truth[l.pickSource()])
	case 9: // another board's
		p.items = nil
		for id := range 3 + l.r.IntN(10) {
			p.items = append(p.items, item{id: 1 + id*l.pick(1, 1000), version: l.pick(1, 50), job: 5000 + id})
		}
		slices.SortFunc(p.items, func(a, b item) int { return a.id - b.id })
		p.items = slices.CompactFunc(p.items, func(a, b item) bool { return a.id == b.id })
	case 10, 11: // what held before
		p.items = slices.Clone(l.past[l.r.IntN(len(l.past))][name])
	case 12:
		p.items = slices.Clone(l.past[l.r.IntN(len(l.past))][name])
		p.age = longAgo
	case 13:
		p.status, p.garbage = l.pick(http.StatusInternalServerError, http.StatusNotFound, http.StatusServiceUnavailable), "no"
	case 14:
		p.cut = true
		keep(l.r.Float64())
	case 15:
		p.garbage = []string{"null", "[]", "<html>", `{"totalNumberOfJobs":`, `{"totalNumberOfJobs":"many","results":[]}`, " "}[l.r.IntN(6)]
	case 16, 18, 19:
		keep(0.9)
		if name != "feed" && len(p.items) > 0 {
			p.odd = []string{`{"jobPostingId":"x","title":"s3cret"}`, "7"}[l.r.IntN(2):]
			p.more = l.pick(0, 0, 1)
			p.items = p.items[:len(p.items)*l.pick(0, 1, 1)]
		}
	case 17: // some in two versions
		for _, i := range slices.Clone(p.items) {
			if i.version--; l.r.IntN(3) == 0 {
				p.items = append(p.items, i)
			}
		}
	}
	return p
}

// pass lets time pass for what is stored: the database of PostgreSQL has a clock of its own.
func (l *liar) pass(d time.Duration) {
	l.note("%s pass", d)
	l.clock += d
	for table, columns := range map[string][]string{
		"sources": {"began", "complete", "next_due", "made"}, "listings": {"seen", "since"}, "entries": {"since"}, "losses": {"at"},
		"jobs": {"looked_up", "next_due", "made", "doubted"}, "lower_versions": {"since"},
	} {
		for _, column := range columns {
			statement := fmt.Sprintf("UPDATE %s SET %s = %[2]s - %d WHERE %[2]s > 0", table, column, d.Milliseconds())
			if err := jobmirror.Exec(l.Context(), l.m, statement); err != nil {
				l.Fatal(err)
			}
		}
	}
}

// happen is what happens to the mirror between two refreshes. No sum of the times that pass is near a quarter of an hour,
// an hour or a day, which the rules tell apart.
func (l *liar) happen() {
	l.pass(time.Duration(l.pick(13, 13, 26, 26, 300, 1560)) * time.Minute)
	reopen := func(opts jobmirror.Options) {
		if err := l.m.Close(); err != nil {
			l.Error(err)
		}
		l.m = open(l.T, l.address, opts)
	}
	switch l.r.IntN(30) {
	case 0, 1:
		var names []string
		if l.r.IntN(2) == 0 {
			names = []string{"a"}
		}
		l.note("accept %v", names)
		if err := l.m.AcceptRemovals(l.Context(), names...); err != nil {
			l.Error(err)
		}
		l.accepted(names)
	case 2, 3, 4:
		l.note("opened anew")
		reopen(l.opts)
	case 5:
		l.note("b is removed")
		without := l.opts
		without.Channels = without.Channels[:1]
		reopen(without)
		if err := l.m.RemoveSources(l.Context()); err != nil {
			l.Error(err)
		}
		l.sources["b de"] = &lossOf{name: "b de", read: -1000 * time.Hour, tried: -1000 * time.Hour, went: -1000 * time.Hour, missing: map[int64]*missed{}}
		maps.DeleteFunc(l.lower, func(key string, _ bool) bool { return strings.HasPrefix(key, "b de") })
		reopen(l.opts)
		l.before = l.observe()
	}
}

// accepted judges what a person accepted: held rows go, and no others; jobs end as the board has said.
func (l *liar) accepted(names []string) {
	after := l.observe()
	for _, s := range l.sources {
		of := names == nil || strings.HasPrefix(s.name, "a ")
		for key, r := range l.before.rows[s.name] {
			if _, there := after.rows[s.name][key]; there == (of && r.held) {
				l.wrong("accepted: row %d of %s, held %t, is there %t", key, s.name, r.held, there)
			}
		}
		if of {
			clear(s.missing)
		}
	}
	for job, state := range after.jobs {
		if had := l.before.jobs[job]; state != had && (had != "open" && had != "unknown" || !slices.Contains(l.ends[job], state)) {
			l.wrong("accepted: job %d is %s, was %s, and is called %v", job, state, had, l.ends[job])
		}
		if names == nil {
			delete(l.ending, job)
		}
	}
	l.before = after
}

// stateSaid are the states that answers of the board give a job.
var stateSaid = map[string]string{"open": "open", "closed": "closed", inactive: "inactive", unavailable: "unavailable"}

// isEnd has the states of jobs that have ended.
var isEnd = map[string]bool{"closed": true, "inactive": true, "unavailable": true}

// row is a row of a source.
type row struct {
	job  int
	held bool
}

// tables is what the tables have.
type tables struct {
	rows     map[string]map[int64]row // by source, and posting or hash
	complete map[string]bool          // the sources that were complete the last time
	postings map[string]map[int64]item
	giver    map[string]string // by language and posting
	jobs     map[int]string
}

// shows reports whether a source shows a job, by a row that it shows in other tables too.
func (t tables) shows(job int, too tables) bool {
	for name, rows := range t.rows {
		for key, r := range rows {
			if r == (row{job, false}) && too.rows[name][key] == r {
				return true
			}
		}
	}
	return false
}

func (l *liar) observe() tables {
	out := tables{map[string]map[int64]row{}, map[string]bool{}, map[string]map[int64]item{"de": {}, "en": {}}, map[string]string{}, map[int]string{}}
	for _, name := range liesOf {
		out.rows[name] = map[int64]row{}
	}
	db := openSQL(l.T, l.address)
	defer db.Close()
	var (
		name, language, title string
		key, number, job      int64
	)
	each := func(query string, columns []any, f func()) {
		rows, err := db.QueryContext(l.Context(), query)
		if err != nil {
			l.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(columns...); err != nil {
				l.Fatal(err)
			}
			f()
		}
		if err := rows.Err(); err != nil {
			l.Fatal(err)
		}
	}
	each("SELECT s.name, s.language, p.posting, p.job, CASE WHEN l.state = 'shown' THEN 0 ELSE 1 END FROM listings l JOIN sources s ON s.id = l.source JOIN postings p ON p.id = l.posting",
		[]any{&name, &language, &key, &job, &number}, func() { out.rows[name+" "+language][key] = row{int(job), number != 0} })
	each("SELECT hash, job, CASE WHEN state = 'shown' THEN 0 ELSE 1 END FROM entries", []any{&key, &job, &number},
		func() { out.rows["feed"][key] = row{int(job), number != 0} })
	each("SELECT name, language, failures FROM sources", []any{&name, &language, &number}, func() {
		out.complete[strings.TrimSpace(name+" "+language)] = number == 0
	})
	each("SELECT p.posting, p.language, p.version, p.job, coalesce(s.name, ''), p.title FROM postings p LEFT JOIN sources s ON s.id = p.giver",
		[]any{&key, &language, &number, &job, &name, &title}, func() {
			i := item{int(key), int(number), int(job)}
			if title != fmt.Sprintf("Nurse %d of %d", i.version, i.job) {
				l.wrong("posting %+v has the title %q", i, title)
			}
			out.postings[language][key], out.giver[fmt.Sprint(language, key)] = i, name+" "+language
		})
	each("SELECT job, state FROM jobs", []any{&job, &name}, func() { out.jobs[int(job)] = name })
	return out
}

// keyOf returns by what a source knows an item.
func keyOf(source string, i item) int64 {
	if source == "feed" {
		return jobmirror.HashOf([]byte(i.xml()))
	}
	return int64(i.id)
}

// refresh refreshes the mirror, and judges what it did.
func (l *liar) refresh() {
	err := l.m.Refresh(l.Context())
	status, failed := l.m.Status(l.Context())
	if failed != nil {
		l.Fatal(failed)
	}
	after := l.observe()
	failing, held, odd := false, 0, 0
	for _, name := range liesOf {
		s, p := l.sources[name], l.pages[name]
		fails := p.status != 0 || p.garbage != "" || p.cut || len(p.odd) > 0 && len(p.items) == 0
		old := p.age > 0 && s.read > l.clock-p.age
		whole := !fails && !old && (name == "feed" || p.more == 0 && !p.several)
		if p.age > 0 && !old && s.tried > l.clock-p.age {
			whole = after.complete[name]
			old = !whole
		}
		if whole != after.complete[name] {
			l.wrong("%s: complete %t, not %t", name, after.complete[name], whole)
			return
		}
		failing = failing || fails
		if !fails && !old {
			if s.read = max(s.read, l.clock-p.age); whole {
				s.odd = len(p.odd)
			}
		} else if !old {
			s.tried = l.clock
		}
		odd += s.odd
		if old || p.garbage != "" {
			p.items = nil // nothing was read
		}
		l.judgeRows(s, p, whole, after)
		for _, r := range after.rows[name] {
			if r.held {
				held++
			}
		}
	}
	for _, s := range status.Sources {
		held, odd = held-s.Held, odd-s.Unreadable
	}
	if (err != nil) != failing || held != 0 || odd != 0 {
		l.wrong("%+v, %v: %d more are held, %d unreadable; failing %t", status, err, held, odd, failing)
	}
	l.judgeVersions(after)
	l.judgeJobs(after)
	l.judgeSearch(after)
	l.before = after
}

// judgeRows finds a cause for each row that went, and for each that is held.
func (l *liar) judgeRows(s *lossOf, p page, whole bool, after tables) {
	had, has := l.before.rows[s.name], after.rows[s.name]
	shown, again := map[int64]bool{}, map[int]bool{}
	for _, i := range p.items {
		shown[keyOf(s.name, i)], again[i.job] = true, true
		l.shown[fmt.Sprint(s.name[2:], i)] = true
	}
	for key, r := range has {
		_, was := had[key]
		switch {
		case shown[key] && r.held && !p.cut:
			l.wrong("%s: row %d is shown and held", s.name, key)
		case !shown[key] && !was:
			l.wrong("%s: row %d was made up", s.name, key)
		case !shown[key] && whole && !r.held:
			l.wrong("%s: row %d is missed and not held", s.name, key)
		case !shown[key] && !whole && r.held != had[key].held:
			l.wrong("%s: row %d is held %t by an answer that proves nothing", s.name, key, r.held)
		}
	}
	for key := range shown {
		if _, there := has[key]; !there && !p.cut {
			l.wrong("%s: row %d is shown, and not copied", s.name, key)
		}
		delete(s.missing, key)
	}
	s.lost = slices.DeleteFunc(s.lost, func(at time.Duration) bool { return at < l.clock-time.Hour })
	few, called, fresh, none := 0, 0, 0, len(s.missing) == 0 && s.went < l.clock-time.Hour
	for key, r := range had {
		if shown[key] {
			continue
		}
		since := s.missing[key]
		if since == nil && whole {
			since = &missed{since: l.clock, step: l.step}
			s.missing[key], fresh = since, fresh+1
		}
		if whole && len(p.odd) == 0 {
			since.answers++
		}
		_, there := has[key]
		long := since != nil && since.answers >= 3 && since.since <= l.clock-24*time.Hour
		ended, isCalled := false, false
		for _, job := range l.jobsOf(s.name, key, r.job) {
			ended = ended || since != nil && isEnd[after.jobs[job]] && after.jobs[job] != "unavailable"
			isCalled = isCalled || after.jobs[job] == "unavailable" || l.saidNow(job) == unavailable
		}
		switch {
		case there && whole && (long || isEnd[after.jobs[r.job]] && after.jobs[r.job] != "unavailable" && stateSaid[l.saidNow(r.job)] == after.jobs[r.job]):
			l.wrong("%s: row %d of job %d is held though it is missed for long (%t) or its job is %s", s.name, key, r.job, long, after.jobs[r.job])
		case there:
			continue
		case since == nil:
			l.wrong("%s: row %d goes by an answer that proves nothing", s.name, key)
		case long, ended, s.name == "feed" && whole && again[r.job]:
		case isCalled:
			if called++; !l.informed(s, after) && s.called+called > 10 {
				l.wrong("%s: %d rows go because their jobs are unavailable", s.name, s.called+called)
			}
		default:
			few++
		}
		delete(s.missing, key)
		s.went = l.clock
	}
	most := max(3, len(had)/5)
	if few > 0 && (!whole || len(p.odd) > 0 || len(shown) == 0 || few+len(s.lost) > most) {
		l.wrong("%s: %d rows of %d go, and %d did within an hour; whole %t, %d odd, %d shown", s.name, few, len(had), len(s.lost), whole, len(p.odd), len(shown))
	}
	if none && whole && len(p.odd) == 0 && len(shown) > 0 && fresh <= most && len(s.missing) > 0 {
		l.wrong("%s: %d rows of %d are held", s.name, len(s.missing), len(had))
	}
	for range few {
		s.lost = append(s.lost, l.clock)
	}
	if s.called += called; len(s.missing) == 0 {
		s.called = 0
	}
}

// jobsOf returns the jobs that a row may have had when it went: another source may have given its posting another one.
func (l *liar) jobsOf(source string, key int64, job int) []int {
	jobs := []int{job}
	for name, p := range l.pages {
		for _, i := range p.items {
			if source != "feed" && name[2:] == source[2:] && int64(i.id) == key {
				jobs = append(jobs, i.job)
			}
		}
	}
	return jobs
}

// saidNow returns what the board says of a job in this step; empty: it was not asked, or answered out of a cache.
func (l *liar) saidNow(job int) string {
	if says, age := l.says(job); l.asked[job] > 0 && age == 0 {
		return says
	}
	return ""
}

// informed reports whether a lookup may have shown, since rows of a source are held, that the board knows its jobs.
func (l *liar) informed(s *lossOf, after tables) bool {
	first := l.step
	for _, m := range s.missing {
		first = min(first, m.step)
	}
	for job := range after.jobs {
		if says := l.saidNow(job); says == "open" || says == "closed" || l.open[job] >= first && l.open[job] > 0 {
			return true
		}
	}
	return false
}

// judgeVersions finds for each stored posting a page that showed it so, and for each lower version a second one of the
// same channel.
func (l *liar) judgeVersions(after tables) {
	for language, sources := range map[string][]string{"de": {"a de", "b de"}, "en": {"a en"}} {
		for key, i := range after.postings[language] {
			if !l.shown[fmt.Sprint(language, i)] {
				l.wrong("no page ever showed %+v in %s", i, language)
			}
			had, was := l.before.postings[language][key]
			lowered, newest, channels := had.version <= i.version || !was, 0, 0
			for _, name := range sources {
				p, id := l.pages[name], fmt.Sprint(name, " ", key)
				if p.garbage != "" || p.status != 0 || p.age > 0 {
					continue
				}
				lowest := 0
				for _, o := range p.items {
					if int64(o.id) == key && (lowest == 0 || o.version < lowest) {
						lowest = o.version
					}
					if int64(o.id) == key && !p.cut {
						newest = max(newest, o.version)
					}
				}
				lowered = lowered || lowest > 0 && lowest <= i.version && l.lower[id]
				if lowest > 0 {
					channels++
				}
				if lowest > 0 || after.complete[name] {
					l.lower[id] = lowest > 0 && lowest < max(had.version, i.version)
				}
			}
			giver := l.before.giver[fmt.Sprint(language, key)]
			_, gave := l.before.rows[giver][key]
			if _, gives := after.rows[giver][key]; !lowered && gave && gives {
				l.wrong("posting %+v in %s has a lower version: %+v", had, language, i)
			}
			if i.version < newest && channels == 1 && (!was || newest > had.version) { // of two channels the answer that was asked for last holds
				l.wrong("posting %+v in %s, and an answer showed version %d", i, language, newest)
			}
		}
	}
}

// judgeJobs finds an answer for each change of a job's state, a second one for each job that is called unavailable and shown,
// and counts the ends of jobs that sources show.
func (l *liar) judgeJobs(after tables) {
	ends, doubted := 0, []int{}
	for job, state := range after.jobs {
		had, says := l.before.jobs[job], l.saidNow(job)
		shown := l.before.shows(job, after)
		called, age := l.says(job)
		if had == "" {
			had = "unknown"
		}
		if says != "" && l.asked[job] > 2 {
			l.wrong("job %d was asked about %d times", job, l.asked[job])
		}
		if state != had && state != stateSaid[says] && (l.asked[job] == 0 || age == 0) {
			l.wrong("job %d is %s, was %s, and is called %q", job, state, had, says)
		}
		if says == "open" && state != "open" {
			l.wrong("job %d is %s, and is called open", job, state)
		}
		end := stateSaid[says] != "" && says != "open"
		if shown && !isEnd[had] && state == "unavailable" && len(l.ends[job]) == 0 {
			l.wrong("job %d is unavailable, which was said once", job)
		}
		if end && (l.before.shows(job, l.before) || after.shows(job, after)) && !isEnd[had] {
			l.ending[job] = true
			if had == "open" && shown && state == stateSaid[says] {
				ends++
			}
			if state != stateSaid[says] && says != unavailable {
				doubted = append(doubted, job)
			}
		}
		if says == "open" || says == "closed" {
			l.open[job] = l.step
		}
		switch {
		case says == "open":
			l.ends[job] = nil
		case l.asked[job] > 0 && isEnd[stateSaid[called]]:
			l.ends[job] = append(l.ends[job], stateSaid[called])
		}
	}
	if ends > 10 {
		l.wrong("%d jobs end that sources show", ends)
	}
	if len(doubted) > 0 && len(l.ending) <= 3 {
		l.wrong("%d are not believed to have ended, though only %v have", doubted, l.ending)
	}
	for job := range after.jobs {
		if l.saidNow(job) == "open" {
			delete(l.ending, job)
		}
	}
}

// judgeSearch compares what is found with the tables.
func (l *liar) judgeSearch(after tables) {
	for language, postings := range after.postings {
		found, visible := map[int64]jobmirror.Posting{}, map[int64]bool{}
		for _, p := range find(l.T, l.m, jobmirror.Query{Language: language, Limit: 1000, All: true}) {
			found[int64(p.Posting.JobPostingID)] = p
		}
		for _, p := range find(l.T, l.m, jobmirror.Query{Language: language, Limit: 1000}) {
			visible[int64(p.Posting.JobPostingID)] = true
		}
		if len(found) != len(postings) {
			l.wrong("%d postings are found in %s, of %d", len(found), language, len(postings))
		}
		for key, i := range postings {
			held := true
			for _, name := range liesOf[:3] {
				if r, there := after.rows[name][key]; there && strings.HasSuffix(name, language) && !r.held {
					held = false
				}
			}
			state := after.jobs[i.job]
			if p := found[key]; p.MissingSince.IsZero() == held || visible[key] == isEnd[state] {
				l.wrong("posting %+v in %s, held %t, of a job that is %s, is missing since %s, shown to visitors %t", i, language, held, state, p.MissingSince, visible[key])
			}
		}
	}
}

// honest compares the copy with what the board says in the end.
func (l *liar) honest() {
	has := l.observe()
	for _, name := range liesOf {
		if len(has.rows[name]) != len(l.truth[name]) {
			l.wrong("%s has %d rows in the end, not %d", name, len(has.rows[name]), len(l.truth[name]))
		}
		for _, i := range l.truth[name] {
			if r, there := has.rows[name][keyOf(name, i)]; !there || r.held || name != "feed" && has.postings[name[2:]][int64(i.id)] != i {
				l.wrong("%s lacks %+v in the end: %+v", name, i, r)
			}
			if want := strings.ToLower(strings.TrimPrefix(l.real[i.job], "ERROR_JOB_")); has.jobs[i.job] != want {
				l.wrong("job %d is %s in the end, not %s", i.job, has.jobs[i.job], want)
			}
		}
	}
}
