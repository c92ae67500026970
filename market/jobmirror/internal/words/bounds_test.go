package words

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Elements of emphasis divide no word, each other element does: by its start tag, its end tag,
// or both.
func TestElementsThatPartWords(t *testing.T) {
	within := strings.Fields("a abbr b code del em font i ins mark s small span strike strong sub sup u wbr")
	between := strings.Fields(`address article aside audio blockquote body br button canvas caption center col dd details dialog dir div dl dt
		fieldset figcaption figure footer form frame h1 h2 h3 h4 h5 h6 head header hr html iframe img input label legend li link main map menu
		meta nav object ol optgroup option p param picture pre q section select source summary svg table tbody td template textarea tfoot th
		thead title tr track ul video job-title unheard-of`)
	check := func(names []string, want string) {
		t.Helper()
		for _, name := range names {
			for _, page := range []string{
				"Kranken<%s>haus", "Kranken</%s>haus", "Kranken<%s/>haus", "Kranken<%s class='x' id=y>haus", "Kranken</%s >haus",
			} {
				for _, name := range []string{name, strings.ToUpper(name)} {
					page := fmt.Sprintf(page, name)
					if got := strings.Fields(Text(page)); strings.Join(got, " ") != want {
						t.Errorf("%s: %q, want %q", page, got, want)
					}
				}
			}
		}
	}
	check(within, "Krankenhaus")
	check(between, "Kranken haus")
	if len(within) != len(inline) {
		t.Errorf("%d elements of emphasis are looked at, of %d", len(within), len(inline))
	}
}

// What titles say of genders is no word of a query, unless there is no other: then it is
// searched as typed.
func TestQueriesOfGenders(t *testing.T) {
	for _, said := range []string{
		"m/w/d", "m/w", "w/m", "m/w/d/x", "(m/w/d)", "[m/w/d]", "(M/W/D)", "m|w|d", "m*w*d", "m,w,d", "m, w, d", "(m / w / d)", "(f/m/x)", "(w/m/i)",
		"(gn)", "(gn*)", "(all)", "(alle)", "(all genders)", "(all gender)", "(alle Geschlechter)", "(Mensch)", "(divers)", "[gn]",
		"gn", "all", "ALL", "mwd", "wmd", "mwx", "mfd",
	} {
		if got, want := Parse("koch "+said+" köln"), Parse("koch köln"); !reflect.DeepEqual(got, want) {
			t.Errorf("koch %s köln is read as %+v", said, got)
		}
		if got, want := Parse(said+" koch"), Parse("koch"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s koch is read as %+v", said, got)
		}
		alone := Parse(said)
		if alone.Empty() || !alone.Matches(Texts{Title: "Koch " + said}, "de") || alone.Matches(Texts{Title: "Koch"}, "de") {
			t.Errorf("%s alone is read as %+v", said, alone)
		}
	}
	for _, said := range []string{":in", ":innen", "*in", "*innen", "_in", "_innen", "·in", "/-in", "/-innen", "/in", "/innen", "(in)", "(innen)"} {
		if got, want := Parse("Entwickler"+said+" köln"), Parse("Entwickler köln"); !reflect.DeepEqual(got, want) {
			t.Errorf("Entwickler%s is read as %+v", said, got)
		}
	}
	for text, words := range map[string][]string{ // which hold no genders
		"m": {"m"}, "m w": {"m", "w"}, "a/b": {"a", "b"}, "alle": {"alle"}, "mall": {"mall"}, "it:in": {"it", "in"}, "alles (klar)": {"alles", "klar"},
		"koch:inhalt": {"koch", "inhalt"}, "mwdx": {"mwdx"}, "(mensch": {"mensch"}, "am/wo": {"am", "wo"},
	} {
		var got []string
		for _, group := range Parse(text).must {
			got = append(got, group[0].words...)
		}
		if !slices.Equal(got, words) {
			t.Errorf("%s is read as %q, want %q", text, got, words)
		}
	}
	for _, nothing := range []string{"", " ", "!?", "-", `""`, "OR", "OR OR", "()"} {
		if q := Parse(nothing); !q.Empty() || q.Words() != 0 || q.Quoted() || len(q.Mistakable()) > 0 {
			t.Errorf("%q is read as %+v", nothing, q)
		}
	}
}

// Texts that are typed in different ways are one query.
func TestSignsOfQueries(t *testing.T) {
	for text, same := range map[string]string{
		"koch OR ! OR kellner":            "koch OR kellner",
		"koch OR -kellner köln":           "koch köln -kellner", // OR joins nothing with what is left out
		"-kellner OR koch":                "koch -kellner",
		"OR koch":                         "koch",
		"koch OR":                         "koch",
		"“koch”":                          `"koch"`,
		"„koch“":                          `"koch"`,
		"«koch»":                          `"koch"`,
		"»koch«":                          `"koch"`,
		`"koch" "köln"`:                   `"koch""köln"`,
		`"koch`:                           "koch",
		`koch"`:                           "koch",
		`köln "koch`:                      "köln koch",
		"\tkoch\n\u00a0köln\u2003":        "koch köln",
		"-ab":                             "ab",
		"-ä":                              "ä",
		"--abc":                           "-abc",
		"koch -!!!":                       "koch",
		"Koch KÖLN":                       "koch köln",
		"ko\u00adch k\u200boeln":          "koch koeln",
		strings.Repeat("x", 65) + " koch": "koch",
	} {
		if got, want := Parse(text), Parse(same); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, and %q as %+v", text, got, same, want)
		}
	}
	for text, want := range map[string]struct {
		without, tiers int
		quoted         bool
		mistakable     []string
	}{
		"":                              {0, 4, false, nil},
		"koch":                          {0, 4, false, nil},
		"köche":                         {0, 4, false, []string{"köche"}},
		"köche köche kellner":           {0, 5, false, []string{"köche", "kellner"}},
		"koch OR kellner":               {0, 4, false, []string{"kellner"}},
		"kellner-koch":                  {0, 5, false, []string{"kellner"}},
		`"kellner"`:                     {0, 4, true, nil},
		`"kellner koch"`:                {0, 5, true, nil},
		`koch OR "kellner"`:             {0, 4, true, nil},
		"koch OR koch-kellner":          {0, 5, false, []string{"kellner"}},
		"koch -abc":                     {1, 4, false, nil},
		"koch -ab":                      {0, 5, false, nil},
		"-äöü":                          {1, 4, false, nil},
		"koch -kellner -kellner -gäste": {2, 4, false, nil},
	} {
		q := Parse(text)
		if len(q.without) != want.without || q.Tiers() != want.tiers || q.Quoted() != want.quoted || !slices.Equal(q.Mistakable(), want.mistakable) {
			t.Errorf("%q is read as %+v with %d tiers, quoted: %t, mistakable: %q", text, q, q.Tiers(), q.Quoted(), q.Mistakable())
		}
	}
}

// Replacements of a mistyped word do not apply to words in quotes, and leave the typed query
// unchanged.
func TestCorrectedQueries(t *testing.T) {
	typed := Parse(`kelner OR "kelner" -kelner`)
	corrected := typed.Corrected(map[string][]string{"kelner": {"kellner", "keller"}})
	if !reflect.DeepEqual(typed, Parse(`kelner OR "kelner" -kelner`)) {
		t.Errorf("it was changed: %+v", typed)
	}
	if n := corrected.Words(); n != 3 {
		t.Errorf("%d words", n)
	}
	for title, want := range map[string]bool{"Kellner": true, "Keller": true, "Kelner": false, "Keiler": false} {
		text := Texts{Title: title}
		if got := corrected.Matches(text, "de"); got != want {
			t.Errorf("%s: %t", title, got)
		}
		if got := tokens(text, "de").has(corrected, "de", Lookup.All); got != want {
			t.Errorf("%s, by the index: %t", title, got)
		}
		if typed.Matches(text, "de") {
			t.Errorf("%s is found as it was typed", title)
		}
	}
	if quoted := Parse(`"kelner"`).Corrected(map[string][]string{"kelner": {"kellner"}}); quoted.Matches(Texts{Title: "Kellner"}, "de") {
		t.Error("what is in quotes was corrected")
	}
}

// A word is a run of letters, digits and marks, of 64 bytes at most.
func TestIsWord(t *testing.T) {
	for text, want := range map[string]bool{
		"koch": true, "größe": true, "c3po": true, "1234": true, "ёлка": true, "é": true, "看": true, "ไ": true,
		strings.Repeat("x", 64): true, strings.Repeat("ä", 32): true,
		"": false, " ": false, "koch köln": false, " koch": false, "koch ": false, "Koch": false, "ko-ch": false, "-": false, "_p": false, "a.b": false,
		"ko\u00adch": false, "ﬁ": false, "看護": false, strings.Repeat("x", 65): false, strings.Repeat("ä", 33): false,
	} {
		if got := Is(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	for text, want := range map[string][]string{
		"a-b c": {"a", "b", "c"}, "看護師": {"看", "護", "看護", "師", "護師"}, "it看護": {"it", "看", "護", "看護"}, "看it護": {"看", "it", "護"},
		"看 護": {"看", "護"}, "ー": {"ー"}, "ナース": {"ナ", "ー", "ナー", "ス", "ース"}, "ກຂ": {"ກ", "ຂ", "ກຂ"}, "កខ": {"ក", "ខ", "កខ"}, "ကခ": {"က", "ခ", "ကခ"},
		"กข": {"ก", "ข", "กข"}, "한국": {"한국"}, "हिंदी": {"हिंदी"},
	} {
		if got := slices.Collect(split(text)); !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
		for i := range want { // who has enough gets no more
			n := 0
			for range split(text) {
				if n++; n > i {
					break
				}
			}
			if n != i+1 {
				t.Errorf("%q: %d words after the loop ended at word %d", text, n, i+1)
			}
		}
	}
}

// A word of less than five letters means itself, one of less than nine may have one letter
// wrong, and longer ones two.
func TestHowMuchMayBeMistyped(t *testing.T) {
	for _, c := range []struct {
		typed, meant string
		distance     int // -1: it is not found
	}{
		{"abcd", "abcd", 0},
		{"abcd", "abce", -1},
		{"äöüä", "äöüö", -1}, // eight bytes, but four letters
		{"abcde", "abcdx", 1},
		{"abcde", "abcxx", -1},
		{"abcde", "abcd", 1},
		{"abcde", "abcdef", 1},
		{"abcde", "abc", -1},
		{"abcde", "abcdefg", -1},
		{"abcdefgh", "abcdefgx", 1},
		{"abcdefgh", "abcdefxx", -1},
		{"abcdefghi", "abcdefgxx", 2},
		{"abcdefghi", "abcdefg", 2},
		{"abcdefghi", "abcdefghijk", 2},
		{"abcdefghi", "abcdefxxx", -1},
		{"abcdefghi", "abcdef", -1},
		{"abcdefghi", "abcdefghijkl", -1},
		{strings.Repeat("abcdefgh", 8), strings.Repeat("abcdefgh", 8), 0}, // as many letters as a pattern has
		{strings.Repeat("abcdefgh", 8), strings.Repeat("abcdefgh", 7) + "abcdefgx", 1},
		{strings.Repeat("ö", 32), strings.Repeat("ö", 31) + "u", 1}, // whose spelled key has
	} {
		got := Nearest([]*Block{NewBlock(slices.Values([]string{c.meant}))}, []string{c.typed}, 9)[0]
		if want := []Near{{c.meant, c.distance}}; c.distance < 0 && len(got) > 0 || c.distance >= 0 && !slices.Equal(got, want) {
			t.Errorf("%s may mean %v, want %s by %d", c.typed, got, c.meant, c.distance)
		}
	}
	several := []*Block{NewBlock(slices.Values([]string{"kellner", "keller", "kelter", "heller", "teller"}))}
	for most, want := range [][]string{{}, {"keller"}, {"keller", "heller"}, {"keller", "heller", "kellner"}} {
		var got []string
		for _, n := range Nearest(several, []string{"keller"}, most)[0] {
			got = append(got, n.Word)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the %d nearest are %q, want %q", most, got, want)
		}
	}
}

// Words that are looked for together mean what each of them means alone.
func TestNearestOfSeveral(t *testing.T) {
	blocks := []*Block{
		NewBlock(slices.Values([]string{"kellner", "keller", "größe", "krankenpfleger"})),
		NewBlock(slices.Values([]string{"teller", "grosse", "pflege", "krankenpflege"})),
	}
	typed := []string{"keler", "abcdefgh", "groesse", "krankenpfleeger", "pflge", "kelller", "keler"}
	together, found := Nearest(blocks, typed, 9), 0
	for i, word := range typed {
		alone := Nearest(blocks, []string{word}, 9)[0]
		if !slices.Equal(together[i], alone) {
			t.Errorf("%q means %v, alone %v", word, together[i], alone)
		}
		found += len(alone)
	}
	if len(together) != len(typed) || found < 9 {
		t.Errorf("%d of %d mean %d", len(together), len(typed), found)
	}
}

// Words of four letters and more are noted, and none with digits or of writings without spaces.
func TestWhichWordsAreNoted(t *testing.T) {
	for word, want := range map[string]bool{
		"": false, "abc": false, "abcd": true, "äöü": false, "äöüä": true, "ёлка": true, "abc1": false, "1abcd": false, "abc٣": false, "看護師募集": false, "abc看": false,
		"नौकरी": true,
	} {
		if got := noted(word); got != want {
			t.Errorf("%q: %t", word, got)
		}
	}
}

// A block takes words of as many letters as one can have, and leaves out longer ones. A caller
// who stops early gets no further words.
func TestBlocksOfLongWords(t *testing.T) {
	longest := strings.Repeat("x", maxLetters)
	b := NewBlock(slices.Values([]string{longest, longest + "x", "größe", "koch", "koch"}))
	if got, want := slices.Collect(b.Words()), []string{"koch", "größe", "größe", longest}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := len("koch") + len("grosse\tgröße") + len("groesse\tgröße") + len(longest); b.Size() != want {
		t.Errorf("%d bytes, want %d", b.Size(), want)
	}
	for range b.Words() {
		break // going on would panic
	}
	if got := slices.Collect(b.Words()); !slices.Contains(got, longest) || slices.Contains(got, longest+"x") {
		t.Errorf("%q", got)
	}
	if got := Nearest([]*Block{NewBlock(slices.Values([]string(nil)))}, []string{"kellner"}, 9)[0]; len(got) != 0 {
		t.Errorf("an empty block has %v", got)
	}
}

// A snippet has no more letters than it may, begins and ends with whole words, and marks each
// place of the word that it shows.
func TestSnippetsKeepToTheirLetters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	vocabulary := strings.Fields("wir suchen eine erfahrene Pflegekraft für größere Aufgaben in Köln – auch im Nachtdienst")
	for range 3000 {
		list := make([]string, 1+r.IntN(40))
		for i := range list {
			list[i] = vocabulary[r.IntN(len(vocabulary))]
		}
		letters := 20 + r.IntN(80) // a third of them stand before the first word that is found
		text := strings.Join(list, " ")
		s := Parse("pflegekraft").Snippet(text, "de", letters)
		if !slices.Contains(list, "Pflegekraft") {
			if s.Text != "" || s.Marks != nil {
				t.Fatalf("%q has the snippet %+v", text, s)
			}
			continue
		}
		shown := strings.TrimSuffix(strings.TrimPrefix(s.Text, "… "), " …")
		if n := utf8.RuneCountInString(shown); n > letters {
			t.Fatalf("%q: %q has %d letters, of %d", text, shown, n, letters)
		}
		if !strings.Contains(" "+text+" ", " "+shown+" ") {
			t.Fatalf("%q: %q has parts of words", text, shown)
		}
		if strings.HasPrefix(s.Text, "… ") == strings.HasPrefix(text, shown) && strings.Count(text, shown) == 1 ||
			strings.HasSuffix(s.Text, " …") == strings.HasSuffix(text, shown) && strings.Count(text, shown) == 1 {
			t.Fatalf("%q: %q does not say what it leaves out", text, s.Text)
		}
		if n := strings.Count(shown, "Pflegekraft"); len(s.Marks) != n || n == 0 {
			t.Fatalf("%q: %q has %d marks", text, s.Text, len(s.Marks))
		}
		for _, m := range s.Marks {
			if s.Text[m.Begin:m.End] != "Pflegekraft" {
				t.Fatalf("%q: %q is marked", text, s.Text[m.Begin:m.End])
			}
		}
	}
}

// A text's stemmer belongs to the first of its languages that has one.
func TestStemmers(t *testing.T) {
	for tags, want := range map[string]string{
		"": "", "de": "de", "DE": "de", "de-AT": "de", "de_CH": "de", "xx": "", "xx fr": "fr", "en fr": "en", "deutsch": "", "nb-NO": "nb", "ja": "", "-de": "",
	} {
		if got := Stemmer(strings.Fields(tags)...); got != want {
			t.Errorf("%q: %q, want %q", tags, got, want)
		}
	}
	for name := range stemmers { // none fails, whatever the word
		s := newStemmer(name)
		for _, word := range []string{"", "a", "ärztinnen", "\xff\xfe", "看護師", strings.Repeat("ing", 30)} {
			if got := s.stem(word); got == "" && word != "" {
				t.Errorf("%s: %q has no stem", name, word)
			}
		}
	}
}
