package jobsite_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite/jobsitetest"
)

// searches returns a function that makes a search by the query of an address, such as "?text=nurse".
func searches(t *testing.T) func(query string) *jobsite.Results {
	t.Helper()
	site := jobsitetest.Open(t, nil)
	return func(query string) *jobsite.Results {
		t.Helper()
		found, err := site.Site.Search(httptest.NewRequest("GET", "/"+query, nil))
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return found
	}
}

// Each value of each filter leads to as many jobs as it says, and there it is a chip, which leads back.
func TestFiltersOfAList(t *testing.T) {
	search := searches(t)
	for _, lang := range []string{"de", "en"} {
		start := "?lang=" + lang + "&text=m"
		if lang == "en" {
			start = "?lang=en"
		}
		all := search(start)
		names := []string{}
		for _, g := range all.Groups(4) {
			names = append(names, g.Name)
			if g.Heading == "" || g.Heading == g.Name {
				t.Errorf("%s: %s is headed %q", lang, g.Name, g.Heading)
			}
			for _, f := range g.Facets {
				narrowed := search(string(f.Link))
				if narrowed.Page.Facets.Total != f.Count || f.Chosen {
					t.Errorf("%s %s: %+v leads to %d jobs", lang, g.Name, f, narrowed.Page.Facets.Total)
				}
				chips := narrowed.Chips()
				if len(chips) != 1 || chips[0].Filter != g.Name || !strings.HasSuffix(chips[0].Words, f.Name) {
					t.Errorf("%s %s: %+v becomes the chips %+v", lang, g.Name, f, chips)
				}
				if back := search(string(chips[0].Link)); back.Page.Facets.Total != all.Page.Facets.Total || len(back.Chips()) > 0 {
					t.Errorf("%s: the chip %+v leads to %d jobs of %d", lang, chips[0], back.Page.Facets.Total, all.Page.Facets.Total)
				}
				if title := narrowed.Title(); !strings.Contains(title, chips[0].Words) || !strings.HasPrefix(title, narrowed.Texts.Count(f.Count)) {
					t.Errorf("%s: %d jobs of %+v have the title %q", lang, f.Count, f, title)
				}
			}
		}
		for _, name := range []string{"company", "place"} {
			if !slices.Contains(names, name) {
				t.Errorf("%s: there are only %q", lang, names)
			}
		}
	}
}

// A number of days that no list offers counts the jobs that it finds, and stands among the others in their order.
func TestDaysThatAreNotOffered(t *testing.T) {
	counts := &jobmirror.Facets{Total: 5, Since: map[int]int{1: 1, 7: 2, 30: 3}}
	r := &jobsite.Results{List: jobsite.List{Since: 90}, Page: &jobmirror.Page{Facets: counts}, Texts: jobsite.English()}
	var got []string
	for _, f := range group(r, "since", 5) {
		got = append(got, fmt.Sprint(f.Name, " ", f.Count, " ", f.Chosen))
	}
	want := "since yesterday 1 false, in the last 7 days 2 false, in the last 30 days 3 false, in the last 90 days 5 true"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// A list without jobs leads to those that it has without a filter, or in the other language; where nothing does, it says so.
func TestLeads(t *testing.T) {
	search := searches(t)
	for query, want := range map[string]string{
		"?lang=de&text=Pflegefachkraft":                       "",
		"?lang=de&text=Pflegefachkraft&company=Nobody":        "Ohne „Unternehmen: Nobody“",
		"?lang=de&near=Konstanz&radius=1&place=Hamburg":       "Ohne „1 km um Konstanz“",
		"?lang=de&text=Pflegefachkraft&since=1&place=Nowhere": "",
		"?lang=en&text=xyzzy":                                 "everywhere",
		"?lang=en&text=xyzzy&company=Nobody":                  "everywhere",
	} {
		found := search(query)
		var words []string
		for _, lead := range found.Leads() {
			words = append(words, lead.Words[:strings.LastIndex(lead.Words, ": ")])
			led := search(string(lead.Link))
			if count := led.Texts.Count(led.Page.Facets.Total); led.Page.Facets.Total == 0 || !strings.HasSuffix(lead.Words, count) {
				t.Errorf("%s: %q leads to %s", query, lead.Words, count)
			}
		}
		if len(found.Cards) > 0 && (len(words) > 0 || found.NothingAnywhere() != "") {
			t.Errorf("%s finds jobs, and says %q %q", query, words, found.NothingAnywhere())
		}
		if got := strings.Join(words, ", "); want != "everywhere" && want != "" && got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if says := found.NothingAnywhere(); (says != "") != (want == "everywhere") && want != "" {
			t.Errorf("%s: %q", query, says)
		}
	}
	// A word of one language leads to its hits.
	for _, lead := range search("?lang=en&text=Pflegefachkraft&near=Konstanz&radius=1").Leads() {
		if led := search(string(lead.Link)); led.Page.Facets.Total == 0 {
			t.Errorf("%+v leads nowhere", lead)
		}
	}
}

// The town that was taken is named with its state where several have its name, and the others are offered.
func TestTownsOfTheField(t *testing.T) {
	search := searches(t)
	found := search("?lang=de&near=Neustadt")
	if !strings.Contains(found.Town(), "Neustadt") || !strings.Contains(found.Town(), "(") {
		t.Errorf("the town is %q", found.Town())
	}
	others := found.OtherTowns()
	if len(others) == 0 {
		t.Error("no other Neustadt is offered")
	}
	for _, other := range others {
		led, _, _ := strings.Cut(search(string(other.Link)).Town(), " (")
		if name, _, _ := strings.Cut(other.Name, " ("); led != name {
			t.Errorf("%q leads to %q", other.Name, led)
		}
	}
	if town := search("?lang=en&near=K%C3%B6ln").Town(); town != "Cologne" {
		t.Errorf("Köln is %q in English", town)
	}
	for _, none := range []string{"überall", "Bayern", "Deutschland"} {
		found := search("?lang=de&near=" + url.QueryEscape(none))
		if len(found.Problems) != 1 || found.Problems[0].Reason != jobsite.NoTown || found.Town() != "" || len(found.Meant) > 0 || len(found.Cards) == 0 {
			t.Errorf("%s: %+v, %q, %+v", none, found.Problems, found.Town(), found.Meant)
		}
		if says := found.Texts.ListProblem(found.Problems[0]); !strings.Contains(says, none) {
			t.Errorf("%s: %q", none, says)
		}
	}
	if problems := search("?since=x").Problems; len(problems) != 1 || problems[0].Reason != jobsite.NoDays {
		t.Errorf("%+v", problems)
	}
	// A circle and a place that exclude each other are both chips.
	if chips := search("?near=Konstanz&radius=1&place=Hamburg").Chips(); len(chips) != 2 || chips[0].Filter != "near" || chips[1].Filter != "place" {
		t.Errorf("%+v", chips)
	}
}

// The way back has as many pages as an address bears, the last ones, and then the first.
func TestALongWayBack(t *testing.T) {
	list := jobsite.List{}
	for i := range 30 {
		list.After, list.Back = nextOf(t, list, jobmirror.PageCursor(fmt.Sprint("c", i)))
	}
	var way []string
	for list.After != "" {
		way = append(way, string(list.After))
		values, err := url.ParseQuery(strings.TrimPrefix(string(list.Previous()), "?"))
		if err != nil {
			t.Fatal(err)
		}
		list, _ = jobsite.ParseList(values)
	}
	if len(way) != 21 || way[0] != "c29" || way[20] != "c9" {
		t.Errorf("%d pages back: %q", len(way), way)
	}
}

// nextOf returns what the address of the next page has.
func nextOf(t *testing.T, list jobsite.List, cursor jobmirror.PageCursor) (jobmirror.PageCursor, string) {
	t.Helper()
	values, err := url.ParseQuery(strings.TrimPrefix(string(list.Next(&jobmirror.Page{Next: cursor})), "?"))
	if err != nil {
		t.Fatal(err)
	}
	next, _ := jobsite.ParseList(values)
	return next.After, next.Back
}

// Pages can be turned back, one after the other, to the first.
func TestTurningBack(t *testing.T) {
	search := searches(t)
	var way []string
	query := "?lang=de"
	for range 50 {
		found := search(query)
		way = append(way, fmt.Sprint(query, found.Cards[0].Path))
		next := found.List.Next(found.Page)
		if next == "" {
			break
		}
		query = string(next)
	}
	if len(way) < 2 {
		t.Fatalf("%d pages are too few", len(way))
	}
	for i := len(way) - 1; i > 0; i-- {
		found := search(query)
		query = string(found.List.Previous())
		if at := fmt.Sprint(query, search(query).Cards[0].Path); at != way[i-1] {
			t.Errorf("the page before %s is %s, want %s", way[i], at, way[i-1])
		}
	}
	if back := search(query).List.Previous(); back != "" {
		t.Errorf("before the first page is %s", back)
	}
}
