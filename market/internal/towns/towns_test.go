package towns

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// A location whose postal code does not lie in its town keeps the board's own words: the place of a
// code is no town to count or show.
func TestContradiction(t *testing.T) {
	for city, want := range map[string]string{"10117 Berlin": "Berlin", "15234 Frankfurt": "Frankfurt (Oder)", "10117 München": "", "17379 Heinrichsruh": ""} {
		l := jobboard.Location{GeoCity: city}
		if town, ok := Of(l); town.Name != want || ok != (want != "") {
			t.Errorf("%s is in %+v, %v, want %q", city, town, ok, want)
		}
		if name := Name("de", l); want == "" && name != city {
			t.Errorf("%s is shown as %s", city, name)
		}
	}
}
