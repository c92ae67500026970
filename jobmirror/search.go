package jobmirror

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// Query says what is searched for. The zero value finds every posting.
type Query struct {
	Text string // each word must occur in the posting, in any form of it in the posting's language
	// Near is zero for anywhere. Only postings whose job is known and has
	// coordinates match; additional locations count.
	Near     jobboard.GeoLocation
	Channel  jobboard.ChannelID // empty: any
	Language string             // of the row, as in Channel.Languages; empty: any, so a posting may come once a language
	Category string             // a category's identifier (2.3); empty: any
	Place    string             // a location's name (2.3); empty: any
	Order    Order
	Limit    int        // postings on a page; 0 means 20, at most 1000
	After    PageCursor // the Next of the page before; empty: the first page
	Facets   bool       // counts all hits, in all and by category and place; slower
}

// Order chooses the order of hits.
type Order int

// The orders.
const (
	Newest Order = iota // the postings that the mirror came to know last come first
	Oldest              // those that it came to know first
)

// PageCursor marks where a page of a search ends. It is good for the query that
// gave it.
type PageCursor string

// ErrPageCursor says that the cursor is none, or of another query. It is
// jobboard.ErrInvalidInput as well, because it comes from a visitor's address.
var ErrPageCursor = fmt.Errorf("jobmirror: the page cursor is not of this query: %w", jobboard.ErrInvalidInput)

// Page holds a page of hits.
type Page struct {
	Postings []Posting
	Next     PageCursor // for Query.After; empty: there are no more
	Facets   *Facets    // nil without Query.Facets
	// Age is of the copy of the channel, or of the oldest of all channels; below 0:
	// one was never copied whole.
	Age time.Duration
}

// Facets counts all hits of a query.
type Facets struct {
	Total      int
	Categories map[string]int // by category identifier
	Places     map[string]int // by location name
}

// Posting holds a posting of the copy, in one language.
type Posting struct {
	Posting   jobboard.JobPosting
	Language  string              // in which it was asked for
	Sources   []string            // the channels that show it
	Job       jobboard.JobID      // 0: not known
	Evidence  Evidence            // for Job
	Confirmed bool                // the lookup of Job gave the posting's title
	Locations []jobboard.Location // Job's, the main one first; none where the job is not known
	// DistanceKm is to the middle of Query.Near, from the nearest of the job's
	// locations; NaN without it, which encoding/json refuses.
	DistanceKm float64
	Seen       time.Time // when a source showed it last
}

// maxText is how many bytes a query's text may have.
const maxText = 1000

// Search finds postings in the copy. Its errors are ErrPageCursor, and
// jobboard.ErrInvalidInput for a circle that is none and a text of more than 1000
// bytes.
func (m *Mirror) Search(ctx context.Context, q Query) (*Page, error) {
	if err := q.Near.Validate(); err != nil {
		return nil, fmt.Errorf("jobmirror: %w", err)
	}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	q.Limit = min(q.Limit, 1000)
	after, err := q.cursor()
	if err != nil {
		return nil, err
	}
	return fromView(ctx, m.db, func(t *tx) (*Page, error) { return t.search(q, after) })
}

// search returns the page of hits that follow one, or the first page after 0.
func (t *tx) search(q Query, after int64) (page *Page, err error) {
	page = &Page{}
	if q.Facets {
		page.Facets = &Facets{Categories: map[string]int{}, Places: map[string]int{}}
	}
	if page.Age, err = t.age(string(q.Channel)); err != nil {
		return nil, err
	}
	e, err := t.expression(q)
	if err != nil || e == nil {
		return page, err
	}
	f := finder{t: t, q: q, text: t.db.matcher.text(e), after: after}
	if page.Postings, err = f.page(q.Limit + 1); err != nil {
		return nil, err
	}
	if len(page.Postings) > q.Limit {
		page.Postings = page.Postings[:q.Limit]
		page.Next = q.next(f.ids[q.Limit-1])
	}
	if err := t.locate(page.Postings); err != nil {
		return nil, err
	}
	if q.Facets {
		err = f.facets(page.Facets)
	}
	return page, err
}

// expression returns what the text index is asked for a query; nil: nothing can
// match.
func (t *tx) expression(q Query) (expression, error) {
	var e expression
	for _, must := range []struct{ kind, value string }{
		{tagChannel, string(q.Channel)}, {tagRow, q.Language}, {tagCategory, q.Category}, {tagPlace, q.Place},
	} {
		if must.value != "" {
			e = append(e, [][]string{{tag(must.kind, must.value)}})
		}
	}
	if len(q.Text) > maxText {
		return nil, fmt.Errorf("%w: the text has more than %d bytes", jobboard.ErrInvalidInput, maxText)
	}
	if strings.TrimSpace(q.Text) != "" {
		clause, err := t.textClause(q.Text)
		if err != nil || clause == nil {
			return nil, err
		}
		e = append(e, clause)
	}
	if cells := cellsAround(q.Near); !q.Near.IsZero() && cells != nil {
		clause := make([][]string, len(cells))
		for i, c := range cells {
			clause[i] = []string{c}
		}
		e = append(e, clause)
	}
	if len(e) == 0 {
		e = expression{{{tagAll}}}
	}
	return e, nil
}

// textClause stems a text in each language that postings are stemmed in. The
// tag of the language may be left out where all agree.
func (t *tx) textClause(text string) ([][]string, error) {
	var clause [][]string
	stems := map[string]bool{}
	err := t.rows("SELECT stemmed FROM languages ORDER BY stemmed", nil, func(scan func(...any) error) error {
		var language string
		if err := scan(&language); err != nil {
			return err
		}
		asked := words.Of(text, language)
		if len(asked) == 0 {
			return nil // nothing but punctuation
		}
		stems[strings.Join(asked, " ")] = true
		clause = append(clause, append([]string{tagLanguage(language)}, asked...))
		return nil
	})
	if len(stems) == 1 {
		clause = [][]string{clause[0][1:]}
	}
	return clause, err
}

// finder walks through the hits of a query, in the order of the index.
type finder struct {
	t     *tx
	q     Query
	text  string
	after int64   // the hit before the first one; 0: begins at the beginning
	ids   []int64 // of what page returned
}

// chunk is how many hits are read from the index at a time.
const chunk = 64

// next reads the next hits from the index, of which some may be out of the
// circle.
func (f *finder) next() ([]int64, error) {
	low, high := int64(0), int64(math.MaxInt64)
	switch {
	case f.q.Order == Oldest:
		low = f.after
	case f.after != 0:
		high = f.after
	}
	order := " LIMIT ?"
	if f.q.Order == Newest {
		order = " DESC LIMIT ?"
	}
	hits, err := f.t.numbers(f.t.db.matcher.hits+order, f.text, low, high, chunk)
	if len(hits) > 0 {
		f.after = hits[len(hits)-1]
	}
	return hits, err
}

// page reads hits until there are n.
func (f *finder) page(n int) (out []Posting, err error) {
	for len(out) < n {
		hits, err := f.next()
		if err != nil || len(hits) == 0 {
			return out, err
		}
		found, postings, err := f.t.postings(hits, f.q.Near)
		if err != nil {
			return nil, err
		}
		f.ids, out = append(f.ids, found...), append(out, postings...)
		if len(hits) < chunk {
			break
		}
	}
	return out[:min(n, len(out))], nil
}

// postings reads rows by their identifiers, in their order. It leaves out those that
// are gone, and those that are not within a circle; found are the others.
func (t *tx) postings(list []int64, near jobboard.GeoLocation) (found []int64, postings []Posting, err error) {
	distances := map[int64]float64{}
	if !near.IsZero() {
		if err := t.within(list, near, distances); err != nil {
			return nil, nil, err
		}
		list = slices.DeleteFunc(slices.Clone(list), func(id int64) bool { _, inside := distances[id]; return !inside })
	}
	rows := make(map[int64]Posting, len(list))
	const query = "SELECT id, record, ads, seen FROM postings WHERE id IN @ids"
	err = t.rows(query, []any{ids(list)}, func(scan func(...any) error) error {
		var (
			id        int64
			text, ads string
			seen      time.Time
		)
		if err := scan(&id, &text, &ads, instantColumn{&seen}); err != nil {
			return err
		}
		rec, err := decodeRecord[PostingRecord](text)
		if err != nil {
			return err
		}
		p := Posting{
			Language: rec.Language, Sources: rec.Sources, Job: rec.Job, Evidence: rec.Evidence,
			Confirmed: rec.Confirmed, DistanceKm: math.NaN(), Seen: seen,
		}
		if d, ok := distances[id]; ok {
			p.DistanceKm = d
		}
		p.Posting, err = rec.posting(ads)
		rows[id] = p
		return err
	})
	for _, id := range list {
		if p, ok := rows[id]; ok {
			found, postings = append(found, id), append(postings, p)
		}
	}
	return found, postings, err
}

// locate gives postings the locations of their jobs.
func (t *tx) locate(postings []Posting) error {
	var jobs []int64
	for _, p := range postings {
		if p.Job != 0 {
			jobs = append(jobs, int64(p.Job))
		}
	}
	locations := map[jobboard.JobID][]jobboard.Location{}
	const query = "SELECT record FROM jobs WHERE job IN @ids AND record <> ''"
	err := records(t, query, []any{ids(jobs)}, func(job JobRecord) error {
		if job.Information != nil {
			locations[job.Job] = job.Information.locations()
		}
		return nil
	})
	for i := range postings {
		postings[i].Locations = locations[postings[i].Job]
	}
	return err
}

// within measures rows, and notes those in a circle with their distance.
func (t *tx) within(list []int64, near jobboard.GeoLocation, distances map[int64]float64) error {
	return t.rows("SELECT p.id, l.latitude, l.longitude FROM postings p JOIN places l ON l.job = p.job WHERE p.id IN @ids",
		[]any{ids(list)}, func(scan func(...any) error) error {
			id, km, err := measure(scan, near)
			if old, again := distances[id]; km <= near.RadiusKm && (!again || km < old) {
				distances[id] = km
			}
			return err
		})
}

// inside measures every row that the text index finds, and returns those in a
// circle.
func (t *tx) inside(text string, near jobboard.GeoLocation) (found []int64, err error) {
	err = t.rows("SELECT h.id, l.latitude, l.longitude FROM "+t.db.matcher.from+
		" JOIN postings p ON p.id = h.id JOIN places l ON l.job = p.job", []any{text}, func(scan func(...any) error) error {
		id, distance, err := measure(scan, near)
		if distance <= near.RadiusKm {
			found = append(found, id)
		}
		return err
	})
	slices.Sort(found)
	return slices.Compact(found), err // a job may have several places in the circle
}

// measure reads a row's identifier and one of its places.
func measure(scan func(...any) error, near jobboard.GeoLocation) (id int64, km float64, err error) {
	var place jobboard.GeoLocation
	err = scan(&id, &place.Latitude, &place.Longitude)
	return id, jobboard.DistanceKm(near, place), err
}

// facets counts all hits.
func (f *finder) facets(out *Facets) error {
	add := func(scan func(...any) error) error {
		var (
			kind, value string
			n           int
		)
		err := scan(&kind, &value, &n)
		if kind == tagCategory {
			out.Categories[value] += n
		} else {
			out.Places[value] += n
		}
		return err
	}
	from := f.t.db.matcher.from
	if f.q.Near.IsZero() {
		if err := f.t.row("SELECT count(*) FROM "+from, []any{f.text}, &out.Total); err != nil {
			return err
		}
		query := "SELECT c.kind, c.value, count(*) FROM " + from +
			" JOIN facets c ON c.posting = h.id GROUP BY c.kind, c.value"
		return f.t.rows(query, []any{f.text}, add)
	}
	found, err := f.t.inside(f.text, f.q.Near)
	out.Total = len(found)
	for part := range slices.Chunk(found, facetPart) {
		if err == nil {
			err = f.t.rows("SELECT kind, value, count(*) FROM facets WHERE posting IN @ids GROUP BY kind, value",
				[]any{ids(part)}, add)
		}
	}
	return err
}

// facetPart is how many postings' facets are counted at a time.
const facetPart = 10_000

// signature tells queries apart; a page's size may change on the way.
func (q Query) signature() string {
	q.After, q.Limit, q.Facets = "", 0, false
	return strconv.FormatUint(uint64(hash([]byte(encode(q)))), 36)
}

func (q Query) next(last int64) PageCursor {
	return PageCursor(base64.RawURLEncoding.EncodeToString([]byte(q.signature() + "." + strconv.FormatInt(last, 10))))
}

func (q Query) cursor() (int64, error) {
	if q.After == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(q.After))
	if err != nil {
		return 0, ErrPageCursor
	}
	signature, number, _ := strings.Cut(string(text), ".")
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil || last <= 0 || signature != q.signature() {
		return 0, ErrPageCursor
	}
	return last, nil
}

// age returns how long ago the channel, or else every channel, was last copied
// whole.
func (t *tx) age(channel string) (time.Duration, error) {
	complete, err := value[*int64](t, "SELECT min(complete) FROM sources WHERE kind = 'channel' AND (name = ? OR ? = '')",
		storable(channel), storable(channel))
	if err != nil || complete == nil || *complete == 0 {
		return -1, err
	}
	return t.since(*complete), nil
}

// channelOf returns the channel of a source as it stands in a record.
func channelOf(source string) string {
	name, _, _ := strings.Cut(source, "?")
	return name
}
