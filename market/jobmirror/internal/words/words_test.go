package words

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// holds tells what a text index would say of a posting with these tokens.
func (e Expr) holds(tokens []string) bool {
	in := func(e Expr) bool { return e.holds(tokens) }
	switch e.Op {
	case Token:
		return slices.Contains(tokens, e.Text)
	case Begins:
		return slices.ContainsFunc(tokens, func(t string) bool { return strings.HasPrefix(t, e.Text) })
	case And:
		return !slices.ContainsFunc(e.Of, func(e Expr) bool { return !in(e) })
	case Or:
		return slices.ContainsFunc(e.Of, in)
	}
	return in(e.Of[0]) && !slices.ContainsFunc(e.Of[1:], in)
}

// indexed has the tokens of a posting by the pieces of an index.
type indexed map[Pieces][]string

func tokens(t Texts, language string) indexed {
	all := indexed{}
	for _, pieces := range []Pieces{ShortToo, LongOnly} {
		list, _ := (&Tokenizer{Pieces: pieces}).Tokens(t, language)
		slices.Sort(list)
		all[pieces] = list
	}
	return all
}

// has tells what a text index would say of a posting that is asked for, whichever pieces it
// has: they must not change it.
func (had indexed) has(q Query, language string, ask func(Lookup) Expr) bool {
	short := ask(q.In(language, ShortToo)).holds(had[ShortToo])
	if long := ask(q.In(language, LongOnly)).holds(had[LongOnly]); long != short {
		panic(fmt.Sprintf("%+v: found with pieces of four letters: %t, without: %t, in %v", q, short, long, had[LongOnly]))
	}
	return short
}

func tier(i int) func(Lookup) Expr { return func(l Lookup) Expr { return l.Tier(i) } }

func finds(query, title, language string) bool {
	return tokens(Texts{Title: title}, language).has(Parse(query), language, Lookup.All)
}

// A word of an advertisement is found by its forms and its other spellings, but by no part; a
// title's word also by its parts.
func TestFinds(t *testing.T) {
	for _, c := range []struct {
		language, query, text string
		title, body           bool // found as a title, and in an advertisement
	}{
		{"de", "pflege", "Krankenpfleger", true, false},
		{"de", "kraft", "Pflegefachkraft", true, false},
		{"de", "fachkraft", "Pflegefachkraft", true, false},
		{"de", "Entwick", "Softwareentwickler", true, false},
		{"de", "erin", "Lehrerinnen", true, false},
		{"de", "arz", "Facharzt", false, false}, // three letters
		{"de", "Softwareentwickler", "Softwareentwicklerin", true, true},
		{"de", "Softwareentwicklerinnen", "Softwareentwickler", true, true},
		{"de", "groesse", "Größe", true, true},
		{"de", "größe", "GROESSE", true, true},
		{"de", "groesse", "grosse", false, false},
		{"de", "größe", "grosse", true, true},
		{"de", "Bauer", "Bäuer", true, true},
		{"de", "baecker", "Bäckerei", true, false},
		{"de", "elektroniker", "Bauelektroniker", true, false},
		{"de", "strasse", "Straße", true, true},
		{"de", "STRASSE", "straße", true, true},
		{"de", "schulen", "Hochschule", false, false}, // a form of a part
		{"de", "aerztin", "Facharzt", true, false},    // but for the other gender
		{"de", "Fahrerinnen", "Busfahrer", true, false},
		{"de", "Kauffrau", "Bankkaufmann", true, false},
		{"de", "Köchin", "Jungkoechin", true, false},
		{"de", "Autorin", "Autor", true, true},
		{"de", "Rätin", "Vorratslager", false, false}, // three letters
		{"en", "Fahrerin", "Busfahrer", false, false},
		{"de", "baeume", "Bäumen", true, true},
		{"de", "haeuser", "Häusern", true, true},
		{"de", "Zahnärzte", "Zahnarzt", true, true},
		{"fr", "infirmiere", "Infirmière", true, true},
		{"fr", "infirmière", "infirmiere", true, true},
		{"fr", "infirmiers", "infirmier", true, true},
		{"ru", "елка", "Ёлка", true, true},
		{"ru", "ёлка", "елка", true, true},
		{"en", "nurses", "Nursing", true, true},
		{"", "cafe", "Café", true, true},
		{"", "Lodz", "Łódź", true, true},
		{"", "看護", "看護師募集", true, true},
		{"", "師護", "看護師", false, false},
		{"", "พยาบาล", "รับสมัครพยาบาล", true, true},
		{"", "हिंदी", "हदी", false, false}, // a vowel sign is a letter
		{"tr", "istanbul", "İSTANBUL", true, true},
		{"de", "Krankenhaus", "Kranken\u00adhaus", true, true},
		{"de", "wein", "wer", false, false},
		{"de", "Berlin", "Berl", false, false},
		{"de", "Termin", "Term", false, false},
	} {
		q := Parse(c.query)
		if got := tokens(Texts{Title: c.text}, c.language).has(q, c.language, Lookup.All); got != c.title {
			t.Errorf("%s in the title %s (%s): %t", c.query, c.text, c.language, got)
		}
		if got := tokens(Texts{Other: []string{c.text}}, c.language).has(q, c.language, Lookup.All); got != c.body {
			t.Errorf("%s in the advertisement %s (%s): %t", c.query, c.text, c.language, got)
		}
	}
}

// Both genders of a title find each other, in each spelling and number.
func TestGenders(t *testing.T) {
	regular := []string{
		"Lehrer", "Direktor", "Ingenieur", "Sekretär", "Notar", "Jurist", "Assistent", "Praktikant", "Diplomat", "Pilot",
		"Architekt", "Therapeut", "Ökonom", "Chirurg", "Landwirt", "Hauswart", "Chef", "Konditor", "Verkäufer", "Redakteur",
	}
	n := 0
	both := func(a, b string) {
		t.Helper()
		for _, a := range []string{a, keyOf(strings.ToLower(a)).spelled} {
			for _, b := range []string{b, keyOf(strings.ToLower(b)).spelled} {
				if !finds(a, b, "de") || !finds(b, a, "de") {
					t.Errorf("%s and %s do not find each other", a, b)
				}
			}
		}
		n++
	}
	for _, title := range regular {
		both(title, title+"in")
		both(title, title+"innen")
	}
	for _, p := range []string{
		"Psychologe Psychologin", "Pädagoge Pädagogin", "Logopäde Logopädin", "Kollege Kollegin", "Experte Expertin", "Geselle Gesellin",
		"Arzt Ärztin", "Ärzte Ärztinnen", "Zahnarzt Zahnärztin", "Oberarzt Oberärztinnen", "Koch Köchin", "Beikoch Beiköchin", "Köche Köchinnen",
		"Anwalt Anwältin", "Rechtsanwalt Rechtsanwältinnen", "Studienrat Studienrätin", "Bauer Bäuerin", "Landwirt Landwirtin",
		"Kaufmann Kauffrau", "Bürokaufmann Bürokauffrau", "Kaufmann Kaufleute", "Kauffrau Kaufmänner", "Fachmann Fachfrau", "Fachmann Fachleute",
		"Hotelfachmann Hotelfachfrau", "Kameramann Kamerafrau", "Feuerwehrmann Feuerwehrfrau", "Feuerwehrleute Feuerwehrfrau", "Hausmann Hausfrau",
		"Obmann Obfrau", "Ombudsmann Ombudsfrau", "Vertrauensmann Vertrauensfrau", "Geschäftsmann Geschäftsfrau", "Amtmann Amtfrau",
		"Steuermann Steuerfrau", "Seemann Seefrau", "Bergmann Bergfrau", "Wachmann Wachfrau", "Putzmann Putzfrau", "Torwart Torfrau",
		"Sportsmann Sportsfrau", "Staatsmann Staatsfrau", "Kontaktmann Kontaktfrau", "Barmann Barfrau", "Zimmermann Zimmerin", "Zimmermann Zimmerleute",
		"Krankenpfleger Krankenschwester", "Krankenpfleger Krankenschwestern", "Friseur Friseurin", "Friseur Friseuse", "Masseur Masseuse",
		"Souffleur Souffleuse", "Steward Stewardess", "Steward Stewardessen", "Host Hostess", "Bote Botin", "Pate Patin", "Lotse Lotsin", "Zeuge Zeugin",
		"Schöffe Schöffin", "Coach Coachin", "Boss Bossin", "Vogt Vögtin", "Beamter Beamtin", "Beamte Beamtinnen",
	} {
		masculine, feminine, _ := strings.Cut(p, " ")
		both(masculine, feminine)
	}
	if n < 100 {
		t.Errorf("only %d pairs", n)
	}
	for _, p := range pairs {
		if !finds(p.feminine, p.masculine, "de") || !finds(p.masculine, p.feminine, "de") {
			t.Errorf("%s and %s of the list do not find each other", p.masculine, p.feminine)
		}
	}
}

// Little of what is typed means more than a word.
func TestSyntax(t *testing.T) {
	text := Texts{Title: "Pflegefachkraft (m/w/d)", Short: []string{"Köln"}, Other: []string{"Ohne Erfahrung in der Altenpflege, or with Docker"}}
	for query, want := range map[string]bool{
		"":                                    true,
		" ":                                   true,
		"!?":                                  true,
		`"`:                                   true,
		`""`:                                  true,
		"-":                                   true,
		"pflegefachkraft":                     true,
		"pflegefachkräfte":                    true,
		`"pflegefachkraft"`:                   true,
		`"pflegefachkräfte"`:                  false, // as written
		`"fachkraft"`:                         false,
		`„Pflegefachkraft“ Köln`:              true,
		`"erfahrung ohne"`:                    true, // the order is not checked
		`pflegefachkraft "`:                   true,
		`"pflegefachkraft`:                    true,
		"pflegefachkraft -docker":             false,
		"pflegefachkraft -dockern":            false, // another form of it
		"pflegefachkraft -pflege":             true,  // no part
		"pflegefachkraft -in":                 true,  // two letters
		"-docker":                             false,
		"-koch":                               true,
		"koch OR pflegefachkraft":             true,
		"koch or pflegefachkraft":             false, // a word, and the text has no cook
		"koch OR kellner":                     false,
		"OR pflegefachkraft OR":               true,
		"koch OR OR pflegefachkraft köln":     true,
		"koch OR pflegefachkraft hamburg":     false,
		"ohne erfahrung":                      true,
		"pflegefachkraft m/w/d":               true,
		"Pflegefachkraft (w|m|x)":             true,
		"pflegefachkraft (gn)":                true,
		"pflegefachkraft all":                 true,
		"Pflegefachkraft:in":                  true,
		"koeln":                               true,
		"koln":                                true,
		"pflegefachkraft 'köln'":              true,
		"pflegefachkraft köln OR hamburg":     true,
		"docker pflege":                       true,
		"ocker pflege":                        false, // no part of an advertisement's word
		strings.Repeat("pflegefachkraft ", 9): true,
	} {
		q := Parse(query)
		indexed := tokens(text, "de").has(q, "de", Lookup.All)
		if got := indexed && q.Matches(text, "de"); got != want {
			t.Errorf("%q: %t", query, got)
		}
		if indexed != want && !q.Quoted() {
			t.Errorf("%q: the index says %t", query, indexed)
		}
	}
	for _, literal := range []string{`"pflegefachkräfte"`, "-docker", "OR docker", "docker -pflege"} {
		if !tokens(text, "de").has(Literal(literal), "de", Lookup.All) {
			t.Errorf("%q, taken as it stands, finds nothing", literal)
		}
	}
}

// What is repeated in a query is looked for once, however often somebody writes it.
func TestRepeatsAreLookedForOnce(t *testing.T) {
	for repeated, once := range map[string]string{
		"koch Koch koch":                   "koch",
		"koch OR koch OR kellner OR koch":  "koch OR kellner",
		"koch koch OR kellner":             "koch (koch OR kellner",
		`-koch -koch "koch" "koch" koch`:   `-koch "koch" koch`,
		"看看看看":                             "看看",
		"a/b/a/b":                          "a/b",
		"koch OR kellner, koch OR kellner": "koch OR kellner",
	} {
		if got, want := Parse(repeated), Parse(once); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, want %+v", repeated, got, want)
		}
	}
	if got := Literal("koch kellner koch"); !reflect.DeepEqual(got, Literal("koch kellner")) || got.Words() != 2 {
		t.Errorf("%+v", got)
	}
	if n := Parse(`koch OR kellner "in köln" -praktikum`).Words(); n != 5 {
		t.Errorf("%d words, not 5", n)
	}
}

// Each hit is in one tier, the better the nearer its words are to the title.
func TestTiers(t *testing.T) {
	for _, c := range []struct {
		text Texts
		want int
	}{
		{Texts{Title: "Koch in Köln"}, 0},
		{Texts{Title: "Beikochkraft in Köln"}, 1},
		{Texts{Title: "Köche", Short: []string{"Köln"}}, 2},
		{Texts{Title: "Beikochkraft", Short: []string{"Köln"}}, 2},
		{Texts{Title: "in Köln", Short: []string{"Beikochkraft"}}, 2},
		{Texts{Title: "Koch", Other: []string{"bei Köln"}}, 3},
		{Texts{Title: "Beikochkraft", Other: []string{"bei Köln"}}, 4},
		{Texts{Title: "Kellner", Other: []string{"in Köln"}}, -1},
		{Texts{Title: "Koch in Köln", Other: []string{"Praktikum"}}, -1}, // left out
	} {
		found := []int{}
		for i := range Parse("koch köln -praktikum").Tiers() {
			if tokens(c.text, "de").has(Parse("koch köln -praktikum"), "de", tier(i)) {
				found = append(found, i)
			}
		}
		if want := []int{c.want}; c.want < 0 && len(found) > 0 || c.want >= 0 && !slices.Equal(found, want) {
			t.Errorf("%v is in %v, want %d", c.text, found, c.want)
		}
	}
}

// What an index finds is what the texts say, over many queries; the tiers together have every
// hit, each posting in one.
func TestIndexAgreesWithTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields(`Pflegefachkraft Krankenpfleger Krankenpflegerin Ärztin Arzt Größe groesse grosse Bauer Bäuerin infirmière
		infirmiere ёлка елка Straße strasse Entwickler Softwareentwicklerin Koch Köln Koeln koln IT SAP 看護師 พยาบาล café Łódź C3PO naïve
		in für chez Kaufmann/-frau Full-Stack Fullstack Stack Full node.js Nodejs C++ C .NET Net C#-Entwickler ASP.NET Plus dotnet`)
	signs := []string{"", "", "", "", "-", `"`, "OR "}
	some := func(n int) (words []string) {
		for range r.IntN(n) {
			w := vocabulary[r.IntN(len(vocabulary))]
			if letters := []rune(w); r.IntN(4) == 0 {
				w = string(letters[r.IntN(len(letters)):])
			}
			words = append(words, w)
		}
		return words
	}
	for range 3000 {
		language := []string{"de", "fr", "ru", ""}[r.IntN(4)]
		text := Texts{Title: strings.Join(some(4), " "), Short: some(3), Other: some(6)}
		var query strings.Builder
		for _, w := range some(4) {
			sign := signs[r.IntN(len(signs))]
			query.WriteString(sign + w)
			if sign == `"` {
				query.WriteString(sign)
			}
			query.WriteString(" ")
		}
		q, had := Parse(query.String()), tokens(text, language)
		indexed, matches := had.has(q, language, Lookup.All), q.Matches(text, language)
		if matches && !indexed && !slices.ContainsFunc(q.without, func(t term) bool { return t.quoted }) || indexed != matches && !q.Quoted() {
			t.Fatalf("%q in %+v (%s): the index says %t, the texts %t", query.String(), text, language, indexed, matches)
		}
		tiers := 0
		for i := range q.Tiers() {
			if had.has(q, language, tier(i)) {
				tiers++
			}
		}
		if tiers > 1 || (tiers == 1) != indexed {
			t.Fatalf("%q in %+v (%s): %d tiers, found: %t", query.String(), text, language, tiers, indexed)
		}
	}
}

// Of a part that is longer than a piece each piece must occur, so that two words of a posting
// may make it up where they overlap.
func TestLongPartsAreFoundByPieces(t *testing.T) {
	const part = "donaudampfschifffahrt"
	for title, want := range map[string]bool{
		"Donaudampfschifffahrtsgesellschaft": true,
		"Donaudampfschiff, Dampfschifffahrt": true,
		"Donaudampf, Dampfschifffahrt":       true,
		"Donaudam, Dampfschifffahrt":         false, // they overlap in too few letters
		"Donaudam, mpfschifffahrt":           false,
		"Donaudampfschiff":                   false,
		"Dampfschifffahrt":                   false,
	} {
		text := Texts{Title: title}
		if got, matches := finds(part, title, ""), Parse(part).Matches(text, ""); got != want || matches != want {
			t.Errorf("%s: %t, and by its texts %t", title, got, matches)
		}
	}
}

// Every part of four letters or more of a word in a short text finds it.
func TestPartsAreComplete(t *testing.T) {
	for _, word := range []string{"Softwareentwicklerin", "Straßenwärter", "Größenordnung", "Ärzteschaft", "infirmière", "водитель", "Œuvres"} {
		had, letters := tokens(Texts{Short: []string{word}}, "de"), []rune(word)
		for i := range letters {
			for j := i + minPart; j <= len(letters); j++ {
				if part := string(letters[i:j]); !had.has(Parse(part), "de", Lookup.All) {
					t.Errorf("%s does not find %s", part, word)
				}
			}
		}
	}
}

func TestText(t *testing.T) {
	for page, want := range map[string]string{
		"Kran<b>ken</b>haus":                    "Krankenhaus",
		"<p>Kranken<br>haus</p>":                "Kranken haus",
		"<li>Nurse<li>Cook":                     "Nurse Cook",
		"a &amp; b":                             "a & b",
		"<script>var x = 'hidden'</script>seen": "seen",
		"<style>p { color: red }</style>seen":   "seen",
		"plain":                                 "plain",
		"3 < 4":                                 "3 < 4",
		"wide<span style=x> and <i>narrow</i></span>":  "wide and narrow",
		"Kranken<!-- a remark -->haus":                 "Krankenhaus",
		"a<script>b</script>c<style>d</style>e":        "a c e",
		"a<script>'</b>'</script>b<b>c</b>":            "a bc",
		"a<style>b":                                    "a",
		"a<b>b<script>c</script></b>d<title>e</title>": "ab d e",
	} {
		if got := strings.Join(strings.Fields(Text(page)), " "); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

func TestSnippet(t *testing.T) {
	text := "Wir suchen für unser Haus in Köln eine erfahrene Pflegefachkraft. " + strings.Repeat("Wir bieten viel. ", 20) + "Krankenpfleger sind willkommen."
	show := func(query string, letters int) string {
		s := Parse(query).Snippet(text, "de", letters)
		shown := s.Text
		for _, m := range slices.Backward(s.Marks) {
			shown = shown[:m.Begin] + "[" + shown[m.Begin:m.End] + "]" + shown[m.End:]
		}
		return shown
	}
	for _, c := range []struct {
		query   string
		letters int
		want    string
	}{
		{"pflegefachkräfte", 60, "… Köln eine erfahrene [Pflegefachkraft]. Wir bieten viel. Wir …"},
		{"krankenpflegerin", 40, "… bieten viel. [Krankenpfleger] sind …"},
		{"willkommen", 40, "… viel. Krankenpfleger sind [willkommen]."},
		{"koeln pflegefachkraft", 60, "… für unser Haus in [Köln] eine erfahrene [Pflegefachkraft]. Wir …"},
		{"wir", 20, "[Wir] suchen für unser …"},
		{"pflege", 40, ""},
		{`"Häuser"`, 60, ""},
		{"", 60, ""},
	} {
		if got := show(c.query, c.letters); got != c.want {
			t.Errorf("%s: %q, want %q", c.query, got, c.want)
		}
	}
}

// In a snippet the blocks of an advertisement are apart, and a line that was only wrapped is one.
func TestSnippetKeepsBlocksApart(t *testing.T) {
	ad := "<h2>Ihre Aufgaben</h2><ul><li>Sie pflegen\nund <b>begleiten</b></li><li>Sie helfen.</li></ul><p>Ihr Profil:</p><p>Freude</p>"
	s := Parse("begleiten").Snippet(Text(ad), "de", 160)
	if want := "Ihre Aufgaben • Sie pflegen und begleiten • Sie helfen. Ihr Profil: Freude"; s.Text != want {
		t.Errorf("%q, want %q", s.Text, want)
	}
	for _, m := range s.Marks {
		if s.Text[m.Begin:m.End] != "begleiten" {
			t.Errorf("marks %q", s.Text[m.Begin:m.End])
		}
	}
}

// A snippet has nothing that could turn or hide the words around it, and marks the same words.
func TestSnippetWithoutControls(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"nurse", "A \u202enight\u202c \x1b[2J nurse\x00, \u2067now\u2069\u0085here\x07", "A night [2J [nurse] , now here"},
		{"nur", "Nur\u202ese", "[Nur] se"}, // of which the words are found alone
		{"nurse", "Nur\u00adse \u200fin\u200e", "[Nur\u00adse] \u200fin\u200e"},
	} {
		s := Parse(c.query).Snippet(c.text, "", 60)
		shown := s.Text
		for _, m := range slices.Backward(s.Marks) {
			shown = shown[:m.Begin] + "[" + shown[m.Begin:m.End] + "]" + shown[m.End:]
		}
		if shown != c.want {
			t.Errorf("%s: %q, want %q", c.query, shown, c.want)
		}
	}
}

// Of a writing without spaces the characters that were found are marked, not all of the run.
func TestSnippetOfWritingsWithoutSpaces(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"看護師", "総合病院の看護師募集・医師も", "総合病院の[看護師]募集・医師も"},
		{"師", "看護師と医師", "看護[師]と医[師]"},
		{"看護師 医師", "看護師と医師", "[看護師]と[医師]"},
		{"護士", "护士长", ""},
		{"护士", "护士长护士", "[护士]长[护士]"},
		{"ナース", "当院のﾅｰｽ募集", "当院の[ﾅｰｽ]募集"},
		{"ガス", "都市ｶﾞｽの仕事", "都市[ｶﾞｽ]の仕事"},
		{"it", "IT系エンジニア", "[IT]系エンジニア"},
		{"エンジニア", "IT系エンジニア", "IT系[エンジニア]"},
		{"系エンジ", "IT系エンジニア", "IT[系エンジ]ニア"},
		{"พยาบาล", "รับสมัครพยาบาลกรุงเทพ", "รับสมัคร[พยาบาล]กรุงเทพ"},
		{"看病", "看護と病院", ""},
		{"看護", "医看\u200b護師", "医[看\u200b護]師"}, // a space of no width stands between the words of many pages
		{"看護師", "看\u00ad護\u200b師も", "[看\u00ad護\u200b師]も"},
		{"พยาบาล", "รับพยา\u200bบาลไทย", "รับ[พยา\u200bบาล]ไทย"},
	} {
		s := Parse(c.query).Snippet(c.text, "", 60)
		shown := s.Text
		for _, m := range slices.Backward(s.Marks) {
			shown = shown[:m.Begin] + "[" + shown[m.Begin:m.End] + "]" + shown[m.End:]
		}
		if shown != c.want {
			t.Errorf("%s: %q, want %q", c.query, shown, c.want)
		}
	}
}

// No text of a query or a posting is a mistake.
func FuzzWords(f *testing.F) {
	f.Add(`koch -"x" OR „y“ m/w/d`, "<p>Koch", "de")
	f.Add("-\u0301\u00ad OR -ÄÖ", "İ\u0307ﬁ\xff", "tr")
	f.Fuzz(func(t *testing.T, query, text, language string) {
		if len(query)+len(text) > 2000 {
			return // the test compares each token with each
		}
		language = Stemmer(language)
		texts := Texts{Title: text, Short: []string{text}, Other: []string{Text(text)}}
		q, had := Parse(query), tokens(texts, language)
		for _, token := range had[ShortToo] {
			if token == "" || strings.ContainsAny(token, " '\"\\:*") {
				t.Errorf("the token %q", token)
			}
		}
		if indexed := had.has(q, language, Lookup.All); indexed != q.Matches(texts, language) && !q.Quoted() {
			t.Errorf("the index says %t", indexed)
		}
		s := q.Snippet(text, language, 40)
		for _, m := range s.Marks {
			if m.Begin >= m.End || m.End > len(s.Text) {
				t.Errorf("the mark %v of %q", m, s.Text)
			}
		}
	})
}

// What an index remembers of postings changes nothing of those after them, and is bounded.
func TestIndexRemembersWordsAlone(t *testing.T) {
	var warm Tokenizer
	for i := range 40 {
		var text strings.Builder
		for j := range 1000 {
			fmt.Fprintf(&text, "Wort%d ", (i*900+j)%30_000)
		}
		texts := Texts{
			Title: fmt.Sprintf("Größe Größe %d", i%3), Short: []string{"Köln", "Pflege GmbH Größe"},
			Other: []string{text.String(), "größen Größe 病院"},
		}
		language := []string{"de", "en"}[i%2]
		got, _ := warm.Tokens(texts, language)
		slices.Sort(got)
		if want := slices.Compact(tokens(texts, language)[ShortToo]); !slices.Equal(got, want) {
			t.Fatalf("posting %d: %d tokens, not the %d of an index that is new", i, len(got), len(want))
		}
		kept := 0
		for _, l := range warm.lexicons {
			kept += len(l.words)
		}
		if kept > maxLexicon+2000 {
			t.Fatalf("after %d postings it remembers %d words", i, kept)
		}
	}
}

// A posting without a new word, like most postings.
func BenchmarkIndex(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var ads [20]string
	for i := range ads {
		var ad strings.Builder
		for range 700 {
			fmt.Fprintf(&ad, "%s%s ", []string{"Mitarbeiter", "Pflege", "wir", "und", "Größe", "Entwicklung", "die", "Aufgaben"}[r.IntN(8)],
				[]string{"", "", "ung", "innen", "en"}[r.IntN(5)]+[]string{"", fmt.Sprint(r.IntN(99))}[r.IntN(2)])
		}
		ads[i] = ad.String()
	}
	var tokenizer Tokenizer
	for i := 0; b.Loop(); i++ {
		tokenizer.Tokens(Texts{
			Title: "Pflegefachkraft (m/w/d) im Nachtdienst", Short: []string{"Köln", "Pflege GmbH"}, Other: ads[i%len(ads):][:1],
		}, "de")
	}
}

// The words that are nearest to one are found in every spelling, and in whatever block
// they stand.
func TestNearest(t *testing.T) {
	blocks := []*Block{
		NewBlock(slices.Values([]string{"pflege", "küche", "größe", "krankenpfleger", "bern", "ёлками"})),
		NewBlock(slices.Values([]string{"berlin", "küche", "krankenpflege", "kuchen"})),
	}
	for word, want := range map[string][]Near{
		"pflgee":         {{"pflege", 1}},
		"kuecje":         {{"küche", 1}},
		"küchr":          {{"küche", 1}},
		"kuche":          {{"küche", 0}, {"kuchen", 1}},
		"groesze":        {{"größe", 1}},
		"berln":          {{"berlin", 1}, {"bern", 1}},
		"krankenpflegge": {{"krankenpflege", 1}, {"krankenpfleger", 2}},
		"kranknpfleegr":  {{"krankenpfleger", 2}},
		"kuchn":          {{"kuchen", 1}, {"küche", 1}},
		"pfl":            nil,
		"елкамм":         {{"ёлками", 1}},
		"nichtsdavon":    nil,
	} {
		if got := Nearest(blocks, []string{word}, 20)[0]; !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
	if got := Nearest(blocks, []string{"berln"}, 1)[0]; len(got) != 1 {
		t.Errorf("%d words, not 1", len(got))
	}
	if got := slices.Collect(blocks[0].Words()); len(got) != 8 { // küche and größe have two keys
		t.Errorf("the words of a block: %q", got)
	}
}

// The vocabulary has the words that somebody who mistypes may mean.
func TestNoted(t *testing.T) {
	_, list := new(Tokenizer).Tokens(Texts{Title: "Ärztin in Köln, die nichts kann", Other: []string{"看護師 พยาบาล abc12 1234 ёлка"}}, "de")
	if want := []string{"ärztin", "köln", "nichts", "kann", "ёлка"}; !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
}
