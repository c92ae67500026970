package refusal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Says reports whether the message holds one of the terms of list, which are in small letters and
// separated by |. A term is one or more whole words with a space, a hyphen or an underscore between
// them. A word inside a path, an address or a dotted name does not count: "Cannot GET
// /posting/4711" is not about a posting.
func (w *Words) Says(list string) bool {
	text := spoken(w.Message)
	w.steps += 2 * len(w.Message)
	for term := range strings.SplitSeq(list, "|") {
		w.steps += len(text)
		if strings.Contains(text, " "+term+" ") {
			return true
		}
	}
	return false
}

// spoken returns the words of a message in small letters, with one space before and after each. Any
// other character between two words than a space, hyphen or underscore becomes a full stop, and so
// does a path, an address or a dotted name.
func spoken(message string) string {
	text := make([]byte, 1, 2*len(message)+1)
	text[0] = ' '
	space := func() {
		if text[len(text)-1] != ' ' {
			text = append(text, ' ')
		}
	}
	stop := func() {
		space()
		text = append(text, ". "...)
	}
	for field := range strings.FieldsSeq(message) {
		if isName(field) {
			stop()
			continue
		}
		for _, r := range field {
			switch {
			case unicode.IsLetter(r):
				text = utf8.AppendRune(text, unicode.ToLower(r))
			case r == '-', r == '_':
				space()
			default:
				stop()
			}
		}
		space()
	}
	return string(text)
}

// isName reports whether a part of a message without spaces is a path, an address or a
// dotted name: it holds a slash, or a full stop followed by a letter.
func isName(field string) bool {
	stopped := false
	for _, r := range field {
		if r == '/' || stopped && unicode.IsLetter(r) {
			return true
		}
		stopped = r == '.'
	}
	return false
}

// Denies reports whether the message says only that a job's project is not available or not
// accessible; quality is "available" or "accessible". The message must hold quality after "not",
// "no" or "no longer", and otherwise only words of the interface's own sentences. "Service
// temporarily not available" does not count, and neither does a sentence in another language.
func (w *Words) Denies(quality string) bool {
	var denying, said, denied bool // denying: between "not" and "available" or "accessible"
	for word := range strings.FieldsFuncSeq(w.Message, betweenWords) {
		w.steps += len(word) + 1
		switch word = strings.ToLower(word); word {
		case "not", "no":
			if denying || said {
				return false
			}
			denying = true
		case "available", "accessible":
			if !denying || said {
				return false
			}
			denying, said, denied = false, true, word == quality
		case "any", "more", "longer":
		case "project", "is", "for", "job", "jobid", "id", "number", "to", "you", "this", "with", "applicant", "user", "the":
			if denying {
				return false
			}
		default:
			if denying || strings.Trim(word, "0123456789") != "" {
				return false
			}
		}
	}
	return denied
}

// betweenWords reports whether a rune stands between words: a space, punctuation, or
// an ASCII character that is no letter and no digit.
func betweenWords(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || r < utf8.RuneSelf && r != '_' && notInWord(r)
}
