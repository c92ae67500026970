package nearby

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/places"
)

// A name that several towns have is known to have them, and each of them can be typed so that Parse takes it.
func TestOtherTownsOfAName(t *testing.T) {
	for typed, want := range map[string]string{
		"Frankfurt": "Frankfurt (Oder)", "frankfurt ": "Frankfurt (Oder)", "Neustadt": "", "Halle": "",
	} {
		_, town, err := Parse(typed, 10)
		if err != nil {
			t.Fatal(err)
		}
		others := Others(typed, town)
		if len(others) == 0 || len(others) > mostOthers {
			t.Errorf("%s, which is %s: %d others", typed, town.Name, len(others))
		}
		named := want == ""
		for _, p := range others {
			named = named || p.Name == want
			if p == town {
				t.Errorf("%s: the town itself is another", typed)
			}
			circle, _, err := Parse(Typed(p), 10)
			if err != nil || circle.Latitude != p.Latitude || circle.Longitude != p.Longitude {
				t.Errorf("%s: %q is %v, %v, and not %v", typed, Typed(p), circle, err, p)
			}
		}
		if !named {
			t.Errorf("%s: no %s in %v", typed, want, others)
		}
	}
	for _, typed := range []string{"Frankfurt (Oder)", "München", "Munich", "10117", "52.52,13.405", "Berlin, Germany", "Freiburg im Breisgau"} {
		_, town, err := Parse(typed, 10)
		if others := Others(typed, town); err != nil || len(others) > 0 {
			t.Errorf("%s: %v, %v", typed, err, others)
		}
	}
}

// Whatever town Typed names, Parse takes it, also where several of a country have its name.
func TestTypedTowns(t *testing.T) {
	type name struct{ name, country string }
	first := map[name]places.Place{}
	twice := 0
	for p := range places.All() {
		q, again := first[name{p.Name, p.Country}]
		if first[name{p.Name, p.Country}] = p; !again {
			continue
		}
		twice++
		for _, p := range []places.Place{p, q} {
			circle, _, err := Parse(Typed(p), 10)
			if err != nil || circle.Latitude != p.Latitude || circle.Longitude != p.Longitude {
				t.Errorf("%q is %v, %v, and not %v", Typed(p), circle, err, p)
			}
		}
	}
	if twice == 0 {
		t.Error("no two towns of a country have one name")
	}
}
