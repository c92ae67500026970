package nearby

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, typed := range []string{"Berlin", "berlin, germany", "52.52,13.405", " 52.52, 13.405 ", "geo:52.52,13.405", "GEO:52.52,13.405"} {
		circle, town, err := Parse(typed, 25)
		if err != nil || circle.RadiusKm != 25 || circle.Latitude < 52.4 || circle.Latitude > 52.6 {
			t.Errorf("%q: %v, %v", typed, circle, err)
		}
		if named := strings.HasPrefix(strings.ToLower(typed), "berlin"); (town.Name == "Berlin") != named {
			t.Errorf("%q is the town %q", typed, town.Name)
		}
	}
}

func TestPostalCodes(t *testing.T) {
	for typed, want := range map[string]string{"10117": "10117 DE", "A-1010": "1010 AT", "8001": "8001 CH", "10117 Berlin": "Berlin DE"} {
		circle, town, err := Parse(typed, 25)
		if err != nil || town.Name+" "+town.Country != want || circle.RadiusKm != 25 || circle.Latitude != town.Latitude {
			t.Errorf("%q: %v, %v, %v, want %s", typed, circle, town, err, want)
		}
	}
}

// A code that lies elsewhere than the town is taken, and a sentence says so.
func TestContradiction(t *testing.T) {
	for typed, want := range map[string]string{
		"10117 München":   "the postal code 10117 does not lie in München (DE): the place is that of the code",
		"15234 Frankfurt": "", "10117": "", "Berlin": "", "52.52,13.405": "", "xyzzyqq": "",
	} {
		if got := Contradiction(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if circle, town, err := Parse("10117 München", 25); err != nil || town.Name != "10117" || circle.Latitude != town.Latitude {
		t.Errorf("%v, %v, %v", circle, town, err)
	}
}

func TestMistakes(t *testing.T) {
	for typed, want := range map[string]string{
		"8010":                   "is it A-8010 or CH-8010?",
		"99999":                  `no place is known by the postal code "99999"`,
		"Berlni":                 "is it Berlin (DE)",
		"Brelin, Germany":        "is it Berlin (DE)",
		"Müncen":                 "is it München (DE)",
		"Hambrug":                "is it Hamburg (DE)",
		"Frankfurt am":           "is it Frankfurt am Main (DE)",
		"":                       `""`,
		"152,13":                 "latitude is not between",
		"xyzzyqq":                `no place is known by the name "xyzzyqq"`,
		"zz":                     "no place is known",
		"52.52::13.405::50":      "the place is 52.52,13.405, and its radius of 50 km",
		strings.Repeat("z", 900): "no place is known",
	} {
		_, _, err := Parse(typed, 50)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.60q: %v, want %q", typed, err, want)
		}
	}
	if _, _, err := Parse("xyzzyqq", 50); strings.Contains(err.Error(), "is it") {
		t.Error(err)
	}
}
