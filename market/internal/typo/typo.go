// Package typo finds the word that somebody mistyped, and says how far apart two words are.
package typo

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the word nearest to a mistyped one: one letter away, or up to two if typed
// has six letters or more. Of equally near words the first wins. If no word is near, Closest
// returns "". Case does not matter.
func Closest(typed string, words []string) string {
	best, nearest := "", reach(typed)+1
	pattern := NewPattern(strings.ToLower(typed))
	for _, word := range words {
		if d := pattern.Distance(strings.ToLower(word)); d < nearest {
			best, nearest = word, d
		}
	}
	return best
}

// reach returns the number of letters of a typed word that may be wrong.
func reach(typed string) int {
	switch n := utf8.RuneCountInString(typed); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// Pattern compares a word with others, all letters of the word at a time, one bit for each letter. The
// method is Hyyrö's, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003.
type Pattern struct {
	Letters int    // of the word, 64 at most
	last    uint64 // the bit of the last letter
	ascii   [utf8.RuneSelf]uint64
	others  map[rune]uint64
}

// NewPattern returns a pattern of the first 64 letters of a word.
func NewPattern(word string) *Pattern {
	p := &Pattern{others: map[rune]uint64{}}
	for _, r := range word {
		if p.Letters == 64 {
			break
		}
		p.last = 1 << p.Letters
		if r < utf8.RuneSelf {
			p.ascii[r] |= p.last
		} else {
			p.others[r] |= p.last
		}
		p.Letters++
	}
	return p
}

// Distance returns how many letters must be added, taken away, replaced or swapped with
// their neighbour to make another word of the pattern.
func (p *Pattern) Distance(word string) int {
	if p.Letters == 0 {
		return utf8.RuneCountInString(word)
	}
	var (
		more, less = ^uint64(0), uint64(0) // bits for each row: the row is one more, or one less, than its upper neighbour
		same, last uint64                  // whether the step from one letter before both costs nothing; the letters before
		d          = p.Letters
	)
	for _, r := range word {
		letter := uint64(0)
		if r < utf8.RuneSelf {
			letter = p.ascii[r]
		} else {
			letter = p.others[r]
		}
		swapped := (^same & letter) << 1 & last
		same = ((letter & more) + more ^ more) | letter | less | swapped
		up, down := less|^(same|more), same&more
		if up&p.last != 0 {
			d++
		}
		if down&p.last != 0 {
			d--
		}
		up, down = up<<1|1, down<<1
		more, less = down|^(same|up), up&same
		last = letter
	}
	return d
}
