package jobmirror

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// Why has what would find something where a search found nothing. The zero value means that nothing would: the
// copy was searched for the words with no filter, in every language.
type Why struct {
	// Without has the filters without which the search finds something: each alone, the one that hides most first.
	// Where no filter alone hides anything, it has one element, for all of them.
	Without []Without
	Others  []InLanguage // where the search finds something in other languages of the copy, most first
}

// Without is what a search would find without some of its filters.
type Without struct {
	// Filters names them, as fields of Query in small letters: category, place, company, remote, since, near.
	Filters []string
	Hits    int
}

// InLanguage is what a search would find in another language.
type InLanguage struct {
	Language string // as Query.Language takes it
	Hits     int
}

// Reasons returns in English what would find something, such as "without company there would be 12"; none: nothing
// would.
func (w *Why) Reasons() (reasons []string) {
	for _, without := range w.Without {
		reasons = append(reasons, fmt.Sprintf("without %s there would be %d", strings.Join(without.Filters, ", "), without.Hits))
	}
	for _, other := range w.Others {
		reasons = append(reasons, fmt.Sprintf("in the language %s there are %d", other.Language, other.Hits))
	}
	return reasons
}

// String returns the reasons as a sentence in English.
func (w *Why) String() string {
	reasons := w.Reasons()
	if len(reasons) == 0 {
		return "Nothing matches, with any filter and in any language of the copy."
	}
	return "Nothing matches: " + strings.Join(reasons, ", ") + "."
}

// why says why a query finds nothing on a day. literally says that its text is taken as it stands.
func (t searchTx) why(q Query, day time.Time, literally bool) (*Why, error) {
	hits := func(q Query) (int, error) {
		query := q.forIndex(day)
		query.Literal = literally
		return t.db.search.Total(t.Tx, query)
	}
	w := &Why{}
	without := func(names ...string) error {
		n, err := hits(q.without(names...))
		if n > 0 {
			w.Without = append(w.Without, Without{names, n})
		}
		return err
	}
	all := q.filters()
	for _, name := range all {
		if err := without(name); err != nil {
			return nil, err
		}
	}
	if len(w.Without) == 0 && len(all) > 1 {
		if err := without(all...); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.Without, func(a, b Without) int { return cmp.Compare(b.Hits, a.Hits) })
	if q.Language == "" {
		return w, nil
	}
	languages, err := sources.Languages(t.Tx)
	for _, language := range languages {
		if err != nil {
			return nil, err
		}
		if language == "" || language == q.Language {
			continue
		}
		other := q
		other.Language = language
		n := 0
		if n, err = hits(other); n > 0 {
			w.Others = append(w.Others, InLanguage{language, n})
		}
	}
	slices.SortStableFunc(w.Others, func(a, b InLanguage) int { return cmp.Compare(b.Hits, a.Hits) })
	return w, err
}

// filters returns the names of the filters that narrow the query, and near for a circle.
func (q *Query) filters() []string {
	names := q.chosen().Names()
	if !q.Near.IsZero() {
		names = append(names, filters.Near)
	}
	return names
}

// without returns the query without some of its filters.
func (q Query) without(names ...string) Query {
	chosen := q.chosen()
	for _, name := range names {
		if chosen = chosen.With(name, ""); name == filters.Near {
			q.Near = jobboard.GeoLocation{}
		}
	}
	q.choose(chosen)
	return q
}
