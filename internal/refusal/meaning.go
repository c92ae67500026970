package refusal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence describes a sentence of section 7.2, which denies something of a job's posting or of its
// project. Services word it differently, so a Sentence lists the words that it may be made of.
type Sentence struct {
	denied   string   // the word that the sentence denies: "found" in "not found"
	misspelt bool     // denied may have one typing error
	exist    bool     // "does not exist" is a denial, too
	negative []string // words that deny by themselves: "inactive"
	others   []string // words for what other sentences deny
	about    []string // the sentence has one of these words; nil: it may be about anything
	words    []string // what else it may have, besides numbers and the words of every sentence
	status   string   // the answer's status, because "404" is no number of a job; empty: any number may be one
}

// The sentences of section 7.2. A sentence about a project comes with a code, one about a posting alone.
var (
	ProjectNotAvailable  = &Sentence{denied: "available", others: []string{"accessible"}, words: wordsOfProject}
	ProjectNotAccessible = &Sentence{denied: "accessible", others: []string{"available"}, words: wordsOfProject}

	PostingNotFound = &Sentence{
		denied: "found", misspelt: true, exist: true,
		others: []string{"accessible", "active", "inactive", "deactivated"},
		about:  posting, words: wordsOfPosting, status: "404",
	}
	PostingNotAccessible = &Sentence{
		denied: "accessible", misspelt: true,
		others: []string{"found", "exist", "active", "inactive", "deactivated"},
		about:  posting, words: append([]string{"to", "you", "user", "applicant"}, wordsOfPosting...), status: "403",
	}
	PostingInactive = &Sentence{
		denied: "active", misspelt: true, negative: []string{"inactive", "deactivated"},
		others: []string{"found", "exist", "accessible"},
		about:  posting, words: wordsOfPosting, status: "410",
	}
)

var (
	wordsOfProject = []string{
		"project", "is", "for", "job", "jobid", "id", "number", "to", "you", "this", "with", "applicant", "user", "the",
	}
	wordsOfPosting = []string{
		"job", "position", "id", "jobdbid", "with", "for", "number", "is", "was", "does", "could", "the", "this",
	}
	posting = []string{"posting", "jobposting", "jobid"}
)

// maxWords is the highest number of words in a Sentence.
const maxWords = 20

// Denies reports whether the message is the sentence s: a short one, which has only words of the
// interface and exactly one denial. "Service temporarily not available" is none, and neither is a
// sentence in another language or with a path, an address or a dotted name in it.
func (w *Words) Denies(s *Sentence) bool {
	r := sentenceReader{Sentence: s}
	for field := range strings.FieldsSeq(w.Message) {
		w.steps += len(field) + 1
		if !r.readField(field) {
			return false
		}
	}
	return r.said && (s.about == nil || r.named)
}

// sentenceReader compares a message with a Sentence, word by word. Its methods report whether the
// message can still be the sentence.
type sentenceReader struct {
	*Sentence
	count  int       // of words
	last   [2]string // the last two words, the last one first
	scope  scope     // of the denial
	denies bool      // a "not" or "no" was read; there can be no second
	said   bool      // the denial has met its word
	named  bool      // a word of about was read
}

// scope tells which words a denial may still reach.
type scope int

const (
	nothing scope = iota
	oneWord       // "not" and "no longer": the next word with a meaning
	clause        // "no": what is said of the nouns after it, as in "no posting found"
)

const (
	stops  = ".,:;!?…"               // end a clause
	joints = "-_=#()[]\"'`‘’“”„«»–—" // stand between two words
)

// readField reads a part of the message without spaces.
func (r *sentenceReader) readField(field string) bool {
	from := 0
	for at, mark := range field {
		stop := strings.ContainsRune(stops, mark)
		if !stop && !strings.ContainsRune(joints, mark) {
			continue
		}
		word := field[from:at]
		from = at + utf8.RuneLen(mark)
		if !r.readWord(word) || stop && !r.readStop(mark, field[from:]) {
			return false
		}
	}
	return r.readWord(field[from:])
}

// readStop reads a mark that ends a clause, and with it the scope of a denial. It refuses a full stop
// inside a name or an address.
func (r *sentenceReader) readStop(mark rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	if mark == '.' && (unicode.IsLetter(next) || unicode.IsNumber(next)) {
		return false
	}
	r.scope = nothing
	return true
}

// readWord reads a word; the empty text between two marks is none.
func (r *sentenceReader) readWord(word string) bool {
	if word == "" {
		return true
	}
	if r.count++; r.count > maxWords {
		return false
	}
	word = strings.ToLower(word)
	last := r.last
	r.last = [2]string{word, last[0]}
	switch {
	case strings.Trim(word, "0123456789") == "":
		return r.readNumber(word, last[0])
	case word == "not":
		return r.readDenial(oneWord)
	case word == "no":
		return r.readDenial(clause)
	case word == "longer" && last[0] == "no":
		r.scope = oneWord
		return true
	case word == "any", word == "more", word == "longer", word == "be":
		return true
	}
	return r.readMeaning(word, last)
}

// readNumber reads a job's number. A "no" or "no." right before it stands for "number" and denies nothing.
func (r *sentenceReader) readNumber(number, last string) bool {
	if last == "no" {
		r.scope, r.denies = nothing, false
	}
	return number != r.status && r.scope != oneWord
}

func (r *sentenceReader) readDenial(reach scope) bool {
	second := r.denies || r.said
	r.scope, r.denies = reach, true
	return !second
}

// readMeaning reads a word that is neither a number nor a part of a denial.
func (r *sentenceReader) readMeaning(word string, last [2]string) bool {
	switch {
	case word == r.denied:
		return r.readDenied()
	case word == "exist" && r.exist:
		return last == [2]string{"not", "does"} && r.readDenied()
	case slices.Contains(r.negative, word):
		alone := !r.denies && !r.said
		r.said = true
		return alone
	case slices.Contains(r.others, word):
		return r.scope == clause // "no active posting found", but not "active posting found"
	case slices.Contains(r.about, word):
		r.named = true
		return r.scope != oneWord
	case slices.Contains(r.words, word):
		return r.scope != oneWord
	}
	return r.misspelt && oneErrorOff(word, r.denied) && r.readDenied()
}

// readDenied reads the word that must be denied.
func (r *sentenceReader) readDenied() bool {
	denied := r.scope != nothing && !r.said
	r.said = true
	if r.scope == oneWord {
		r.scope = nothing
	}
	return denied
}

// oneErrorOff reports whether word is want with one letter wrong, missing, added or in its neighbour's
// place. Its first letter must be right.
func oneErrorOff(word, want string) bool {
	if word[0] != want[0] {
		return false
	}
	for word != "" && want != "" && word[0] == want[0] {
		word, want = word[1:], want[1:]
	}
	for word != "" && want != "" && word[len(word)-1] == want[len(want)-1] {
		word, want = word[:len(word)-1], want[:len(want)-1]
	}
	swapped := len(word) == 2 && len(want) == 2 && word[0] == want[1] && word[1] == want[0]
	return len(word) <= 1 && len(want) <= 1 || swapped
}
