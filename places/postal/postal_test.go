package postal

import (
	"fmt"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, test := range []struct{ typed, country, want string }{
		{"10117", "", "[D-10117]"},
		{" d-10117 ", "", "[D-10117]"},
		{"DE 10117", "", "[D-10117]"},
		{"10117", "AT", "[]"},
		{"A-1010", "", "[A-1010]"},
		{"at1010", "CH", "[A-1010]"},
		{"8001", "", "[CH-8001]"},
		{"CH-8001", "", "[CH-8001]"},
		{"8010", "", "[A-8010 CH-8010]"},
		{"3400", "", "[A-3400 CH-3400]"},
		{"3400", "ch", "[CH-3400]"},
		{"3400", "AT", "[A-3400]"},
		{"CH 3400", "AT", "[CH-3400]"},
		{"01067", "", "[D-01067]"},
		{"1067", "DE", "[]"},
		{"D-1010", "", "[]"},
		{"A-10117", "", "[]"},
		{"F-75001", "", "[]"},
		{"99999", "", "[]"},
		{"101", "", "[]"},
		{"10117 Berlin", "", "[]"},
		{"52.52,13.4", "", "[]"},
		{"", "", "[]"},
		{"A-", "", "[]"},
		{"１０１１７", "", "[]"},
		{strings.Repeat("1", 1000), "", "[]"},
	} {
		if got := fmt.Sprint(Find(test.typed, test.country)); got != test.want {
			t.Errorf("%.40q in %q: %s, want %s", test.typed, test.country, got, test.want)
		}
	}
}

// Every code can be found by what it prints, and those of two countries are some 900, as the
// documentation says.
func TestEveryCodeIsFound(t *testing.T) {
	both := 0
	for i, c := range load() {
		if i > 0 && load()[i-1].Code == c.Code {
			both++
		}
		if got := Find(c.String(), ""); len(got) != 1 || got[0] != c || !Looks(c.String()) {
			t.Errorf("%s: %v", c, got)
		}
		if c.Latitude < 45 || c.Latitude > 56 || c.Longitude < 5 || c.Longitude > 18 {
			t.Errorf("%s is at %g, %g", c, c.Latitude, c.Longitude)
		}
	}
	if both < 900 || both > 950 {
		t.Errorf("%d codes have two countries", both)
	}
}

func TestBrokenList(t *testing.T) {
	if _, err := read(list[:1000]); err == nil {
		t.Error("a list that is cut off was read")
	}
	if _, err := read([]byte("nonsense")); err == nil {
		t.Error("nonsense was read")
	}
}
