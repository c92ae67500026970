package jobmirror

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// A search that finds nothing says which filter to drop, with what that would find, or which language has hits.
func TestWhyNothingIsFound(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		shown := pages{}
		m, _ := knows(t, address, shown, Channel{ID: "a", Languages: []string{"de", "en"}})
		for i := range 6 {
			company, place := []string{"Lindenhof", "Seeblick"}[i/4], []string{"Ulm", "Bonn", "Köln"}[i%3]
			shown["a"] = append(shown["a"], fmt.Sprintf(
				`{"jobPostingId":%d,"postingVersionId":1,"title":"Nurse","config":{"ProjectCompanyNameGerman":[%q],"ProjectLocationGerman":[%q]}}`,
				i+1, company, place))
		}
		shown["a"] = append(shown["a"], `{"jobPostingId":9,"postingVersionId":1,"title":"Zimmerer"}`)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		// As if the board had the last one in German alone.
		do(t, m, func(t *tx) error {
			rows, err := t.load("posting = 9 AND language = 'en'")
			if err != nil {
				return err
			}
			return t.db.search.Remove(t.Tx, rows[0].id)
		})
		without := func(hits int, names ...string) Without { return Without{names, hits} }
		for _, c := range []struct {
			q    Query
			want *Why
		}{
			{Query{Company: "Seeblick"}, nil},
			{Query{Company: "Nobody"}, &Why{Without: []Without{without(7, "company")}}},
			{Query{Company: "Seeblick", Place: "Köln", Text: "nurse"}, nil},
			{Query{Company: "Seeblick", Place: "Ulm"}, &Why{Without: []Without{without(2, "company"), without(2, "place")}}},
			{Query{Company: "Lindenhof", Text: "zimmerer"}, &Why{Without: []Without{without(1, "company")}}},
			{Query{Company: "Lindenhof", Text: "zimmrer"}, &Why{Without: []Without{without(1, "company")}}}, // mistyped
			{Query{Company: "Nobody", Place: "Nowhere"}, &Why{Without: []Without{without(7, "company", "place")}}},
			{Query{Company: "Lindenhof", Near: jobboard.Near(50, 10, 5)}, &Why{Without: []Without{without(4, "near")}}},
			{Query{Text: "xyzzy", Company: "Lindenhof"}, &Why{}},
			{Query{Text: "zimmerer", Language: "en"}, &Why{Others: []InLanguage{{"de", 1}}}},
			{Query{Text: "zimmerer", Language: "en", Company: "Lindenhof"}, &Why{}},
		} {
			if c.q.Language == "" {
				c.q.Language = "de"
			}
			if c.want != nil && len(c.want.Others) == 0 {
				// What German lacks for a filter English lacks as well.
				c.want.Others = nil
			}
			page, err := m.Search(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(page.Why, c.want) {
				t.Errorf("%+v: %+v, want %+v", c.q, page.Why, c.want)
			}
			if c.want == nil {
				continue
			}
			for _, w := range c.want.Without {
				again, err := m.Search(t.Context(), withFacets(c.q.without(w.Filters...)))
				if err != nil || again.Facets.Total != w.Hits {
					t.Errorf("%+v without %v finds %d, %v", c.q, w.Filters, again.Facets.Total, err)
				}
			}
		}
		if text := (&Why{Without: []Without{without(7, "company", "place")}, Others: []InLanguage{{"de", 1}}}).String(); text !=
			"Nothing matches: without company, place there would be 7, in the language de there are 1." {
			t.Error(text)
		}
		if text := (&Why{}).String(); !strings.Contains(text, "any filter and in any language") {
			t.Error(text)
		}
	})
}

func withFacets(q Query) Query {
	q.Facets = true
	return q
}
