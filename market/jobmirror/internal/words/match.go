package words

import "slices"

// Matches reports whether a posting whose words have a stemmer matches the query, with words
// in quotes as they are written. It reads the posting's texts, so it is for the few of a page.
func (q Query) Matches(t Texts, stemmer string) bool {
	p := newPosting(t, stemmer)
	q = q.of(p.stem)
	if slices.ContainsFunc(q.without, func(t term) bool { return p.has(t, false) }) {
		return false
	}
	for _, group := range q.must {
		if !slices.ContainsFunc(group, func(t term) bool { return p.has(t, true) }) {
			return false
		}
	}
	return true
}

// posting has the words of one posting.
type posting struct {
	stem   *stemmer
	words  map[string]*textWord
	joined map[string]*textWord // what is joined in the short texts: nobody wrote it so
}

func newPosting(t Texts, stemmer string) *posting {
	p := &posting{stem: newStemmer(stemmer), words: map[string]*textWord{}, joined: map[string]*textWord{}}
	p.add(t.Title, true)
	for _, text := range t.Short {
		p.add(text, true)
	}
	for _, text := range t.Other {
		p.add(text, false)
	}
	return p
}

func (p *posting) add(text string, short bool) {
	for word := range split(normal(text)) {
		w, again := p.words[word]
		if !again {
			w = p.stem.textWord(word)
			p.words[word] = w
		}
		w.short = w.short || short
	}
	if !short {
		return
	}
	for word := range joined(normal(text)) {
		p.joined[word] = p.stem.textWord(word)
	}
}

// has reports whether the posting has each word of a term, or what may stand
// for it; parts of words count where they may.
func (p *posting) has(t term, parts bool) bool {
	if slices.ContainsFunc(t.joined, func(word string) bool { return p.finds(word, false, false) }) {
		return true
	}
	for _, word := range t.words {
		if !p.finds(word, t.quoted, parts) &&
			!slices.ContainsFunc(t.instead[word], func(other string) bool { return p.finds(other, false, parts) }) {
			return false
		}
	}
	return true
}

func (p *posting) finds(word string, quoted, parts bool) bool {
	q := p.stem.queryWord(word, quoted)
	for _, w := range p.words {
		if q.finds(w) {
			return true
		}
	}
	for _, w := range p.joined {
		if !quoted && q.finds(w) {
			return true
		}
	}
	return parts && !quoted && mayBePart(word, q.key) && partOf(q.key).in(p.short)
}

// short yields the keys of the words in which parts count.
func (p *posting) short(yield func(key) bool) {
	for _, w := range p.words {
		if w.short && !isSigned(w.word) && !yield(w.key) {
			return
		}
	}
}
