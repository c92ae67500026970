package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Foreign text is one bounded line of valid UTF-8 that is written in one
// direction.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		" a b ":                                "a b",
		"a\nb\x00c\x7fd\u0085e":                "a b c d e",
		"a\u2028b\u2029c":                      "a b c",
		"a\u202eb\u2066c\u200fd":               "a b c d",
		"a\xffb":                               "a\ufffdb",
		strings.Repeat("x", 20):                strings.Repeat("x", 20),
		strings.Repeat("x", 21):                strings.Repeat("x", 17) + "…",
		strings.Repeat("x", 16) + "ü" + "xxx":  strings.Repeat("x", 16) + "…",
		strings.Repeat("x", 15) + "ü" + "xxxx": strings.Repeat("x", 15) + "ü…",
		strings.Repeat("\n", 90) + "x":         "",
		strings.Repeat("\n", 70) + "x":         "x",
		strings.Repeat("\U0001f600", 1000):     strings.Repeat("\U0001f600", 4) + "…",
	} {
		got := Clean(text, 20)
		if got != want || len(got) > 20 || !utf8.ValidString(got) {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
