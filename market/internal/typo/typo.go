// Package typo finds the word that somebody mistyped.
package typo

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the word nearest to a mistyped one: one letter away, or up to two if typed
// has six letters or more. Of equally near words the first wins. If no word is near, Closest
// returns "". Case does not matter.
func Closest(typed string, words []string) string {
	best, nearest := "", Reach(typed)+1
	for _, word := range words {
		if d := Distance(strings.ToLower(typed), strings.ToLower(word), nearest-1); d < nearest {
			best, nearest = word, d
		}
	}
	return best
}

// Reach returns the number of letters of a typed word that may be wrong.
func Reach(typed string) int {
	switch n := utf8.RuneCountInString(typed); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// Distance returns the number of letters to add, remove, replace or swap with a
// neighbour to turn a into b, or any number above most if most changes do not suffice.
func Distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			replaced := last[j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
