package control

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestMap(t *testing.T) {
	at := func(lat, long, city string) jobboardtest.Location {
		return jobboardtest.Location{Lat: lat, Long: long, City: city}
	}
	places := spellings{}.placesOf(true, at("52.52", "13.40", "Berlin"), at("52.52", "13.40", "Berlin"), at("53.55", "10.00", "Hamburg"),
		at("48.13", "11.57", "Munich"), at("", "", "nowhere"), at("north", "1", "nowhere"), at("NaN", "1", "nowhere"), at("90.1", "1", "nowhere"), at("1", "-180.1", "nowhere"))
	if len(places) != 4 {
		t.Fatalf("%d places", len(places))
	}
	c := draw(places)
	byName := map[string]dot{}
	for _, d := range c.Dots {
		byName[d.Title] = d
	}
	berlin, hamburg, munich := byName["Berlin: 2"], byName["Hamburg: 1"], byName["Munich: 1"]
	if len(c.Dots) != 3 || berlin.R <= hamburg.R {
		t.Errorf("the dots are %+v", c.Dots)
	}
	if !(hamburg.Y < berlin.Y && berlin.Y < munich.Y) || !(hamburg.X < munich.X && munich.X < berlin.X) {
		t.Errorf("north is not up, or east not right: %+v", c.Dots)
	}
	// 255 km from Berlin to Hamburg, 504 from Berlin to Munich.
	d := func(a, b dot) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
	if ratio := d(berlin, munich) / d(berlin, hamburg); math.Abs(ratio-504.0/255) > 0.1 {
		t.Errorf("Munich is %.2f times as far from Berlin as Hamburg", ratio)
	}
	if len(c.Labels) != 3 {
		t.Errorf("the labels are %+v", c.Labels)
	}
	if got := round1(1.26); got != 1.3 {
		t.Errorf("1.26 is rounded to %v", got)
	}
	if c := draw(nil); len(c.Dots) != 0 || c.Width != 0 {
		t.Errorf("a map of nothing: %+v", c)
	}
}

// A job that takes no applications has its places on the map, but marked.
func TestPlacesOfJobs(t *testing.T) {
	for state, open := range map[string]bool{"open": true, "closed": true, "inactive": false, "deleted": false} {
		j := jobView{State: state}
		j.Location = jobboardtest.Location{Lat: "52.52", Long: "13.40"}
		if got := j.places(spellings{}); len(got) != 1 || got[0].open != open {
			t.Errorf("%s: %+v", state, got)
		}
	}
}

// A place without a name is on the map, and not in the list beside it, where it
// would be a button without a text.
func TestNamelessPlaces(t *testing.T) {
	got := count([]place{{52, 13, "", true}, {52, 13, "Berlin", true}, {53, 10, "", true}})
	if want := []knownPlace{{Name: "Berlin", Count: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestStatusKind(t *testing.T) {
	for status, want := range map[int]string{0: "none", 200: "good", 299: "good", 300: "warn", 499: "warn", 500: "bad", 599: "bad"} {
		if got := statusKind(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}

// TestCharts holds whole maps, as numbers with one decimal.
func TestCharts(t *testing.T) {
	at := func(lat, long float64, name string) place { return place{lat, long, name, lat > 0} }
	europe := []place{
		at(52.52, 13.40, "Berlin"), at(52.52, 13.40, "Berlin"), at(53.55, 10, "Hamburg"), at(48.13, 11.57, "Munich"),
		at(48.14, 11.57, "München"), at(48.13, 11.57, ""), at(48.13, 11.57, ""), at(50.94, 6.96, "Köln"), at(50.94, 6.96, "Cologne"),
		at(-0.1, 6.13, "Island"), at(-0.1, 6.13, "Isle"), at(-0.1, 6.13, "Isle"),
	}
	var many, near []place
	for i := range 20 {
		many = append(many, at(float64(40+3*(i/5)), float64(5*(i%5)), fmt.Sprint("C", i)))
	}
	for range 9 {
		near = append(near, at(40, 5, ""))
	}
	for i := range 400 {
		near = append(near, at(40+float64(i/20)*0.5, 5+float64(i%20)*0.5, map[bool]string{true: "Edge"}[i == 399]))
	}
	var b strings.Builder
	for _, c := range []struct {
		name   string
		places []place
	}{
		{"none", nil},
		{"one", europe[:1]},
		{"two that are near", europe[3:5]},
		{"a continent", europe},
		{"the world", []place{at(-33.87, 151.21, "Sydney"), at(64.15, -21.94, "Reykjavik"), at(37.77, -122.42, "San Francisco")}},
		{"the poles", []place{at(90, 0, "N"), at(-90, 180, "S")}},
		{"an end of the earth", []place{at(89.5, -180, "N")}},
		{"a meridian", []place{at(10, 180, "E"), at(10, -180, "W")}},
		{"a tall one", []place{at(40, 5, "S"), at(50, 5.1, "N")}},
		{"a wide one", []place{at(40, 5, "W"), at(40.1, 25, "E")}},
		{"many names", many},
		{"a crowd", near},
	} {
		drawn := draw(c.places)
		fmt.Fprintf(&b, "# %s: %.1f by %.1f, %d places\n", c.name, drawn.Width, drawn.Height, drawn.Places)
		for _, l := range drawn.Lines {
			fmt.Fprintf(&b, "line %.1f\n", l)
		}
		for i, d := range drawn.Dots {
			if len(drawn.Dots) < 50 || i > len(drawn.Dots)-10 {
				fmt.Fprintf(&b, "dot %.1f %.1f %.1f %t %s\n", d.X, d.Y, d.R, d.Open, d.Title)
			}
		}
		for _, l := range drawn.Labels {
			fmt.Fprintf(&b, "label %.1f %.1f %s %s\n", l.X, l.Y, l.Anchor, l.Text)
		}
		fmt.Fprintf(&b, "%d dots\n", len(drawn.Dots))
	}
	golden.Compare(t, "testdata/charts.txt", b.String())
}

// A place is spelled as in the language of the first job that has one.
func TestSpelling(t *testing.T) {
	in := func(language, lat, city string) jobboardtest.Job {
		return jobboardtest.Job{Language: language, Location: jobboardtest.Location{Lat: lat, Long: "1", City: city}}
	}
	more := in("de", "2", "Wien")
	more.AdditionalLocations = []jobboardtest.Location{{Lat: "3", Long: "1", City: "Köln"}, {Lat: "1", Long: "1", City: "Muenchen"}}
	got := spelling([]jobboardtest.Job{
		in("fr", "1", ""), in("de", "", "Nirgends"), in("en", "1", "Munich"), in("en", "2", "Vienna"), in("de", "1", "München"), more,
		in("en", "4", "Rome"), in("fr", "4", "Rome en fr"),
	})
	want := spellings{{"1", "1"}: "München", {"2", "1"}: "Wien", {"3", "1"}: "Köln", {"4", "1"}: "Rome"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, l := range map[string]jobboardtest.Location{
		"Wien": {Lat: "2", Long: "1", City: "Vienna", Name: "Vienna, Austria"}, "Bonn": {City: "Bonn", Name: "here"}, "here": {Name: "here"},
	} {
		if got := want.name(l); got != name {
			t.Errorf("%s, want %s", got, name)
		}
	}
}
