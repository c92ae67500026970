// Package spelling measures how like two words are, to find the word that a user mistyped.
package spelling

import (
	"unicode/utf8"
)

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
