// Package placename turns names of places into the keys that package places compares: gen makes the
// keys of the list, and a search makes the key of the name that somebody typed.
package placename

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a name in lower case and without accents, in which one space replaces other
// characters than letters and digits.
func Fold(s string) string {
	b := make([]byte, 0, len(s))
	space := false
	for _, r := range norm.NFD.String(s) {
		switch {
		case unicode.Is(unicode.M, r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			space = len(b) > 0
			continue
		case space:
			b = append(b, ' ')
			space = false
		}
		r = unicode.ToLower(r)
		if plain, ok := noAccent[r]; ok {
			b = append(b, plain...)
		} else {
			b = append(b, string(r)...)
		}
	}
	return string(b)
}

// noAccent has the letters that Unicode does not decompose.
var noAccent = map[rune]string{
	'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ħ': "h",
}

// withTwoLetters spells umlauts with two letters, as people do on a keyboard without umlauts.
var withTwoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
	"ø", "oe", "Ø", "Oe", "å", "aa", "Å", "Aa")

// Keys returns the keys of a place's name: a search with any of them finds the place.
func Keys(name string) []string {
	keys := []string{Fold(name)}
	if long := withTwoLetters.Replace(name); long != name {
		keys = append(keys, Fold(long))
	}
	for _, key := range slices.Clone(keys) {
		if rest, ok := strings.CutPrefix(key, "st "); ok {
			keys = append(keys, "sankt "+rest, "saint "+rest)
		} else if first, rest, _ := strings.Cut(key, " "); first == "sankt" || first == "saint" {
			keys = append(keys, "st "+rest)
		}
	}
	return keys
}

var rivers = []string{
	" (", " am ", " an der ", " an den ", " im ", " in ", " bei ", " ob der ", " auf ", " vor der ", " upon ",
}

// WithoutRiver returns a town's name without the river or region that tells towns of the same name
// apart, as in "Marburg an der Lahn" and "Kempten (Allgäu)".
func WithoutRiver(name string) string {
	for _, word := range rivers {
		if short, _, ok := strings.Cut(name, word); ok {
			return short
		}
	}
	return name
}
