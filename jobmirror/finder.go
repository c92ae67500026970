package jobmirror

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// finder walks through the hits of a query, tier by tier (see Relevance), and in each in the
// order of their identifiers.
type finder struct {
	t        *tx
	q        Query
	text     words.Query
	narrow   []words.Expr   // what the index is asked beside the text
	stemmers []string       // of all postings
	in       []words.Lookup // of the text, by each of stemmers
	all      string         // the question to the index for all hits
	tiers    []askTier      // for one tier after the other
	at       place          // the hit after which page goes on
	asked    string         // the question to the index for the tier of at; empty: it is yet to be put
	// before has the postings that page has read so far, of all tiers, where it began with the
	// first hit. It is nil where page goes on after a hit of a page before: what was read for
	// that is not known, and so each tier is asked without those before it.
	before map[int64]bool
	// rare says that so few postings are in the tier of at that it takes less to read all of
	// them than to look for some among the next postings; see next.
	rare   bool
	places []place // of what page returned

	typed     int // how many tiers are of the text as it was typed; 0: it is not to be corrected
	corrected []Correction
}

// askTier returns the question to the index for a tier: for what it has, or with orBefore for
// that and some of the tiers before it, which is less work for the index.
type askTier func(orBefore bool) string

// place says where a hit stands in the order of a query. The zero place is before
// the first hit.
type place struct {
	tier      int
	id        int64
	corrected []Correction
}

// chunk bounds the hits that are read from the index at a time.
const chunk = 64

// finder returns a finder for a query, whose text is read by parse; its hits must have the
// tags as well. Its error is jobboard.ErrInvalidInput for a text that is too long, which
// is not read.
func (t *tx) finder(q Query, parse func(string) words.Query, tags ...string) (*finder, error) {
	if len(q.Text) > maxText {
		return nil, fmt.Errorf("%w: the text has more than %d bytes", jobboard.ErrInvalidInput, maxText)
	}
	f := &finder{t: t, q: q, narrow: narrowed(q)}
	for _, tag := range tags {
		f.narrow = append(f.narrow, words.Expr{Text: tag})
	}
	if plan := matcherOf(t.db).plan; plan != "" {
		if _, err := t.Exec(plan); err != nil {
			return nil, err
		}
	}
	err := t.Rows("SELECT name FROM stemmers ORDER BY name", nil, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		f.stemmers = append(f.stemmers, name)
		return err
	})
	f.read(parse(q.Text))
	f.addTiers(nil)
	return f, err
}

// read makes the finder look for a text.
func (f *finder) read(text words.Query) {
	f.text, f.in = text, nil
	for _, name := range f.stemmers {
		f.in = append(f.in, text.In(name, matcherOf(f.t.db).parts))
	}
	f.all = f.ask(func(in int) words.Expr { return f.in[in].All() })
}

// count returns how many tiers the hits of a text have.
func (f *finder) count() int {
	if f.q.Order != Relevance || f.text.Empty() {
		return 1
	}
	return f.text.Tiers()
}

// addTiers adds the tiers of the text. Those of a corrected one leave out what the text
// finds as it was typed. Each is asked for when its turn comes: most pages end before.
func (f *finder) addTiers(typed []words.Lookup) {
	text, n := f.in, f.count()
	for tier := range n {
		f.tiers = append(f.tiers, func(orBefore bool) string {
			return f.ask(func(in int) words.Expr {
				e := text[in].All()
				switch {
				case n > 1 && orBefore:
					e = text[in].TierOrBefore(tier)
				case n > 1:
					e = text[in].Tier(tier)
				}
				if typed != nil && !orBefore {
					e = words.Expr{Op: words.Less, Of: []words.Expr{e, typed[in].All()}}
				}
				return e
			})
		})
	}
}

// ask returns the question to the index for the query. of returns what is asked for its
// text by one of f.stemmers.
func (f *finder) ask(of func(in int) words.Expr) string {
	e := words.Expr{Op: words.And, Of: f.narrow}
	switch {
	case strings.TrimSpace(f.q.Text) == "":
	case f.text.Empty(): // there is nothing but punctuation in it
		e.Of = append(slices.Clone(f.narrow), words.Expr{Text: tagNone})
	default:
		e.Of = append(slices.Clone(f.narrow), f.forEachStemmer(of))
	}
	return matcherOf(f.t.db).text(e)
}

// forEachStemmer joins what of returns for each of f.stemmers, for the postings of that
// stemmer alone; if it is the same for all, it needs no tags of stemmers.
func (f *finder) forEachStemmer(of func(in int) words.Expr) words.Expr {
	if len(f.stemmers) == 0 { // nothing is indexed yet
		return words.Expr{Text: tagNone}
	}
	found := words.Expr{Op: words.Or}
	agree := true
	for i, name := range f.stemmers {
		in := of(i)
		agree = agree && (i == 0 || reflect.DeepEqual(found.Of[0].Of[1], in))
		found.Of = append(found.Of, words.Expr{Op: words.And, Of: []words.Expr{{Text: tagStemmer(name)}, in}})
	}
	if agree {
		return found.Of[0].Of[1]
	}
	return found
}

// next reads the next hits of a tier from the index, of which a page needs so many. Some of
// them may be out of the circle, or lack what is in quotes. It reports whether there may be
// more of the tier.
func (f *finder) next(need int) (list []int64, more bool, err error) {
	low, high := int64(0), int64(math.MaxInt64)
	switch {
	case f.q.Order == Oldest:
		low = f.at.id
	case f.at.id != 0:
		high = f.at.id
	}
	order := "DESC"
	if f.q.Order == Oldest {
		order = ""
	}
	if f.asked == "" {
		f.asked = f.tiers[f.at.tier](f.before != nil)
	}
	index := matcherOf(f.t.db)
	// A look at the next few postings shows whether many are in the tier. It costs little
	// beside reading all that are, except in a circle, where few are as a rule.
	look := f.q.Near.IsZero() || f.at.id != 0 || f.q.Order != Relevance
	if index.near != "" && look && !f.rare {
		want := f.want(need)
		for _, among := range nearby {
			near := strings.NewReplacer("@order", order, "@among", strconv.Itoa(among)).Replace(index.near)
			list, err := f.t.Numbers(near, low, high, f.asked, want)
			if err != nil || len(list) == want {
				return list, true, err
			}
			if largest := nearby[len(nearby)-1]; len(list)*largest < want*among {
				break // so few that the most will hardly do
			}
		}
		f.rare = true
	}
	list, err = f.t.Numbers(index.hits+" "+order+" LIMIT ?", f.asked, low, high, chunk)
	return list, len(list) == chunk, err
}

// want returns how many hits next reads at once where a page needs so many: no more than
// these, unless the page may leave out most of what is read.
func (f *finder) want(need int) int {
	if !f.q.Near.IsZero() || f.text.Quoted() {
		return chunk
	}
	// The next postings may be those that were read of the tiers before.
	return min(need+len(f.before), chunk)
}

// nearby bounds the next postings among which hits are looked for: at first few, and more
// where these have so many hits that more will do.
var nearby = []int{64, 256}

// page reads hits until there are n. Those of a text that is corrected come last.
func (f *finder) page(n int) (out []hit, err error) {
	if f.at.tier == 0 && f.at.id == 0 {
		f.before = map[int64]bool{}
	}
	for len(out) < n {
		if f.at.tier == len(f.tiers) {
			if err := f.findMistakes(); err != nil {
				return nil, err
			}
		}
		if f.at.tier == len(f.tiers) {
			break
		}
		list, more, err := f.next(n - len(out))
		if err != nil {
			return nil, err
		}
		hits, err := f.some(f.notBefore(list), n-len(out))
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			f.places = append(f.places, place{f.at.tier, h.id, f.corrected})
		}
		out = append(out, hits...)
		if !more {
			f.at.tier, f.at.id, f.rare, f.asked = f.at.tier+1, 0, false, ""
		} else {
			f.at.id = list[len(list)-1]
		}
	}
	return out[:min(n, len(out))], nil
}

// notBefore returns those of a list that no tier before has, and notes them as read.
func (f *finder) notBefore(list []int64) []int64 {
	if f.before == nil {
		return list // the tiers before were asked to be left out
	}
	var fresh []int64
	for _, id := range list {
		if !f.before[id] {
			f.before[id] = true
			fresh = append(fresh, id)
		}
	}
	return fresh
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

// maxRead bounds the hits of a text with words in quotes that are read to count those that
// have them as they are written.
const maxRead = 300
