package towns

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/places"
)

// A country, a state and anywhere are no towns; a town that has such a name, or a village beside its state, is judged by
// its people.
func TestNoTown(t *testing.T) {
	for text, want := range map[string]bool{
		"überall": true, "Anywhere": true, "Deutschland": true, "germany": true, "Schweiz": true, "Bayern": true, " nordrhein-westfalen ": true,
		"NRW": true, "Hessen": true, "Lower Saxony": true, "Tirol": true, "Thüringen": true,
		"Berlin": false, "Hamburg": false, "Wien": false, "Zürich": false, "Luxemburg": false, "Au": false, "": false, "10117": false,
		"Neustadt, Bayern": false, "Köln": false, "xyzzy": false,
	} {
		if got := NoTown(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// A town is told from others of its name by its state, or else by its country.
func TestAreas(t *testing.T) {
	for _, c := range []struct{ typed, language, want string }{
		{"Frankfurt am Main", "de", "Hessen"}, {"Frankfurt am Main", "en-GB", "Hesse"}, {"Neuss", "en", "North Rhine-Westphalia"},
		{"Graz", "de", "Steiermark"}, {"Paris", "de", "FR"},
	} {
		town, ok := places.Find(c.typed)
		if got := Area(c.language, town); !ok || got != c.want {
			t.Errorf("%s: %q, want %q", c.typed, got, c.want)
		}
	}
	for typed, want := range map[string]string{
		"Frankfurt": "Frankfurt (Oder)", "neustadt": "Neustadt am Rübenberge", "Neustadt, DE": "Neustadt am Rübenberge", "Halle": "Halle", "Berlin": "", "Köln": "",
	} {
		town, _ := places.Find(typed)
		others := Others(typed, town, 4)
		if want == "" && len(others) > 0 || want != "" && (len(others) == 0 || others[0].Name != want || others[0] == town) {
			t.Errorf("others of %s: %+v, want %q first", typed, others, want)
		}
	}
	for name, want := range map[string]string{"Köln": "Cologne", "Munich": "Munich", "Mailand": "Milan", "Berlin": "Berlin", "Atlantis": "Atlantis"} {
		if got := InLanguage("en", name); got != want {
			t.Errorf("%s is %s in English", name, got)
		}
		if got := InLanguage("de", name); got != name {
			t.Errorf("%s is %s in German", name, got)
		}
	}
}
