// Package textindex finds words in the texts of a board.
package textindex

import (
	"html"
	"strings"
)

// Text holds the searchable text of a posting in lower case. Call Add only
// before the first search.
type Text struct {
	lower     string
	signature signature
}

// Add appends plain texts. A word of a search never matches across two texts.
func (t *Text) Add(texts ...string) {
	var b strings.Builder
	b.WriteString(t.lower)
	for _, text := range texts {
		from := b.Len()
		b.WriteString(strings.ToLower(text))
		b.WriteByte('\n')
		t.signature.add(b.String()[from:])
	}
	t.lower = b.String()
}

// WithoutTags returns the text of HTML, even if it is malformed. It replaces
// every tag by a space, and character references by their characters.
func WithoutTags(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<")
		b.WriteString(html.UnescapeString(before))
		if !ok {
			return b.String()
		}
		b.WriteByte(' ')
		_, s, _ = strings.Cut(rest, ">") // drops the rest after a tag without an end
	}
}

// Query holds the words of a search.
type Query struct {
	words []string
	bits  []uint32 // signature bits of the words' trigrams
}

// NewQuery returns a query for the words of a text, split at white space.
func NewQuery(text string) Query {
	q := Query{words: strings.Fields(strings.ToLower(text))}
	for _, w := range q.words {
		for i := 0; i+3 <= len(w); i++ {
			q.bits = append(q.bits, trigram(w[i], w[i+1], w[i+2]))
		}
	}
	return q
}

// Matches reports whether a text contains every word of the query, possibly
// within longer words.
func (q Query) Matches(t *Text) bool {
	if !t.signature.mayHold(q.bits) {
		return false
	}
	for _, word := range q.words {
		if !strings.Contains(t.lower, word) {
			return false
		}
	}
	return true
}

// signature is a small Bloom filter with a bit for each trigram of a text. It tells
// quickly that a text cannot contain a word, so that a search need not read 3 KB of
// every posting.
type signature [64]uint64

func (g *signature) add(s string) {
	for i := 0; i+3 <= len(s); i++ {
		b := trigram(s[i], s[i+1], s[i+2])
		g[b>>6] |= 1 << (b & 63)
	}
}

func (g *signature) mayHold(bits []uint32) bool {
	for _, b := range bits {
		if g[b>>6]&(1<<(b&63)) == 0 {
			return false
		}
	}
	return true
}

func trigram(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> 20 // 12 bits
}
