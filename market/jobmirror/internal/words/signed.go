package words

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// signed has the words that contain signs, each with the word that tokens have in its place:
// that is also what people type who leave the signs out. No part of one finds it.
var signed = []struct{ written, word string }{
	{"c++", "cplusplus"}, {"c#", "csharp"}, {"f#", "fsharp"}, {".net", "dotnet"},
}

// beforeNet has the words after which ".net" is a word as well, and not the end of an address.
var beforeNet = []string{"asp", "vb", "ado"}

// mayHaveSigned reports whether a normal text may have a word with signs.
func mayHaveSigned(text string) bool {
	return strings.ContainsAny(text, "+#") || strings.Contains(text, ".net")
}

// signedAt returns the word with signs that begins at a place of a normal text, and how many bytes it
// has there; none if the word goes on there.
func signedAt(text string, at int) (word string, size int) {
	switch text[at] {
	case 'c', 'f', '.':
	default:
		return "", 0
	}
	for _, s := range signed {
		if !strings.HasPrefix(text[at:], s.written) {
			continue
		}
		end := at + len(s.written)
		if r, _ := utf8.DecodeRuneInString(text[end:]); inWord(r) && s.written != "c++" { // C++17
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if !inWord(before) || s.written == ".net" && endsWithOne(text[:at], beforeNet) {
			return s.word, len(s.written)
		}
	}
	return "", 0
}

// signedIn returns what signedAt does for a text that is not normal.
func signedIn(text string, at int) (word string, size int) {
	end := min(at+len(".net")+utf8.UTFMax, len(text)) // with the letter behind it
	begin := max(0, at-2*utf8.UTFMax)                 // with the word before it
	for begin < at && !utf8.RuneStart(text[begin]) {
		begin++
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	part := strings.ToLower(text[begin:end])
	if len(part) != end-begin { // no word with signs has such letters
		return "", 0
	}
	return signedAt(part, at-begin)
}

// endsWithOne reports whether the last word of a text is one of a list.
func endsWithOne(text string, list []string) bool {
	if i := strings.LastIndexFunc(text, func(r rune) bool { return !inWord(r) }); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		text = text[i+size:]
	}
	return slices.Contains(list, text)
}

// isSigned reports whether a word stands for one with signs.
func isSigned(word string) bool {
	for _, s := range signed {
		if s.word == word {
			return true
		}
	}
	return false
}
