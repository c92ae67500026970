package words

import (
	"reflect"
	"testing"
)

// A little word beside others is not looked for, whatever its spelling; alone, in quotes, with a
// hyphen or joined by OR it is meant.
func TestLittleWords(t *testing.T) {
	cook := Texts{Title: "Koch (m/w/d)", Short: []string{"München"}}
	for _, c := range []struct {
		query, language string
		text            Texts
		want            bool
	}{
		{"Koch in München", "de", cook, true},
		{"Koch für München", "de", cook, true},
		{"Koch fuer München", "de", cook, true},
		{"KOCH BEI MÜNCHEN", "de", cook, true},
		{"Koch in der München", "de", cook, true},
		{"cook in Munich", "en", Texts{Title: "Cook, Munich"}, true},
		{"cuisinier à Genève", "fr", Texts{Title: "Cuisinier", Other: []string{"Genève"}}, true},
		{"Koch in München", "", cook, false}, // of no known language: the word may mean something
		{"Koch für München", "en", cook, false},
		{"Koch im Nachtdienst", "de", cook, false},
		{`Koch "in" München`, "de", cook, false},
		{"in", "de", cook, false},
		{"in für", "de", cook, false},
		{"in", "de", Texts{Title: "Koch in München"}, true},
		{"Koch -für", "de", Texts{Title: "Koch für Berlin"}, false},
		{"Koch in OR bei", "de", cook, false},
		{"it manager", "en", Texts{Title: "Sales Manager"}, false}, // IT is no little word
	} {
		q := Parse(c.query)
		if got := tokens(c.text, c.language).has(q, c.language, Lookup.All); got != c.want {
			t.Errorf("%q in %+v (%s): the index says %t", c.query, c.text, c.language, got)
		}
		if got := q.Matches(c.text, c.language); got != c.want {
			t.Errorf("%q in %+v (%s): the texts say %t", c.query, c.text, c.language, got)
		}
	}
	if !tokens(cook, "de").has(Parse("Koch in Köche"), "de", tier(0)) {
		t.Error("a title without the little word of a query is not in the first tier")
	}
	if got := Parse("Koch unter München").Mistakable(); !reflect.DeepEqual(got, []string{"münchen"}) {
		t.Errorf("mistakable: %q", got)
	}
	ad := "Wir suchen in der Küche einen Koch"
	if got, want := Parse("Koch in").Snippet(ad, "de", 160), (Snippet{ad, []Mark{{len(ad) - 4, len(ad)}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("snippet: %+v", got)
	}
}

// Kaufmann/-frau is one title, as Entwickler/-in is.
func TestQueriesOfPersons(t *testing.T) {
	for _, said := range []string{"/-frau", "/frau", " / -frau", "(frau)", ":frau", "*frau", "/-Frau", "/-leute", "/-frauen"} {
		for _, title := range []string{"Kaufmann", "Pflegefachmann"} {
			if got, want := Parse(title+said+" köln"), Parse(title+" köln"); !reflect.DeepEqual(got, want) {
				t.Errorf("%s is read as %+v", title+said, got)
			}
		}
	}
	for _, title := range []string{"Kaufmann", "Kauffrau (m/w/d)", "Kaufmann/-frau", "Kaufleute"} {
		for _, query := range []string{"Kaufmann/-frau", "Kauffrau/-mann"} {
			if !finds(query, title, "de") {
				t.Errorf("%s does not find %s", query, title)
			}
		}
	}
	for _, query := range []string{"Mann/-frau", "Kaufmann/frauenarzt", "Kaufmann frau"} {
		if finds(query, "Kaufmann", "de") {
			t.Errorf("%s finds Kaufmann", query)
		}
	}
}
