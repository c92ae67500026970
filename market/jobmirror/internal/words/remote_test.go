package words

import "testing"

// The words for remote work find what says of itself that it is, and what has the words; nothing else does, and words
// in quotes do not.
func TestRemoteWork(t *testing.T) {
	tagged := Texts{Title: "Koch", Other: []string{"Wir suchen Sie"}, Remote: true}
	told := Texts{Title: "Koch im Home Office", Other: []string{"mobiles Arbeiten oder remote"}}
	neither := Texts{Title: "Koch", Other: []string{"Home sweet home"}}
	for text, want := range map[string][3]bool{ // found: tagged, told, neither
		"Homeoffice":                   {true, false, false},
		"home office":                  {true, true, false},
		"Home-Office":                  {true, true, false},
		"Koch Home Office":             {true, true, false},
		"remote":                       {true, true, false},
		"REMOTE Koch":                  {true, true, false},
		"mobiles Arbeiten":             {true, true, false},
		"kellner OR remote":            {true, true, false},
		"home":                         {false, true, true},
		"office":                       {false, true, false},
		"arbeiten":                     {false, true, false},
		`"remote"`:                     {false, true, false},
		`"home office"`:                {false, true, false},
		"koch -remote":                 {false, false, true},
		"koch -Homeoffice":             {false, true, true},
		"office home":                  {false, true, false},
		"kellner remote":               {false, false, false},
		"mobiles OR immobile arbeiten": {false, true, false},
	} {
		q := Parse(text)
		for i, posting := range []Texts{tagged, told, neither} {
			had := tokens(posting, "de")
			if indexed, matches := had.has(q, "de", Lookup.All), q.Matches(posting, "de"); indexed != want[i] && !q.Quoted() || matches != want[i] {
				t.Errorf("%q in %+v: the index says %t, the texts %t", text, posting, indexed, matches)
			}
			if i == 0 && want[i] && len(q.without) == 0 && !had.has(q, "de", tier(0)) {
				t.Errorf("%q does not find what says of itself that it is remote first", text)
			}
		}
		if len(q.Wishes()) > 0 && text != "mobiles OR immobile arbeiten" {
			t.Errorf("%q has %q left out", text, q.Wishes())
		}
	}
	if !tokens(tagged, "de").has(Literal("Home Office"), "de", Lookup.All) {
		t.Error("a text as it stands finds no remote work")
	}
	if list := Parse("homeoffice remote mobiles arbeiten").Mistakable(); len(list) > 0 {
		t.Errorf("%q may be mistyped", list)
	}
}
