package jobmirror_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// pair is a saved search and a job that it finds.
type pair struct {
	search string
	job    jobboard.JobID
}

// alertsModel asks the whole board after each change what every search finds, and holds what is told
// against that.
type alertsModel struct {
	*testing.T
	*noticeBoard
	r       *rand.Rand
	address string
	mirrors []*jobmirror.Mirror // of processes that share the work; on SQLite there is one
	trace   []string

	saved    map[string]jobmirror.SavedSearch
	searches *jobmirror.Searches
	cursor   jobmirror.Cursor // that the reader stored last
	passed   bool             // 31 days have passed, so dates may come
	lost     bool             // the reader was killed, so it is told again what came after the cursor

	found   map[pair]bool   // that the board has now
	since   map[pair]bool   // that it had at some moment of the last 30 days, when it was asked
	told    map[pair]string // the change for which it was told last
	due     map[pair]bool   // that came since the reader read all
	repeats struct{ kill, advertisement int }
	ever    int
}

// byText says of which searches what was found before can always be told: of those that ask for nothing in
// an advertisement.
func byText(key string) bool { return !strings.HasPrefix(key, "ad ") }

func newAlertsModel(t *testing.T, address string, seed uint64) *alertsModel {
	m := &alertsModel{
		T: t, noticeBoard: &noticeBoard{notices: map[int]*notice{}}, r: rand.New(rand.NewPCG(seed, 9)), address: address,
		searches: &jobmirror.Searches{}, told: map[pair]string{}, since: map[pair]bool{}, due: map[pair]bool{},
		saved: map[string]jobmirror.SavedSearch{
			"cook": {Text: "koch"}, "part of a word": {Text: "helfer"}, "two words": {Text: "koch OR pfleger vollzeit"},
			"quoted": {Text: `"Köche"`}, "town": {Place: "Berlin"}, "circle": {Near: jobboard.Near(50.7, 7.1, 40)}, "category": {Category: "31", Text: "pfleger"},
			"all": {}, "circle and text": {Text: "koch", Near: jobboard.Near(52.5, 13.4, 40), Language: "de", Channel: "a"}, "nobody": {Language: "fr"},
			"ad word": {Text: "docker"}, "ad without": {Text: "koch -linux"}, "ad quoted": {Text: `"Erfahrungen"`},
		},
	}
	for key, saved := range m.saved {
		if err := m.searches.Set(key, saved); err != nil {
			t.Fatal(err)
		}
	}
	m.mirrors = []*jobmirror.Mirror{m.open()}
	if strings.HasPrefix(address, "postgres") {
		m.mirrors = append(m.mirrors, m.open())
	}
	return m
}

func (m *alertsModel) open() *jobmirror.Mirror {
	return open(m.T, m.address, m.options())
}

func (m *alertsModel) note(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *alertsModel) wrong(format string, args ...any) {
	m.Helper()
	m.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.trace, "\n"))
}

var (
	noticeTitles = strings.Fields("Koch Köchin Köche Küchenhelfer Pfleger Pflegerinnen Vollzeit Bauhelfer")
	noticeAds    = strings.Fields("Docker Linux Erfahrung Erfahrungen Team Dienstwagen")
)

func (m *alertsModel) some(list []string) string {
	return list[m.r.IntN(len(list))] + " " + list[m.r.IntN(len(list))]
}

// stir changes something of the board.
func (m *alertsModel) stir() {
	ids := slices.Sorted(maps.Keys(m.notices))
	id := len(ids) + 1
	kind := m.r.IntN(12)
	if len(ids) < 6 {
		kind = 0
	}
	if kind > 1 {
		id = ids[m.r.IntN(len(ids))]
	}
	m.note("%d: %d", id, kind)
	n := m.notices[id]
	switch kind {
	case 0, 1:
		n = &notice{job: 100 + id, title: m.some(noticeTitles), ad: m.some(noticeAds), category: []string{"31", "32"}[m.r.IntN(2)], place: m.r.IntN(3), state: "open"}
		if kind == 1 {
			n.job = 101 + m.r.IntN(len(ids)) // one more posting of a job
		}
		if m.r.IntN(4) == 0 {
			n.state = []string{"", "closed", inactive}[m.r.IntN(3)]
		}
		if m.passed && m.r.IntN(8) == 0 {
			n.begins = time.Now().Add(time.Duration(m.r.IntN(2000)) * time.Millisecond).UnixMilli()
		}
		m.notices[id] = n
	case 2:
		n.title = m.some(noticeTitles)
	case 3:
		n.ad = m.some(noticeAds)
	case 4, 5:
		n.off = !n.off
	case 6:
		n.place = m.r.IntN(3)
	case 7:
		n.job = 101 + m.r.IntN(len(ids)) // it becomes a posting of another job
	case 8, 9:
		n.state = []string{"open", "closed", inactive, unavailable}[m.r.IntN(4)]
	case 10:
		n.state = "open"
	case 11: // many are gone, or back
		off := m.r.IntN(3) > 0
		for _, other := range m.notices {
			other.off = off && m.r.IntN(8) > 0
		}
	}
}

var errKilled = errors.New("killed")

// refresh has a process bring the mirror up to date. It may die at any statement; then another takes
// over, on SQLite one that is started anew.
func (m *alertsModel) refresh() {
	at := m.r.IntN(len(m.mirrors))
	mirror := m.mirrors[at]
	if m.r.IntN(3) == 0 {
		left := m.r.IntN(60)
		jobmirror.FailStatements(mirror, func(string) error {
			if left--; left < 0 {
				return errKilled
			}
			return nil
		})
		_, err := mirror.Refresh(m.Context())
		m.note("a process dies: %v", err != nil)
		if err := mirror.Close(); err != nil {
			m.Fatal(err)
		}
		leasesEnd(m.T, m.address)
		m.mirrors[at] = m.open()
		mirror = m.mirrors[m.r.IntN(len(m.mirrors))]
	}
	lookUpAll(m.T, mirror)
	if _, err := mirror.Refresh(m.Context()); err != nil {
		m.note("refresh: %v", err) // of a job whose lookup fails
	}
	m.ask(mirror)
}

// ask asks the board for all that the searches find.
func (m *alertsModel) ask(mirror *jobmirror.Mirror) {
	before := m.found
	m.found = map[pair]bool{}
	for key, saved := range m.saved {
		q := saved.Query()
		q.Limit = 1000
		for _, p := range m.find(mirror, q) {
			if _, err := mirror.Job(m.Context(), p.Job); p.Job == 0 || err != nil {
				continue // it waits for the job
			}
			m.found[pair{key, p.Job}] = true
		}
	}
	for p := range m.found {
		if !before[p] && !m.since[p] {
			m.note("found: %v", p)
			m.due[p] = true
			m.ever++
		}
		m.since[p] = true
	}
}

// find returns what is found as it was typed.
func (m *alertsModel) find(mirror *jobmirror.Mirror, q jobmirror.Query) []jobmirror.Posting {
	page, err := mirror.Search(m.Context(), q)
	if err != nil {
		m.Fatal(err)
	}
	if page.Corrected != nil {
		return nil // no posting has these words as they are typed
	}
	return page.Postings
}

// read has the reader read what it is told, and may kill it. It stores the cursor after some of the
// matches. What it stored is held against the board when it has read all.
func (m *alertsModel) read(kill bool) {
	stored, n := m.cursor, 0
	for match, err := range m.mirrors[m.r.IntN(len(m.mirrors))].Matches(m.Context(), m.searches, m.cursor) {
		if err != nil {
			m.Fatal(err)
		}
		for _, key := range match.Searches {
			m.tell(pair{key, match.Posting.Job}, match)
		}
		if m.r.IntN(3) == 0 {
			stored = match.Cursor
		}
		if n++; kill && m.r.IntN(6) == 0 {
			m.note("the reader is killed after %d matches", n)
			m.cursor, m.lost = stored, true
			return
		}
		m.cursor = match.Cursor
	}
	m.lost = false
	for p := range m.due {
		// A text that has changed since nobody knows any more: who was down when it came is told if the
		// board still has it.
		if m.told[p] == "" && (byText(p.search) || m.found[p]) {
			m.wrong("%v is not told", p)
		}
	}
	for p := range m.found {
		if m.told[p] == "" {
			m.wrong("%v is on the board, and was not told", p)
		}
	}
	clear(m.due)
}

func (m *alertsModel) tell(p pair, match jobmirror.Match) {
	change := fmt.Sprint(match.At, text(match.Posting))
	switch before := m.told[p]; {
	case before == "":
	case m.lost:
		m.repeats.kill++ // what came after the cursor
	case !byText(p.search):
		m.repeats.advertisement++
	default:
		m.explain(p.job)
		m.wrong("%v is told again, first for %s, then for %s", p, before, change)
	}
	m.note("told: %v", p)
	m.told[p] = change
}

// explain tells what the log has of a job.
func (m *alertsModel) explain(job jobboard.JobID) {
	m.Helper()
	of := fmt.Sprintf(`"jobId":%d,`, job)
	for change, err := range m.mirrors[0].Changes(m.Context(), "") {
		if err == nil && strings.Contains(string(change.Before)+string(change.After), of) {
			m.Logf("%s %d at %s by %s: %s\n-> %s", change.Kind, change.ID, change.At, change.Cause, change.Before, change.After)
		}
	}
}

// pass lets 31 days pass: what was found before that, and is not now, is told again.
func (m *alertsModel) pass() {
	m.read(false)
	m.note("31 days pass")
	if err := jobmirror.Exec(m.Context(), m.mirrors[0], fmt.Sprintf("UPDATE changes SET at = at - %d", (31*24*time.Hour).Milliseconds())); err != nil {
		m.Fatal(err)
	}
	gone := func(p pair) bool { return !m.found[p] }
	maps.DeleteFunc(m.told, func(p pair, _ string) bool { return gone(p) })
	maps.DeleteFunc(m.since, func(p pair, _ bool) bool { return gone(p) })
	m.passed = true
}

// Over random changes, processes that die at any statement, takeovers and a reader that is killed at any
// match, nothing is missed that a search of the whole board finds after any change; and nothing is told
// again but what the reader was told after the cursor that it stored last, and what words of an
// advertisement found. JOBMIRROR_SEEDS says with which seeds, as for TestModelOfAMisleadingBoard.
func TestMatchesModel(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		first := testenv.Seed(t)
		for i := range size(1, 20) {
			modelAlerts(t, address, first+uint64(i))
		}
	})
}

func modelAlerts(t *testing.T, address string, seed uint64) {
	m := newAlertsModel(t, address, seed)
	steps := whole(25, 150)
	m.stir()
	m.refresh()
	for step := range steps {
		for range 1 + m.r.IntN(3) {
			m.change(m.stir)
		}
		m.refresh()
		switch m.r.IntN(4) {
		case 0, 1:
			m.read(true)
		case 2:
			m.read(false)
		}
		if step == steps*2/3 {
			m.pass()
		}
	}
	<-time.After(2 * time.Second) // the last posting begins
	m.refresh()
	m.read(false)
	t.Logf("figure: of %d pairs found after %d changes all are told; %d again after a kill, %d for an advertisement",
		m.ever, steps, m.repeats.kill, m.repeats.advertisement)
	if m.ever == 0 {
		t.Error("nothing happened")
	}
	for _, mirror := range m.mirrors {
		if err := mirror.Close(); err != nil {
			t.Error(err)
		}
	}
}
