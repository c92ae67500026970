package words

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Synonyms holds groups of words and phrases. A query for one member of a group also finds texts
// with another member in the title. Nil holds none. Several goroutines may use it at the same time.
//
// An abbreviation, such as MFA, leads to the other members of its group, but none leads to it: in a title it may
// stand for something else.
type Synonyms struct {
	groups    [][]member
	stemmer   string // of the only texts that the groups are for; empty: they are for all
	sum       uint64
	byStemmer sync.Map // *stemmedSynonyms by the name of a stemmer
}

// member is a word or a phrase of a group.
type member struct {
	term
	abbreviation bool
}

const (
	maxSynonyms      = 20      // members of a group: a query looks for each
	maxSynonymsBytes = 1 << 20 // of a list
)

// notInSynonyms has the signs that say something in the lists of other programs, and nothing here.
const notInSynonyms = "\"“”„«»;|=>"

// ReadSynonyms reads a list with one group on each line, its members separated by commas. What titles
// say of genders is left out, as it is from queries. Empty lines and lines that begin with # hold no
// group. A list without groups is nil. The groups are for texts of a stemmer, as Stemmer returns it, or for all texts
// where that is empty. The error says on which line the list is mistyped.
func ReadSynonyms(list, stemmer string) (*Synonyms, error) {
	if len(list) > maxSynonymsBytes {
		return nil, fmt.Errorf("the list has more than %d bytes", maxSynonymsBytes)
	}
	s := &Synonyms{stemmer: stemmer}
	sum := fnv.New64a()
	number := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(list, "\ufeff"), "\n") {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		group, err := readGroup(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		for _, member := range group {
			_, _ = io.WriteString(sum, strings.Join(member.words, " ")+",")
			if member.abbreviation {
				_, _ = io.WriteString(sum, ".")
			}
		}
		_, _ = io.WriteString(sum, "\n")
		s.groups = append(s.groups, group)
	}
	if len(s.groups) == 0 {
		return nil, nil
	}
	s.sum = sum.Sum64()
	return s, nil
}

func readGroup(line string) (group []member, err error) {
	if !utf8.ValidString(line) {
		return nil, fmt.Errorf("it is not UTF-8")
	}
	for text := range strings.SplitSeq(line, ",") {
		read, err := readMember(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(group, func(m member) bool { return m.same(read.term) }) {
			return nil, fmt.Errorf("%q stands in it twice", strings.TrimSpace(text))
		}
		group = append(group, read)
	}
	isNoAbbreviation := func(m member) bool { return !m.abbreviation }
	switch {
	case len(group) > 1 && !slices.ContainsFunc(group, isNoAbbreviation):
		return nil, fmt.Errorf("abbreviations alone, %q; they find the words of their group, and no word finds them", line)
	case len(group) == 1:
		return nil, fmt.Errorf("one word alone, %q; a group has two or more, with commas between them", line)
	case len(group) > maxSynonyms:
		return nil, fmt.Errorf("a group of %d; it may have %d", len(group), maxSynonyms)
	}
	return group, nil
}

// readMember reads a word or a phrase. A posting must have all words of the phrase, or their
// joined form, such as fullstack for full-stack.
func readMember(text string) (member, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, notInSynonyms) || slices.Contains(strings.Fields(text), "OR") {
		return member{}, fmt.Errorf("%q has a sign or OR, which mean nothing here", text)
	}
	plain := normal(withoutGenders(text))
	t, _ := readTerm(plain)
	t.joined = joinedAll(strings.Join(strings.Fields(plain), "-"))
	isNoLittle := func(word string) bool { return !isLittle(word) }
	switch {
	case text == "":
		return member{}, fmt.Errorf("an empty word: two commas, or one at an end")
	case len(t.words) == 0:
		return member{}, fmt.Errorf("%q has no word", text)
	case !slices.ContainsFunc(t.words, isNoLittle):
		return member{}, fmt.Errorf("%q is a little word, which searches leave out", text)
	}
	return member{t, isAbbreviation(text)}, nil
}

// maxAbbreviation is the number of letters of the longest abbreviation.
const maxAbbreviation = 4

// isAbbreviation reports whether a text is a few letters, two or more of them capitals, as in MFA and ReFa.
func isAbbreviation(text string) bool {
	capitals, n := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			return false
		}
		if n++; unicode.IsUpper(r) {
			capitals++
		}
	}
	return n <= maxAbbreviation && capitals > 1
}

// Sum returns a number that tells lists apart; 0 for nil.
func (s *Synonyms) Sum() uint64 {
	if s == nil {
		return 0
	}
	return s.sum
}

// WithSynonyms returns the query as one that also finds what has a synonym of its words in the title: a word, or
// several neighbouring words, have synonyms if some form of them is a member of a group. Words in quotes
// have no synonyms, nor have those that the query leaves out or that stand for a mistyped one. A part of a longer word
// is no synonym.
func (q Query) WithSynonyms(s *Synonyms) Query {
	q.synonyms = s
	return q
}

// of returns the query as it is asked for postings of a stemmer: without little words of their language,
// and with synonyms.
func (q Query) of(s *stemmer) Query {
	q = q.withoutLittle(s.name)
	if q.synonyms == nil {
		return q
	}
	list := q.synonyms.of(s.name)
	must := slices.Clone(q.must)
	for i, group := range q.must {
		for _, t := range group {
			for _, m := range list.membersAt(s, q.must[i:], t) {
				// "staff nurse" OR x is (staff OR x) and (nurse OR x)
				for at := i; at < i+m.groups; at++ {
					must[at] = slices.Clone(must[at])
					for _, synonym := range list.groups[m.group] {
						must[at] = appendTerm(must[at], synonym)
					}
				}
			}
		}
	}
	q.must = must
	return q
}

// stemmedSynonyms holds synonyms as they are looked for in postings of one stemmer.
type stemmedSynonyms struct {
	groups [][]term // what a member of the group finds, without little words
	words  map[string][]*synonymWord
}

// synonymWord is a word of members, and the members that begin with it.
type synonymWord struct {
	forms  forms
	begins []synonymWords
}

// synonymWords has the words of a member of a group.
type synonymWords struct {
	group int
	words []forms
}

// of returns the synonyms for postings of a stemmer.
func (s *Synonyms) of(stemmer string) *stemmedSynonyms {
	if known, ok := s.byStemmer.Load(stemmer); ok {
		return known.(*stemmedSynonyms)
	}
	out := &stemmedSynonyms{words: map[string][]*synonymWord{}}
	stem, seen := newStemmer(stemmer), map[string]*synonymWord{}
	add := func(group int, words []string) {
		member := synonymWords{group: group}
		for _, word := range words {
			if seen[word] == nil {
				w := &synonymWord{forms: stem.formsOf(word)}
				for _, key := range w.forms.keys() {
					out.words[key] = append(out.words[key], w)
				}
				seen[word] = w
			}
			member.words = append(member.words, seen[word].forms)
		}
		seen[words[0]].begins = append(seen[words[0]].begins, member)
	}
	little, groups := littleWords[stemmer], s.groups
	if s.stemmer != "" && s.stemmer != stemmer {
		groups = nil
	}
	for i, group := range groups {
		var stemmed []term
		for _, member := range group {
			words := slices.DeleteFunc(slices.Clone(member.words), func(word string) bool { return little[word] })
			add(i, words)
			for _, word := range member.joined {
				add(i, []string{word})
			}
			if !member.abbreviation {
				stemmed = append(stemmed, term{words: words, joined: member.joined, synonym: true})
			}
		}
		out.groups = append(out.groups, stemmed)
	}
	known, _ := s.byStemmer.LoadOrStore(stemmer, out)
	return known.(*stemmedSynonyms)
}

// keys returns the keys of the forms, of which a word that shares one is a form.
func (f forms) keys() (list []string) {
	for _, k := range append(slices.Clone(f.plain), f.spelled...) {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// find returns the words of members of which a word of a query is a form.
func (l *stemmedSynonyms) find(s *stemmer, word string) (found []*synonymWord) {
	f := s.formsOf(word)
	for _, key := range f.keys() {
		for _, w := range l.words[key] {
			if f.share(w.forms) && !slices.Contains(found, w) {
				found = append(found, w)
			}
		}
	}
	return found
}

// wantedMember says that a group has a member that so many groups of a query ask for.
type wantedMember struct{ group, groups int }

// membersAt returns the members that a term of the first of some groups of a query asks for, or begins
// to ask for.
func (l *stemmedSynonyms) membersAt(s *stemmer, must [][]term, t term) (found []wantedMember) {
	if t.quoted {
		return nil
	}
	for _, word := range t.joined {
		for _, w := range l.find(s, word) {
			for _, m := range w.begins {
				if len(m.words) == 1 {
					found = append(found, wantedMember{m.group, 1})
				}
			}
		}
	}
	for _, w := range l.find(s, t.words[0]) {
		for _, m := range w.begins {
			if n := m.groupsAt(s, must, t); n > 0 {
				found = append(found, wantedMember{m.group, n})
			}
		}
	}
	return found
}

// groupsAt returns how many groups of a query, from the first of some on, ask for the words of a member,
// of which t is a term of the first; 0: they do not.
func (m synonymWords) groupsAt(s *stemmer, must [][]term, t term) int {
	rest := m.words
	for n := 1; ; n++ {
		if len(t.words) > len(rest) {
			return 0
		}
		for i, word := range t.words {
			if f := s.formsOf(word); !f.share(rest[i]) {
				return 0
			}
		}
		if rest = rest[len(t.words):]; len(rest) == 0 {
			return n
		}
		if n == len(must) || len(must[n-1]) > 1 || len(must[n]) > 1 || must[n][0].quoted {
			return 0
		}
		t = must[n][0]
	}
}

// Listed reports whether a word is a form of a word of the query's synonyms: such a word is not
// mistyped, even without a posting.
func (l Lookup) Listed(word string) bool {
	return l.q.synonyms != nil && len(l.q.synonyms.of(l.s.stem.name).find(l.s.stem, word)) > 0
}
