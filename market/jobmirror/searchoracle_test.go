package jobmirror_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Both databases find what a simple filter finds that reads every text, knows no index and
// shares no code with the mirror but the stemmers: the same postings, in the same order,
// whatever is typed in whatever writing. JOBMIRROR_SEEDS says with which seeds, as for
// TestModelOfAMisleadingBoard.
func TestSearchEqualsAPlainOracle(t *testing.T) {
	t.Parallel()
	first, seeds := 3, size(1, 8) // a seed whose hits are in each tier
	if text := os.Getenv("JOBMIRROR_SEEDS"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &first, &seeds); err != nil {
			t.Fatal(err)
		}
	}
	tiers := map[int]int{}
	for seed := first; seed < first+seeds; seed++ {
		o := newOracle(uint64(seed))
		board := httptest.NewServer(o)
		defer board.Close()
		mirrors := map[string]*jobmirror.Mirror{}
		for kind, address := range jobmirror.Databases {
			mirrors[kind] = open(t, address(t), jobmirror.Options{
				Config:   jobboard.Config{BaseURL: board.URL, ClientID: "10"},
				Channels: []jobmirror.Channel{{ID: "1_all", Languages: oracleLanguages}}, Limit: -1,
			})
			refresh(t, mirrors[kind])
			// Without words that may be meant nothing is corrected.
			if err := jobmirror.Exec(t.Context(), mirrors[kind], "DELETE FROM vocabulary"); err != nil {
				t.Fatal(err)
			}
		}
		newest := map[string][]jobboard.JobPostingID{}
		for kind, m := range mirrors {
			newest[kind], _ = all(t, m, jobmirror.Query{Limit: 1000})
		}
		for range 250 {
			q, typed := o.query()
			for kind, m := range mirrors {
				want := o.find(newest[kind], q, typed, tiers)
				if got, total := all(t, m, q); !slices.Equal(got, want) || total != len(want) {
					t.Errorf("seed %d: %q (%s, order %d) finds %v (%d) on %s, want %v", seed, q.Text, q.Language, q.Order, got, total, kind, want)
					o.explain(t, got, want)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("figure: hits by tier: %v", tiers)
	for tier := range 4 {
		if tiers[tier] == 0 {
			t.Errorf("no hit is in tier %d", tier)
		}
	}
}

// oracleLanguages are those of the oracle's postings; of Japanese there is no stemmer.
var oracleLanguages = []string{"de", "fr", "ru", "tr", "ja"}

var oracleStemmers = map[string]func(*snowballstem.Env) bool{
	"de": german.Stem, "fr": french.Stem, "ru": russian.Stem, "tr": turkish.Stem,
}

var oracleWords = strings.Fields(`Pflegefachkraft Krankenpfleger Krankenpflegerinnen Ärztin Arzt Zahnärztin Größe Groesse grosse Bauer Bäuerin Köchin Koch
	Köche Häuser Öfen Büros Krankenhaus Kauffrau Kaufmann Entwickler Entwicklerin Softwareentwicklung Softwareentwicklerin Köln Koeln koln Straße strasse München Übergrößenträger
	IT SAP C3PO 2024 m² Ⅳ ＩＴ ﬁnance naïve cafe` + "\u0301" + ` Kranken` + "\u00ad" + `haus Łódź Ørsted Œuvre encyclopædia infirmière infirmieres Québec
	ёлка елки Медсестра медсёстры водитель İstanbul Hemşire IĞDIR ılık Νοσοκόμα Αθήνα νοσοκομείο مُمَرِّضة ممرضة דָּבָר דבר
	看護師 看護 病院 総合病院 ナース ﾅｰｽ ｶﾞｽ ガス エンジニア IT系エンジニア พยาบาล พยา ພະຍາບານ គិលានុបដ្ឋាយិកា သူနာပြု 간호사 नर्स நர்ஸ் ექთანი բուժքույր
	IT-Leiter it's C++ a_b 24/7 Donaudampfschifffahrtsgesellschaft ` + strings.Repeat("lang", 17))

// oracle knows some postings, and what finds them.
type oracle struct {
	r        *rand.Rand
	postings []*oraclePosting
	stemmed  map[[2]string]string // by language and word
	same     map[[3]string]bool   // by language and two words
}

// oraclePosting is a posting with its texts, without markup.
type oraclePosting struct {
	ID                 jobboard.JobPostingID
	Language, Title    string
	Place, Company, Ad string
	words              map[string]oracleScope // of all its texts
}

// oracleScope says in which texts a word stands.
type oracleScope struct{ title, short bool }

func newOracle(seed uint64) *oracle {
	o := &oracle{r: rand.New(rand.NewPCG(seed, 7)), stemmed: map[[2]string]string{}, same: map[[3]string]bool{}}
	for i := range 120 {
		p := &oraclePosting{
			ID: jobboard.JobPostingID(i + 1), Language: oracleLanguages[o.r.IntN(len(oracleLanguages))], Title: o.some(3),
			Place: o.some(1), Company: o.some(2), Ad: o.some(12), words: map[string]oracleScope{},
		}
		for i, text := range []string{p.Title, p.Place, p.Company, p.Ad} {
			for _, word := range oracleSplit(text) {
				had := p.words[word]
				p.words[word] = oracleScope{had.title || i == 0, had.short || i < 3}
			}
		}
		o.postings = append(o.postings, p)
	}
	return o
}

// some returns one word or more.
func (o *oracle) some(most int) string {
	list := make([]string, 1+o.r.IntN(most))
	for i := range list {
		list[i] = oracleWords[o.r.IntN(len(oracleWords))]
	}
	return strings.Join(list, []string{" ", ", ", " | ", "\u00a0", "."}[o.r.IntN(5)])
}

// ServeHTTP answers a search of the channel in a language.
func (o *oracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var results []any
	for _, p := range o.postings {
		if p.Language != r.Header.Get("Accept-Language") {
			continue
		}
		results = append(results, map[string]any{
			"jobPostingId": p.ID, "postingVersionId": p.ID, "title": p.Title, "config": map[string][]string{
				jobboard.KeyLocationName: {p.Place}, jobboard.KeyCompanyName: {p.Company}, "platform_internalAdText": {marked(p.Ad)},
			},
		})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"totalNumberOfJobs": len(results), "numPages": 1, "results": results})
}

// marked writes a text as a page: in its words stand elements that do not end a word.
func marked(text string) string {
	var b strings.Builder
	b.WriteString("<p>")
	for i, r := range text {
		if i%7 == 3 {
			b.WriteString("<b></b>")
		}
		b.WriteString(html.EscapeString(string(r)))
	}
	return b.String() + "<script>Koch</script>"
}

// oracleTerm is what stands between two spaces of a query, or in quotes.
type oracleTerm struct {
	words  []string
	quoted bool
}

// oracleQuery is a query as the oracle made it, before it was written as a text.
type oracleQuery struct {
	must    [][]oracleTerm
	without []oracleTerm
	nothing bool // there are only signs in it
}

// query returns a query, and what its text means.
func (o *oracle) query() (q jobmirror.Query, meant oracleQuery) {
	var parts []string
	for range o.r.IntN(4) {
		text := o.typed()
		term := oracleTerm{words: oracleSplit(text)}
		if len(term.words) == 0 {
			continue
		}
		switch kind := o.r.IntN(10); {
		case kind == 0 && utf8.RuneCountInString(text) >= 3:
			meant.without = append(meant.without, term)
			parts = append(parts, "-"+text)
		case kind <= 2:
			other := o.typed()
			term.words, term.quoted = append(term.words, oracleSplit(other)...), true
			meant.must = append(meant.must, []oracleTerm{term})
			quotes := []string{`""`, "„“", "«»", "“”"}[o.r.IntN(4)]
			open, shut := []rune(quotes)[0], []rune(quotes)[1]
			parts = append(parts, string(open)+text+" "+other+string(shut))
		case kind <= 4:
			other := o.typed()
			if words := oracleSplit(other); len(words) > 0 {
				meant.must = append(meant.must, []oracleTerm{term, {words: words}})
				parts = append(parts, text+" OR "+other)
			}
		default:
			meant.must = append(meant.must, []oracleTerm{term})
			parts = append(parts, text)
		}
		parts = append(parts, []string{"", "", "", "", "!", "(m/w/d)", "gn", "&"}[o.r.IntN(8)])
	}
	if o.r.IntN(8) == 0 {
		parts = append(parts, `"`) // is no sign without another one
	}
	q = jobmirror.Query{Text: strings.Join(parts, " "), Limit: 1 + o.r.IntN(60), Order: jobmirror.Order(o.r.IntN(3))}
	if o.r.IntN(4) == 0 {
		q.Language = oracleLanguages[o.r.IntN(len(oracleLanguages))]
	}
	meant.nothing = len(meant.must)+len(meant.without) == 0 && strings.TrimSpace(q.Text) != ""
	return q, meant
}

// typed returns what somebody may type for a word: the word, a part of it, another form or
// another spelling, or one with an error.
func (o *oracle) typed() string {
	word := oracleWords[o.r.IntN(len(oracleWords))]
	letters := []rune(word)
	switch o.r.IntN(8) {
	case 0, 1:
		from := o.r.IntN(len(letters))
		return string(letters[from : from+1+o.r.IntN(len(letters)-from)])
	case 2:
		return strings.ToUpper(word)
	case 3:
		return strings.ReplaceAll(oracleSpelled.Replace(strings.ToLower(word)), "ß", "ss")
	case 4:
		return withoutMarks(word)
	case 5:
		return word + []string{"n", "en", "s", "in", "innen", "s", "а", "lar"}[o.r.IntN(8)]
	case 6:
		return mistyped(o.r, word)
	}
	return word
}

// find returns the postings that match, out of a list of all, the newest first, in the order
// of the query; and counts them by tier.
func (o *oracle) find(newest []jobboard.JobPostingID, q jobmirror.Query, meant oracleQuery, tiers map[int]int) []jobboard.JobPostingID {
	var found [4][]jobboard.JobPostingID
	for _, id := range newest {
		p := o.postings[id-1]
		tier, ok := o.tier(p, meant)
		if !ok || q.Language != "" && q.Language != p.Language {
			continue
		}
		if q.Order != jobmirror.Relevance {
			tier = 0
		} else if q.Text != "" {
			tiers[tier]++
		}
		found[tier] = append(found[tier], id)
	}
	list := slices.Concat(found[:]...)
	if q.Order == jobmirror.Oldest {
		slices.Reverse(list)
	}
	return list
}

// tier returns the first of the four tiers that a posting is in, if it matches.
func (o *oracle) tier(p *oraclePosting, q oracleQuery) (int, bool) {
	for _, t := range q.without {
		if o.has(p, t, 2) {
			return 0, false
		}
	}
	each := func(tier int) bool {
		return !slices.ContainsFunc(q.must, func(group []oracleTerm) bool {
			return !slices.ContainsFunc(group, func(t oracleTerm) bool { return o.has(p, t, tier) })
		})
	}
	const asWritten = 4
	if q.nothing || !each(asWritten) {
		return 0, false
	}
	for tier := range 3 {
		if each(tier) {
			return tier, true
		}
	}
	return 3, true
}

// has reports whether a posting has each word of a term: as a form in the title (tier 0), as
// a form or a part in a short text (1), as a form anywhere (2), or in any of these ways (3)
// and words in quotes as they are written (4).
func (o *oracle) has(p *oraclePosting, t oracleTerm, tier int) bool {
	for _, asked := range t.words {
		if !o.finds(p, asked, t.quoted, tier) {
			return false
		}
	}
	return true
}

func (o *oracle) finds(p *oraclePosting, asked string, quoted bool, tier int) bool {
	for word, scope := range p.words {
		in := tier > 1 || scope.title || tier == 1 && scope.short
		if quoted && tier == 4 {
			if bareKey(asked) == bareKey(word) || spelledKey(asked) == spelledKey(word) {
				return true
			}
		} else if in && o.sameForm(p.Language, asked, word) {
			return true
		}
	}
	return !quoted && (tier == 1 || tier >= 3) && (p.hasPart(asked, bareKey) || p.hasPart(asked, spelledKey))
}

// hasPart reports whether a part of four letters or more stands in a word of a short text;
// of a longer one than six letters, whether its pieces do that docs/mirror.md tells of.
func (p *oraclePosting) hasPart(asked string, key func(string) string) bool {
	left := []rune(key(asked))
	if utf8.RuneCountInString(asked) < 4 || len(left) < 4 {
		return false
	}
	for {
		piece := string(left[:min(6, len(left))])
		found := false
		for word, scope := range p.words {
			found = found || scope.short && strings.Contains(key(word), piece)
		}
		switch {
		case !found:
			return false
		case len(left) <= 6:
			return true
		}
		left = left[min(2, len(left)-6):]
	}
}

// sameForm reports whether a typed word and one of a text are forms of one word, in any
// spelling.
func (o *oracle) sameForm(language, asked, word string) bool {
	key := [3]string{language, asked, word}
	same, again := o.same[key]
	if !again {
		same = o.compareForms(language, asked, word)
		o.same[key] = same
	}
	return same
}

func (o *oracle) compareForms(language, asked, word string) bool {
	stem := func(word string) string { return o.stem(language, word) }
	plain := func(word string) []string { return []string{bareKey(stem(word)), stem(bareKey(word))} }
	for _, form := range plain(word) {
		if slices.Contains(plain(asked), form) {
			return true
		}
	}
	if stem(spelledKey(asked)) == stem(spelledKey(word)) {
		return true
	}
	// Somebody who types ae may mean ä.
	meant := oracleUmlauts.Replace(asked)
	isMarked := plain(word)[0] != stem(spelledKey(word)) || plain(word)[0] != plain(word)[1]
	return meant != asked && isMarked && slices.Contains(plain(word), bareKey(stem(meant)))
}

var (
	oracleUmlauts   = strings.NewReplacer("ae", "ä", "oe", "ö", "ue", "ü")
	oracleSpelled   = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")
	oracleLigatures = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l", "đ", "d", "æ", "ae", "œ", "oe", "ı", "i")
	oracleBare      = map[string]string{} // what bareKey returned
)

// oraclePairs are the titles of the oracle's words whose feminine form has more than -in, and
// the plurals that have an umlaut.
var oraclePairs = [][2]string{
	{"ärztin", "arzt"},
	{"arztin", "arzt"},
	{"aerztin", "arzt"},
	{"köchin", "koch"},
	{"kochin", "koch"},
	{"koechin", "koch"},
	{"bäuerin", "bauer"},
	{"bauerin", "bauer"},
	{"baeuerin", "bauer"},
	{"kauffrau", "kaufmann"},
	{"köche", "koch"},
	{"koche", "koch"},
	{"koeche", "koch"},
	{"köchen", "koch"},
	{"kochen", "koch"},
	{"koechen", "koch"},
}

// stem returns the stem of a word in a language; a German title's is that of its masculine
// form.
func (o *oracle) stem(language, word string) string {
	stem, again := o.stemmed[[2]string{language, word}]
	if again {
		return stem
	}
	stem = word
	if reduce := oracleStemmers[language]; reduce != nil && utf8.ValidString(word) {
		if language == "de" {
			stem = oracleMasculine(word)
		}
		env := snowballstem.NewEnv(stem)
		reduce(env)
		if env.Current() != "" {
			stem = env.Current()
		}
	}
	o.stemmed[[2]string{language, word}] = stem
	return stem
}

func oracleMasculine(word string) string {
	for _, pair := range oraclePairs {
		feminine, plural := pair[0], pair[0]
		switch {
		case strings.HasSuffix(feminine, "in"):
			plural += "nen"
		case strings.HasSuffix(feminine, "frau"):
			plural += "en"
		}
		for _, title := range []string{feminine, plural} {
			if before, ok := strings.CutSuffix(word, title); ok {
				return before + pair[1]
			}
		}
	}
	for _, end := range []string{"innen", "in"} {
		if title, ok := strings.CutSuffix(word, end); ok && len(title) >= 4 && (strings.HasSuffix(title, "er") || strings.HasSuffix(title, "ist")) {
			return title
		}
	}
	return word
}

// oracleSplit returns the words of a text, lower-cased and in NFKC: of a writing without
// spaces each character and each two that follow each other.
func oracleSplit(text string) (list []string) {
	text = norm.NFKC.String(text)
	text = strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "").Replace(text)
	text = strings.ReplaceAll(strings.ToLower(text), "i\u0307", "i")
	word, before := "", ""
	end := func() {
		if word != "" && len(word) <= 64 {
			list = append(list, word)
		}
		word = ""
	}
	for _, r := range text {
		switch {
		case r == 'ー', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
			(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
			end()
			list = append(list, string(r))
			if before != "" {
				list = append(list, before+string(r))
			}
			before = string(r)
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			word += string(r)
			before = ""
		default:
			end()
			before = ""
		}
	}
	end()
	return list
}

// bareKey returns a word without marks.
func bareKey(word string) string {
	bare, again := oracleBare[word]
	if !again {
		bare = withoutMarks(oracleLigatures.Replace(word))
		oracleBare[word] = bare
	}
	return bare
}

func withoutMarks(word string) string {
	var letters []rune
	for _, r := range norm.NFD.String(word) {
		hebrewOrArabic := r >= 0x591 && r <= 0x5c7 || r >= 0x64b && r <= 0x65f || r == 0x670
		if r < 0x300 || r > 0x36f && !hebrewOrArabic {
			letters = append(letters, r)
		}
	}
	if len(letters) == 0 {
		return word
	}
	return norm.NFC.String(string(letters))
}

// spelledKey returns a word without marks whose umlauts are spelled in two letters.
func spelledKey(word string) string { return bareKey(oracleSpelled.Replace(word)) }

// explain tells the texts of the postings that were found and should not be, or the other
// way round.
func (o *oracle) explain(t *testing.T, got, want []jobboard.JobPostingID) {
	t.Helper()
	for _, p := range o.postings {
		if slices.Contains(got, p.ID) != slices.Contains(want, p.ID) {
			t.Logf("found: %t: %+v", slices.Contains(got, p.ID), *p)
		}
	}
}
