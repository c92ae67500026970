// Package placename turns names of places into the keys that package places compares: gen makes the
// keys of the list, and a search makes the key of the name that somebody typed.
package placename

import (
	"regexp"
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

// Spelt returns a name with two letters for each umlaut. A name that was typed with umlauts has this
// key of names with umlauts alone.
func Spelt(name string) string { return withTwoLetters.Replace(norm.NFC.String(name)) }

// Keys returns the keys of a place's name: a search with any of them finds the place.
func Keys(name string) []string {
	keys := []string{Fold(name)}
	if long := Spelt(name); long != name {
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

// joining has the folded words with which the second part of a name may begin, and the articles in it.
var joining = map[string]bool{
	"a": true, "am": true, "an": true, "auf": true, "b": true, "bei": true, "beim": true, "i": true, "im": true, "in": true,
	"o": true, "ob": true, "u": true, "unter": true, "upon": true, "v": true, "vom": true, "von": true, "vor": true, "vorm": true,
	"d": true, "dem": true, "den": true, "der": true,
}

// Joins reports whether a folded word is a preposition or an article, whole or abbreviated, by which
// a river or region follows the name of a town.
func Joins(word string) bool { return joining[word] }

var rivers = regexp.MustCompile(`\s*/|\s*\(|\s(?:am|an|auf|bei|beim|b\.|im|in|ob|unter|upon|vor|vorm)\s`)

// WithoutRiver returns a town's name without the river or region that tells towns of the same name
// apart, as in "Marburg an der Lahn", "Kempten (Allgäu)" and "Nienburg/Weser".
func WithoutRiver(name string) string {
	if at := rivers.FindStringIndex(name); at != nil && at[0] > 0 {
		return name[:at[0]]
	}
	return name
}

// Abbreviates reports whether a folded word is another one, or begins with the same letter and has
// only letters of it, in their order: opf is oberpfalz.
func Abbreviates(short, word string) bool {
	if short == "" || word == "" || short[0] != word[0] {
		return false
	}
	for i := 0; i < len(word) && short != ""; i++ {
		if word[i] == short[0] {
			short = short[1:]
		}
	}
	return short == ""
}

// titles has the folded words that may stand before or after the name of a town without being a part
// of it, beside those that end in "stadt", such as Hansestadt.
var titles = map[string]bool{
	"stadt": true, "gemeinde": true, "marktgemeinde": true, "stadtgemeinde": true, "samtgemeinde": true, "verbandsgemeinde": true,
	"flecken": true, "kurort": true, "luftkurort": true, "heilbad": true, "seebad": true, "seeheilbad": true, "ostseebad": true,
	"nordseebad": true, "ostseeheilbad": true, "nordseeheilbad": true,
}

// besides has the folded words that stand beside a title, such as "Freie und Hansestadt".
var besides = map[string]bool{
	"alte": true, "freie": true, "grosse": true, "hanse": true, "hochschul": true, "kreisfreie": true, "krfr": true, "st": true,
	"und": true, "u": true, "universitats": true, "universitaets": true,
}

// IsTitle reports whether a folded word is the title of a town. isTown tells which words are names of
// towns, such as Neustadt: these are no titles.
func IsTitle(word string, isTown func(string) bool) bool {
	return titles[word] || strings.HasSuffix(word, "stadt") && !isTown(word)
}

// WithoutTitle returns a key without the titles before and after the name: Hansestadt Rostock is
// Rostock. A key of titles alone is empty.
func WithoutTitle(key string, isTown func(string) bool) string {
	words := strings.Fields(key)
	begin, end := 0, len(words)
	for i := 0; i < end && (besides[words[i]] || IsTitle(words[i], isTown)); i++ {
		if IsTitle(words[i], isTown) {
			begin = i + 1
		}
	}
	for i := end - 1; i >= begin && (besides[words[i]] || IsTitle(words[i], isTown)); i-- {
		if IsTitle(words[i], isTown) {
			end = i
		}
	}
	return strings.Join(words[begin:end], " ")
}
