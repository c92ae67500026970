package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

// Facets counts all documents that a query finds. Several searches may share one: it is not to be changed.
type Facets struct {
	Total int
	// Counts has of NameKind the largest names alone, each in the writing that most of its documents have.
	Counts    map[Tag]int
	CountedAt int64 // when Counts were counted, in milliseconds since the epoch
}

// Facets counts all documents that the page's query finds, on whichever page. If its text has words
// in quotes, and more than 300 documents have these words in some form, documents with another
// form count as well. It runs in the transaction of Find. Where the index changed lately Counts may be of before:
// see Index.StaleFor. Total never is.
func (p *Page) Facets() (*Facets, error) { return p.finder.facets() }

// facets counts all hits, unless that was done before. A text with words in quotes finds fewer than the index is asked
// for, and is counted each time.
func (f *finder) facets() (*Facets, error) {
	if err := f.findMistakes(); err != nil {
		return nil, err
	}
	if f.finds == no {
		return &Facets{Counts: map[Tag]int{}, CountedAt: f.t.Now}, nil
	}
	if f.text.Quoted() || f.q.Among != nil {
		return f.count()
	}
	out, ofNow, err := f.keptOr(f.keptBy(f.all), f.count)
	if err != nil || ofNow {
		return out, err
	}
	return f.withTotal(*out)
}

// keptOr returns the counts that are kept of a question, and whether they are of now; or else those that count returns,
// which it keeps.
func (f *finder) keptOr(question textindex.Question, count func() (*Facets, error)) (out *Facets, ofNow bool, err error) {
	state, err := f.t.state()
	if err != nil {
		return nil, false, err
	}
	if known, same := f.t.counted.get(question, state, f.t.StaleFor); known != nil {
		return known, same, nil
	}
	if out, err = count(); err != nil {
		f.t.counted.giveUp(question)
		return nil, false, err
	}
	f.t.counted.keep(question, state, out)
	return out, true, nil
}

// keptBy returns by what the counts of a question are kept.
func (f *finder) keptBy(question textindex.Question) textindex.Question {
	if near := f.q.Near; !near.IsZero() { // the index is asked for cells, which many circles share
		question += textindex.Question(fmt.Sprintf("\x00%v %v %v", near.Latitude, near.Longitude, near.RadiusKm))
	}
	return question
}

// withTotal returns earlier facets with the number of hits that there are now.
func (f *finder) withTotal(earlier Facets) (out *Facets, err error) {
	earlier.Total, err = f.total()
	return &earlier, err
}

// total returns the number of hits.
func (f *finder) total() (int, error) {
	if f.allAreHits() {
		return f.index.Count(f.t.Tx, f.all)
	}
	found, err := f.t.allHits(f.questions)
	return len(found), err
}

// Total returns how many documents a query finds, as Facets.Total has it, with typing errors corrected.
func (x *Index) Total(in *store.Tx, q Query) (int, error) {
	q.Order = Relevance
	page, err := x.Find(in, q, Position{}, 1) // which says whether the text finds something as it was typed
	if err != nil || len(page.Hits) == 0 {
		return 0, err
	}
	if err := page.finder.findMistakes(); err != nil {
		return 0, err
	}
	return page.finder.total()
}

// CountAny counts, for each list of tags, the documents that the page's query would find if it were to find those with
// one of these tags, in place of Query.Any. It runs in the transaction of Find, and keeps what it counted as Facets
// does.
func (p *Page) CountAny(lists ...[]Tag) ([]int, error) { return p.finder.countAny(lists) }

func (f *finder) countAny(lists [][]Tag) (counts []int, err error) {
	if err := f.findMistakes(); err != nil {
		return nil, err
	}
	asked := *f.questions
	asked.narrow = f.q.narrowed(nil)
	asked.read(asked.text)
	questions, kept := make([]textindex.Question, len(lists)), f.keptBy(asked.all)
	for i, list := range lists {
		one := asked
		one.narrow = f.q.narrowed(list)
		one.read(one.text)
		questions[i] = one.all
		kept += textindex.Question(fmt.Sprintf("\x00%v", list))
	}
	if f.text.Quoted() || f.q.Among != nil {
		return f.countEach(&asked, questions)
	}
	known, _, err := f.keptOr(kept, func() (*Facets, error) {
		out := &Facets{Counts: map[Tag]int{}}
		each, err := f.countEach(&asked, questions)
		for i, n := range each {
			out.Counts[Tag{Value: strconv.Itoa(i)}] = n
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	for i := range lists {
		counts = append(counts, known.Counts[Tag{Value: strconv.Itoa(i)}])
	}
	return counts, nil
}

// countEach counts the hits of each question, which finds some of the hits of one.
func (f *finder) countEach(one *questions, each []textindex.Question) ([]int, error) {
	counts := make([]int, len(each))
	if one.allAreHits() {
		for i, question := range each {
			var err error
			if counts[i], err = f.index.Count(f.t.Tx, question); err != nil {
				return nil, err
			}
		}
		return counts, nil
	}
	hits, err := f.t.allHits(one)
	for i, question := range each {
		if err != nil {
			return nil, err
		}
		var rows []int64
		rows, err = f.index.All(f.t.Tx, question)
		for _, row := range rows {
			if _, ok := slices.BinarySearch(hits, row); ok {
				counts[i]++
			}
		}
	}
	return counts, err
}

// count counts all hits.
func (f *finder) count() (*Facets, error) {
	out, err := f.countAll()
	if err == nil {
		out.names()
	}
	return out, err
}

// names has the largest of the names in place of all their facets, each as most documents write it.
func (c *Facets) names() {
	type named struct {
		key, written string
		most, total  int
	}
	all := map[string]*named{}
	for tag, n := range c.Counts {
		if tag.Kind != NameKind {
			continue
		}
		key, written := company.Fold(tag.Value), tag.Value
		name := all[key]
		if name == nil {
			name = &named{key: key}
			all[key] = name
		}
		if name.total += n; n > name.most || n == name.most && written < name.written {
			name.written, name.most = written, n
		}
		delete(c.Counts, tag)
	}
	largest := slices.SortedFunc(maps.Values(all), func(a, b *named) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.key, b.key))
	})
	for _, name := range largest[:min(len(largest), mostNames)] {
		c.Counts[Tag{NameKind, name.written}] = name.total
	}
}

// countAll counts all facets of all hits.
func (f *finder) countAll() (out *Facets, err error) {
	out = &Facets{Counts: map[Tag]int{}, CountedAt: f.t.Now}
	add := func(scan func(...any) error) error {
		var (
			tag Tag
			n   int
		)
		err := scan(&tag.Kind, &tag.Value, &n)
		out.Counts[tag] += n
		return err
	}
	whole := f.q.Near.IsZero() && f.q.Among == nil
	if whole {
		if out.Total, err = f.index.Count(f.t.Tx, f.all); err != nil {
			return nil, err
		}
	}
	if whole && (!f.text.Quoted() || out.Total > maxRead) {
		if f.index.TableFrom != "" {
			return out, f.countListed(out)
		}
		query := "SELECT c.kind, c.value, count(*) FROM " + f.index.Table +
			" JOIN facets c ON c.document = h.id GROUP BY c.kind, c.value"
		return out, f.t.Rows(query, []any{string(f.all)}, add)
	}
	found, err := f.t.allHits(f.questions)
	out.Total = len(found)
	for part := range slices.Chunk(found, facetPart) {
		if err == nil {
			err = f.countPart(store.IDs(part), out, add)
		}
	}
	return out, err
}

// countPart counts the facets of some documents. In a circle it counts the places that are inside,
// and the places without known coordinates.
func (f *finder) countPart(rows string, out *Facets, add func(scan func(...any) error) error) error {
	const query = "SELECT kind, value, count(*) FROM facets WHERE document IN @ids GROUP BY kind, value"
	if f.q.Near.IsZero() {
		return f.t.Rows(query, []any{rows}, add)
	}
	err := f.t.Rows("SELECT kind, value, count(*) FROM facets WHERE document IN @ids AND kind <> '"+PlaceKind+"' GROUP BY kind, value",
		[]any{rows}, add)
	if err != nil {
		return err
	}
	type named struct {
		row  int64
		name string
	}
	counted := map[named]bool{}
	return f.t.Rows(`SELECT c.document, c.value, l.latitude, l.longitude FROM facets c
		LEFT JOIN places l ON l.document = c.document AND l.name = c.value
		WHERE c.document IN @ids AND c.kind = '`+PlaceKind+`'`, []any{rows}, func(scan func(...any) error) error {
		var (
			n                   named
			latitude, longitude *float64
		)
		if err := scan(&n.row, &n.name, &latitude, &longitude); err != nil {
			return err
		}
		inside := latitude == nil || Place{Latitude: *latitude, Longitude: *longitude}.isIn(f.q.Near)
		if inside && !counted[n] {
			counted[n] = true
			out.Counts[Tag{PlaceKind, n.name}]++
		}
		return nil
	})
}

// facetPart bounds the documents whose facets are counted at a time.
const facetPart = 10_000

// countListed counts the facets of all hits on SQLite, which would sort every facet to count
// them by groups. Part by part of the hits it makes one text of their facets: each is its kind, a
// space and its value, and between two stands a NUL, which no value has.
func (f *finder) countListed(out *Facets) error {
	query := "SELECT coalesce(group_concat(c.kind || ' ' || c.value, char(0)), ''), max(h.id) FROM " + f.index.TableFrom +
		" LEFT JOIN facets c ON c.document = h.id"
	counts := map[string]int{} // by kind and value of the facet
	for last, left := int64(0), out.Total; left > 0; left -= facetPart {
		var list string
		if err := f.t.Row(query, []any{string(f.all), last, facetPart}, &list, &last); err != nil {
			return err
		}
		for facet := range strings.SplitSeq(list, "\x00") {
			counts[facet]++
		}
	}
	for facet, n := range counts {
		if kind, value, ok := strings.Cut(facet, " "); ok {
			out.Counts[Tag{kind, value}] = n
		}
	}
	return nil
}
