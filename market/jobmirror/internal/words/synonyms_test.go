package words

import (
	"slices"
	"strings"
	"testing"
)

// Whoever asks for a member of a group, in any form of it, finds what any member of it finds, as if
// they were joined by OR, and in the tier in which that is found.
func TestSynonyms(t *testing.T) {
	list, err := ReadSynonyms("# nurses\nPfleger, Pflegefachkraft, Krankenschwester, Staff Nurse\r\n\nLeiter der Küche, Chefkoch, Full-Stack")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query, title string
		tier         int // in which it is found; -1: it is not
	}{
		{"Pfleger", "Krankenschwester", 0},
		{"Pflegerinnen", "Krankenschwestern", 0}, // forms on both sides
		{"Krankenschwester", "Pfleger/-in", 0},
		{"Krankenschwester", "Oberpflegefachkraft", 1}, // a part of a word
		{"Krankenschwester", "Nurse, Staff", 0},        // each word of a phrase
		{"Krankenschwester", "Nurse", -1},
		{"staff nurse", "Pfleger", 0},
		{"staff  nurse Berlin", "Pfleger in Berlin", 0},
		{"Berlin staff nurse", "Pfleger in Berlin", 0},
		{"nurse staff", "Pfleger", -1}, // not the phrase
		{"staff OR koch nurse", "Pfleger", -1},
		{`"staff" nurse`, "Pfleger", -1},
		{"nurse", "Pfleger", -1},
		{"Chefkoch", "Leiter Küche", 0}, // without the little word
		{"Leiter der Küche", "Chefkoch", 0},
		{"Leiterin Küche", "Chefköchin", 0},
		{"fullstack", "Chefkoch", 0},
		{"full stack", "Chefkoch", 0},
		{"full-stack", "Chefkoch", 0},
		{"Chefkoch", "Fullstack", 0},
		{"koch OR pfleger", "Krankenschwester", 0},
		{"pfleger chefkoch", "Krankenschwester und Leiter der Küche", 0},
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
		if marked := len(q.Snippet(c.title, "de", 99).Marks) > 0; c.tier == 0 && !marked {
			t.Errorf("%q: nothing of %q is marked", c.query, c.title)
		}
	}
	// One word of a phrase is a part of a word in the title, and the other one stands in the advertisement.
	q := Parse("Pfleger").WithSynonyms(list)
	if had := tokens(Texts{Title: "Obernurse", Other: []string{"staff"}}, "de"); !had.has(q, "de", tier(q.Tiers()-1)) {
		t.Error("the last tier lacks what has a phrase in two ways")
	}
	// What stands for a mistyped word has synonyms as well.
	q = Parse("Krankenschwster").WithSynonyms(list).Corrected(map[string][]string{"krankenschwster": {"krankenschwester"}})
	if !q.Matches(Texts{Title: "Pfleger"}, "de") {
		t.Error("a corrected word has no synonyms")
	}
	l := Parse("x").WithSynonyms(list).In("de", ShortToo)
	if !l.Listed("krankenschwestern") || !l.Listed("nurse") || l.Listed("koch") || Parse("x").In("de", ShortToo).Listed("nurse") {
		t.Error("other words are listed than those of the list")
	}
}

// A list in which a group would find nothing more, or something else than was meant, is refused with
// the number of the line.
func TestMistypedSynonyms(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("Koch x, ", 20), ", ")
	for i := 0; strings.Contains(long, "x"); i++ {
		long = strings.Replace(long, "x", string(rune('A'+i)), 1)
	}
	if _, err := ReadSynonyms(long); err != nil {
		t.Error(err)
	}
	for line, why := range map[string]string{
		"Koch": "alone", "Koch,": "empty", ",Koch": "empty", "Koch,,Köchin": "empty", "Koch, ": "empty", ",": "empty",
		"Koch, !?": "no word", "Koch, in der": "little", "für, Koch": "little", "Koch, koch": "twice", "Koch, Koch (m/w/d)": "twice",
		"Koch => Köchin, Kellner": "sign", "Koch; Köchin, Kellner": "sign", `"Koch", Köchin`: "sign", "Koch OR Köchin, Kellner": "OR",
		"K\xf6chin, Koch": "UTF-8", long + ", Kellner": "21",
	} {
		_, err := ReadSynonyms("# list\n\nPfleger, Krankenschwester\n" + line + "\nMaurer, Betonbauer")
		if err == nil || !strings.HasPrefix(err.Error(), "line 4: ") || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := ReadSynonyms(strings.Repeat("#\n", 1<<19) + "#"); err == nil {
		t.Error("a list of more than 1 MiB is read")
	}
	for _, none := range []string{"", "\n\n", "# a, b", "\ufeff"} {
		if list, err := ReadSynonyms(none); list != nil || err != nil || list.Sum() != 0 {
			t.Errorf("%q: %v, %v", none, list, err)
		}
	}
	var sums []uint64
	for _, list := range []string{"a1, b1", "a1, b1\na1, c1", "a1, b1, c1", "a1 b1, c1", "a1, b1\nc1, d1", "a1, b1, c1, d1"} {
		s, err := ReadSynonyms(list)
		if err != nil || slices.Contains(sums, s.Sum()) {
			t.Errorf("%q: %v, or the sum of another list", list, err)
		} else {
			sums = append(sums, s.Sum())
		}
	}
	same, err := ReadSynonyms("\ufeff# other spaces\r\n A1 ,b1\r\n")
	if err != nil || same.Sum() != sums[0] {
		t.Errorf("spaces and comments make another list: %v", err)
	}
}
