package words

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query holds what somebody searches for. The zero value asks for nothing, and finds
// every posting.
type Query struct {
	must     [][]term // a posting must have one term of every group
	without  []term   // and none of these
	synonyms *Synonyms
}

// term holds the words of what stands between two spaces, or in quotes. A posting must have
// every word.
type term struct {
	words   []string
	quoted  bool                // as written: no other form of it and no longer word will do
	instead map[string][]string // words to look for in place of a mistyped word
	joined  []string            // words that replace the whole term, any one of them, such as fullstack for full-stack
	synonym bool                // of what was typed: only forms of it in a title will do
	remote  bool                // what says of itself that it is remote work will do
}

// minLeftOut is the least number of letters of a word that a hyphen in front of it leaves out.
// In "C -x" it leaves out nothing.
const minLeftOut = 3

// Parse reads what somebody typed. Words in "quotes" are meant as they are written, a
// hyphen in front of a word leaves out the postings that have it, and OR joins two
// terms of which one must hold. Everything else is a word, and no text is a mistake.
// What job titles say of genders, such as (m/w/d), is left out, unless it is all of the text;
// so are little words, such as "in" and "für", where postings of their language are looked for.
func Parse(text string) Query {
	q := parse(withoutGenders(text))
	if q.Empty() {
		q = parse(text)
	}
	return q
}

func parse(text string) Query {
	var q Query
	joined := false // OR stands before the next term
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		word, rest := cutTerm(text)
		text = rest
		if word == "OR" {
			joined = true
			continue
		}
		t, out := readTerm(word)
		switch {
		case len(t.words) == 0:
			continue // nothing but punctuation
		case out:
			q.without = appendTerm(q.without, t)
		case joined && len(q.must) > 0:
			last := len(q.must) - 1
			q.must[last] = appendTerm(q.must[last], t)
		default:
			q.must = append(q.must, []term{t})
		}
		joined = false
	}
	q.must = withoutRepeats(q.must)
	joinApart(q.must)
	markRemote(q.must)
	markRemote([][]term{q.without})
	return q
}

// appendTerm adds a term to a list that lacks it.
func appendTerm(list []term, t term) []term {
	if slices.ContainsFunc(list, t.same) {
		return list
	}
	return append(list, t)
}

// withoutRepeats returns each of the groups once, in their order.
func withoutRepeats(groups [][]term) (once [][]term) {
	for _, group := range groups {
		isSame := func(other []term) bool { return slices.EqualFunc(group, other, term.same) }
		if !slices.ContainsFunc(once, isSame) {
			once = append(once, group)
		}
	}
	return once
}

// same reports whether two terms of a text ask for the same.
func (t term) same(other term) bool {
	return t.quoted == other.quoted && slices.Equal(t.words, other.words)
}

// cutTerm cuts off what stands in quotes, or before the next space. A quote without an
// end is a letter like others.
func cutTerm(text string) (first, rest string) {
	if _, size := quote(text); size > 0 {
		for i := size; i < len(text); i++ {
			if _, end := quote(text[i:]); end > 0 {
				return text[:i+end], text[i+end:]
			}
		}
	}
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// quote returns the quote that a text begins with, of those that keyboards and word
// processors write, and its size in bytes.
func quote(text string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(text)
	if strings.ContainsRune("\"“”„«»", r) {
		return r, size
	}
	return 0, 0
}

// readTerm reads a term, and reports whether it is to be left out.
func readTerm(text string) (t term, out bool) {
	t.quoted = inQuotes(text)
	word, out := strings.CutPrefix(text, "-")
	for part := range split(normal(text)) {
		if !slices.Contains(t.words, part) {
			t.words = append(t.words, part)
		}
	}
	if !t.quoted {
		t.joined = joinedAll(normal(word))
	}
	out = out && len(t.words) > 0 && utf8.RuneCountInString(word) >= minLeftOut
	return t, out
}

// joinedAll returns a normal text as one word where it is a few words with a hyphen or a full stop
// between them, and nothing else.
func joinedAll(text string) []string {
	found := chains(text)
	if len(found) != 1 || len(found[0]) > maxJoined {
		return nil
	}
	size := len(found[0]) - 1
	for _, word := range found[0] {
		size += len(word)
	}
	if word := strings.Join(found[0], ""); size == len(strings.ReplaceAll(text, "\u2010", "-")) && len(word) <= maxWord {
		return []string{word}
	}
	return nil
}

// joinApart lets what was typed as two words be found as one: "Full Stack" finds Fullstack as well.
// Little words and single letters are not joined.
func joinApart(groups [][]term) {
	single := func(group []term) (string, bool) {
		if len(group) != 1 || group[0].quoted || len(group[0].words) != 1 {
			return "", false
		}
		word := group[0].words[0]
		isLetter := func(r rune) bool { return unicode.IsLetter(r) && !unspaced(r) }
		return word, len(word) > 1 && strings.ContainsFunc(word, isLetter) && !isLittle(word) && !isSigned(word)
	}
	for i := range groups[:max(len(groups)-1, 0)] {
		first, ok := single(groups[i])
		second, also := single(groups[i+1])
		word := first + second
		if !ok || !also || len(word) > maxWord {
			continue
		}
		for _, group := range groups[i : i+2] {
			group[0].joined = append(group[0].joined, word)
		}
	}
}

// inQuotes reports whether a term begins and ends with quotes.
func inQuotes(text string) bool {
	_, begin := quote(text)
	last, size := utf8.DecodeLastRuneInString(text)
	_, end := quote(string(last))
	return begin > 0 && end > 0 && begin+size <= len(text)
}

// Literal reads a text each of whose words must be found, without signs that mean more.
func Literal(text string) Query {
	var q Query
	for word := range split(normal(text)) {
		q.must = append(q.must, []term{{words: []string{word}}})
	}
	q.must = withoutRepeats(q.must)
	markRemote(q.must)
	return q
}

var (
	// The genders of a title: m/w/d, (w|m|x), and what stands for all of them.
	genders = regexp.MustCompile(`(?i)[(\[]?(?:^|\b)[mwfdxi](?:\s*[/|*,]\s*[mwfdxi]){1,3}\b[)\]]?` +
		`|[(\[](?:gn\*?|all|alle|all genders?|alle geschlechter|mensch|divers)[)\]]`)
	// The second gender of a word: Entwickler:in, Entwickler*innen, Entwickler/-in, Entwickler(in).
	ending = regexp.MustCompile(`(\p{L}{3})(?:[:*_·]|/-?|\()in(?:nen)?\)?($|[^\p{L}])`)
	// The second gender of a title that ends in a word for a person: Kaufmann/-frau, Fachfrau/mann.
	person = regexp.MustCompile(`(?i)(\p{L}{2}(?:mann|frau|leute))\s?(?:/\s?-?|[:*_·]|\(-?)(?:mann|frau|männer|frauen|leute)\)?($|[^\p{L}])`)
	// The same as words.
	alone = regexp.MustCompile(`(?i)(^|\s)(?:gn|all|mwd|wmd|mwx|mfd)(\s|$)`)
)

func withoutGenders(text string) string {
	text = genders.ReplaceAllString(text, " ")
	text = ending.ReplaceAllString(text, "$1$2")
	text = person.ReplaceAllString(text, "$1$2")
	return alone.ReplaceAllString(text, "$1$2")
}

// Empty reports whether the query asks for nothing.
func (q Query) Empty() bool { return len(q.must) == 0 && len(q.without) == 0 }

// Quoted reports whether the query has words in quotes. A text index also finds postings
// that have another form of these; Matches tells which they are.
func (q Query) Quoted() bool {
	isQuoted := func(t term) bool { return t.quoted }
	return slices.ContainsFunc(q.without, isQuoted) ||
		slices.ContainsFunc(q.must, func(group []term) bool { return slices.ContainsFunc(group, isQuoted) })
}

// Words returns how many words the query has, those that it leaves out among them.
func (q Query) Words() (n int) {
	for _, group := range append(slices.Clone(q.must), q.without) {
		for _, t := range group {
			n += len(t.words)
		}
	}
	return n
}

// Mistakable returns the words of the query that may be mistyped, each once: those that
// must be found, from five letters on, but those in quotes, little words and those for remote work.
func (q Query) Mistakable() (found []string) {
	for _, group := range q.must {
		for _, t := range group {
			for _, word := range t.words {
				if !t.quoted && !t.remote && utf8.RuneCountInString(word) >= minMistyped && !isLittle(word) && !slices.Contains(found, word) {
					found = append(found, word)
				}
			}
		}
	}
	return found
}

// Corrected returns the query with more words, one of which may stand for each that was
// mistyped.
func (q Query) Corrected(instead map[string][]string) Query {
	q.must = slices.Clone(q.must)
	for i, group := range q.must {
		q.must[i] = slices.Clone(group)
		for j := range group {
			if !group[j].quoted {
				q.must[i][j].instead = instead
			}
		}
	}
	return q
}

// In returns what a text index that has certain pieces is asked for the postings of a stemmer.
func (q Query) In(stemmer string, pieces Pieces) Lookup {
	stem := newStemmer(stemmer)
	return Lookup{q.of(stem), &speller{stem, pieces, map[string]forms{}}}
}

// Lookup asks a text index for the postings of one stemmer that match a query.
type Lookup struct {
	q Query
	s *speller
}

// speller has the forms of words of queries by one stemmer, and the pieces of an index.
type speller struct {
	stem   *stemmer
	pieces Pieces
	seen   map[string]forms // forms of words looked up before
}

func (s *speller) formsOf(word string) forms {
	f, again := s.seen[word]
	if !again {
		f = s.stem.formsOf(word)
		s.seen[word] = f
	}
	return f
}

// All asks for all postings that match.
func (l Lookup) All() Expr { return l.except(l.tier(anywhereOrPart)) }

// Groups returns the number of what each posting must have: of words, but for those that OR joins.
func (l Lookup) Groups() int { return len(l.q.must) }

// Group asks for the postings that have one of these by its forms or, with parts, in any of the ways of All, which costs
// more.
func (l Lookup) Group(i int, parts bool) Expr {
	if parts {
		return l.group(l.q.must[i], anywhereOrPart)
	}
	return l.group(l.q.must[i], anyForm)
}

// InTitle asks for those of All that match by their titles alone.
func (l Lookup) InTitle() Expr { return l.except(l.tier(titleOrPart)) }

// Form asks for the postings that have a form of a word.
func (l Lookup) Form(word string) Expr { return Expr{Op: Or, Of: anyForm.forms(l.s, word)} }

// Tiers returns the number of tiers that a query's hits may be in. The last of the five, of
// postings that have one word as a part and another one elsewhere, needs two words.
func (q Query) Tiers() int {
	isPhrase := func(t term) bool { return len(t.words) > 1 }
	if len(q.must) > 1 || len(q.must) == 1 && slices.ContainsFunc(q.must[0], isPhrase) {
		return 5
	}
	return 4
}

// tiers says how a tier finds words, but the last one.
var tiers = []match{titleForm, titleOrPart, shortOrPart, anyForm, anywhereOrPart}

// Tier asks for one tier of the postings that match. Tier 0 has those with every word in the
// title, tier 1 those with every word in the title, as a part of a word or by a synonym too, tier 2 those with
// every word in the title or another short text, likewise, tier 3 those with every word
// anywhere, and tier 4 the others. A tier leaves out postings of the tiers before it.
func (l Lookup) Tier(i int) Expr {
	switch i {
	case 0:
		return l.TierOrAbove(0)
	case 1, 2:
		return l.except(l.tier(tiers[i]), l.tier(tiers[i-1]))
	case 3:
		return l.except(l.tier(anyForm), l.tier(shortOrPart))
	}
	return l.except(l.tier(anywhereOrPart), l.tier(shortOrPart), l.tier(anyForm))
}

// TierOrAbove asks for one tier and some postings of the tiers before it, which costs less than
// Tier does.
func (l Lookup) TierOrAbove(i int) Expr { return l.except(l.tier(tiers[i])) }

// except returns an expression less others and less what the query leaves out.
func (l Lookup) except(e Expr, less ...Expr) Expr {
	for _, t := range l.q.without {
		less = append(less, l.term(t, anyForm))
	}
	if len(less) == 0 {
		return e
	}
	return Expr{Op: Less, Of: append([]Expr{e}, less...)}
}

// tier returns the expression of all groups, each of whose words is looked for by match.
func (l Lookup) tier(match match) Expr {
	all := Expr{Op: And}
	for _, group := range l.q.must {
		all.Of = append(all.Of, l.group(group, match))
	}
	return all
}

// group returns the expression of terms of which one must hold.
func (l Lookup) group(terms []term, match match) Expr {
	one := Expr{Op: Or}
	for _, t := range terms {
		switch {
		case !t.synonym:
			one.Of = append(one.Of, l.term(t, match))
		case match.synonyms:
			one.Of = append(one.Of, l.term(t, titleForm))
		}
	}
	return one
}

func (l Lookup) term(t term, match match) Expr {
	all := Expr{Op: And}
	for _, word := range t.words {
		one := Expr{Op: Or, Of: match.ways(l.s, word, t.quoted)}
		for _, other := range t.instead[word] {
			one.Of = append(one.Of, match.ways(l.s, other, false)...)
		}
		all.Of = append(all.Of, one)
	}
	if len(t.joined) == 0 && !t.remote {
		return all
	}
	either := Expr{Op: Or, Of: []Expr{all}}
	if t.remote {
		either.Of = append(either.Of, Expr{Text: remoteToken})
	}
	for _, word := range t.joined {
		either.Of = append(either.Of, match.forms(l.s, word)...)
	}
	return either
}

// match names the scopes in which an index finds a word
// by its forms, and those in which a part of a word is enough.
type match struct {
	form, part []scope
	synonyms   bool // a synonym in the title will do, too
}

var (
	titleForm      = match{form: []scope{inTitle}}
	titleOrPart    = match{form: []scope{inTitle}, part: []scope{inTitle}, synonyms: true}
	shortOrPart    = match{form: []scope{inTitle, inShort}, part: []scope{inTitle, inShort}, synonyms: true}
	anyForm        = match{form: []scope{anywhere}, synonyms: true}
	anywhereOrPart = match{form: []scope{anywhere}, part: []scope{inTitle, inShort}, synonyms: true}
)

// forms returns the alternatives by which an index finds a form of a word.
func (m match) forms(s *speller, word string) (ways []Expr) {
	f := s.formsOf(word)
	for _, scope := range m.form {
		for _, token := range f.queryTokens(scope) {
			ways = append(ways, Expr{Text: token})
		}
	}
	return ways
}

// ways returns the alternatives by which an index finds a word.
func (m match) ways(s *speller, word string, quoted bool) []Expr {
	ways := m.forms(s, word)
	if quoted || len(m.part) == 0 {
		return ways
	}
	for _, p := range s.stem.parts(word) {
		ways = append(ways, m.partWays(s, p)...)
	}
	return ways
}

// partWays returns the alternatives by which an index finds a part of a word.
func (m match) partWays(s *speller, p part) []Expr {
	if len(p.plain) == 1 && len(p.spelled) == 1 {
		both := slices.Concat(m.pieceIn(s, p.plain[0], false), m.pieceIn(s, p.spelled[0], true))
		slices.SortFunc(both, func(a, b Expr) int { return strings.Compare(a.Text, b.Text) })
		return slices.CompactFunc(both, func(a, b Expr) bool { return a.Text == b.Text })
	}
	return []Expr{m.allPieces(s, p.plain, false), m.allPieces(s, p.spelled, true)}
}

// allPieces returns what an index is asked for the postings that have each piece of a plain or a
// spelled key.
func (m match) allPieces(s *speller, pieces []string, spelled bool) Expr {
	all := Expr{Op: And}
	for _, piece := range pieces {
		all.Of = append(all.Of, Expr{Op: Or, Of: m.pieceIn(s, piece, spelled)})
	}
	return all
}

func (m match) pieceIn(s *speller, piece string, spelled bool) (ways []Expr) {
	op := s.pieces.op(piece)
	for _, scope := range m.part {
		kinds := scope.pieces()
		kind := kinds.plain
		if spelled {
			kind = kinds.spelled
		}
		ways = append(ways, Expr{Op: op, Text: kinds.same + piece}, Expr{Op: op, Text: kind + piece})
	}
	return ways
}

// Expr says which tokens a posting must have.
type Expr struct {
	Op   Op
	Text string // of Token and Begins
	Of   []Expr // of the others
}

// Op tells what an Expr is.
type Op int

// The kinds of expressions.
const (
	Token  Op = iota // the token Text
	Begins           // a token that begins with Text
	And              // all of Of; without any: every posting
	Or               // one of Of
	Less             // hits of the first of Of, less hits of the others
)
