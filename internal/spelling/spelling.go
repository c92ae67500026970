// Package spelling finds the word that a user meant but mistyped.
package spelling

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the word in words most similar to typed, or "". A word may differ in one letter,
// or in two if typed has six letters or more; see Reach for short words. If several words are
// equally similar, the first wins. Upper and lower case do not matter.
func Closest(typed string, words []string) string {
	best, nearest := "", Reach(typed)+1
	for _, word := range words {
		if d := Distance(strings.ToLower(typed), strings.ToLower(word), nearest-1); d < nearest {
			best, nearest = word, d
		}
	}
	return best
}

// Reach returns how many letters of a typed word may be wrong.
func Reach(typed string) int {
	switch n := utf8.RuneCountInString(typed); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// Distance returns how many letters must be added, removed, replaced or swapped with their
// neighbour to turn a into b. If it is more than most, Distance returns any number above most.
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
