package words

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Snippet holds the words around the first place of a text that a query finds. Text is
// plain text: escape it for the place where it goes.
type Snippet struct {
	Text  string
	Marks []Mark // of what was found, in order
}

// Mark says which bytes of a snippet's Text were found: those from Begin up to End.
type Mark struct{ Begin, End int }

// Snippet returns at most so many letters of a text in a language, around the first
// word that the query finds; parts of words count where parts is set. It is empty where
// the query finds nothing in the text.
func (q Query) Snippet(text, language string, letters int, parts bool) Snippet {
	text = strings.Join(strings.Fields(text), " ")
	marks := q.find(text, language, parts)
	if len(marks) == 0 {
		return Snippet{}
	}
	begin := back(text, marks[0].Begin, letters/3)
	end := forward(text, begin, letters)
	if end == len(text) {
		begin = min(begin, back(text, end, letters))
	}
	s := Snippet{}
	if begin > 0 {
		s.Text = "… "
	}
	shift := len(s.Text) - begin
	s.Text += text[begin:end]
	if end < len(text) {
		s.Text += " …"
	}
	for _, m := range marks {
		if m.Begin >= begin && m.End <= end {
			s.Marks = append(s.Marks, Mark{m.Begin + shift, m.End + shift})
		}
	}
	return s
}

// find returns the places of a text that the query finds.
func (q Query) find(text, language string, parts bool) (marks []Mark) {
	w := q.wanted(newStemmer(language), parts)
	for begin := 0; begin < len(text); {
		run := strings.IndexFunc(text[begin:], func(r rune) bool { return inWord(r) || invisible(r) })
		if run < 0 {
			break
		}
		begin += run
		size := strings.IndexFunc(text[begin:], func(r rune) bool { return !inWord(r) && !invisible(r) })
		if size < 0 {
			size = len(text) - begin
		}
		if w.in(text[begin : begin+size]) {
			marks = append(marks, Mark{begin, begin + size})
		}
		begin += size
	}
	return marks
}

// wanted has the words of a query in the forms in which a text is compared with them.
type wanted struct {
	stem  *stemmer
	words []asked
	parts bool            // whether parts of words count
	seen  map[string]bool // what was said of a word before
}

func (q Query) wanted(s *stemmer, parts bool) *wanted {
	w := &wanted{stem: s, parts: parts, seen: map[string]bool{}}
	for _, group := range q.must {
		for _, t := range group {
			for _, word := range t.words {
				w.words = append(w.words, s.asked(word, t.quoted))
				for _, other := range t.instead[word] {
					w.words = append(w.words, s.asked(other, false))
				}
			}
		}
	}
	return w
}

// in reports whether a run of letters has a word that is wanted.
func (w *wanted) in(run string) bool {
	for word := range split(normal(run)) {
		found, again := w.seen[word]
		if !again {
			own := w.stem.textWord(word)
			found = slices.ContainsFunc(w.words, func(a asked) bool { return a.finds(own, w.parts) })
			w.seen[word] = found
		}
		if found {
			return true
		}
	}
	return false
}

// back returns the beginning of a word at most so many letters before a place.
func back(text string, at, letters int) int {
	begin := at
	for range letters {
		if begin == 0 {
			return 0
		}
		_, size := utf8.DecodeLastRuneInString(text[:begin])
		begin -= size
	}
	if begin == 0 || begin == at || text[begin-1] == ' ' {
		return begin
	}
	if space := strings.IndexByte(text[begin:at], ' '); space >= 0 {
		return begin + space + 1
	}
	return at
}

// forward returns the end of a word at most so many letters behind a place.
func forward(text string, at, letters int) int {
	end := at
	for range letters {
		if end == len(text) {
			return end
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) || text[end] == ' ' {
		return end
	}
	if space := strings.LastIndexByte(text[at:end], ' '); space > 0 {
		return at + space
	}
	return end
}
