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

// A reader of German is shown the German name of a town where German is spoken, and other readers the board's own. A town of
// the same name elsewhere keeps its name.
func TestName(t *testing.T) {
	for _, test := range []struct{ language, city, latitude, longitude, want string }{
		{"de", "Munich", "48.137", "11.575", "München"},
		{"de-AT", "Cologne", "50.933", "6.95", "Köln"},
		{"de", "Vienna", "48.208", "16.372", "Wien"},
		{"en", "Munich", "48.137", "11.575", "Munich"},
		{"de", "München", "48.137", "11.575", "München"},
		{"de", "Frankfurt", "50.11", "8.68", "Frankfurt"},
		{"de", "Milan", "45.46", "9.19", "Milan"},
		{"de", "Vienna", "38.9", "-77.26", "Vienna"},
		{"de", "Nowhere-on-Sea", "50", "8", "Nowhere-on-Sea"},
	} {
		l := jobboard.Location{GeoCity: test.city, GeoLat: test.latitude, GeoLong: test.longitude}
		if got := Name(test.language, l); got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.city, test.language, got, test.want)
		}
	}
}
