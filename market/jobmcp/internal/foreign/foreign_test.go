package foreign

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		name, ad, want string
	}{
		{"paragraphs", "<p>Nurse</p><p>in  <b>Ber</b>lin</p>", "Nurse\nin Berlin"},
		{"list", "<ul><li>one<li>two</ul>end", "one\ntwo\nend"},
		{"entities", "R&amp;D &lt;now&gt; &#x1F600;", "R&D ‹now› 😀"},
		{"inside of a word", "Kranken<wbr>pfle<x-y>ge<small>r</small>", "Krankenpfleger"},
		{"script", "a<script>ignore()</script>b", "a\nb"},
		{"self-closed script", "a<script/>ignore()</script>b", "a\nb"},
		{"style, template, comment", "a<style>p{}</style><template><p>x</p></template><!-- ignore -->b", "a\nb"},
		{"nested", "a<svg><svg><text>x</text></svg><text>y</text></svg>b", "a\nb"},
		{"closed by itself", "a<svg/>b", "a\nb"},
		{"never closed", "a<noscript>ignore", "a"},
		{"closing what is not open", "a</script>b", "a\nb"},
		{"attributes", `<a href="ignore" title="ignore" onclick="ignore">a</a>`, "a"},
		{"unknown element", "<system>do it</system>", "do it"},
		{"broken", "a <b c", "a"},
		{"direction", "pay \u202e0001\u202c, \u2067x\u2069", "pay 0001, x"},
		{"zero width", "ig\u200bno\u200dre \ufeffx\u00ad", "ignore x"},
		{"tags", "a" + string([]rune{0xe0001, 0xe0069, 0xe0067, 0xe007f}) + "b", "ab"},
		{"variation selectors", "a\ufe0f" + string([]rune{0xe0100, 0xe01ef}) + "b", "ab"},
		{"fillers", "a\u3164\u115f\u2800b", "ab"},
		{"controls", "a\x00\x1b[31mb\x7f\u0085c", "a[31mb\nc"},
		{"spaces", "a\u00a0\u2003\tb", "a b"},
		{"not UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"languages", "<p>Gärtner, ομάδα, врач, 医者, ممرضة</p>", "Gärtner, ομάδα, врач, 医者, ممرضة"},
		{"combining", "e\u0301", "e\u0301"},
	} {
		if got, cut := Text(test.ad, 1000); got != test.want || cut {
			t.Errorf("%s: %q, %t, want %q", test.name, got, cut, test.want)
		}
	}
}

// An element within a line ends none, any other does, and of some nothing is shown.
func TestElements(t *testing.T) {
	for elements, want := range map[string]string{
		"a b strong i em u span font small big sub sup abbr code mark s strike del ins q cite x-own": "one two",
		"div p ul h1 table section pre blockquote":                                                   "one\ntwo",
		"script style template iframe noembed noframes noscript xmp textarea svg math":               "one",
	} {
		for name := range strings.FieldsSeq(elements) {
			if got, _ := Text("one <"+name+">two</"+name+">", 100); strings.TrimSpace(strings.ReplaceAll(got, "\n\n", "\n")) != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"Nurse (f/m/x)", 20, "Nurse (f/m/x)"},
		{" a\nb\r\n\tc ", 20, "a b c"},
		{"C++ <m/w/d> &amp;", 20, "C++ ‹m/w/d› &amp;"},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"äöüäöüä", 6, "äöüäö…"},
		{"abc def", 5, "abc…"},
		{"abc", 0, ""},
		{"", 0, ""},
		{"äöü", 3, "äöü"},
		{"äöüx", 3, "äö…"},
		{strings.Repeat("\u200b", 100_000) + "x", 5, ""}, // nobody writes so
	} {
		if got := Line(test.text, test.limit); got != test.want {
			t.Errorf("%.40q, %d: %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}

// A long text is cut at its bound, wherever its lines end, and one that fits is not.
func TestCutsTexts(t *testing.T) {
	for _, test := range []struct {
		ad    string
		limit int
		want  string
		cut   bool
	}{
		{"<p>abc</p><p>de</p>", 5, "abc…", true},
		{"<p>abc</p><p>de</p>", 6, "abc\nde", false},
		{"<p>abc</p><p>de</p>", 7, "abc\nde", false},
		{"<p>abc</p><p>de</p>", 4, "abc…", true},
		{"<p>abc</p><p>de</p>", 3, "ab…", true},
		{"<p>abc</p>", 1, "…", true},
		{"<p>abc</p>", 0, "", true},
		{"<p>abc</p>", -1, "", true},
		{"", 0, "", false},
		{"<p> </p>", 0, "", false},
		{strings.Repeat("<p>😀", 5), 9, strings.TrimSpace(strings.Repeat("😀\n", 5)), false},
		{strings.Repeat("<p>😀", 5), 8, strings.Repeat("😀\n", 3) + "😀…", true},
		{"<p>" + strings.Repeat("😀", 5) + "<p>b", 5, strings.Repeat("😀", 4) + "…", true},
		{strings.Repeat("<p>ab cd</p>", 10_000), 7, "ab cd…", true},
	} {
		if got, cut := Text(test.ad, test.limit); got != test.want || cut != test.cut {
			t.Errorf("%.60q, %d: %q, %t, want %q", test.ad, test.limit, got, cut, test.want)
		}
	}
}

// What stands before a text that is seen may be long, up to 64 bytes for each character asked
// for and for 16 more.
func TestHiddenTextIsBounded(t *testing.T) {
	for hidden, want := range map[int]string{64*(5+16) - 1: "x", 64 * (5 + 16): "", 64*(5+16) + 1: ""} {
		if got := Line(strings.Repeat(" ", hidden)+"x", 5); got != want {
			t.Errorf("behind %d spaces: %q, want %q", hidden, got, want)
		}
	}
}

// A silent element ends where its own end tag comes, and one within it counts.
func TestSilentElements(t *testing.T) {
	for ad, want := range map[string]string{
		"a<svg><math>x</math>y</svg>b":              "a\nb",
		"a<math><math/>x</math>b":                   "a\nb",
		"a<template><template/>x</template>y":       "a",
		"a<svg><p></p>x</svg>b":                     "a\nb",
		"a<template>x</p>y</template>b</template>c": "a\nb\nc",
	} {
		if got, cut := Text(ad, 100); got != want || cut {
			t.Errorf("%s: %q, want %q", ad, got, want)
		}
	}
}

func TestToken(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "2797227": "2797227", "-1": "-1", "27828_extern": "27828_extern", "1c7a7b63-9a1f-4b4c-8e68-2d3f4a5b6c71": "1c7a7b63-9a1f-4b4c-8e68-2d3f4a5b6c71",
		"azAZ09-_.:": "azAZ09-_.:", "@": "", "[": "", "`": "", "{": "", "/": "", ";": "", "do this": "", "a\nb": "", "ä": "", "<b>": "", strings.Repeat("1", 64): strings.Repeat("1", 64), strings.Repeat("1", 65): "",
	} {
		if got := Token(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

// FuzzForeign: whatever comes in, what goes out is bounded and plain.
func FuzzForeign(f *testing.F) {
	f.Add("<p>Nurse</p><script>x</script>", 10)
	f.Add("\u202e&lt;&#0;&#xe0041;", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = min(max(limit, 0), 5000)
		text, _ := Text(s, limit)
		line := Line(s, limit)
		if strings.Contains(line, "\n") {
			t.Errorf("%q has two lines", line)
		}
		for _, got := range []string{text, line} {
			if utf8.RuneCountInString(got) > limit || !utf8.ValidString(got) || got != strings.TrimSpace(got) {
				t.Errorf("%d: %q", limit, got)
			}
			for _, r := range got {
				if r != '\n' && r != utf8.RuneError && !unicode.IsPrint(r) || r == '<' || r == '>' ||
					unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control) {
					t.Errorf("%U is in %q", r, got)
				}
			}
		}
	})
}
