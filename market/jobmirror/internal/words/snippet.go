package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Snippet holds the words around the first place of a text that a query finds. Text is
// plain text: escape it for the place where it goes. It is one line without control characters
// and without those that turn the direction of the text around them.
type Snippet struct {
	Text  string
	Marks []Mark // of what was found, in order
}

// Mark says which bytes of a snippet's Text were found: those from Begin up to End.
type Mark struct{ Begin, End int }

// Snippet returns at most so many letters of a text whose words have a stemmer,
// around the first word that the query finds, of which parts do not count. It is empty where
// the query finds nothing in the text.
func (q Query) Snippet(text, stemmer string, letters int) Snippet {
	text = onOneLine(text)
	marks := q.find(text, stemmer)
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

// onOneLine returns a text of Text on one line, with a bullet between blocks, unless the first of them
// ends with punctuation: without one a heading would run into the sentence below it.
func onOneLine(text string) string {
	var line strings.Builder
	for block := range strings.SplitSeq(text, string(blockEnd)) {
		block = strings.Join(strings.FieldsFunc(block, leftOut), " ")
		if block == "" {
			continue
		}
		if line.Len() > 0 {
			if last, _ := utf8.DecodeLastRuneInString(line.String()); !unicode.IsPunct(last) {
				line.WriteString(" •")
			}
			line.WriteByte(' ')
		}
		line.WriteString(block)
	}
	return line.String()
}

// leftOut reports whether a character stands between words and may change how the text around it
// is shown: a snippet has a space in its place.
func leftOut(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) ||
		r >= '\u202A' && r <= '\u202E' || // embeddings and overrides of the direction
		r >= '\u2066' && r <= '\u2069' // isolates
}

// find returns the places of a text that the query finds.
func (q Query) find(text, stemmer string) (marks []Mark) {
	stem := newStemmer(stemmer)
	w := q.of(stem).wanted(stem)
	starts := func(r rune) bool { return inWord(r) || invisible(r) || r == '.' }
	for begin := 0; begin < len(text); {
		run := strings.IndexFunc(text[begin:], starts)
		if run < 0 {
			break
		}
		begin += run
		if word, size := signedIn(text, begin); size > 0 || text[begin] == '.' {
			if size > 0 && w.has(word) {
				marks = append(marks, Mark{begin, begin + size})
			}
			begin += max(size, 1)
			continue
		}
		size := strings.IndexFunc(text[begin:], func(r rune) bool { return !inWord(r) && !invisible(r) })
		if size < 0 {
			size = len(text) - begin
		}
		marks = w.mark(marks, text[begin:begin+size], begin)
		begin += size
	}
	return marks
}

// wanted has a query's words, prepared for comparison with a text.
type wanted struct {
	stem  *stemmer
	words []queryWord
	seen  map[string]bool // results for words compared before
}

func (q Query) wanted(s *stemmer) *wanted {
	w := &wanted{stem: s, seen: map[string]bool{}}
	for _, group := range q.must {
		for _, t := range group {
			if t.synonym { // no text but the title is found by it
				continue
			}
			for _, word := range t.words {
				if !t.isInPair(word) {
					w.words = append(w.words, s.queryWord(word, t.quoted))
				}
				for _, other := range t.instead[word] {
					w.words = append(w.words, s.queryWord(other, false))
				}
			}
			for _, word := range t.joined {
				w.words = append(w.words, s.queryWord(word, false))
			}
		}
	}
	return w
}

// isInPair reports whether a word is a character of a writing without spaces, and one of the
// pairs of the term, which mark it where it stands beside the other one alone.
func (t term) isInPair(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unspaced(r) && slices.ContainsFunc(t.words, func(other string) bool {
		return len(other) > size && strings.Contains(other, word) && unspacedPair(other)
	})
}

func unspacedPair(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	_, second := utf8.DecodeRuneInString(word[size:])
	return unspaced(first) && size+second == len(word)
}

// mark adds the places of a run of letters that have a word that is wanted. The run begins
// at a place of a text.
func (w *wanted) mark(marks []Mark, run string, at int) []Mark {
	add := func(begin, end int) {
		if last := len(marks) - 1; last >= 0 && at+begin <= marks[last].End {
			marks[last].End = max(marks[last].End, at+end)
			return
		}
		marks = append(marks, Mark{at + begin, at + end})
	}
	if !strings.ContainsFunc(run, unspaced) {
		if w.in(run) {
			add(0, len(run))
		}
		return marks
	}
	begin := 0             // of the letters since the last character of a writing without spaces
	before, last := -1, "" // where that is, if it stands just before; and the character
	for i := 0; i < len(run); {
		next := i + norm.NFKC.NextBoundaryInString(run[i:], true)
		character := normal(run[i:next])
		if character == "" { // nobody sees it: what is on its two sides stands side by side
			i = next
			continue
		}
		if !strings.ContainsFunc(character, unspaced) {
			i, before = next, -1
			continue
		}
		if w.in(run[begin:i]) {
			add(begin, i)
		}
		first, _ := utf8.DecodeRuneInString(character)
		if before >= 0 && w.has(last+string(first)) {
			add(before, next)
		}
		if w.in(character) {
			add(i, next)
		}
		r, _ := utf8.DecodeLastRuneInString(character)
		before, last = i, string(r)
		i, begin = next, next
	}
	if w.in(run[begin:]) {
		add(begin, len(run))
	}
	return marks
}

// in reports whether a run of letters has a word that is wanted.
func (w *wanted) in(run string) bool {
	for word := range split(normal(run)) {
		if w.has(word) {
			return true
		}
	}
	return false
}

// has reports whether a word of the text is wanted.
func (w *wanted) has(word string) bool {
	found, again := w.seen[word]
	if !again {
		own := w.stem.textWord(word)
		found = slices.ContainsFunc(w.words, func(q queryWord) bool { return q.finds(own) })
		w.seen[word] = found
	}
	return found
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
