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
	remote bool
	words  map[string]*textWord
	joined map[string]*textWord // what is joined in the short texts: nobody wrote it so
}

func newPosting(t Texts, stemmer string) *posting {
	p := &posting{stem: newStemmer(stemmer), remote: t.Remote, words: map[string]*textWord{}, joined: map[string]*textWord{}}
	p.add(t.Title, inTitle)
	for _, text := range t.Short {
		p.add(text, inShort)
	}
	for _, text := range t.Other {
		p.add(text, anywhere)
	}
	return p
}

func (p *posting) add(text string, s scope) {
	to := func(words map[string]*textWord, word string) {
		w, again := words[word]
		if !again {
			w = p.stem.textWord(word)
			words[word] = w
		}
		w.title = w.title || s == inTitle
		w.short = w.short || s != anywhere
	}
	for word := range split(normal(text)) {
		to(p.words, word)
	}
	if s == anywhere {
		return
	}
	for word := range joined(normal(text)) {
		to(p.joined, word)
	}
}

// has reports whether the posting has each word of a term, or what may stand
// for it; parts of words count where they may.
func (p *posting) has(t term, parts bool) bool {
	if t.synonym {
		return p.titleHas(t)
	}
	if t.remote && p.remote {
		return true
	}
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

// titleHas reports whether the title has a form of each word of a synonym, or of what may stand for it.
func (p *posting) titleHas(t term) bool {
	finds := func(word string) bool {
		q := p.stem.queryWord(word, false)
		in := func(words map[string]*textWord) bool {
			for _, w := range words {
				if w.title && q.finds(w) {
					return true
				}
			}
			return false
		}
		return in(p.words) || in(p.joined)
	}
	lacks := func(word string) bool { return !finds(word) }
	return slices.ContainsFunc(t.joined, finds) || !slices.ContainsFunc(t.words, lacks)
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
	return parts && !quoted && slices.ContainsFunc(p.stem.parts(word), func(part part) bool { return part.in(p.short) })
}

// short yields the keys of the words in which parts count.
func (p *posting) short(yield func(key) bool) {
	for _, w := range p.words {
		if w.short && !isSigned(w.word) && !yield(w.key) {
			return
		}
	}
}
