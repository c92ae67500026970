package words

import (
	"slices"
	"strings"
	"testing"
)

// Whoever asks for a member of a group, in any form of it, finds what has a form of any member of it in the title, as
// if that had the word.
func TestSynonyms(t *testing.T) {
	list, err := ReadSynonyms("# nurses\nPfleger, Pflegefachkraft, Krankenschwester, Staff Nurse, MFA, ReFa\r\n\n"+
		"Leiter der Küche, Chefkoch, Full-Stack", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query, title string
		tier         int // in which it is found; -1: it is not
	}{
		{"Pfleger", "Krankenschwester", 1},
		{"Pfleger", "Pfleger und Krankenschwester", 0}, // what was typed comes first
		{"Pflegerinnen", "Krankenschwestern", 1},       // forms on both sides
		{"Krankenschwester", "Pfleger/-in", 1},
		{"Krankenschwester", "Oberpflegefachkraft", -1}, // a part of a word is no synonym
		{"Oberpfleger", "Krankenschwester", -1},
		{"fachkraft", "Krankenschwester", -1},
		{"MFA", "Krankenschwester", 1},
		{"mfa", "Staff Nurse", 1},
		{"refa", "Pfleger", 1},
		{"MFA", "MFA", 0},
		{"MFA", "ReFa", -1}, // nothing leads to an abbreviation
		{"Krankenschwester", "MFA und SSO", -1},
		{"Krankenschwester", "Nurse, Staff", 1}, // each word of a phrase
		{"Krankenschwester", "Nurse", -1},
		{"staff nurse", "Pfleger", 1},
		{"staff  nurse Berlin", "Pfleger in Berlin", 1},
		{"Berlin staff nurse", "Pfleger in Berlin", 1},
		{"nurse staff", "Pfleger", -1}, // not the phrase
		{"staff OR koch nurse", "Pfleger", -1},
		{`"staff" nurse`, "Pfleger", -1},
		{"nurse", "Pfleger", -1},
		{"Chefkoch", "Leiter Küche", 1}, // without the little word
		{"Leiter der Küche", "Chefkoch", 1},
		{"Leiterin Küche", "Chefköchin", 1},
		{"fullstack", "Chefkoch", 1},
		{"full stack", "Chefkoch", 1},
		{"full-stack", "Chefkoch", 1},
		{"Chefkoch", "Fullstack", 1},
		{"koch OR pfleger", "Krankenschwester", 1},
		{"pfleger chefkoch", "Krankenschwester und Leiter der Küche", 1},
		{`"Pfleger"`, "Krankenschwester", -1},
		{"koch -pfleger", "Krankenschwester und Koch", 0}, // what is left out has no synonyms
		{"pflegers", "Chefkoch", -1},                      // of another group
	} {
		q, had := Parse(c.query).WithSynonyms(list), tokens(Texts{Title: c.title}, "de")
		found := -1
		for i := range q.Tiers() {
			if had.has(q, "de", tier(i)) {
				found = i
				break
			}
		}
		if found != c.tier || had.has(q, "de", Lookup.All) != (c.tier >= 0) || q.Matches(Texts{Title: c.title}, "de") != (c.tier >= 0) {
			t.Errorf("%q finds %q in tier %d, want %d", c.query, c.title, found, c.tier)
		}
	}
	// No other text than the title is found by a synonym, nor marked.
	q := Parse("Pfleger").WithSynonyms(list)
	for _, text := range []Texts{
		{Title: "Nurse", Other: []string{"staff"}}, {Short: []string{"Krankenschwester"}}, {Title: "Koch", Other: []string{"Krankenschwester"}},
	} {
		if tokens(text, "de").has(q, "de", Lookup.All) || q.Matches(text, "de") {
			t.Errorf("a synonym finds %+v", text)
		}
	}
	if s := q.Snippet("Eine Krankenschwester und ein Pfleger", "de", 99); len(s.Marks) != 1 || s.Text[s.Marks[0].Begin:s.Marks[0].End] != "Pfleger" {
		t.Errorf("the snippet is %+v", s)
	}
	// What stands for a mistyped word has no synonyms.
	q = Parse("Krankenschwster").WithSynonyms(list).Corrected(map[string][]string{"krankenschwster": {"krankenschwester"}})
	if q.Matches(Texts{Title: "Pfleger"}, "de") || tokens(Texts{Title: "Pfleger"}, "de").has(q, "de", Lookup.All) {
		t.Error("a corrected word has synonyms")
	}
	l := Parse("x").WithSynonyms(list).In("de", ShortToo)
	if !l.Listed("krankenschwestern") || !l.Listed("nurse") || l.Listed("koch") || Parse("x").In("de", ShortToo).Listed("nurse") {
		t.Error("other words are listed than those of the list")
	}
}

// The groups of a list for texts of one stemmer find those alone.
func TestSynonymsOfALanguage(t *testing.T) {
	list, err := ReadSynonyms("Koch, Küchenkraft", "de")
	if err != nil {
		t.Fatal(err)
	}
	q, text := Parse("Koch").WithSynonyms(list), Texts{Title: "Küchenkraft"}
	for stemmer, want := range map[string]bool{"de": true, "en": false, "": false} {
		if tokens(text, stemmer).has(q, stemmer, Lookup.All) != want || q.Matches(text, stemmer) != want || q.In(stemmer, ShortToo).Listed("koch") != want {
			t.Errorf("%q: not %t", stemmer, want)
		}
	}
}

// A list in which a group would find nothing more, or something else than was meant, is refused with
// the number of the line.
func TestMistypedSynonyms(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("Koch x, ", 20), ", ")
	for i := 0; strings.Contains(long, "x"); i++ {
		long = strings.Replace(long, "x", string(rune('A'+i)), 1)
	}
	if _, err := ReadSynonyms(long, ""); err != nil {
		t.Error(err)
	}
	for line, why := range map[string]string{
		"Koch": "alone", "Koch,": "empty", ",Koch": "empty", "Koch,,Köchin": "empty", "Koch, ": "empty", ",": "empty",
		"Koch, !?": "no word", "Koch, in der": "little", "für, Koch": "little", "Koch, koch": "twice", "Koch, Koch (m/w/d)": "twice",
		"Koch => Köchin, Kellner": "sign", "Koch; Köchin, Kellner": "sign", `"Koch", Köchin`: "sign", "Koch OR Köchin, Kellner": "OR",
		"K\xf6chin, Koch": "UTF-8", "MFA, ReFa": "abbreviations", long + ", Kellner": "21",
	} {
		_, err := ReadSynonyms("# list\n\nPfleger, Krankenschwester\n"+line+"\nMaurer, Betonbauer", "")
		if err == nil || !strings.HasPrefix(err.Error(), "line 4: ") || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := ReadSynonyms(strings.Repeat("#\n", 1<<19)+"#", ""); err == nil {
		t.Error("a list of more than 1 MiB is read")
	}
	for _, none := range []string{"", "\n\n", "# a, b", "\ufeff"} {
		if list, err := ReadSynonyms(none, ""); list != nil || err != nil || list.Sum() != 0 {
			t.Errorf("%q: %v, %v", none, list, err)
		}
	}
	var sums []uint64
	for _, list := range []string{"a1, b1", "a1, b1\na1, c1", "a1, b1, c1", "a1 b1, c1", "a1, b1\nc1, d1", "a1, b1, c1, d1", "XY, ef", "Xy, ef"} {
		s, err := ReadSynonyms(list, "")
		if err != nil || slices.Contains(sums, s.Sum()) {
			t.Errorf("%q: %v, or the sum of another list", list, err)
		} else {
			sums = append(sums, s.Sum())
		}
	}
	same, err := ReadSynonyms("\ufeff# other spaces\r\n A1 ,b1\r\n", "")
	if err != nil || same.Sum() != sums[0] {
		t.Errorf("spaces and comments make another list: %v", err)
	}
}
