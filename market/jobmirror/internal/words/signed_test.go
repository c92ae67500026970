package words

import (
	"slices"
	"testing"
)

// Words with signs are words, beside others and in no longer word.
func TestWordsWithSigns(t *testing.T) {
	for text, want := range map[string][]string{
		"C++":              {"cplusplus"},
		"C/C++17, c#":      {"c", "cplusplus", "17", "csharp"},
		"C#-Entwickler":    {"csharp", "entwickler"},
		"F# (.NET)":        {"fsharp", "dotnet"},
		"ASP.NET VB.NET":   {"asp", "dotnet", "vb", "dotnet"},
		"–asp.net":         {"asp", "dotnet"},
		"node.js":          {"node", "js"},
		"www.firma.net":    {"www", "firma", "net"},
		"Wasp.net":         {"wasp", "net"},
		".network":         {"network"},
		"C#sharp":          {"c", "sharp"},
		"ABC++ abc# 5f#":   {"abc", "abc", "5f"},
		"c+ +c# #c":        {"c", "csharp", "c"},
		"看C++":             {"看", "c"},
		"":                 nil,
		".net":             {"dotnet"},
		"the Net, C and +": {"the", "net", "c", "and"},
	} {
		if got := slices.Collect(split(normal(text))); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q", text, got)
		}
	}
	for _, c := range []struct {
		query, title string
		want         bool
	}{
		{"C++", "Entwickler C++", true},
		{"C", "Entwickler C++", false},
		{"C++", "Entwickler C", false},
		{"c#", "C#-Entwickler", true},
		{".NET", "ASP.NET Entwickler", true},
		{".net", "Netzwerk node.js", false},
		{"plus", "Entwickler C++", false}, // no part of it
		{"sharp", "C# Entwickler", false},
		{"csharp", "C# Entwickler", true},
		{`"C++"`, "C++ Entwickler", true},
		{"Entwickler -C++", "C++ Entwickler", false},
	} {
		q, text := Parse(c.query), Texts{Title: c.title}
		if got := tokens(text, "de").has(q, "de", Lookup.All); got != c.want || q.Matches(text, "de") != c.want {
			t.Errorf("%q finds %q: %t, and by its text %t", c.query, c.title, got, q.Matches(text, "de"))
		}
	}
	if s := Parse("c++").Snippet("Kenntnisse in C++ und C", "de", 100); len(s.Marks) != 1 || s.Text[s.Marks[0].Begin:s.Marks[0].End] != "C++" {
		t.Errorf("%+v", s)
	}
	if _, noted := new(Tokenizer).Tokens(Texts{Title: "C++ .NET C#"}, "de"); len(noted) > 0 {
		t.Errorf("%q may be meant by mistyped words", noted)
	}
}

// What has a hyphen or a full stop between its words is found as one word, and the other way round;
// words in quotes, and words of an advertisement, are excepted.
func TestJoinedWords(t *testing.T) {
	for _, c := range []struct {
		query string
		text  Texts
		want  int // the tier; -1: it is not found
	}{
		{"Fullstack", Texts{Title: "Full-Stack Entwickler"}, 0},
		{"Fullstack", Texts{Title: "Full\u2011Stack"}, 0}, // a hyphen at which no line breaks
		{"Full-Stack", Texts{Title: "Fullstack Entwickler"}, 0},
		{"Full Stack", Texts{Title: "Fullstack Entwickler"}, 0},
		{"Full Stack Entwickler", Texts{Title: "Fullstack Entwickler"}, 0},
		{"Nodejs", Texts{Title: "Entwickler node.js"}, 0},
		{"node.js", Texts{Short: []string{"NodeJS GmbH"}}, 2},
		{"Fullstackentwicklerin", Texts{Title: "Full-Stack-Entwickler"}, 0},
		{"Fullstack", Texts{Title: "Full-Stack-Entwickler"}, 0},
		{"Stackentwickler", Texts{Title: "Full-Stack-Entwickler"}, 0},
		{`"Fullstack"`, Texts{Title: "Full-Stack"}, -1},
		{`"Full Stack"`, Texts{Title: "Fullstack"}, -1},
		{"Fullstack", Texts{Other: []string{"Full-Stack"}}, -1},
		{"Full-Stack", Texts{Other: []string{"Fullstack"}}, 3},
		{"Fullstack", Texts{Title: "Full Stack"}, -1},
		{"Fullstack", Texts{Title: "Full - Stack"}, -1},
		{"Entwickler -Full-Stack", Texts{Title: "Fullstack Entwickler"}, -1},
		{"netentwickler", Texts{Title: ".NET-Entwickler"}, -1},
		{"20242025", Texts{Title: "Messe 2024-2025"}, -1},
	} {
		found := -1
		q := Parse(c.query)
		for i := range q.Tiers() {
			if tokens(c.text, "de").has(q, "de", tier(i)) {
				found = i
			}
		}
		indexed := tokens(c.text, "de").has(q, "de", Lookup.All)
		if q.Quoted() { // the index also has other forms of the quoted words
			found, indexed = -1, q.Matches(c.text, "de")
		}
		if found != c.want || indexed != (c.want >= 0) || q.Matches(c.text, "de") != indexed {
			t.Errorf("%q finds %v in tier %d: %t, by its texts %t", c.query, c.text, found, indexed, q.Matches(c.text, "de"))
		}
	}
}

// The genders of titles are those of people, not of towns.
func TestTownsHaveNoGender(t *testing.T) {
	s := newStemmer("de")
	for _, c := range []struct {
		word, other string
		same        bool
	}{
		{"hamburginnen", "hamburg", false}, {"chirurginnen", "chirurg", true}, {"chirurgin", "chirurg", true}, {"dramaturgin", "dramaturg", true},
	} {
		if got := s.stem(c.word) == s.stem(c.other); got != c.same {
			t.Errorf("%s is a form of %s: %t", c.word, c.other, got)
		}
	}
}
