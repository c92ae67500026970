package words

import (
	"slices"
	"strings"
	"testing"
)

// Words of wishing are known by themselves, beside others, and not in quotes or in a longer word.
func TestWishes(t *testing.T) {
	for text, want := range map[string][]string{
		"Soziale Arbeit":            {"arbeit"},
		"suche Job als Koch":        {"suche", "job"},
		"Job":                       nil, // there is nothing else
		"Jobs suchen":               nil,
		`"Arbeit" Koch`:             nil,
		"Koch Arbeit OR Nacht":      nil,
		"Koch Sozialarbeit":         nil,
		"Koch Job-Börse":            nil,
		"Koch -Stelle":              nil,
		"Koch":                      nil,
		"":                          nil,
		"Stelle Stelle Koch STELLE": {"stelle"},
	} {
		q := Parse(text)
		if got := q.Wishes(); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q", text, got)
		}
		for _, group := range q.Without(q.Wishes()).must {
			if word, ok := isWish(group); ok && want != nil {
				t.Errorf("%q still has %q", text, word)
			}
		}
	}
}

// Each word beside others may be left out, unless that leaves nothing to look for.
func TestSingleWords(t *testing.T) {
	for text, want := range map[string]string{
		"Koch Berlin": "koch berlin", "Koch in Berlin": "koch berlin", "Koch in": "", "Koch": "", "Koch koch": "", "": "",
		`Koch "Berlin"`: "koch", "Koch Kellner OR Maler": "koch", "Koch Full-Stack": "koch", "Koch -Berlin": "", "Koch home office": "koch",
		"Koch Berlin Koch": "koch berlin",
	} {
		q := Parse(text)
		list := q.Single()
		if got := strings.Join(list, " "); got != want {
			t.Errorf("of %q may be left out %q, want %q", text, got, want)
		}
		for _, word := range list {
			if rest := q.Without([]string{word}); rest.Empty() || slices.Contains(rest.Single(), word) {
				t.Errorf("%q without %q asks for %v", text, word, rest.must)
			}
			if one := q.Only(word); len(one.must) != 1 || one.must[0][0].words[0] != word {
				t.Errorf("%q, only %q, asks for %v", text, word, one.must)
			}
		}
	}
}
