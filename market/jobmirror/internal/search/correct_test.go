package search

import (
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Words that only say that somebody looks for a job are left out where nothing is found with them, and then the word
// that says the least what the work is: of the documents that have it the smallest part has it in the title, as of a town.
// Among equals it is the one that the fewest have. They are left out on each page, together with typing errors, and told.
// None is left out if that finds nothing.
func TestWordsThatAreLeftOut(t *testing.T) {
	x := newIndex(t)
	for row, title := range []string{"Koch", "Köchin", "Koch für Arbeit im Hotel", "Kellner"} {
		x.put(t, Document{Row: int64(row + 1), Title: title, Languages: []string{"de"}})
	}
	x.put(t, Document{Row: 5, Title: "Dachdecker", Short: []string{"Ulm"}, Languages: []string{"de"}})
	for row := range int64(4) {
		title := []string{"Gärtner in Teilzeit", "Gärtner", "Gärtner", "Gärtner für Bonn"}[row]
		x.put(t, Document{Row: 6 + row, Title: title, Short: []string{"Bonn"}, Other: []string{"auch in Teilzeit"}, Languages: []string{"de"}})
	}
	for _, c := range []struct {
		text      string
		rows      []int64
		corrected []Correction
	}{
		{"Stelle Koch", []int64{3, 2, 1}, []Correction{{"stelle", nil}}},
		{"Arbeit Koch", []int64{3}, nil}, // one has it
		{"Suche Stelle Kelner", []int64{4}, []Correction{{"suche", nil}, {"stelle", nil}, {"kelner", []string{"kellner"}}}},
		{`"Stelle" Koch`, nil, nil},
		{"Stelle", nil, nil},
		{"Stelle Metzger", nil, nil},
		{"Koch Metzger", []int64{3, 2, 1}, []Correction{{"metzger", nil}}},
		{"Koch Kellner", []int64{3, 2, 1}, []Correction{{"kellner", nil}}}, // fewer have it
		{"Koch Kelner", []int64{3, 2, 1}, []Correction{{"kelner", nil}}},   // and fewer what was meant
		{"Stelle Koch Metzger", []int64{3, 2, 1}, []Correction{{"stelle", nil}, {"metzger", nil}}},
		{"Dachdecker Bonn", []int64{5}, []Correction{{"bonn", nil}}}, // fewer have the other, all in the title
		{"Dachdeckerin Teilzeit", []int64{5}, []Correction{{"teilzeit", nil}}},
		{"Bonn Ulm", []int64{9, 8, 7, 6}, []Correction{{"ulm", nil}}},
		{"Metzger Maurer", nil, nil},
		{"Metzger Maurer Koch", nil, nil}, // it is one word that is left out
		{`"Metzger" Koch`, nil, nil},
		{`"Koch" Metzger`, []int64{3, 1}, []Correction{{"metzger", nil}}},
		{"Hotel Koch -Arbeit", []int64{2, 1}, []Correction{{"hotel", nil}}},
		{"Koch -Arbeit Metzger", []int64{2, 1}, []Correction{{"metzger", nil}}},
	} {
		x.do(t, func(t2 *tx) error {
			var (
				rows []int64
				at   Position
			)
			for more := true; more; {
				page, err := x.Find(t2.Tx, Query{Text: c.text}, at, 2)
				if err != nil {
					return err
				}
				if len(page.Corrected)+len(c.corrected) > 0 && !reflect.DeepEqual(page.Corrected, c.corrected) {
					t.Errorf("%q is corrected %+v", c.text, page.Corrected)
				}
				facets, err := page.Facets()
				if err != nil || facets.Total != len(c.rows) {
					t.Errorf("%q: %d in all, %v", c.text, facets.Total, err)
				}
				for _, hit := range page.Hits {
					rows = append(rows, hit.Row)
				}
				if more = page.More; more {
					var ok bool
					if at, ok = ParsePosition(page.Hits[len(page.Hits)-1].String()); !ok {
						t.Fatalf("%q: the position is none", c.text)
					}
				}
			}
			if !reflect.DeepEqual(rows, c.rows) {
				t.Errorf("%q finds %d", c.text, rows)
			}
			return nil
		})
	}
}

// A word of the list of synonyms is not taken for mistyped, though no document has it.
func TestSynonymsAreNotMistyped(t *testing.T) {
	x := newIndex(t)
	var err error
	if x.Synonyms, err = words.ReadSynonyms("Pflegefachkraft, Krankenschwester", ""); err != nil {
		t.Fatal(err)
	}
	for row, title := range []string{"Oberkrankenschwester", "Krankenschwester im Nachtdienst", "Krankenschwester", "Pflegefachkrapt"} {
		x.put(t, Document{Row: int64(row + 1), Title: title, Languages: []string{"de"}})
	}
	x.put(t, Document{Row: 9, Title: "Aushilfe", Other: []string{"bei einer Krankenschwester"}, Languages: []string{"de"}})
	x.do(t, func(in *tx) error {
		page, err := x.Find(in.Tx, Query{Text: "Pflegefachkraft"}, Position{}, 10)
		if err == nil && (len(page.Hits) != 2 || page.Hits[0].Row != 3 || page.Hits[1].Row != 2 || page.Corrected != nil) {
			t.Errorf("%+v, corrected %v", page.Hits, page.Corrected)
		}
		return err
	})
}

// The nearest words come by distance, by the number of their documents, and by their bytes, five at most.
func TestNearestWordsInOrder(t *testing.T) {
	x := newIndex(t)
	for row, word := range []string{"laterno", "laternx", "laternx", "laternb", "laterna", "laternz", "laternc", "latersen", "lat"} {
		x.put(t, Document{Row: int64(row + 1), Title: "Stelle " + word, Languages: []string{"de"}})
	}
	x.do(t, func(in *tx) error {
		page, err := x.Find(in.Tx, Query{Text: "laternq"}, Position{}, 10)
		want := []Correction{{"laternq", []string{"laternx", "laterna", "laternb", "laternc", "laterno"}}}
		if err == nil && !reflect.DeepEqual(page.Corrected, want) {
			t.Errorf("%v, want %v", page.Corrected, want)
		}
		return err
	})
}

// Titles and their words are suggested as titles write them: from three letters on what begins so, from four on what ends
// so.
func TestSuggestions(t *testing.T) {
	x := newIndex(t)
	for row, title := range []string{
		"Krankenpfleger (m/w/d) Nachtdienst", "KRANKENPFLEGER", "Krankenpfleger/-in", "Full-Stack-Entwickler für SAP", "Teamleiter SAP",
		"Italienische Küche", "fuer Ärzte", `Der "Forscher" in Ulm`, "Ärztin - Innere Medizin",
	} {
		x.put(t, Document{Row: int64(row + 1), Title: title, Other: []string{"Krankenhaus Fürsorge"}, Languages: []string{"de"}})
	}
	for _, c := range []struct {
		before, typed string
		list, titles  []string
	}{
		{"", "kra", []string{"Krankenpfleger"}, []string{"Krankenpfleger Nachtdienst"}},
		{"", "KRANKENP", []string{"Krankenpfleger"}, []string{"Krankenpfleger Nachtdienst"}},
		{"nachtdienst", "kra", []string{"Krankenpfleger"}, []string{"Krankenpfleger Nachtdienst"}},
		{"fürsorge", "kra", []string{"Krankenpfleger"}, nil},
		{"", "pfleger", []string{"Krankenpfleger"}, nil},
		{"", "ger", nil, nil}, // too few letters to end so
		{"", "it", nil, nil},
		{"", "ita", []string{"Italienische"}, []string{"Italienische Küche"}},
		{"", "kuec", []string{"Küche"}, []string{"Italienische Küche"}},
		{"", "fue", nil, nil}, // a little word
		{"", "entw", []string{"Entwickler"}, []string{"Full-Stack-Entwickler für SAP"}},
		{"", "fulls", nil, nil},
		{"", "full", []string{"Full-Stack-Entwickler"}, []string{"Full-Stack-Entwickler für SAP"}},
		{"", "sap", nil, nil}, // it is typed already
		{"team", "sap", nil, nil},
		{"", "fors", []string{"Forscher"}, nil}, // quotes in a text mean something
		{"", "inn", []string{"Innere"}, nil},    // and so does a hyphen
		{"", "haus", nil, nil},                  // in no title
		{"", "krank pf", nil, nil},
	} {
		x.do(t, func(in *tx) error {
			list, titles, err := x.Suggest(in.Tx, Query{Text: c.before}, c.typed)
			if err != nil || !slices.Equal(list, c.list) || !slices.Equal(titles, c.titles) {
				t.Errorf("%q behind %q suggests %q and %q, %v", c.typed, c.before, list, titles, err)
			}
			for _, text := range append(list, titles...) {
				if page, err := x.Find(in.Tx, Query{Text: text}, Position{}, 1); err != nil || len(page.Hits) == 0 || page.Corrected != nil {
					t.Errorf("%q, which is suggested, finds nothing", text)
				}
			}
			return nil
		})
	}
}

// A word that titles have as a part alone is one that documents have, in a text of few words and of many.
func TestPartsCountBeforeTiersAreSkipped(t *testing.T) {
	x := newIndex(t)
	x.put(t, Document{
		Row: 1, Title: "Steward auf Kreuzfahrtschiffen", Short: []string{"Berlin"}, Other: []string{"Gäste im Sommer"}, Languages: []string{"de"},
	})
	for _, text := range []string{"schiff berlin", "schiff berlin gäste sommer steward", "schiff berlin gäste sommer steward winter", "schiff winter"} {
		x.do(t, func(in *tx) error {
			page, err := x.Find(in.Tx, Query{Text: text}, Position{}, 10)
			if leftOut := strings.Contains(text, "winter"); err == nil && (len(page.Hits) != 1 || (len(page.Corrected) == 1) != leftOut) {
				t.Errorf("%q finds %d, corrected %+v", text, len(page.Hits), page.Corrected)
			}
			return err
		})
	}
}
