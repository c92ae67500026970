package jobmirror

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// Query says what is searched for. The zero value finds every posting.
type Query struct {
	// Text holds words that must all occur in the posting: in any form of them in the
	// posting's language, and in another spelling. In the title, a category, a place and a
	// company a part of a word of four letters will do. Words in "quotes" are meant as they
	// are written, -word leaves postings out, and OR joins two words. No text is a mistake.
	Text string
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
	Snippets bool       // gives each posting the words of its advertisement around the first that was found
}

// Order chooses the order of hits.
type Order int

// The orders.
const (
	// Relevance puts those postings first that have every word in the title, then those
	// that have them in the title, a category, a place or a company, then those that have
	// them anywhere, and then the others. Among equals, and without a text, it is Newest.
	Relevance Order = iota
	Newest          // the postings that the mirror came to know last come first
	Oldest          // those that it came to know first
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
	// Corrected has the words of the text that no posting has, in any form or spelling,
	// with those that were searched for as well. What these find comes after what the text
	// finds as it was typed; Corrected is nil as long as that fills the page.
	Corrected []Correction
	// Age is of the copy of the channel, or of the oldest of all channels; below 0:
	// one was never copied whole.
	Age time.Duration
}

// Facets counts all hits of a query. If the text has words in quotes, and more than 300
// postings have these words in some form, postings with another form count as well.
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
	Seen      time.Time           // when the last complete refresh that showed it ended; until there was one, when it came
	// MissingSince is when the last source ceased to show it, where the posting stays until
	// it is certain that it is gone; zero: a source shows it. A site may hide such postings.
	MissingSince time.Time
	Snippet      Snippet // zero without Query.Snippets, and where the advertisement has none of the words

	nearest int // of Locations, counted from 1; 0: none
	km      float64
}

// Distance returns how far the nearest of the job's locations is from the middle of
// Query.Near, in kilometres. It reports false where the query had no circle.
func (p Posting) Distance() (km float64, ok bool) { return p.km, p.nearest > 0 }

// Nearest returns the location that Distance measures. It reports false where the query
// had no circle.
func (p Posting) Nearest() (location jobboard.Location, ok bool) {
	if p.nearest == 0 {
		return jobboard.Location{}, false
	}
	return p.Locations[p.nearest-1], true
}

// Snippet holds the words around what was found in an advertisement. Text is plain
// text: escape it for the place where it goes.
type Snippet struct {
	Text  string
	Marks []Mark // of what was found, in order
}

// Mark says which bytes of a snippet's Text were found: those from Begin up to End.
type Mark struct{ Begin, End int }

// snippetLetters is how many letters of an advertisement a snippet has.
const snippetLetters = 160

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
	if q.Order == Relevance && strings.TrimSpace(q.Text) == "" {
		q.Order = Newest
	}
	after, err := q.cursor()
	if err != nil {
		return nil, err
	}
	return fromView(ctx, m.db, func(t *tx) (*Page, error) { return t.search(q, words.Parse(q.Text), after) })
}

// search returns the page of hits that follow one, or the first page after the zero
// place.
func (t *tx) search(q Query, text words.Query, after place) (page *Page, err error) {
	page = &Page{}
	if page.Age, err = t.age(string(q.Channel)); err != nil {
		return nil, err
	}
	f, err := t.finder(q, text)
	if err != nil {
		return nil, err
	}
	f.typed = len(f.tiers)
	f.correct(after.corrected)
	if f.at = after; f.at.tier >= len(f.tiers) {
		return nil, ErrPageCursor
	}
	hits, err := f.page(q.Limit + 1)
	if err != nil {
		return nil, err
	}
	if len(hits) > q.Limit {
		hits = hits[:q.Limit]
		page.Next = q.next(f.places[q.Limit-1])
	}
	if len(f.corrected) > 0 && (page.Next == "" || f.places[len(hits)-1].tier >= f.typed) {
		page.Corrected = f.corrected
	}
	for _, h := range hits {
		if q.Snippets {
			h.posting.Snippet = h.snippet(f.text)
		}
		page.Postings = append(page.Postings, h.posting)
	}
	if err := t.locate(page.Postings, q.Near); err != nil {
		return nil, err
	}
	if q.Facets {
		page.Facets, err = f.facets()
	}
	return page, err
}

// narrowed returns what the text index is asked for a query, beside its text.
func narrowed(q Query) []words.Expr {
	var all []words.Expr
	for _, must := range []struct{ kind, value string }{
		{tagChannel, string(q.Channel)}, {tagRow, q.Language}, {tagCategory, q.Category}, {tagPlace, q.Place},
	} {
		if must.value != "" {
			all = append(all, words.Expr{Text: tag(must.kind, must.value)})
		}
	}
	if cells := cellsAround(q.Near); !q.Near.IsZero() && cells != nil {
		around := words.Expr{Op: words.Or}
		for _, c := range cells {
			around.Of = append(around.Of, words.Expr{Text: c})
		}
		all = append(all, around)
	}
	return all
}

// finder walks through the hits of a query, in the order of the index.
type finder struct {
	t         *tx
	q         Query
	text      words.Query
	narrow    []words.Expr   // what the index is asked beside the text
	languages []string       // that postings are stemmed in
	in        []words.Lookup // of the text, in each of languages
	all       string         // the question to the index for all hits
	tiers     []string       // the questions for one tier after the other
	at        place          // the hit after which page goes on
	places    []place        // of what page returned

	typed     int // how many tiers are of the text as it was typed; 0: it is not corrected
	corrected []Correction
}

// place says where a hit stands in the order of a query. The zero place is before
// the first hit.
type place struct {
	tier      int
	id        int64
	corrected []Correction
}

// chunk is how many hits are read from the index at a time.
const chunk = 64

// finder returns a finder for a query, of which text is the text; its hits must have the
// tags as well. Its error is jobboard.ErrInvalidInput for a text that is too long.
func (t *tx) finder(q Query, text words.Query, tags ...string) (*finder, error) {
	if len(q.Text) > maxText {
		return nil, fmt.Errorf("%w: the text has more than %d bytes", jobboard.ErrInvalidInput, maxText)
	}
	f := &finder{t: t, q: q, text: text, narrow: narrowed(q)}
	for _, tag := range tags {
		f.narrow = append(f.narrow, words.Expr{Text: tag})
	}
	if plan := matcherOf(t.db).plan; plan != "" {
		if _, err := t.Exec(plan); err != nil {
			return nil, err
		}
	}
	err := t.Rows("SELECT stemmed FROM languages ORDER BY stemmed", nil, func(scan func(...any) error) error {
		var language string
		err := scan(&language)
		f.languages = append(f.languages, language)
		return err
	})
	f.read(text)
	for tier := range f.count() {
		f.tiers = append(f.tiers, f.ask(func(in int) words.Expr { return f.tier(tier, in) }))
	}
	return f, err
}

// read makes the finder look for a text.
func (f *finder) read(text words.Query) {
	f.text, f.in = text, nil
	for _, language := range f.languages {
		f.in = append(f.in, text.In(language))
	}
	f.all = f.ask(func(in int) words.Expr { return f.in[in].All() })
}

// count returns how many tiers the hits of a text have.
func (f *finder) count() int {
	if f.q.Order != Relevance || f.text.Empty() {
		return 1
	}
	return words.Tiers
}

// tier returns what the index is asked for a tier of the text in a language, of which in
// is the index in f.languages.
func (f *finder) tier(tier, in int) words.Expr {
	if f.count() == 1 {
		return f.in[in].All()
	}
	return f.in[in].Tier(tier)
}

// ask returns the question to the index for the query. of returns what is asked for its
// text in one of f.languages.
func (f *finder) ask(of func(in int) words.Expr) string {
	e := words.Expr{Op: words.And, Of: f.narrow}
	switch {
	case strings.TrimSpace(f.q.Text) == "":
	case f.text.Empty(): // there is nothing but punctuation in it
		e.Of = append(slices.Clone(f.narrow), words.Expr{Text: tagNone})
	default:
		e.Of = append(slices.Clone(f.narrow), f.inEachLanguage(of))
	}
	return matcherOf(f.t.db).text(e)
}

// inEachLanguage joins what of returns for each of f.languages, for the postings of that
// language alone; if it is the same for all, it needs no tags of languages.
func (f *finder) inEachLanguage(of func(in int) words.Expr) words.Expr {
	if len(f.languages) == 0 { // nothing is indexed yet
		return words.Expr{Text: tagNone}
	}
	found := words.Expr{Op: words.Or}
	agree := true
	for i, language := range f.languages {
		in := of(i)
		agree = agree && (i == 0 || reflect.DeepEqual(found.Of[0].Of[1], in))
		found.Of = append(found.Of, words.Expr{Op: words.And, Of: []words.Expr{{Text: tagLanguage(language)}, in}})
	}
	if agree {
		return found.Of[0].Of[1]
	}
	return found
}

// next reads the next hits of a tier from the index, of which some may be out of the
// circle.
func (f *finder) next() ([]int64, error) {
	low, high := int64(0), int64(math.MaxInt64)
	switch {
	case f.q.Order == Oldest:
		low = f.at.id
	case f.at.id != 0:
		high = f.at.id
	}
	order := " DESC LIMIT ?"
	if f.q.Order == Oldest {
		order = " LIMIT ?"
	}
	return f.t.Numbers(matcherOf(f.t.db).hits+order, f.tiers[f.at.tier], low, high, chunk)
}

// page reads hits until there are n. Those of a text that is corrected come last.
func (f *finder) page(n int) (out []hit, err error) {
	for len(out) < n {
		if f.at.tier == len(f.tiers) {
			if err := f.findMistakes(); err != nil {
				return nil, err
			}
		}
		if f.at.tier == len(f.tiers) {
			break
		}
		list, err := f.next()
		if err != nil {
			return nil, err
		}
		hits, err := f.some(list, n-len(out))
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			f.places = append(f.places, place{f.at.tier, h.id, f.corrected})
		}
		out = append(out, hits...)
		if len(list) < chunk {
			f.at.tier, f.at.id = f.at.tier+1, 0
		} else {
			f.at.id = list[len(list)-1]
		}
	}
	return out[:min(n, len(out))], nil
}

// some reads the first rows of a list that are hits, at least n where there are so many.
func (f *finder) some(list []int64, n int) (out []hit, err error) {
	inside, err := f.t.within(list, f.q.Near)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(inside, n) {
		hits, err := f.t.postings(part, f.text)
		if out = append(out, hits...); err != nil || len(out) >= n {
			return out, err
		}
	}
	return out, nil
}

// postings reads rows by their identifiers, in their order. It leaves out those that are
// gone, and those that lack what a text has in quotes.
func (t *tx) postings(list []int64, text words.Query) ([]hit, error) {
	rows := make(map[int64]hit, len(list))
	const query = "SELECT id, record, ads, " + lastSeen + ", " + missingSince + ", stemmed FROM postings WHERE id IN @ids"
	err := t.Rows(query, []any{store.IDs(list)}, func(scan func(...any) error) error {
		var (
			h           hit
			record, ads string
			seen, gone  time.Time
		)
		if err := scan(&h.id, &record, &ads, instantColumn{&seen}, instantColumn{&gone}, &h.stemmed); err != nil {
			return err
		}
		rec, err := decodeRecord[PostingRecord](record)
		if err != nil {
			return err
		}
		h.posting = Posting{
			Language: rec.Language, Sources: rec.Sources, Job: rec.Job, Evidence: rec.Evidence,
			Confirmed: rec.Confirmed, Seen: seen, MissingSince: gone,
		}
		h.posting.Posting, err = rec.posting(ads)
		if !text.Quoted() || text.Matches(h.texts(), h.stemmed) {
			rows[h.id] = h
		}
		return err
	})
	var found []hit
	for _, id := range list {
		if h, ok := rows[id]; ok {
			found = append(found, h)
		}
	}
	return found, err
}

// hit is a posting that a search found.
type hit struct {
	id      int64
	stemmed string // the language of its words
	posting Posting
}

func (h *hit) texts() words.Texts { return textsOf(h.posting.Posting.Title, h.posting.Posting.Config) }

// snippet returns the words around what a text finds in the advertisement.
func (h *hit) snippet(text words.Query) Snippet {
	ad, _ := h.posting.Posting.Config.AdText() // a posting may have none
	found := text.Snippet(words.Text(ad), h.stemmed, snippetLetters, false)
	s := Snippet{Text: found.Text}
	for _, m := range found.Marks {
		s.Marks = append(s.Marks, Mark(m))
	}
	return s
}

// locate gives postings the locations of their jobs, and measures them from the middle
// of a circle.
func (t *tx) locate(postings []Posting, near jobboard.GeoLocation) error {
	var jobs []int64
	for _, p := range postings {
		if p.Job != 0 {
			jobs = append(jobs, int64(p.Job))
		}
	}
	locations := map[jobboard.JobID][]jobboard.Location{}
	const query = "SELECT record FROM jobs WHERE job IN @ids AND record <> ''"
	err := records(t, query, []any{store.IDs(jobs)}, func(job JobRecord) error {
		if job.Information != nil {
			locations[job.Job] = job.Information.locations()
		}
		return nil
	})
	for i := range postings {
		p := &postings[i]
		p.Locations = locations[p.Job]
		for at, location := range p.Locations {
			km := location.DistanceKm(near)
			if !near.IsZero() && !math.IsInf(km, 1) && (p.nearest == 0 || km < p.km) {
				p.nearest, p.km = at+1, km
			}
		}
	}
	return err
}

// within returns those of some rows that are in a circle, in their order; all where there
// is no circle.
func (t *tx) within(list []int64, near jobboard.GeoLocation) ([]int64, error) {
	if near.IsZero() {
		return list, nil
	}
	inside := map[int64]bool{}
	err := t.Rows("SELECT p.id, l.latitude, l.longitude FROM postings p JOIN places l ON l.job = p.job WHERE p.id IN @ids",
		[]any{store.IDs(list)}, func(scan func(...any) error) error {
			id, km, err := measure(scan, near)
			if km <= near.RadiusKm {
				inside[id] = true
			}
			return err
		})
	return slices.DeleteFunc(slices.Clone(list), func(id int64) bool { return !inside[id] }), err
}

// inside measures every row that the text index finds, and returns those in a
// circle.
func (t *tx) inside(text string, near jobboard.GeoLocation) (found []int64, err error) {
	err = t.Rows("SELECT h.id, l.latitude, l.longitude FROM "+matcherOf(t.db).from+
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
func (f *finder) facets() (out *Facets, err error) {
	if err := f.findMistakes(); err != nil {
		return nil, err
	}
	out = &Facets{Categories: map[string]int{}, Places: map[string]int{}}
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
	from := matcherOf(f.t.db).from
	if f.q.Near.IsZero() {
		if out.Total, err = f.t.countHits(f.all); err != nil {
			return nil, err
		}
	}
	if f.q.Near.IsZero() && (!f.text.Quoted() || out.Total > maxRead) {
		query := "SELECT c.kind, c.value, count(*) FROM " + from +
			" JOIN facets c ON c.posting = h.id GROUP BY c.kind, c.value"
		return out, f.t.Rows(query, []any{f.all}, add)
	}
	found, err := f.hits()
	out.Total = len(found)
	for part := range slices.Chunk(found, facetPart) {
		if err == nil {
			err = f.t.Rows("SELECT kind, value, count(*) FROM facets WHERE posting IN @ids GROUP BY kind, value",
				[]any{store.IDs(part)}, add)
		}
	}
	return out, err
}

// hits returns every hit, in the order of their identifiers.
func (f *finder) hits() (found []int64, err error) {
	if f.q.Near.IsZero() {
		found, err = f.t.Numbers("SELECT h.id FROM "+matcherOf(f.t.db).from, f.all)
		slices.Sort(found)
	} else {
		found, err = f.t.inside(f.all, f.q.Near)
	}
	if err != nil || !f.text.Quoted() || len(found) > maxRead {
		return found, err
	}
	var matching []int64
	for part := range slices.Chunk(found, pagePart) {
		hits, err := f.t.postings(part, f.text)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			matching = append(matching, h.id)
		}
	}
	return matching, nil
}

// maxRead is how many hits of a text with words in quotes are read to count those that
// have them as they are written.
const maxRead = 300

// facetPart is how many postings' facets are counted at a time.
const facetPart = 10_000

// signature tells queries apart; a page's size may change on the way.
func (q Query) signature() string {
	q.After, q.Limit, q.Facets, q.Snippets = "", 0, false, false
	return strconv.FormatUint(uint64(hash([]byte(encode(q)))), 36)
}

// next returns the cursor of the page behind a hit.
func (q Query) next(last place) PageCursor {
	parts := []string{q.signature(), strconv.Itoa(last.tier), strconv.FormatInt(last.id, 10)}
	for _, c := range last.corrected {
		parts = append(parts, strings.Join(append([]string{c.Word}, c.Nearest...), "-"))
	}
	return PageCursor(base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "."))))
}

func (q Query) cursor() (at place, err error) {
	if q.After == "" {
		return place{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(q.After))
	if err != nil {
		return place{}, ErrPageCursor
	}
	parts := strings.Split(string(text), ".")
	if len(parts) < 3 || len(parts) > 3+maxMistakes || parts[0] != q.signature() {
		return place{}, ErrPageCursor
	}
	tier, noTier := strconv.Atoi(parts[1])
	id, noID := strconv.ParseInt(parts[2], 10, 64)
	if noTier != nil || noID != nil || tier < 0 || id <= 0 {
		return place{}, ErrPageCursor
	}
	at = place{tier: tier, id: id}
	isNone := func(word string) bool { return !words.Is(word) } // a visitor's address may hold anything
	for _, part := range parts[3:] {
		list := strings.Split(part, "-")
		if len(list) < 2 || len(list) > 1+maxNearest || slices.ContainsFunc(list, isNone) {
			return place{}, ErrPageCursor
		}
		at.corrected = append(at.corrected, Correction{list[0], list[1:]})
	}
	return at, nil
}

// age returns how long ago the channel, or else every channel, was last copied
// whole.
func (t *tx) age(channel string) (time.Duration, error) {
	complete, err := store.Value[*int64](t, "SELECT min(complete) FROM sources WHERE kind = 'channel' AND (name = ? OR ? = '')",
		storable(channel), storable(channel))
	if err != nil || complete == nil || *complete == 0 {
		return -1, err
	}
	return t.Since(*complete), nil
}

// channelOf returns the channel of a source as it stands in a record.
func channelOf(source string) string {
	name, _, _ := strings.Cut(source, "?")
	return name
}
