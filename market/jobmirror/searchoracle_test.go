package jobmirror_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
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
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Both databases find what a simple filter finds that reads every text, knows no index and
// shares no code with the mirror but the stemmers: the same postings, in the same order,
// whatever is typed in whatever writing. So does a document that is compared with a saved search. JOBMIRROR_SEEDS says with which seeds, as for
// TestModelOfAMisleadingBoard.
func TestSearchEqualsAPlainOracle(t *testing.T) {
	t.Parallel()
	first, seeds := 4, size(1, 8) // a seed whose hits are in each tier
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
				Config:      jobboard.Config{BaseURL: board.URL, ClientID: "10"},
				LookupEvery: -1,
				Channels:    []jobmirror.Channel{{ID: "1_all", Languages: oracleLanguages}}, Limit: -1, Synonyms: o.synonymList(),
			})
			refresh(t, mirrors[kind])
			// Without words that may be meant nothing is corrected.
			if err := jobmirror.Exec(t.Context(), mirrors[kind], "DELETE FROM vocabulary"); err != nil {
				t.Fatal(err)
			}
		}
		newest := map[string][]jobboard.JobPostingID{}
		for kind, m := range mirrors {
			newest[kind], _ = all(t, m, jobmirror.Query{Limit: 1000, All: true})
		}
		for range whole(30, 250) {
			q, typed := o.query()
			for kind, m := range mirrors {
				want := o.find(newest[kind], q, typed, tiers)
				if len(want) == 0 {
					want = o.find(newest[kind], q, o.withoutCircumstance(newest[kind], q, typed), tiers)
				}
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
	for tier := range 5 {
		if tiers[tier] == 0 && testenv.Whole() {
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
	IT-Leiter it's C++ C C#-Entwickler ASP.NET .NET node.js Nodejs Full-Stack Fullstack Full Stack Full-Stack-Entwickler a_b 24/7 Donaudampfschifffahrtsgesellschaft ` + strings.Repeat("lang", 17))

// oracle knows some postings, and what finds them.
type oracle struct {
	r        *rand.Rand
	postings []*oraclePosting
	stemmed  map[[2]string]string      // by language and word
	same     map[[3]string]bool        // by language and two words
	synonyms [][]string                // groups of words and phrases
	members  map[string][][]oracleTerm // what the synonyms ask for, by language
}

// oraclePosting is a posting with its texts, without markup.
type oraclePosting struct {
	ID                 jobboard.JobPostingID
	Language, Title    string
	Place, Company, Ad string
	Hidden             bool                   // from visitors
	words              map[string]oracleScope // of all its texts
	joined             map[string]oracleScope // what has a hyphen or a full stop between its words, in the short texts
}

// oracleScope says in which texts a word stands.
type oracleScope struct{ title, short bool }

func newOracle(seed uint64) *oracle {
	o := &oracle{r: rand.New(rand.NewPCG(seed, 7)), stemmed: map[[2]string]string{}, same: map[[3]string]bool{}}
	for i := range 120 {
		p := &oraclePosting{
			ID: jobboard.JobPostingID(i + 1), Language: oracleLanguages[o.r.IntN(len(oracleLanguages))], Title: o.some(3),
			Place: o.some(1), Company: o.some(2), Ad: o.some(12), Hidden: i%8 == 5,
			words: map[string]oracleScope{}, joined: map[string]oracleScope{},
		}
		for i, text := range []string{p.Title, p.Place, p.Company, p.Ad} {
			for _, word := range oracleSplit(text) {
				had := p.words[word]
				p.words[word] = oracleScope{had.title || i == 0, had.short || i < 3}
			}
			for _, word := range oracleJoined(text) {
				if i < 3 {
					p.joined[word] = oracleScope{p.joined[word].title || i == 0, true}
				}
			}
		}
		o.postings = append(o.postings, p)
	}
	for range 15 {
		o.synonyms = append(o.synonyms, o.group())
	}
	o.members = map[string][][]oracleTerm{}
	for _, language := range oracleLanguages {
		for _, group := range o.synonyms {
			var members []oracleTerm
			for _, member := range group {
				members = append(members, oracleMember(language, member))
			}
			o.members[language] = append(o.members[language], members)
		}
	}
	return o
}

// group returns two words or more, or phrases of two, that mean the same.
func (o *oracle) group() (group []string) {
	isNoAbbreviation := func(member string) bool { return !oracleIsAbbreviation(member) }
	for n := 2 + o.r.IntN(3); len(group) < n || !slices.ContainsFunc(group, isNoAbbreviation); {
		member := o.word()
		if o.r.IntN(3) == 0 {
			member += " " + o.word()
		}
		isSame := func(other string) bool {
			return slices.Equal(oracleMember("", other).words, oracleMember("", member).words)
		}
		words := oracleSplit(member)
		isNoLittle := func(word string) bool { return !oracleIsLittle("", []oracleTerm{{words: []string{word}}}) }
		if slices.ContainsFunc(words, isNoLittle) && !strings.Contains(member, "ASP") && !slices.ContainsFunc(group, isSame) {
			group = append(group, member)
		}
	}
	return group
}

func (o *oracle) synonymList() string {
	var list strings.Builder
	for _, group := range o.synonyms {
		list.WriteString(strings.Join(group, ", ") + "\n")
	}
	return list.String()
}

// oracleMember returns what a member of a group asks for, without the little words of a language.
func oracleMember(language, member string) (t oracleTerm) {
	for _, text := range strings.Fields(member) {
		for _, word := range oracleSplit(text) {
			if language == "" || !oracleIsLittle(language, []oracleTerm{{words: []string{word}}}) {
				t.words = append(t.words, word)
			}
		}
	}
	t.words = once(t.words)
	t.abbreviation = oracleIsAbbreviation(member)
	t.joined = oracleWhole(strings.Join(strings.Fields(oracleNormal(member)), "-"))
	return t
}

// withSynonyms adds to the groups of a query the synonyms of what stands in one of them, or in several that
// follow each other.
func (o *oracle) withSynonyms(language string, must [][]oracleTerm) [][]oracleTerm {
	out := slices.Clone(must)
	for _, group := range o.members[language] {
		for _, m := range group {
			for i := range must {
				for n := 1; i+n <= len(must); n++ {
					if !o.asksFor(language, must[i:i+n], m) {
						continue
					}
					for at := i; at < i+n; at++ {
						out[at] = slices.Concat(out[at], oracleSynonyms(group))
					}
				}
			}
		}
	}
	return out
}

// oracleSynonyms returns what a member of a group finds in titles: all that are no abbreviations.
func oracleSynonyms(group []oracleTerm) (list []oracleTerm) {
	for _, m := range group {
		if m.synonym = true; !m.abbreviation {
			list = append(list, m)
		}
	}
	return list
}

// oracleIsAbbreviation reports whether a member is up to four letters with two capitals among them.
func oracleIsAbbreviation(member string) bool {
	return regexp.MustCompile(`^\pL{2,4}$`).MatchString(member) && len(regexp.MustCompile(`\p{Lu}`).FindAllString(member, 2)) == 2
}

// asksFor reports whether groups of a query together ask for a member.
func (o *oracle) asksFor(language string, groups [][]oracleTerm, m oracleTerm) bool {
	same := func(typed, words []string) bool {
		return slices.EqualFunc(typed, words, func(typed, word string) bool { return o.sameForm(language, typed, word) })
	}
	if len(groups) == 1 {
		return slices.ContainsFunc(groups[0], func(t oracleTerm) bool {
			asks := func(typed []string) bool { return same(typed, m.words) || len(m.joined) > 0 && same(typed, m.joined) }
			joined := slices.ContainsFunc(t.joined, func(word string) bool { return asks([]string{word}) })
			return !t.quoted && (asks(t.words) || joined)
		})
	}
	var typed []string
	for _, group := range groups {
		if len(group) != 1 || group[0].quoted {
			return false
		}
		typed = append(typed, group[0].words...)
	}
	return same(typed, m.words)
}

// word returns one of the oracle's words.
func (o *oracle) word() string { return oracleWords[o.r.IntN(len(oracleWords))] }

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
		visibility := "visible"
		if p.Hidden {
			visibility = "internal"
		}
		results = append(results, map[string]any{
			"jobPostingId": p.ID, "postingVersionId": p.ID, "title": p.Title, "config": map[string][]string{
				jobboard.KeyLocationName: {p.Place}, jobboard.KeyCompanyName: {p.Company}, jobboard.KeyVisibility: {visibility}, "platform_internalAdText": {marked(p.Ad)},
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
	joined []string // words that replace all of these

	synonym      bool // forms of it in the title count alone
	abbreviation bool // of a group: no other member finds it
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
		if o.r.IntN(5) == 0 {
			group := o.synonyms[o.r.IntN(len(o.synonyms))]
			for _, text := range strings.Fields(group[o.r.IntN(len(group))]) {
				meant.must = append(meant.must, []oracleTerm{{words: oracleSplit(text), joined: oracleWhole(text)}})
				parts = append(parts, text)
			}
			continue
		}
		text := o.typed()
		term := oracleTerm{words: oracleSplit(text), joined: oracleWhole(text)}
		if len(term.words) == 0 {
			continue
		}
		switch kind := o.r.IntN(10); {
		case kind == 0 && utf8.RuneCountInString(text) >= 3:
			meant.without = append(meant.without, term)
			parts = append(parts, "-"+text)
		case kind <= 2:
			other := o.typed()
			term.words, term.quoted, term.joined = append(term.words, oracleSplit(other)...), true, nil
			meant.must = append(meant.must, []oracleTerm{term})
			quotes := []string{`""`, "„“", "«»", "“”"}[o.r.IntN(4)]
			open, shut := []rune(quotes)[0], []rune(quotes)[1]
			parts = append(parts, string(open)+text+" "+other+string(shut))
		case kind <= 4:
			other := o.typed()
			if words := oracleSplit(other); len(words) > 0 {
				meant.must = append(meant.must, []oracleTerm{term, {words: words, joined: oracleWhole(other)}})
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
	q.All = len(q.Text)%3 == 0
	if o.r.IntN(4) == 0 {
		q.Language = oracleLanguages[o.r.IntN(len(oracleLanguages))]
	}
	meant.must = oracleApart(meant.must)
	meant.nothing = len(meant.must)+len(meant.without) == 0 && strings.TrimSpace(q.Text) != ""
	return q, meant
}

// typed returns what somebody may type for a word: the word itself, a part, another form or
// spelling, or a typing error.
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

// withoutCircumstance returns a query without one of its words that stand alone: the one of whose postings the smallest
// part has it in the title and, among equals, the one that the fewest postings have.
func (o *oracle) withoutCircumstance(newest []jobboard.JobPostingID, q jobmirror.Query, meant oracleQuery) oracleQuery {
	least, part, fewest, others := "", 0.0, 0, 0
	var words []string
	q.Order = jobmirror.Newest
	for _, group := range meant.must {
		switch {
		case oracleIsLittle("", group):
		case len(group) != 1 || group[0].quoted || len(group[0].words) != 1:
			others++
		default:
			word := group[0].words[0]
			words = append(words, word)
			one, titles := oracleQuery{must: [][]oracleTerm{group}}, 0
			found := o.find(newest, q, one, nil)
			for _, id := range found {
				if tier, _ := o.tier(o.postings[id-1], one); tier <= 1 {
					titles++
				}
			}
			n := len(found)
			if share := float64(titles) / float64(max(n, 1)); least == "" || share < part || share == part && n < fewest {
				least, part, fewest = word, share, n
			}
		}
	}
	if len(words)+others < 2 || len(words) == 0 || len(words) > 8 {
		return meant
	}
	meant.must = slices.DeleteFunc(slices.Clone(meant.must), func(group []oracleTerm) bool {
		return len(group) == 1 && !group[0].quoted && len(group[0].words) == 1 && group[0].words[0] == least
	})
	return meant
}

// find returns the postings that match, out of a list of all, the newest first, in the order
// of the query; and counts them by tier.
func (o *oracle) find(newest []jobboard.JobPostingID, q jobmirror.Query, meant oracleQuery, tiers map[int]int) []jobboard.JobPostingID {
	var found [5][]jobboard.JobPostingID
	for _, id := range newest {
		p := o.postings[id-1]
		tier, ok := o.tier(p, meant)
		if !ok || p.Hidden && !q.All || q.Language != "" && q.Language != p.Language {
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

// tier returns the first of the five tiers that a posting is in, if it matches.
func (o *oracle) tier(p *oraclePosting, q oracleQuery) (int, bool) {
	for _, t := range q.without {
		if o.has(p, t, 3) {
			return 0, false
		}
	}
	must := slices.DeleteFunc(slices.Clone(q.must), func(group []oracleTerm) bool { return oracleIsLittle(p.Language, group) })
	if len(must) == 0 {
		must = q.must
	}
	must = o.withSynonyms(p.Language, must)
	each := func(tier int) bool {
		return !slices.ContainsFunc(must, func(group []oracleTerm) bool {
			return !slices.ContainsFunc(group, func(t oracleTerm) bool { return o.has(p, t, tier) })
		})
	}
	const asWritten = 5
	if q.nothing || !each(asWritten) {
		return 0, false
	}
	for tier := range 4 {
		if each(tier) {
			return tier, true
		}
	}
	return 4, true
}

// has reports whether a posting has each word of a term: as a form in the title (tier 0), as
// a form or a part in the title (1), as a form or a part in a short text (2), as a form anywhere (3),
// or in any of these ways (4) and words in quotes as they are written (5).
func (o *oracle) has(p *oraclePosting, t oracleTerm, tier int) bool {
	if t.synonym {
		if tier == 0 {
			return false
		}
		tier = 0 // a form in the title
	}
	for _, word := range t.joined {
		if o.hasForm(p, word, false, tier) {
			return true
		}
	}
	for _, asked := range t.words {
		if !o.finds(p, asked, t.quoted, tier) {
			return false
		}
	}
	return true
}

func (o *oracle) finds(p *oraclePosting, asked string, quoted bool, tier int) bool {
	if o.hasForm(p, asked, quoted, tier) {
		return true
	}
	if quoted || tier != 1 && tier != 2 && tier < 4 {
		return false
	}
	parts := []string{asked}
	if p.Language == "de" {
		parts = append(parts, oracleMasculine(asked))
	}
	return slices.ContainsFunc(parts, func(part string) bool {
		return p.hasPart(part, tier == 1, bareKey) || p.hasPart(part, tier == 1, spelledKey)
	})
}

func (o *oracle) hasForm(p *oraclePosting, asked string, quoted bool, tier int) bool {
	in := func(scope oracleScope) bool { return tier > 2 || scope.title || tier == 2 && scope.short }
	for word, scope := range p.joined {
		if (!quoted || tier != 5) && in(scope) && o.sameForm(p.Language, asked, word) {
			return true
		}
	}
	for word, scope := range p.words {
		if quoted && tier == 5 {
			if bareKey(asked) == bareKey(word) || spelledKey(asked) == spelledKey(word) {
				return true
			}
		} else if in(scope) && o.sameForm(p.Language, asked, word) {
			return true
		}
	}
	return false
}

// hasPart reports whether a part of four letters or more stands in a word of the title or of a short
// text; of a longer one than six letters, whether its pieces do that market/docs/search.md tells of.
func (p *oraclePosting) hasPart(asked string, title bool, key func(string) string) bool {
	left := []rune(key(asked))
	if oracleSigns[asked] || utf8.RuneCountInString(asked) < 4 || len(left) < 4 {
		return false
	}
	for {
		piece := string(left[:min(6, len(left))])
		found := false
		for word, scope := range p.words {
			found = found || (scope.title || scope.short && !title) && !oracleSigns[word] && strings.Contains(key(word), piece)
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

// oracleNormal returns a text in lower case and in NFKC.
func oracleNormal(text string) string {
	text = norm.NFKC.String(text)
	text = strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "").Replace(text)
	return strings.ReplaceAll(strings.ToLower(text), "i\u0307", "i")
}

// oracleSigns has the words that stand for those with signs.
var oracleSigns = map[string]bool{"cplusplus": true, "csharp": true, "fsharp": true, "dotnet": true}

var (
	oracleSigned = regexp.MustCompile(`c\+\+|c#|f#|\.net`)
	oracleBefore = regexp.MustCompile(`(^|[^\pL\pM\p{Nd}])$`)
	oracleAsp    = regexp.MustCompile(`(^|[^\pL\pM\p{Nd}])(asp|vb|ado)$`)
	oracleBehind = regexp.MustCompile(`^($|[^\pL\pM\p{Nd}])`)
)

// withoutSigns returns a normal text with a mark of its own in place of each word with signs, and
// these words.
func withoutSigns(text string) (rest string, list []string) {
	for {
		found := false
		for _, at := range oracleSigned.FindAllStringIndex(text, -1) {
			before, sign, behind := text[:at[0]], text[at[0]:at[1]], text[at[1]:]
			if !oracleBefore.MatchString(before) && (sign != ".net" || !oracleAsp.MatchString(before)) ||
				sign != "c++" && !oracleBehind.MatchString(behind) {
				continue
			}
			list = append(list, map[string]string{"c++": "cplusplus", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}[sign])
			text, found = before+" "+behind, true
			break
		}
		if !found {
			return text, list
		}
	}
}

// oracleJoined returns words connected by a hyphen or a full stop as one word: each two and each three
// neighbours.
func oracleJoined(text string) (list []string) {
	text, _ = withoutSigns(oracleNormal(text))
	chain := regexp.MustCompile(`[\pL\pM\p{Nd}]+(?:[-.\x{2010}][\pL\pM\p{Nd}]+)+`)
	for _, run := range chain.FindAllString(text, -1) {
		words := strings.FieldsFunc(run, func(r rune) bool { return strings.ContainsRune("-.\u2010", r) })
		for i := range words {
			for n := 2; n <= 3 && i+n <= len(words); n++ {
				word := strings.Join(words[i:i+n], "")
				if !slices.ContainsFunc(words[i:i+n], oracleNumber) && len(word) <= 64 {
					list = append(list, word)
				}
			}
		}
	}
	return list
}

// oracleNumber reports whether a word is not joined: it has no letter, or its writing has no spaces.
func oracleNumber(word string) bool {
	return !strings.ContainsFunc(word, unicode.IsLetter) || len(oracleSplit(word)) > 1 || oracleUnspaced([]rune(word)[0])
}

// oracleWhole returns a text as one word, where it has two words or three that are joined and nothing else.
func oracleWhole(text string) []string {
	text = oracleNormal(text)
	if left, signs := withoutSigns(text); len(signs) > 0 || left == "" {
		return nil
	}
	whole := regexp.MustCompile(`[-.\x{2010}]`).ReplaceAllString(text, "")
	for _, word := range oracleJoined(text) {
		first, _ := utf8.DecodeRuneInString(text)
		last, _ := utf8.DecodeLastRuneInString(text)
		isSign := func(r rune) bool { return strings.ContainsRune("-.\u2010", r) }
		if word == whole && !isSign(first) && !isSign(last) {
			return []string{word}
		}
	}
	return nil
}

// oracleApart lets two words that follow each other stand for one, once what is repeated is left out.
func oracleApart(must [][]oracleTerm) (out [][]oracleTerm) {
	same := func(a, b oracleTerm) bool { return a.quoted == b.quoted && slices.Equal(a.words, b.words) }
	for _, group := range must {
		var terms []oracleTerm
		for _, t := range group {
			t.words = once(t.words)
			if !slices.ContainsFunc(terms, func(had oracleTerm) bool { return same(had, t) }) {
				terms = append(terms, t)
			}
		}
		if !slices.ContainsFunc(out, func(had []oracleTerm) bool { return slices.EqualFunc(had, terms, same) }) {
			out = append(out, terms)
		}
	}
	plain := func(group []oracleTerm) bool {
		if len(group) != 1 || group[0].quoted || len(group[0].words) != 1 {
			return false
		}
		word := group[0].words[0]
		letter := func(r rune) bool { return unicode.IsLetter(r) && !oracleUnspaced(r) }
		return len(word) > 1 && !oracleSigns[word] && !oracleIsLittle("", group) && strings.ContainsFunc(word, letter)
	}
	for i := 1; i < len(out); i++ {
		if !plain(out[i-1]) || !plain(out[i]) {
			continue
		}
		if word := out[i-1][0].words[0] + out[i][0].words[0]; len(word) <= 64 {
			out[i-1][0].joined, out[i][0].joined = append(out[i-1][0].joined, word), append(out[i][0].joined, word)
		}
	}
	return out
}

func once(list []string) (out []string) {
	for _, word := range list {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// oracleLittle has the little words of the languages that have such a list.
var oracleLittle = map[string][]string{
	"de": strings.Fields("ab als am an auf aus bei beim bis das dem den der des die durch ein eine einem einen einer eines für im in ins mit nach " +
		"ob oder um und unter vom von vor während zu zum zur zwischen über"),
	"en": strings.Fields("a an and as at by for from in into of off on onto or the to with within"),
	"es": strings.Fields("a al con de del desde e el en la las los o para por sin sobre un una y"),
	"fr": strings.Fields("à au aux avec chez dans de des du en et la le les ou par pour sans sur un une"),
	"it": strings.Fields("a al alla con da dal dalla dei del della delle di e gli i il in la le lo nel nella o per su un una"),
	"nl": strings.Fields("aan als bij de een en het in met naar of om op te van voor"),
	"pt": strings.Fields("a ao com da das de do dos e em na nas no nos o os ou para por um uma"),
}

// oracleIsLittle reports whether a group of a query is a little word of a language; "": of any.
func oracleIsLittle(language string, group []oracleTerm) bool {
	if len(group) != 1 || group[0].quoted || len(group[0].words) != 1 {
		return false
	}
	asked := group[0].words[0]
	for of, list := range oracleLittle {
		isAsked := func(word string) bool { return asked == word || asked == bareKey(word) || asked == spelledKey(word) }
		if (language == "" || language == of) && slices.ContainsFunc(list, isAsked) {
			return true
		}
	}
	return false
}

func oracleUnspaced(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// oracleSplit returns the words of a text, lower-cased and in NFKC: of a writing without
// spaces each character and each two that follow each other. Those with signs come first.
func oracleSplit(text string) (list []string) {
	text, list = withoutSigns(oracleNormal(text))
	word, before := "", ""
	end := func() {
		if word != "" && len(word) <= 64 {
			list = append(list, word)
		}
		word = ""
	}
	for _, r := range text {
		switch {
		case oracleUnspaced(r) &&
			(r == 'ー' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
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
