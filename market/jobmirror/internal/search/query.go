package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Query says what is searched for. The zero value finds every document.
type Query struct {
	// Text holds words that must all be found. "quotes", OR and a hyphen before a word have the
	// meaning that words.Parse gives them, unless Literal is set: then each word is one, and none is corrected.
	Text    string
	Literal bool
	Near    jobboard.GeoLocation // only documents with a place in this circle; zero: anywhere
	Tags    []Tag                // that a document must have all
	Any     []Tag                // of which it must have one; none: it need not
	// Meant has those of Tags among whose documents the words are looked for that a mistyped
	// one may have meant, such as the tag of a language.
	Meant []Tag
	// a search treats such documents as missing from the index: they are neither found nor counted,
	// and their words are neither suggested nor meant by a mistyped one.
	Hidden []Tag
	// Among has the rows of the only documents that are looked for, in ascending order; nil: all are. The text is then
	// not corrected.
	Among []int64
	Order Order
}

// Order chooses the order of documents.
type Order int

// The orders.
const (
	Relevance Order = iota // tier by tier, in each the newest first
	Newest                 // the highest row first
	Oldest                 // the lowest row first
	Nearest                // the one nearest to the middle of Near, which is a circle, first
)

// Position says where a document stands in the order of a query. The zero position is before
// the first one.
type Position struct {
	// Tier says how well the text finds the document, 0 the best; see words.Lookup.Tier. In the order
	// Nearest it is the distance in metres. Hits of a corrected text come after hits of the text as typed.
	Tier      int
	Row       int64
	Corrected []Correction // corrections of the text that found the document
}

// Correction holds a word that no document has, and the words that may have been meant; or a word that was left out,
// because no document has all words, and some have all the others.
type Correction struct {
	Word    string   // of Query.Text, in lower case
	Nearest []string // what was searched for as well, the likeliest first; none: Word was left out
}

// ReadSynonyms reads a list of synonyms for Index.Synonyms, as words.ReadSynonyms does, for documents in a language;
// empty: in all.
func ReadSynonyms(list, language string) (*words.Synonyms, error) {
	return words.ReadSynonyms(list, words.Stemmer(language))
}

// String returns the position as ParsePosition reads it.
func (p Position) String() string {
	parts := []string{strconv.Itoa(p.Tier), strconv.FormatInt(p.Row, 10)}
	for _, c := range p.Corrected {
		parts = append(parts, strings.Join(append([]string{c.Word}, c.Nearest...), "-"))
	}
	return strings.Join(parts, ".")
}

// ParsePosition reads a position that String wrote, and reports whether the text is one. It may
// come from a visitor's address, which may hold anything.
func ParsePosition(text string) (at Position, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 2+maxMistakes+maxLeftOut {
		return Position{}, false
	}
	tier, noTier := strconv.Atoi(parts[0])
	row, noRow := strconv.ParseInt(parts[1], 10, 64)
	if noTier != nil || noRow != nil || tier < 0 || row <= 0 {
		return Position{}, false
	}
	at = Position{Tier: tier, Row: row}
	left := map[bool]int{true: maxLeftOut, false: maxMistakes}
	isNone := func(word string) bool { return !words.Is(word) }
	for _, part := range parts[2:] {
		list := strings.Split(part, "-")
		if len(list) > 1+maxNearest || slices.ContainsFunc(list, isNone) {
			return Position{}, false
		}
		c, without := Correction{Word: list[0]}, len(list) == 1
		if left[without]--; left[without] < 0 {
			return Position{}, false
		}
		if !without {
			c.Nearest = list[1:]
		}
		at.Corrected = append(at.Corrected, c)
	}
	return at, true
}
