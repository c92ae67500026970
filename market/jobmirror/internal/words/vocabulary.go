package words

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/market/internal/typo"
)

// minNoted is the number of letters from which on a word is noted. The shortest mistyped
// word may have one letter more than the word that it means.
const minNoted = minMistyped - 1

// noted reports whether a word belongs into the vocabulary, because somebody who mistypes may
// mean it. A word with digits is a number or a name, one that stands for another with signs is
// typed with these, and writings without spaces have no words of four letters.
func noted(word string) bool {
	if len(word) < minNoted || isSigned(word) {
		return false
	}
	letters := 0
	for _, r := range word {
		if unicode.IsDigit(r) || unspaced(r) {
			return false
		}
		letters++
	}
	return letters >= minNoted
}

// Block holds words of the vocabulary, in which Nearest looks. It does not
// change.
type Block struct {
	// text has the lines of the block in a row: each has a key, and if the word differs from its
	// key, a tab and the word.
	text  string
	lines []line              // by the number of letters of their keys
	from  [maxLetters + 2]int // where the lines of keys of so many letters begin
}

type line struct {
	end uint32  // in text
	set letters // of the key
}

// maxLetters bounds the letters of a key: an umlaut is spelled in two.
const maxLetters = 2 * maxWord

// NewBlock returns a block of words that Tokens returned.
func NewBlock(words iter.Seq[string]) *Block {
	var lines [maxLetters + 1][]string
	put := func(key, line string) {
		if n := utf8.RuneCountInString(key); n <= maxLetters {
			lines[n] = append(lines[n], line)
		}
	}
	for word := range words {
		k := keyOf(word)
		if k.plain == word {
			put(word, word)
		} else {
			put(k.plain, k.plain+"\t"+word)
		}
		if k.spelled != k.plain {
			put(k.spelled, k.spelled+"\t"+word)
		}
	}
	b := &Block{}
	var text strings.Builder
	for n, of := range lines {
		slices.Sort(of)
		for _, one := range slices.Compact(of) {
			key, _, _ := strings.Cut(one, "\t")
			text.WriteString(one)
			b.lines = append(b.lines, line{uint32(text.Len()), lettersOf(key)})
		}
		b.from[n+1] = len(b.lines)
	}
	b.text, b.lines = text.String(), slices.Clip(b.lines)
	return b
}

// Size returns the bytes of the words and their keys.
func (b *Block) Size() int { return len(b.text) }

// line returns the key of a line, and its word.
func (b *Block) line(i int) (key, word string) {
	begin := uint32(0)
	if i > 0 {
		begin = b.lines[i-1].end
	}
	key, word, marked := strings.Cut(b.text[begin:b.lines[i].end], "\t")
	if !marked {
		word = key
	}
	return key, word
}

// ofLetters yields the keys of so many letters, each with its word.
func (b *Block) ofLetters(n int) iter.Seq2[string, string] {
	return func(yield func(key, word string) bool) {
		if n < 0 || n > maxLetters {
			return
		}
		for i := b.from[n]; i < b.from[n+1]; i++ {
			if !yield(b.line(i)) {
				return
			}
		}
	}
}

// letters is a set of letters: several letters share a bit, which says that the set has one of
// them.
type letters uint32

func lettersOf(word string) (set letters) {
	for _, r := range word {
		set |= 1 << (r % 32)
	}
	return set
}

// apart reports whether words with these letters certainly differ in more than so many: each
// difference adds one letter to a set, or takes one away, or both.
func (s letters) apart(other letters, far int) bool {
	return bits.OnesCount32(uint32(s&^other)) > far || bits.OnesCount32(uint32(other&^s)) > far
}

// Words yields the words of the block. A word with two keys comes twice.
func (b *Block) Words() iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range maxLetters + 1 {
			for _, word := range b.ofLetters(n) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// Near is a word that a mistyped one may have meant.
type Near struct {
	Word     string
	Distance int // letters that are wrong in the mistyped word
}

// minMistyped is the number of letters from which on a word may be mistyped.
const minMistyped = 5

// reach returns how many letters of a typed word may be wrong: none, one or two.
func reach(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < minMistyped:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

// Nearest returns for each of some words at most most words of blocks, in any spelling, that are nearest to it:
// the smallest distance first, then in the order of their bytes. It goes through the blocks once for all.
func Nearest(blocks []*Block, typed []string, most int) [][]Near {
	var patterns []*mistyped
	for i, word := range typed {
		k := keyOf(word)
		for _, key := range slices.Compact([]string{k.plain, k.spelled}) {
			patterns = append(patterns, &mistyped{typo.NewPattern(key), lettersOf(key), reach(word), i})
		}
	}
	found := make([][]Near, len(typed))
	var inReach []*mistyped
	for n := range maxLetters + 1 {
		inReach = inReach[:0]
		for _, p := range patterns {
			if p.Letters-p.far <= n && n <= p.Letters+p.far {
				inReach = append(inReach, p)
			}
		}
		if len(inReach) == 0 {
			continue
		}
		for _, b := range blocks {
			b.nearest(n, inReach, found)
		}
	}
	for i := range found {
		found[i] = nearestFirst(found[i], most)
	}
	return found
}

// mistyped is a word in one of its spellings, as words of a block are compared with it.
type mistyped struct {
	*typo.Pattern
	set   letters
	far   int // letters that may be wrong
	typed int // which of the words it is
}

// nearest adds to what was found the words whose keys have n letters and are in reach of one of some patterns.
func (b *Block) nearest(n int, patterns []*mistyped, found [][]Near) {
	for i := b.from[n]; i < b.from[n+1]; i++ {
		for _, p := range patterns {
			if b.lines[i].set.apart(p.set, p.far) {
				continue
			}
			key, word := b.line(i)
			if d := p.Distance(key); d <= p.far {
				found[p.typed] = append(found[p.typed], Near{word, d})
			}
		}
	}
}

// nearestFirst returns the first of some words, each once.
func nearestFirst(found []Near, most int) []Near {
	slices.SortFunc(found, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Distance, b.Distance))
	})
	found = slices.CompactFunc(found, func(a, b Near) bool { return a.Word == b.Word })
	slices.SortStableFunc(found, func(a, b Near) int { return cmp.Compare(a.Distance, b.Distance) })
	return found[:min(len(found), most)]
}
