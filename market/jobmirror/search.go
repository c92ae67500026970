package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// Query describes a search. The zero value finds every posting that a visitor may see.
type Query struct {
	// Text holds words that must all occur in the posting: any form in the posting's language, or
	// another spelling, will do. In the title, a place and a company a part of a word of four
	// letters will do. Words in "quotes" are meant as they are written, -word leaves postings out,
	// and OR joins two words. No text is a mistake. Options.Synonyms has words
	// that find each other.
	Text string
	// Near is zero for anywhere. Only postings whose job is known and has
	// coordinates match; additional locations count.
	Near     jobboard.GeoLocation
	Channel  jobboard.ChannelID // empty: any
	Language string             // of the row, as in Channel.Languages; empty: any, so a posting may come once a language
	Category string             // a category's identifier (2.3); empty: any
	Place    string             // a location's name (2.3), or the town of one of the job's; empty: any
	Company  string             // of the posting, or else of its job, in capitals or not; empty: any
	Remote   jobboard.RemoteStatus
	// Since finds postings that are there since so many days at most, 90 or less: since today (UTC), or the days before
	// it. A posting is there since the copy saw it first or, if that is later or not known, since it is listed. 0: any. The pages of a search all have the
	// day of the first.
	Since int
	// ChangedAfter is the Mark of an earlier Page: only postings are found of which something that a search finds
	// them by came or changed since then, such as the text, the channel, the places of the job, or that it is open. Their text
	// is searched for as it is typed: typing errors are not corrected, and no word is left out. Empty: any.
	ChangedAfter ChangeMark
	// All also finds what a visitor should not see: postings that are not visible, have not begun or
	// have ended, and those whose job is known to be closed, inactive or unavailable. Without it they
	// are neither found nor counted, and their words are neither suggested nor meant by a mistyped
	// one. What the copy does not know hides no posting.
	All bool
	// OncePerJob finds of each job the posting alone that comes first, in whichever language it matches; of postings
	// whose job is not known, each identifier once. Facets count every posting. Where a posting in the language Prefer
	// matches as well, that one stands in its place.
	OncePerJob bool
	Prefer     string
	Order      Order
	Limit      int        // postings on a page; 0 means 20, at most 1000
	After      PageCursor // the Next of the page before; empty: the first page
	Facets     bool       // counts all hits, in all and by Category, Place, Company and Remote; slower
	// CountSince counts all hits, with any Since, by Since too, for Facets.Since; slower.
	CountSince bool
	Snippets   bool // gives each posting the words of its advertisement around the first that was found
}

// Order chooses the order of hits.
type Order int

// The orders.
const (
	// Relevance begins with postings that have every word in the title. Then come those that have every word in the
	// title if parts of words and synonyms count, those that have every word in the title, a place or a company if parts
	// count, then those that have every word anywhere, and then those that have one word as a part and another one
	// elsewhere. Among equals, and without a text, it is Newest.
	Relevance Order = iota
	Newest          // the postings that the mirror came to know last come first
	Oldest          // those that it came to know first
	Nearest         // by the distance of the job's nearest location from the middle of Near; without a circle it is Newest
)

// PageCursor marks where a page of a search ends. Only the query that gave it takes it, in processes
// with the same Options.Synonyms.
type PageCursor string

// ErrPageCursor reports that a PageCursor is malformed, or of another query or other Options.Synonyms, or
// that a ChangeMark is malformed, or of another database. errors.Is also finds jobboard.ErrInvalidInput in
// it, because a PageCursor comes from a visitor's address.
var ErrPageCursor = fmt.Errorf("jobmirror: the page cursor is not of this query: %w", jobboard.ErrInvalidInput)

// ChangeMark marks a state of the search index of one database. With it a later search finds what changed
// since; see Query.ChangedAfter. If the database lacks that state, because a backup was put back or the copy
// was made anew, the search returns ErrPageCursor.
type ChangeMark string

// Page holds a page of hits.
type Page struct {
	Postings []Posting
	Next     PageCursor // for Query.After; empty: there are no more
	Mark     ChangeMark // for Query.ChangedAfter of a later search
	Facets   *Facets    // nil without Query.Facets
	// CountedAt is when Facets were counted but for their Total; zero without Query.Facets. They are those of
	// now unless the copy changed: for five seconds after a change they may be of before it. Facets.Total is always of now.
	CountedAt time.Time
	// Corrected has the text's words that no posting has in any form or spelling, each with the words that were
	// searched for as well, and the words that were left out. What these find comes after what the text finds as
	// it was typed; Corrected is nil as long as that fills the page.
	Corrected []Correction
	Why       *Why // why there are no postings; nil: there are, or the page is not the first, or of ChangedAfter
	// Building reports that more than a tenth of the postings wait to be indexed, as while the copy is filled
	// or after Mirror.Rebuild, so that a search may find too little.
	Building bool
	// Age is the age of the channel's copy, or of the oldest channel's; below 0: one was never
	// copied whole. A channel that was never copied because the board refuses it does not count
	// among all channels, unless there is no other.
	Age time.Duration
}

// Facets counts all hits of a query. If the text has words in quotes, and more than 300
// postings have these words in some form, postings with another form count as well.
type Facets struct {
	Total      int
	Categories map[string]int // by category identifier
	Places     map[string]int // by location name
	// Companies has the twenty largest companies, each as most postings write it.
	Companies map[string]int
	Remote    map[jobboard.RemoteStatus]int
	// Since has the hits since 1, 3, 7, 14 and 30 days; nil without Query.CountSince. Query.Since does not narrow it.
	Since map[int]int
}

// Posting holds a posting of the copy, in one language. Whether its job is open Mirror.Job
// says.
type Posting struct {
	Posting  jobboard.JobPosting
	Language string // in which it was asked for
	// TextLanguage is that of its title and advertisement as far as the copy knows: the
	// job's where the posting has the job's own title, so that it was not translated, else
	// Language. A page marks its text with it.
	TextLanguage string

	Sources   []string            // the channels that show it
	Job       jobboard.JobID      // 0: not known
	Evidence  Evidence            // for Job
	Confirmed bool                // the lookup of Job gave the posting's title
	Locations []jobboard.Location // Job's, the main one first; none if the job is not known
	Company   string              // the posting's, or else that of Job's lookup; empty if not known
	FirstSeen time.Time           // when it came to the copy; zero: with the first complete refresh of a channel, so it may be old
	Seen      time.Time           // when the last complete refresh that showed it ended; before the first, when it came
	// MissingSince is the time since which no source shows the posting, whose removal is pending; zero: a
	// source shows it. A site may hide such postings.
	MissingSince time.Time
	// ShownAgain is how often it has come back after it had left the copy, as far as the copy remembers: it
	// does so for Options.KeepJobs. FirstSeen is of the first time then.
	ShownAgain int
	Snippet    Snippet // zero without Query.Snippets, and where the advertisement has none of the words

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

// Correction holds a word that was corrected or left out. A corrected word is one that no posting has; Nearest has
// the words that may have been meant. A word is left out if no posting has all words of the text, and some have all
// the others: a word that only says that somebody looks for a job, such as Stelle or Job, or the one that says least
// about the work, such as a town.
type Correction struct {
	Word    string   // of Query.Text, in lower case
	Nearest []string // what was searched for as well, the likeliest first; none: Word was left out
}

// Snippet holds the words around what was found in an advertisement. Text is plain
// text: escape it for the place where it goes. It is one line without control characters
// and without those that turn the direction of the text around them.
type Snippet struct {
	Text  string
	Marks []Mark // of what was found, in order
}

// Mark marks the bytes of a snippet's Text that were found: those from Begin up to End.
type Mark struct{ Begin, End int }

// maxText bounds the bytes of a query's text.
const maxText = 1000

// Search finds postings in the copy. Its errors are ErrPageCursor, and jobboard.ErrInvalidInput
// for an invalid circle, a text of more than 1000 bytes or a Since that is no number of days.
func (m *Mirror) Search(ctx context.Context, q Query) (*Page, error) {
	if err := q.Near.Validate(); err != nil {
		return nil, fmt.Errorf("jobmirror: %w", err)
	}
	q.Limit = q.limit()
	if q.Order == Relevance && strings.TrimSpace(q.Text) == "" || q.Order == Nearest && q.Near.IsZero() {
		q.Order = Newest
	}
	return fromView(ctx, m.db, func(t *tx) (*Page, error) {
		after, err := q.cursor(t.db.search.Synonyms.Sum(), t.Now)
		if err != nil {
			return nil, err
		}
		return searchTx{readTx{t}}.search(q, after)
	})
}

// limit returns how many postings are on a page at most.
func (q Query) limit() int {
	if q.Limit <= 0 {
		return 20
	}
	return min(q.Limit, 1000)
}

// check returns an error that is jobboard.ErrInvalidInput for a text that is too long, which is not
// read.
func (q Query) check() error {
	if len(q.Text) > maxText {
		return fmt.Errorf("%w: the text has more than %d bytes", jobboard.ErrInvalidInput, maxText)
	}
	if q.Since < 0 || q.Since > filters.MaxSince {
		return fmt.Errorf("%w: %w", jobboard.ErrInvalidInput, filters.ErrSince)
	}
	return nil
}

// forIndex returns the query by which the index of documents is searched on a day.
func (q Query) forIndex(today time.Time) search.Query {
	out := search.Query{Text: q.Text, Near: q.Near, Order: search.Order(q.Order)}
	if !q.All {
		out.Hidden = []search.Tag{tag(tagHidden, "")}
	}
	if q.Channel != "" {
		out.Meant = append(out.Meant, tag(tagChannel, string(q.Channel)))
	}
	if q.Language != "" {
		out.Meant = append(out.Meant, tag(tagLanguage, q.Language))
	}
	out.Tags = slices.Clone(out.Meant)
	q.narrow(&out, today)
	return out
}

// searchTx is a transaction that answers a search.
type searchTx struct{ readTx }

// search returns the page of hits that follow one, or the first page after the zero
// position.
func (t searchTx) search(q Query, after pageStart) (page *Page, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	page = &Page{}
	if page.Age, err = t.age(string(q.Channel)); err != nil {
		return nil, err
	}
	indexed, err := t.indexedNow()
	if err != nil {
		return nil, err
	}
	page.Mark = t.mark(indexed.markPlace)
	if page.Building, err = t.isBuilding(indexed); err != nil {
		return nil, err
	}
	query := q.forIndex(after.day)
	if q.ChangedAfter != "" {
		if query.Among, err = t.changedAfter(q.ChangedAfter, indexed.markPlace); err != nil {
			return nil, err
		}
	}
	found, rows, err := t.find(q, query, after.behind)
	if errors.Is(err, search.ErrPosition) {
		return nil, ErrPageCursor
	}
	if err != nil {
		return nil, err
	}
	if found.More {
		page.Next = q.next(t.db.search.Synonyms.Sum(), pageStart{found.Hits[len(found.Hits)-1], after.day})
	}
	for _, c := range found.Corrected {
		page.Corrected = append(page.Corrected, Correction(c))
	}
	if page.Postings, err = t.found(q, found, rows); err != nil {
		return nil, err
	}
	if q.Facets {
		page.Facets, page.CountedAt, err = facetsOf(found)
	}
	if err == nil && q.Facets && q.CountSince {
		page.Facets.Since, err = countSince(found, after.day)
	}
	if err == nil && q.After == "" && q.ChangedAfter == "" && len(page.Postings) == 0 {
		page.Why, err = t.why(q, after.day, false)
	}
	return page, err
}

// find finds the hits of a page, and the rows to show for them.
func (t searchTx) find(q Query, query search.Query, behind search.Position) (found *search.Page, rows []int64, err error) {
	var others otherHits
	if q.OncePerJob {
		found, others, err = t.findOnce(query, behind, q.Limit)
	} else {
		found, err = t.db.search.Find(t.Tx, query, behind, q.Limit)
	}
	if err != nil {
		return nil, nil, err
	}
	if q.OncePerJob && q.Prefer != "" {
		rows, err = t.inLanguage(found.Hits, others, q.Prefer)
		return found, rows, err
	}
	for _, hit := range found.Hits {
		rows = append(rows, hit.Row)
	}
	return found, rows, nil
}

// found reads the postings of a page, by their rows.
func (t searchTx) found(q Query, page *search.Page, rows []int64) (list []Posting, err error) {
	for part := range slices.Chunk(rows, pagePart) {
		hits, err := t.postings(part)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if q.Snippets {
				h.posting.Snippet = h.snippet(page)
			}
			list = append(list, h.posting)
		}
	}
	return list, t.addJobs(list, q.Near)
}

// facetsOf counts all hits of a page's query, and returns when that was done.
func facetsOf(page *search.Page) (*Facets, time.Time, error) {
	counted, err := page.Facets()
	if err != nil {
		return nil, time.Time{}, err
	}
	facets := &Facets{
		Total: counted.Total, Categories: map[string]int{}, Places: map[string]int{}, Companies: map[string]int{},
		Remote: map[jobboard.RemoteStatus]int{},
	}
	for tag, n := range counted.Counts {
		switch tag.Kind {
		case tagCategory:
			facets.Categories[tag.Value] = n
		case tagPlace:
			facets.Places[tag.Value] = n
		case tagCompany:
			facets.Companies[tag.Value] = n
		case tagRemote:
			facets.Remote[jobboard.RemoteStatus(tag.Value)] = n
		}
	}
	return facets, instant(counted.CountedAt), nil
}

// age returns how long ago the channel, or else every channel, was last copied
// whole.
func (t searchTx) age(channel string) (time.Duration, error) {
	var (
		complete int64
		err      error
	)
	if channel == "" {
		complete, err = sources.AllCopied(t.Tx)
	} else {
		complete, err = sources.Copied(t.Tx, storable(channel))
	}
	if err != nil || complete == 0 {
		return -1, err
	}
	return t.Since(complete), nil
}
