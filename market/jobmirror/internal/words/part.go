package words

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// minPart is the number of letters from which on a part of a word finds it.
	minPart = 4
	// maxPiece is the number of letters of the longer pieces under which a word is indexed.
	// Whole endings would find a longer part by one token, but a vocabulary has many times
	// more endings than pieces, and an index goes through all that begin with a part.
	// Of pieces of eight there are three times as many different ones as of six.
	maxPiece = 6
	// pieceStep is the number of letters by which the pieces of a longer part move on.
	pieceStep = 2
)

// mayBePart reports whether a word with a key has letters enough, also without its marks, to
// be looked for inside others, and is no word with signs.
func mayBePart(word string, k key) bool {
	return !isSigned(word) && min(utf8.RuneCountInString(word), utf8.RuneCountInString(k.plain)) >= minPart
}

// Pieces says which pieces of a word an index has. Those from each place where a part may
// begin, of as many letters as there are up to maxPiece, are in every index.
type Pieces int

const (
	// ShortToo is for an index that takes long to go through many tokens: it has the pieces of
	// minPart letters as well. So a part of minPart or maxPiece letters is one token, which most
	// parts are that very many words have; a part of five letters, say, is looked for as the
	// beginning of tokens.
	ShortToo Pieces = iota
	// LongOnly is for an index to which each token is dear: it has half as many. A part of less
	// than maxPiece letters is the beginning of tokens.
	LongOnly
)

// of yields the pieces under which a word with a key is indexed.
func (p Pieces) of(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		letters := []rune(key)
		for left := letters; len(left) >= minPart; left = left[1:] {
			isShort := len(left) == minPart
			if (isShort || p == ShortToo) && !yield(string(left[:minPart])) {
				return
			}
			if !isShort && !yield(string(left[:min(maxPiece, len(left))])) {
				return
			}
		}
	}
}

// op returns how an index is asked for what has a piece of a part.
func (p Pieces) op(piece string) Op {
	n := utf8.RuneCountInString(piece)
	if n >= maxPiece || n == minPart && p == ShortToo {
		return Token
	}
	return Begins
}

// part is a part of a word as it is looked for, in the two spellings: a posting has it if its
// title and other short texts have every piece of one spelling, in any of their words. A part
// of at most maxPiece letters is its only piece, so it stands in one word. The pieces of a
// longer part overlap, so except in contrived texts the words that have all pieces overlap too.
type part struct{ plain, spelled []string }

// parts returns the parts by which a word of a query is looked for inside others; none where it has too few
// letters. Who types a German title in the feminine means the masculine as well: "köchin" finds a Jungkoch, too.
func (s *stemmer) parts(word string) []part {
	k := keyOf(word)
	if !mayBePart(word, k) {
		return nil
	}
	if s.name == "de" {
		title := masculine(word)
		m := keyOf(title)
		switch {
		case title == word || !mayBePart(title, m):
		case strings.Contains(k.plain, m.plain) && strings.Contains(k.spelled, m.spelled):
			return []part{partOf(m)} // a text with the feminine title contains the masculine one
		default:
			return []part{partOf(k), partOf(m)}
		}
	}
	return []part{partOf(k)}
}

func partOf(k key) part { return part{partPieces(k.plain), partPieces(k.spelled)} }

func partPieces(key string) []string {
	letters := []rune(key)
	last := len(letters) - maxPiece
	if last <= 0 {
		return []string{key}
	}
	var pieces []string
	for begin := 0; begin < last; begin += pieceStep {
		pieces = append(pieces, string(letters[begin:begin+maxPiece]))
	}
	return append(pieces, string(letters[last:]))
}

// in reports whether words whose keys are yielded have the part.
func (p part) in(keys iter.Seq[key]) bool {
	has := func(pieces []string, of func(key) string) bool {
		return !slices.ContainsFunc(pieces, func(piece string) bool {
			for k := range keys {
				if strings.Contains(of(k), piece) {
					return false
				}
			}
			return true
		})
	}
	return has(p.plain, func(k key) string { return k.plain }) || has(p.spelled, func(k key) string { return k.spelled })
}
