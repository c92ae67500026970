package words

import "slices"

// Matches reports whether a posting in a language matches the query, as it is written
// in quotes too. It reads the texts, and so is for the few postings of a page.
func (q Query) Matches(t Texts, language string) bool {
	p := newPosting(t, language)
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
	stem    *stemmer
	words   map[string]forms
	written []key // of the words anywhere
	short   []key // of those that parts are looked for in
}

func newPosting(t Texts, language string) *posting {
	p := &posting{stem: newStemmer(language), words: map[string]forms{}}
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
		if _, again := p.words[word]; !again {
			p.words[word] = p.stem.formsOf(word)
			p.written = append(p.written, keyOf(word))
		}
		if short {
			p.short = append(p.short, keyOf(word))
		}
	}
}

// has reports whether the posting has each word of a term; parts of words count where
// they may.
func (p *posting) has(t term, parts bool) bool {
	for _, word := range t.words {
		k, f := keyOf(word), p.stem.askedOf(word)
		switch {
		case t.quoted:
			if !slices.ContainsFunc(p.written, k.agree) {
				return false
			}
		case p.hasForm(f):
		case parts && mayBePart(word) && slices.ContainsFunc(p.short, func(w key) bool { return w.holds(k) }):
		default:
			return false
		}
	}
	return true
}

func (p *posting) hasForm(f forms) bool {
	for _, other := range p.words {
		if f.share(other) {
			return true
		}
	}
	return false
}
