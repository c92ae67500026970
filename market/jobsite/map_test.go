package jobsite_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// drawn counts the elements of a drawing, which must be well-formed.
func drawn(t *testing.T, svg string) map[string]int {
	t.Helper()
	n := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
}

// The map of German postings has German names of towns, whatever the board calls them.
func TestTownsOfTheMap(t *testing.T) {
	for _, test := range []struct {
		language, city      string
		latitude, longitude float64
		want                string
	}{
		{"de", "Munich", 48.137, 11.575, "München"},
		{"de-AT", "Cologne", 50.933, 6.95, "Köln"},
		{"de", "Vienna", 48.208, 16.372, "Wien"},
		{"en", "Munich", 48.137, 11.575, "Munich"},
		{"de", "München", 48.137, 11.575, "München"},
		{"de", "Frankfurt", 50.11, 8.68, "Frankfurt"},
		{"de", "Milan", 45.46, 9.19, "Milan"},
		{"de", "Vienna", 38.9, -77.26, "Vienna"},
		{"de", "Nowhere-on-Sea", 50, 8, "Nowhere-on-Sea"},
	} {
		p := jobmirror.Posting{Language: test.language, Posting: jobboard.JobPosting{Title: "Nurse"}, Locations: []jobboard.Location{
			{GeoCity: test.city, GeoLat: fmt.Sprint(test.latitude), GeoLong: fmt.Sprint(test.longitude)},
		}}
		svg := string(jobsite.Map([]jobmirror.Posting{p}, jobboard.GeoLocation{}, "Jobs"))
		if !strings.Contains(svg, "<title>"+test.want+": Nurse</title>") || !strings.Contains(svg, ">"+test.want+"</text>") {
			t.Errorf("%s in %s is not %s: %s", test.city, test.language, test.want, svg)
		}
	}
}

// The map of a list names a town as the list's facet does, and its dot leads to the jobs of all names of the town.
func TestTownsOfAList(t *testing.T) {
	c := newCopied(t)
	munich := jobboard.Location{GeoCity: "München", GeoLat: "48.137", GeoLong: "11.575"} // of a job in German
	vienna := jobboard.Location{GeoCity: "Vienna", GeoLat: "38.9", GeoLong: "-77.26"}    // in Virginia
	found := &jobsite.Results{Language: "en", Page: &jobmirror.Page{
		Facets: &jobmirror.Facets{Places: map[string]int{"München": 2, "Munich": 1, "Wien": 1, "Mailand": 3}},
		Postings: []jobmirror.Posting{
			{Job: 1, Language: "en", Locations: []jobboard.Location{munich}},
			{Job: 2, Language: "en", Locations: []jobboard.Location{munich}},
			{Job: 3, Language: "en", Locations: []jobboard.Location{vienna}},
		},
	}}
	svg := string(c.site.Map(found, "Jobs"))
	for _, want := range []string{`<a href="?place=M%C3%BCnchen" aria-label="Munich: `, `aria-label="Vienna: `} {
		if !strings.Contains(svg, want) {
			t.Errorf("the map lacks %s: %s", want, svg)
		}
	}
	for lang, want := range map[string]string{"en": "Mailand 3 Munich 3 Wien 1 ", "de": "Mailand 3 München 3 Wien 1 "} {
		got := ""
		for _, facet := range (&jobsite.Results{Language: lang, Page: found.Page}).Places(9) {
			got += fmt.Sprint(facet.Name, " ", facet.Count, " ")
		}
		if got != want {
			t.Errorf("%s: the facets are %s, want %s", lang, got, want)
		}
	}
}

func TestMap(t *testing.T) {
	at := func(title, city string, latitude, longitude float64) jobmirror.Posting {
		return jobmirror.Posting{Posting: jobboard.JobPosting{Title: title}, Locations: []jobboard.Location{
			{GeoCity: city, GeoLat: fmt.Sprint(latitude), GeoLong: fmt.Sprint(longitude)}, {GeoCity: "nowhere"},
		}}
	}
	postings := []jobmirror.Posting{
		at("Nurse", "Berlin", 52.52, 13.405), at("Cook", "Berlin", 52.5201, 13.4051), at("</title><script>x</script>", `<b>"Potsdam"&`, 52.39, 13.06),
		at("Clerk", "", 53.55, 9.99),
	}
	svg := string(jobsite.Map(postings, jobboard.GeoLocation{}, `"Jobs" & <more>`))
	if n := drawn(t, svg); n["circle"] != 3 || n["text"] != 2 || n["path"] != 0 || n["script"] != 0 || n["b"] != 0 {
		t.Errorf("%v: %s", n, svg)
	}
	if !strings.Contains(svg, "<title>Berlin: Nurse; Cook</title>") || !strings.Contains(svg, `aria-label="&#34;Jobs&#34; &amp; &lt;more&gt;"`) {
		t.Error(svg)
	}
	if strings.Count(svg, ` r="6"><title>Berlin:`) != 1 || strings.Count(svg, ` r="5">`) != 2 {
		t.Errorf("dots of two and of one job: %s", svg)
	}
	if many := string(jobsite.Map(slices.Repeat(postings[:1], 10), jobboard.GeoLocation{}, "Jobs")); strings.Count(many, ` r="9">`) != 1 {
		t.Errorf("a dot of ten jobs: %s", many)
	}
	edge := jobboard.Near(52, 13, 1)
	edge.RadiusKm = postings[0].Locations[0].DistanceKm(edge)
	if n := drawn(t, string(jobsite.Map(postings[:1], edge, "Jobs"))); n["circle"] != 1 {
		t.Error("a job on the circle is not in it")
	}
	near := string(jobsite.Map(postings, jobboard.Near(52.52, 13.405, 50), "Jobs"))
	if n := drawn(t, near); n["circle"] != 2 || n["path"] != 1 || strings.Contains(near, "Clerk") {
		t.Errorf("%v: %s", n, near)
	}
	if empty := string(jobsite.Map(nil, jobboard.Near(0, 0, 50), "Jobs")); drawn(t, empty)["path"] != 1 {
		t.Errorf("a circle without jobs: %s", empty)
	}
	if nothing := jobsite.Map([]jobmirror.Posting{{}}, jobboard.GeoLocation{}, "Jobs"); nothing != "" {
		t.Errorf("nothing to draw: %s", nothing)
	}
}

// The circle fills the map up to a margin of 24; without a circle the jobs do. Dots that are
// nearer than 6 are one, and a name stands right of its dot as long as it has room for 7 a
// letter.
func TestDrawing(t *testing.T) {
	const degree = 136 * 6371.0088 * math.Pi / 180 / 50 // of a circle of 50 km at the equator
	near := jobboard.Near(0, 10, 50)
	at := func(city string, x, y float64) jobmirror.Posting {
		text := func(degrees float64) string { return strconv.FormatFloat(degrees, 'f', -1, 64) }
		return jobmirror.Posting{Locations: []jobboard.Location{
			{GeoCity: city, GeoLat: text((160 - y) / degree), GeoLong: text(10 + (x-160)/degree)},
		}}
	}
	const city = "Ten lettér" // of eleven bytes
	for _, test := range []struct {
		postings []jobmirror.Posting
		near     jobboard.GeoLocation
		has      []string
		circles  int
	}{
		{nil, near, []string{`viewBox="0 0 320 320"`, `d="M160.0 24.0L`, "L160.0 296.0L"}, 0},
		{[]jobmirror.Posting{at("", 160, 30), at("", 160, 200)}, jobboard.GeoLocation{}, []string{`viewBox="0 0 320 320"`, `cx="160.0" cy="24.0"`, `cx="160.0" cy="296.0"`}, 2},
		{[]jobmirror.Posting{at("", 100, 100), at("", 105.9, 100)}, near, []string{`cx="100.0" cy="100.0" r="6"`}, 1},
		{[]jobmirror.Posting{at("", 100, 100), at("", 106.1, 100)}, near, []string{`cx="100.0" cy="100.0" r="5"`, `cx="106.1" cy="100.0" r="5"`}, 2},
		{[]jobmirror.Posting{at(city, 240.5, 160)}, near, []string{`<text x="248.5" y="164.0" text-anchor="start">` + city}, 1},
		{[]jobmirror.Posting{at(city, 241.5, 160)}, near, []string{`<text x="233.5" y="164.0" text-anchor="end">` + city}, 1},
	} {
		svg := string(jobsite.Map(test.postings, test.near, "Jobs"))
		for _, want := range test.has {
			if !strings.Contains(svg, want) {
				t.Errorf("no %s in %s", want, svg)
			}
		}
		if n := drawn(t, svg)["circle"]; n != test.circles {
			t.Errorf("%d dots, want %d: %s", n, test.circles, svg)
		}
	}
}
