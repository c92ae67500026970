package jobsite_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

func TestParseList(t *testing.T) {
	for _, test := range []struct {
		address, again string // again: the address that the list has
		problems       string
	}{
		{"", "", ""},
		{"text=nurse&near=Berlin&radius=50&order=newest&lang=de&after=x", "after=x&lang=de&near=Berlin&order=newest&radius=50&text=nurse", ""},
		{"text=+&near=&radius=25&order=relevance&utm_source=mail", "", ""},
		{"near=M%C3%BCnchen&radius=25", "near=M%C3%BCnchen", ""},
		{"near=Atlantis&text=a", "text=a", "near Atlantis unknown town"},
		{"radius=0&near=Wien", "near=Wien", "radius 0 no radius"},
		{"radius=1e3", "", "radius 1e3 no radius"},
		{"radius=501", "", "radius 501 no radius"},
		{"near=Wien&radius=500", "near=Wien&radius=500", ""},
		{"near=Wien&radius=1", "near=Wien&radius=1", ""},
		{"order=best", "", "order best no order"},
		{"order=nearest&near=Wien", "near=Wien&order=nearest", ""},
		{"order=nearest", "", ""}, // nothing is near
		{"order=nearest&near=Atlantis", "", "near Atlantis unknown town"},
		{"category=4711&place=K%C3%B6ln", "category=4711&place=K%C3%B6ln", ""},
		{"text=%ff%D0%BC%D0%B5%D0%B4", "text=%EF%BF%BD%D0%BC%D0%B5%D0%B4", ""},
	} {
		values, err := url.ParseQuery(test.address)
		if err != nil {
			t.Fatal(err)
		}
		list, wrong := jobsite.ParseList(values)
		var problems []string
		for _, p := range wrong {
			problems = append(problems, fmt.Sprint(p.Field, " ", p.Value, " ", p.Reason))
		}
		if got := list.Values().Encode(); got != test.again || strings.Join(problems, ", ") != test.problems {
			t.Errorf("%q is %q, %q", test.address, got, problems)
		}
		if again, wrong := jobsite.ParseList(list.Values()); again != list || len(wrong) > 0 {
			t.Errorf("%q is read back as %+v, %v", test.address, again, wrong)
		}
	}
	longest := strings.Repeat("x", 1000)
	if list, wrong := jobsite.ParseList(url.Values{"text": {longest}}); len(wrong) > 0 || list.Text != longest {
		t.Errorf("the longest text: %v, %d bytes are left", wrong, len(list.Text))
	}
	if list, wrong := jobsite.ParseList(url.Values{"text": {longest + "x"}}); len(wrong) != 1 || wrong[0].Reason != jobsite.TextTooLong || list.Text != "" {
		t.Errorf("a text that is too long: %v, %d bytes are left", wrong, len(list.Text))
	}
	if got := (jobsite.List{Radius: 50}).Values().Encode(); got != "" {
		t.Errorf("a radius around no town: %q", got)
	}
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"text=a&near=Berlin", "radius=9&near=Wien&order=newest", "text=%00%ff", "near=%C3%A4&place=%20x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		values, _ := url.ParseQuery(address)
		list, _ := jobsite.ParseList(values)
		if again, wrong := jobsite.ParseList(list.Values()); again.Values().Encode() != list.Values().Encode() || len(wrong) > 0 {
			t.Errorf("%q: %+v and %+v, %v", address, list, again, wrong)
		}
	})
}

// Every link of a list leads where its number says.
func TestList(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	_, posting := fake.Publish(fake.Demo.Channel, jobboardtest.Job{Title: "Gardener", Language: "de"})
	fake.RemovePosting(posting.ID)
	posting.VersionStart = fake.Now().Add(-time.Minute) // which is of the last days
	fake.AddPosting(posting)
	mirror, err := jobmirror.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"), jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de"}}},
		Feeds:    []jobmirror.Feed{{Address: fake.FeedURL}}, Limit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer mirror.Close()
	if err := mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	search := func(query string) (jobsite.List, *jobmirror.Page) {
		t.Helper()
		values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
		if err != nil {
			t.Fatal(err)
		}
		list, wrong := jobsite.ParseList(values)
		page, err := mirror.Search(t.Context(), list.Query())
		if err != nil || len(wrong) > 0 {
			t.Fatalf("%s: %v, %v", query, err, wrong)
		}
		return list, page
	}
	list, all := search("lang=de")
	_, near := search("lang=de&near=Berlin&radius=50")
	if near.Facets.Total == 0 || near.Facets.Total >= all.Facets.Total {
		t.Errorf("%d of %d jobs are near Berlin", near.Facets.Total, all.Facets.Total)
	}
	placesOf := func(list jobsite.List, page *jobmirror.Page, limit int) []jobsite.Facet {
		return (&jobsite.Results{List: list, Page: page, Language: "de"}).Places(limit)
	}
	found := placesOf(list, all, 3)
	if len(found) != 3 || found[0].Count < found[1].Count {
		t.Fatalf("places %+v", found)
	}
	for _, f := range found {
		chosen, page := search(string(f.Link))
		if page.Facets.Total != f.Count || chosen.Place != f.Name || f.Chosen {
			t.Errorf("%+v leads to %d jobs of %q", f, page.Facets.Total, chosen.Place)
		}
		own := placesOf(chosen, page, 1)
		if len(own) != 1 || !own[0].Chosen || own[0].Name != f.Name || own[0].Link != "?lang=de" {
			t.Errorf("%q is taken away by %+v", f.Name, own)
		}
	}
	results := &jobsite.Results{List: list, Page: all}
	if nothing := group(results, "category", 9); len(nothing) > 0 {
		t.Errorf("categories without names: %+v", nothing)
	}
	results.Texts.Categories = map[string]string{}
	for id := range all.Facets.Categories {
		results.Texts.Categories[id] = "Category " + id
	}
	if len(group(results, "category", 2)) != 2 {
		t.Errorf("groups %+v", results.Groups(2))
	}
	for _, f := range group(results, "category", 2) {
		if _, page := search(string(f.Link)); page.Facets.Total != f.Count || !strings.HasPrefix(f.Name, "Category ") {
			t.Errorf("%+v leads to %d jobs", f, page.Facets.Total)
		}
	}
	// A choice leads to its first page, and what is not there can still be taken away.
	second, page := search(string(list.Next(all)))
	if second.After == "" || len(page.Postings) == 0 {
		t.Errorf("the next page is %+v", second)
	}
	if back := second.Previous(); back != "?lang=de" || list.Previous() != "" {
		t.Errorf("the second page leads back to %q, the first to %q", back, list.Previous())
	}
	if f := placesOf(second, page, 1); strings.Contains(string(f[0].Link), "after") {
		t.Errorf("a choice leads to %s", f[0].Link)
	}
	if list.Next(&jobmirror.Page{}) != "" {
		t.Error("the last page has a next one")
	}
	none, page := search("lang=de&place=Atlantis")
	if f := placesOf(none, page, 5); len(f) != 1 || f[0].Name != "Atlantis" || f[0].Count != 0 || f[0].Link != "?lang=de" {
		t.Errorf("nothing found, and %+v", f)
	}
}

// group returns the facets of a filter.
func group(r *jobsite.Results, name string, limit int) []jobsite.Facet {
	for _, g := range r.Groups(limit) {
		if g.Name == name {
			return g.Facets
		}
	}
	return nil
}

// What was chosen comes first, then what is found most often, and what has no words is
// left out.
func TestOrderOfFacets(t *testing.T) {
	counts := map[string]int{"few": 1, "many": 9, "some": 4, "also": 4}
	for i := range 40 {
		counts[fmt.Sprint("unnamed ", i)] = 20 + i
	}
	texts := jobsite.Texts{Categories: map[string]string{"few": "few", "many": "many", "some": "some", "also": "also"}}
	for chosen, want := range map[string]string{
		"":     "many 9 false, also 4 false, some 4 false, few 1 false",
		"few":  "few 1 true, many 9 false, also 4 false, some 4 false",
		"some": "some 4 true, many 9 false, also 4 false, few 1 false",
	} {
		var got []string
		r := &jobsite.Results{List: jobsite.List{Category: chosen}, Page: &jobmirror.Page{Facets: &jobmirror.Facets{Categories: counts}}, Texts: texts}
		for _, f := range group(r, "category", 10) {
			got = append(got, fmt.Sprint(f.Name, " ", f.Count, " ", f.Chosen))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("with %q chosen: %q", chosen, got)
		}
	}
}

// The places of a search, each as a link.
func ExampleList() {
	show := func(w io.Writer, r *http.Request, mirror *jobmirror.Mirror) error {
		// begin
		list, problems := jobsite.ParseList(jobsite.ReadQuery(r)) // text, near, radius, the filters, order, lang, after
		page, err := mirror.Search(r.Context(), list.Query())
		if err != nil {
			return err
		}
		found := &jobsite.Results{List: list, Page: page}
		for _, facet := range found.Places(5) {
			fmt.Fprintf(w, "<a href=\"%s\">%s (%d)</a>\n", html.EscapeString(string(facet.Link)), html.EscapeString(facet.Name), facet.Count)
		}
		next := list.Next(page) // the link to the next page; empty: there is none
		// end
		fmt.Fprintln(w, problems, next == "")
		return nil
	}
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // a site has the board's addresses here
	defer fake.Close()
	folder, err := os.MkdirTemp("", "jobsite")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mirror, err := jobmirror.Open(context.Background(), filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de"}}}, Limit: -1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = mirror.Close() }()
	if err := mirror.Refresh(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	err = show(os.Stdout, httptest.NewRequest("GET", "/?lang=de&place=Hamburg&near=Atlantis", nil), mirror)
	fmt.Println(err)
	// Output:
	// <a href="?lang=de">Hamburg (10)</a>
	// <a href="?lang=de&amp;place=K%C3%B6ln">Köln (4)</a>
	// <a href="?lang=de&amp;place=Z%C3%BCrich">Zürich (4)</a>
	// [{near Atlantis unknown town}] true
	// <nil>
}

// A mistyped town and a postal code of two countries lead on to what may be meant, and to the rest
// of the same search.
func TestMeant(t *testing.T) {
	for near, want := range map[string]string{
		"Berlni":       "?near=Berlin&radius=50&text=nurse",
		"Müncen":       "?near=M%C3%BCnchen&radius=50&text=nurse",
		"Frankfurt am": "?near=Frankfurt+am+Main&radius=50&text=nurse",
		"8010":         "?near=A-8010&radius=50&text=nurse ?near=CH-8010&radius=50&text=nurse",
		"99999":        "",
		"xyzzyqq":      "",
		"Berlin":       "",
		"10117":        "",
		"":             "",
	} {
		var links []string
		list := jobsite.List{Text: "nurse", Radius: 50, After: "x"}
		for _, meant := range list.Meant(near) {
			links = append(links, string(meant.Link))
			q, err := url.ParseQuery(strings.TrimPrefix(string(meant.Link), "?"))
			if err != nil {
				t.Fatal(err)
			}
			if _, problems := jobsite.ParseList(q); len(problems) > 0 {
				t.Errorf("%s leads to %q", near, problems)
			}
		}
		if got := strings.Join(links, " "); got != want {
			t.Errorf("%q leads to %s, want %s", near, got, want)
		}
	}
}

// A visitor searches around a postal code, as it is written at home and abroad.
func TestPostalCode(t *testing.T) {
	for near, want := range map[string]jobboard.GeoLocation{
		"10117":        jobboard.Near(52.52, 13.39, 25),
		"A-1010":       jobboard.Near(48.21, 16.37, 25),
		"CH-8001":      jobboard.Near(47.37, 8.54, 25),
		"10117 Berlin": jobboard.Near(52.52, 13.41, 25),
	} {
		list, problems := jobsite.ParseList(url.Values{"near": {near}})
		if at := list.Query().Near; len(problems) > 0 || at.RadiusKm != 25 || jobboard.DistanceKm(at, want) > 3 {
			t.Errorf("%s: %v, %v", near, at, problems)
		}
	}
	list, problems := jobsite.ParseList(url.Values{"near": {"10117 München"}})
	if at := list.Query().Near; len(problems) != 1 || problems[0].Reason != jobsite.OtherTown || list.Near != "10117 München" ||
		jobboard.DistanceKm(at, jobboard.Near(52.52, 13.39, 0)) > 3 {
		t.Errorf("a code that lies elsewhere: %+v %+v", list, problems)
	}
	for _, texts := range []jobsite.Texts{jobsite.English(), jobsite.German()} {
		if said := texts.ListProblem(problems[0]); said == texts.Other || !strings.Contains(said, "10117 München") {
			t.Errorf("a code that lies elsewhere: %s", said)
		}
	}
	list, problems = jobsite.ParseList(url.Values{"near": {"8010"}})
	if len(problems) != 1 || problems[0].Reason != jobsite.SeveralTowns || !list.Query().Near.IsZero() {
		t.Errorf("a code of two countries: %+v %+v", list, problems)
	}
	if _, problems = jobsite.ParseList(url.Values{"near": {"99999"}}); len(problems) != 1 || problems[0].Reason != jobsite.UnknownTown {
		t.Errorf("no such code: %+v", problems)
	}
}

// A chosen category is shown even if the site has no words for it, so that it can be taken off.
func TestChosenCategoryWithoutName(t *testing.T) {
	counts := &jobmirror.Facets{Categories: map[string]int{"3001": 4, "3002": 2}}
	r := &jobsite.Results{List: jobsite.List{Category: "3001", Text: "a"}, Page: &jobmirror.Page{Facets: counts}}
	if got := group(r, "category", 5); len(got) != 1 || got[0].Name != "3001" || !got[0].Chosen || got[0].Link != "?text=a" {
		t.Errorf("%+v", got)
	}
}
