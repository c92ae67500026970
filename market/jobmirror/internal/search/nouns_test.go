package search

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Who types a noun of the built-in list, such as Pfleger, gets first the titles that mean the same, and behind them a text
// that has no more than its verb: "Sie pflegen Tabellen".
func TestNounsComeBeforeVerbs(t *testing.T) {
	text, err := os.ReadFile("../../synonyms-de.txt")
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(t)
	if x.Synonyms, err = ReadSynonyms(string(text), "de"); err != nil {
		t.Fatal(err)
	}
	nouns, pairs, verbs := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		members := strings.Split(strings.TrimSpace(line), ", ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, noun := range members {
			verb, ok := strings.CutSuffix(noun, "er")
			if !ok || strings.ContainsFunc(noun, func(r rune) bool { return !unicode.IsLetter(r) }) {
				continue
			}
			nouns++
			titles := []Document{{Row: 1, Title: "Controller", Other: []string{"Sie " + strings.ToLower(verb) + "en Tabellen"}, Languages: []string{"de"}}}
			if noun == "Controller" {
				titles[0].Title = "Assistenz"
			}
			for _, other := range members {
				capitals := strings.IndexFunc(strings.TrimLeftFunc(other, unicode.IsUpper), unicode.IsUpper)
				if short := len(other) <= 4 && (capitals >= 0 || strings.ToUpper(other) == other); !short {
					titles = append(titles, Document{Row: int64(len(titles) + 1), Title: other + " (m/w/d)", Languages: []string{"de"}})
				}
			}
			x.put(t, titles...)
			x.do(t, func(in *tx) error {
				page, err := x.Find(in.Tx, Query{Text: noun}, Position{}, 30)
				if err != nil {
					return err
				}
				at := slices.IndexFunc(page.Hits, func(p Position) bool { return p.Row == 1 })
				if at >= 0 {
					verbs++
				}
				if want := len(titles) - 1; at >= 0 && at < want || len(page.Hits) < want {
					t.Errorf("%s finds its verb in place %d of %d, of %d titles", noun, at, len(page.Hits), want)
				}
				pairs += len(titles) - 1
				for _, d := range titles {
					if err := x.Remove(in.Tx, d.Row); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	t.Logf("figure: %d nouns in -er, %d titles that mean the same; %d find their verb behind these", nouns, pairs, verbs)
	if nouns < 60 || verbs < 60 {
		t.Errorf("%d nouns, of which %d find their verb: the test shows little", nouns, verbs)
	}
}
