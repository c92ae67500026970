package search

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// The index of FTS5 has for each token a list of its documents, and for no document its tokens. So a
// document is compared by sums: Check adds up a hash of each token that the document should have, and
// takes those away under which a search finds it. The sum of a document that is indexed right is 0. That takes
// 24 bytes of memory for a document, and Check reads the index once for checkAtOnce of them.

// checkAtOnce bounds the documents for which Check reads the index once.
const checkAtOnce = 1 << 18

// Checked is what Check has found.
type Checked struct {
	Compared int // documents
	// Differ are rows whose document the index holds otherwise, or not at all, or would go on to hold
	// as it is once the document changes, or that it holds though there is no such document, in order.
	Differ []int64
	// Words are the words of documents that the vocabulary lacks.
	Words []string
	// Tokens counts the tokens that the index lists under more or fewer documents than a search finds.
	Tokens int
}

// ToCheck is a document with which the index is compared.
type ToCheck struct {
	Document
	// Waits says that the document has changed and is not put yet, so that the index may hold
	// something else.
	Waits bool
}

// Check compares the index with all documents, in a transaction that reads. next returns the next
// documents after a row, in the order of their rows; none: there are no more. rest is called
// between one piece of work and the next. The error matches store.IsDamage where the database
// cannot read the index.
func (x *Index) Check(in *store.Tx, next func(after int64) ([]ToCheck, error), rest func()) (*Checked, error) {
	if err := x.text.Prepare(in); err != nil {
		return nil, err
	}
	c := &check{tx: &tx{in, x}, rest: rest, out: &Checked{}, lacking: map[string]struct{}{}}
	if err := c.readShared(); err != nil {
		return nil, err
	}
	for more := true; more; {
		var err error
		if more, err = c.readDocuments(next); err != nil {
			return nil, err
		}
		if err := c.compare(more); err != nil {
			return nil, err
		}
	}
	c.out.Words = slices.Sorted(maps.Keys(c.lacking))
	return c.out, nil
}

// check is a Check under way.
type check struct {
	*tx
	rest    func()
	out     *Checked
	lacking map[string]struct{}

	vocabulary *wordRows
	leaving    map[string]bool // words that the next check of the vocabulary may put back
	stemmers   []string

	// Of the documents that are compared together, which come after the row before.
	before int64
	sums   []sum
	differ map[int64]bool
}

// sum is what is left of the tokens of a document.
type sum struct {
	row    int64
	left   uint64
	waits  bool
	stored bool // the text index has a row of it
}

// readShared reads what is noted of all documents.
func (c *check) readShared() (err error) {
	if c.vocabulary, err = c.readVocabulary(); err != nil {
		return err
	}
	blocks, err := c.blocks("leaving <> ''")
	if err != nil {
		return err
	}
	c.leaving = map[string]bool{}
	for _, b := range blocks {
		for _, word := range b.leaving {
			c.leaving[word] = true
		}
	}
	c.stemmers, err = c.tx.stemmers()
	return err
}

// readDocuments reads documents, checkAtOnce of them or a few more, and reports whether there may be
// others.
func (c *check) readDocuments(next func(after int64) ([]ToCheck, error)) (more bool, err error) {
	if len(c.sums) > 0 {
		c.before = c.sums[len(c.sums)-1].row
	}
	c.sums, c.differ = c.sums[:0], map[int64]bool{}
	after := c.before
	for len(c.sums) < checkAtOnce {
		documents, err := next(after)
		if err != nil {
			return false, err
		}
		if len(documents) == 0 {
			return false, nil
		}
		last := documents[len(documents)-1].Row
		if err := c.read(documents, after, last); err != nil {
			return false, err
		}
		after = last
		c.rest()
	}
	return true, nil
}

// read adds up the tokens of documents, and compares them with the tables that have rows of each.
func (c *check) read(documents []ToCheck, above, last int64) error {
	tokenizer := c.tokenizer()
	defer c.tokenizers.Put(tokenizer)
	inIndex, err := c.indexedOf(store.IDsOf(documents, func(d ToCheck) int64 { return d.Row }))
	if err != nil {
		return err
	}
	begin := len(c.sums)
	for i := range documents {
		d := &documents[i]
		stemmer, facets := words.Stemmer(d.Languages...), d.facets()
		tokens, noted := tokenizer.Tokens(d.texts(), stemmer)
		tokens = append(append(tokens, d.others(stemmer, facets)...), textindex.Every)
		c.sums = append(c.sums, sum{row: d.Row, left: sumOf(tokens), waits: d.Waits})
		if d.Waits {
			continue
		}
		c.out.Compared++
		of := inIndex[d.Row]
		if !slices.Contains(c.stemmers, stemmer) || !hasFacets(of.facets, facets) || !slices.Equal(of.places, d.Places) {
			c.differ[d.Row] = true
		}
		c.lack(noted)
	}
	stored := c.sums[begin:]
	if !c.text.HasTokens() {
		return nil
	}
	return c.text.Stored(c.Tx, above, last, func(row int64, tokens []string) error {
		if i, ok := find(stored, row); ok && stored[i].left != sumOf(tokens) {
			c.differ[row] = true
		}
		return nil
	})
}

// lack notes the words of a document that the vocabulary lacks.
func (c *check) lack(noted []string) {
	lacking := map[string]struct{}{}
	c.vocabulary.unknown(noted, lacking)
	for word := range lacking {
		if !c.leaving[word] {
			c.lacking[word] = struct{}{}
		}
	}
}

func find(sums []sum, row int64) (int, bool) {
	return slices.BinarySearchFunc(sums, row, func(s sum, row int64) int { return cmp.Compare(s.row, row) })
}

func hasFacets(inIndex map[Tag]bool, facets []Tag) bool {
	return len(inIndex) == len(facets) && !slices.ContainsFunc(facets, func(f Tag) bool { return !inIndex[f] })
}

// sumOf adds up the hashes of tokens, each once.
func sumOf(tokens []string) (sum uint64) {
	slices.Sort(tokens)
	for _, token := range slices.Compact(tokens) {
		sum += maphash.String(wordSeed, token)
	}
	return sum
}

// compare compares the documents that were read with the index. The index should hold no other documents
// between them, and if there are no more to read, none behind them.
func (c *check) compare(more bool) error {
	last := int64(math.MaxInt64)
	if more {
		last = c.sums[len(c.sums)-1].row
	}
	whole := c.before == 0 && !more
	err := c.text.Terms(c.Tx, func(list []textindex.Listed) error {
		defer c.rest()
		return c.find(list, last, whole)
	})
	if err != nil {
		return err
	}
	if err := c.findOthers(last); err != nil {
		return err
	}
	if err := c.text.Undeletable(c.Tx, c.before, last, func(row int64) { c.differ[row] = true }); err != nil {
		return err
	}
	for _, s := range c.sums {
		if !s.waits && (s.left != 0 || !s.stored) {
			c.differ[s.row] = true
		}
	}
	c.out.Differ = append(c.out.Differ, slices.Sorted(maps.Keys(c.differ))...)
	return nil
}

// find takes tokens away from the sums of the documents that the index finds for them. whole says that
// these are all documents.
func (c *check) find(list []textindex.Listed, last int64, whole bool) error {
	hashes, found := make([]uint64, len(list)), make([]int64, len(list))
	for i, l := range list {
		hashes[i] = maphash.String(wordSeed, l.Token)
	}
	err := c.text.Find(c.Tx, list, c.before, last, func(i int, row int64) {
		found[i]++
		if at, ok := find(c.sums, row); ok {
			c.sums[at].left -= hashes[i]
		} else {
			c.differ[row] = true
		}
	})
	for i, l := range list {
		if err != nil {
			return err
		}
		differs := whole && found[i] != l.Postings
		if c.before == 0 && l.Postings >= manyListed {
			// A long list is also read from some document on, where another token is asked for, too.
			var n int
			both := words.Expr{Op: words.And, Of: []words.Expr{{Text: textindex.Every}, {Text: l.Token}}}
			n, err = c.text.Count(c.Tx, c.text.Question(both))
			differs = differs || int64(n) != l.Postings
		}
		if differs {
			c.out.Tokens++
		}
	}
	return err
}

// manyListed is the number of documents from which on a list has pages of its own.
const manyListed = 1000

// findOthers notes the rows that stand in a table and are no document's.
func (c *check) findOthers(last int64) error {
	err := c.text.Stored(c.Tx, c.before, last, func(row int64, _ []string) error {
		if i, ok := find(c.sums, row); ok {
			c.sums[i].stored = true
		} else {
			c.differ[row] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, table := range []string{"facets", "places"} {
		rows, err := c.Numbers("SELECT DISTINCT document FROM "+table+" WHERE document > ? AND document <= ?", c.before, last)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if _, ok := find(c.sums, row); !ok {
				c.differ[row] = true
			}
		}
	}
	return nil
}
