package jobsite_test

import (
	"fmt"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// The facets of a list have each town once, by one of its names in the reader's language, with the jobs of all names.
func TestTownsOfAList(t *testing.T) {
	page := &jobmirror.Page{Facets: &jobmirror.Facets{Places: map[string]int{"München": 2, "Munich": 1, "Wien": 1, "Mailand": 3}}}
	for lang, want := range map[string]string{"en": "Milan 3 Munich 3 Vienna 1 ", "de": "Mailand 3 München 3 Wien 1 "} {
		got := ""
		for _, facet := range (&jobsite.Results{Language: lang, Page: page}).Places(9) {
			got += fmt.Sprint(facet.Name, " ", facet.Count, " ")
		}
		if got != want {
			t.Errorf("%s: the facets are %s, want %s", lang, got, want)
		}
	}
}
