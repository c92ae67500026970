package words

import (
	"slices"
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
		for _, group := range q.WithoutWishes(q.Wishes()).must {
			if word, ok := isWish(group); ok && want != nil {
				t.Errorf("%q still has %q", text, word)
			}
		}
	}
}
