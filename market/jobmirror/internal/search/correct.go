package search

import (
	"cmp"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

const (
	maxNearest = 5 // words for a mistyped one
	// maxCandidates bounds the words whose documents are counted to find them, and maxAllCandidates those
	// of all words of a text.
	maxCandidates, maxAllCandidates = 20, 80
	// maxMistakes bounds the words of a text that are corrected: of a text that has more words without a document none is.
	maxMistakes = 12
	maxWishes   = 4             // words of a text that are left out because they only say that somebody looks for a job
	maxLeftOut  = maxWishes + 1 // all that are left out
	maxSingle   = 8             // words whose documents are counted to leave one out
)

// findMistakes looks for the words that are nearest to those that no document has, and adds what they
// find to the tiers of the finder. Where the text finds nothing at all as it was typed, it also leaves out words, see
// leadOn. A second call does nothing, nor does a call for a text that needs no correction.
func (f *finder) findMistakes() (err error) {
	if f.corrected != nil {
		return nil
	}
	if f.q.Among != nil || f.q.Literal {
		f.corrected = []Correction{}
		return nil
	}
	var corrections []Correction
	finds := unknown
	if f.found {
		corrections, err = f.mistakes(f.text)
	} else {
		corrections, finds, err = f.leadOn()
	}
	if err == nil {
		f.correct(corrections)
		f.finds = finds
	}
	return err
}

// leadOn returns the corrections of a text that finds nothing as it was typed: its mistyped words, the words that only
// say that somebody looks for a job and, where there are still no hits, the circumstance of the others. A word is left
// out only if that finds something.
func (f *finder) leadOn() ([]Correction, answer, error) {
	wishes := f.text.Wishes()
	wishes = wishes[:min(len(wishes), maxWishes)]
	text := f.text.Without(wishes)
	mistakes, err := f.mistakes(text)
	if err != nil {
		return nil, unknown, err
	}
	if len(wishes) == 0 && len(text.Single()) == 0 { // none can be left out
		return mistakes, unknown, nil
	}
	attempt := append(leftOut(wishes...), mistakes...)
	if finds, err := f.findsWith(attempt); err != nil || finds {
		return attempt, yes, err
	}
	least, err := f.circumstance(f.correctedText(mistakes).Without(wishes))
	if err != nil || least == "" {
		return mistakes, no, err
	}
	attempt = append(leftOut(append(wishes, least)...), mistakes...)
	attempt = slices.DeleteFunc(attempt, func(c Correction) bool { return c.Word == least && len(c.Nearest) > 0 })
	if finds, err := f.findsWith(attempt); err != nil || finds {
		return attempt, yes, err
	}
	return mistakes, no, nil
}

// leftOut returns the corrections by which words are left out.
func leftOut(list ...string) (found []Correction) {
	for _, word := range list {
		found = append(found, Correction{Word: word})
	}
	return found
}

// mayLeaveOut reports whether the words that some corrections leave out are single words of the text, and not all.
func (f *finder) mayLeaveOut(corrections []Correction) bool {
	list, n := f.text.Single(), 0
	for _, c := range corrections {
		if len(c.Nearest) > 0 {
			continue
		}
		if n++; !slices.Contains(list, c.Word) {
			return false
		}
	}
	return n == 0 || !f.correctedText(corrections).Empty()
}

// circumstance returns the single word of a text that says the least about the work, such as a town or Teilzeit beside
// Koch: of the documents that have the word and the tags Query.Meant, the smallest share has it in the title. Of words
// with equal shares it returns the word of the fewest documents. It returns "" if the text has no word that may be left
// out, or more than maxSingle.
func (f *finder) circumstance(text words.Query) (found string, err error) {
	list := text.Single()
	if len(list) > maxSingle {
		return "", nil
	}
	inTitle, inAll := 0, 0
	for i, word := range list {
		all, err := f.counts(text.Only(word), words.Lookup.All)
		if err != nil {
			return "", err
		}
		titles, err := f.counts(text.Only(word), words.Lookup.InTitle)
		if err != nil {
			return "", err
		}
		if less := cmp.Or(cmp.Compare(titles*inAll, inTitle*all), cmp.Compare(all, inAll)); i == 0 || less < 0 {
			found, inTitle, inAll = word, titles, all
		}
	}
	return found, nil
}

// counts returns how many documents with the tags Query.Meant a text finds, by what is asked of each lookup.
func (f *finder) counts(text words.Query, by func(words.Lookup) words.Expr) (int, error) {
	one := *f.questions
	one.read(text)
	asked := one.forEachStemmer(func(in int) words.Expr { return by(one.in[in]) })
	return f.index.Count(f.t.Tx, one.question(narrowed(f.q.Meant, jobboard.GeoLocation{}), asked))
}

// findsWith reports whether the text with some corrections finds anything. Of documents that have words in quotes in some form
// it looks at a few.
func (f *finder) findsWith(corrections []Correction) (bool, error) {
	if len(corrections) == 0 {
		return false, nil
	}
	one := *f.questions
	one.read(f.correctedText(corrections))
	if one.allAreHits() {
		return f.index.Any(f.t.Tx, one.all)
	}
	found, err := f.t.allHits(&one)
	if err == nil && len(found) > maxRead {
		found, err = f.t.matching(found[:maxRead], one.text)
	}
	return len(found) > 0, err
}

// mistakes returns the words of a text that neither a document nor a synonym has, each with the
// nearest known words. Where there are too many it returns none.
func (f *finder) mistakes(text words.Query) (found []Correction, err error) {
	var unknown []string
	for _, word := range text.Mistakable() {
		if f.listed(word) {
			continue
		}
		known, err := f.index.Any(f.t.Tx, f.forms(word, nil))
		if err != nil {
			return nil, err
		}
		if !known {
			unknown = append(unknown, word)
		}
		if len(unknown) > maxMistakes {
			return nil, nil
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	rows, err := f.t.readVocabulary()
	if err != nil {
		return nil, err
	}
	candidates := words.Nearest(rows.blocks, unknown, min(maxCandidates, maxAllCandidates/len(unknown)))
	for i, word := range unknown {
		nearest, err := f.likeliest(candidates[i])
		if err != nil {
			return nil, err
		}
		if len(nearest) > 0 {
			found = append(found, Correction{word, nearest})
		}
	}
	return found, nil
}

// listed reports whether a word is one of the synonyms.
func (f *finder) listed(word string) bool {
	return slices.ContainsFunc(f.in, func(l words.Lookup) bool { return l.Listed(word) })
}

// likeliest returns at most maxNearest of some words that one may have meant, those that
// documents with the tags Query.Meant have: the nearest word comes first, among equally near
// ones the word that most of these documents have, then the order of their bytes.
func (f *finder) likeliest(near []words.Near) (list []string, err error) {
	type candidate struct {
		words.Near
		documents int
	}
	var candidates []candidate
	scope := narrowed(f.q.Meant, jobboard.GeoLocation{})
	for _, near := range near {
		n, err := f.index.Count(f.t.Tx, f.forms(near.Word, scope))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			candidates = append(candidates, candidate{near, n})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.documents, a.documents), cmp.Compare(a.Word, b.Word))
	})
	for _, c := range candidates[:min(len(candidates), maxNearest)] {
		list = append(list, c.Word)
	}
	return list, nil
}

// correct adds the tiers of the corrected text, without the documents that the text finds
// as it was typed. Without corrections it adds none.
func (f *finder) correct(corrections []Correction) {
	f.corrected = append([]Correction{}, corrections...) // not nil: the words were looked at
	if len(corrections) == 0 {
		return
	}
	plain := f.in
	f.read(f.correctedText(corrections))
	f.addTiers(plain)
}

// correctedText returns the text with corrections.
func (f *finder) correctedText(corrections []Correction) words.Query {
	instead := map[string][]string{}
	var without []string
	for _, c := range corrections {
		if len(c.Nearest) > 0 {
			instead[c.Word] = c.Nearest
		} else {
			without = append(without, c.Word)
		}
	}
	return f.text.Without(without).Corrected(instead)
}
