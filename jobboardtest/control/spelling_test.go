package control

import (
	"maps"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The list leaves out places without a name, because they would be buttons without
// text.
func TestNamelessPlaces(t *testing.T) {
	got := count(spellings{}.names(jobboardtest.Location{Lat: "52", Long: "13"}, jobboardtest.Location{City: "Berlin"}, jobboardtest.Location{Name: "here"}, jobboardtest.Location{City: "Berlin"}))
	if want := []knownPlace{{Name: "Berlin", Count: 2}, {Name: "here", Count: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A place is spelled in the language of the first job that has it.
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
