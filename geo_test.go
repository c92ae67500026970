package jobboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// wantGeoError fails unless err is ErrInvalidInput, from this package, bounded
// and says which field.
func wantGeoError(t *testing.T, of any, err error, says string) {
	t.Helper()
	if !errors.Is(err, ErrInvalidInput) {
		t.Errorf("%.60q: error %v, want ErrInvalidInput", of, err)
		return
	}
	text := err.Error()
	if !strings.HasPrefix(text, "jobboard: geolocation ") || !strings.Contains(text, says) {
		t.Errorf("%.60q: error %q, want it to name the geolocation and say %q", of, text, says)
	}
	if len(text) > 600 {
		t.Errorf("%.60q: error of %d bytes is not bounded", of, len(text))
	}
}

func TestParseGeoLocation(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want GeoLocation
		text string // what String returns, if it differs from in
	}{
		{"52.520014::13.373006::50", GeoLocation{52.520014, 13.373006, 50}, ""},
		{"0::0::5", GeoLocation{0, 0, 5}, ""},
		{"-0::-0.0::5", GeoLocation{0, 0, 5}, "0::0::5"},
		{"-90::-180::0.5", GeoLocation{-90, -180, 0.5}, ""},
		{"90::180::20038", GeoLocation{90, 180, 20038}, ""},
		{"052.50::013.40::050.0", GeoLocation{52.5, 13.4, 50}, "52.5::13.4::50"},
		{"0.0000001::0.00000000000001::0.000001", GeoLocation{1e-7, 1e-14, 1e-6}, ""},
		{"0." + strings.Repeat("0", 400) + "1::1::1", GeoLocation{0, 1, 1}, "0::1::1"},
	} {
		g, err := ParseGeoLocation(tt.in)
		if err != nil || g != tt.want {
			t.Errorf("ParseGeoLocation(%.60q) = %#v, %v, want %#v", tt.in, g, err, tt.want)
		}
		if got := g.String(); got != cmp.Or(tt.text, tt.in) {
			t.Errorf("ParseGeoLocation(%.60q).String() = %q", tt.in, got)
		}
		if math.Signbit(g.Latitude) && g.Latitude == 0 {
			t.Errorf("ParseGeoLocation(%.60q) keeps a negative zero", tt.in)
		}
	}
}

func TestParseGeoLocationErrors(t *testing.T) {
	long := strings.Repeat("9", 5000)
	for _, tt := range []struct{ in, says string }{
		{"", "latitude::longitude::kilometres"},
		{"52.5", "latitude::longitude::kilometres"},
		{"52.5::13.4", "latitude::longitude::kilometres"},
		{"52.5::13.4::50::", "latitude::longitude::kilometres"},
		{"52.5::13.4::50::1", "latitude::longitude::kilometres"},
		{"52.5:13.4:50", "latitude::longitude::kilometres"},
		{"52.5,13.4,50", "latitude::longitude::kilometres"},
		{"52.5%3A%3A13.4%3A%3A50", "latitude::longitude::kilometres"},
		{" ", "latitude::longitude::kilometres"},
		{long, "latitude::longitude::kilometres"},
		{strings.Repeat("\x00", 5000), "latitude::longitude::kilometres"},
		{"::::", `latitude ""`},
		{"52,5::13.4::50", `latitude "52,5"`},
		{"+52.5::13.4::50", "latitude"},
		{" 52.5::13.4::50", "latitude"},
		{"5e1::13.4::50", "latitude"},
		{"0x10::13.4::50", "latitude"},
		{"NaN::13.4::50", "latitude"},
		{"-::13.4::50", "latitude"},
		{"--1::13.4::50", "latitude"},
		{".5::13.4::50", "latitude"},
		{"5.::13.4::50", "latitude"},
		{"5.-5::13.4::50", "latitude"},
		{"1.2.3::13.4::50", "latitude"},
		{"1_0::13.4::50", "latitude"},
		{"٥::13.4::50", "latitude"},
		{"90.0001::13.4::50", "latitude is not between"},
		{long + "::13.4::50", "latitude is not between"},
		{"x" + long + "::13.4::50", "latitude"},
		{"52.5:::13.4::50", "longitude"},
		{"52.5::Inf::50", "longitude"},
		{"52.5::13.4\n::50", "longitude"},
		{"52.5::-180.0001::50", "longitude is not between"},
		{"52.5::13.4::", "radius"},
		{"52.5::13.4::50km", "radius"},
		{"52.5::13.4:::50", "radius"},
		{"52.5::13.4::-50", "radius is not above 0"},
		{"52.5::13.4::0", "radius is not above 0"},
		{"0::0::0", "radius is not above 0"},
		{"-0::-0::-0", "radius is not above 0"},
		{"52.5::13.4::20038.1", "radius is not above 0 and at most 20038 kilometres"},
		{"52.5::13.4::50000", "radius"},
	} {
		g, err := ParseGeoLocation(tt.in)
		if !g.IsZero() {
			t.Errorf("ParseGeoLocation(%.60q) = %v beside an error", tt.in, g)
		}
		wantGeoError(t, tt.in, err, tt.says)
	}
}

func TestGeoLocationValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		g    GeoLocation
		says string // "" for valid
	}{
		{GeoLocation{}, ""},
		{GeoLocation{math.Copysign(0, -1), 0, 0}, ""},
		{Near(0, 0, 5), ""},
		{Near(90, 180, 20038), ""},
		{Near(-90, -180, math.SmallestNonzeroFloat64), ""},
		{Near(math.Nextafter(90, inf), 0, 5), "latitude"},
		{Near(math.Nextafter(-90, -inf), 0, 5), "latitude"},
		{Near(nan, 0, 0), "latitude"},
		{Near(nan, nan, nan), "latitude"},
		{Near(inf, 0, 5), "latitude"},
		{Near(-inf, 0, 5), "latitude"},
		{Near(0, math.Nextafter(180, inf), 5), "longitude"},
		{Near(0, math.Nextafter(-180, -inf), 5), "longitude"},
		{Near(0, nan, 5), "longitude"},
		{Near(0, inf, 5), "longitude"},
		{Near(0, -inf, 5), "longitude"},
		{Near(52.5, 13.4, 0), "radius"},
		{Near(52.5, 0, 0), "radius"},
		{Near(0, 13.4, 0), "radius"},
		{Near(0, 0, -1), "radius"},
		{Near(0, 0, -math.SmallestNonzeroFloat64), "radius"},
		{Near(0, 0, nan), "radius"},
		{Near(0, 0, inf), "radius"},
		{Near(0, 0, -inf), "radius"},
		{Near(0, 0, math.Nextafter(20038, inf)), "radius"},
	} {
		err := tt.g.Validate()
		if tt.says == "" {
			if err != nil {
				t.Errorf("%#v: %v", tt.g, err)
			}
			continue
		}
		wantGeoError(t, tt.g, err, tt.says+" is not")
	}
}

// Coordinates may say where somebody lives, and errors end in logs.
func TestGeoLocationValidateHidesValues(t *testing.T) {
	for _, g := range []GeoLocation{Near(91.7654, 13.4, 5), Near(1, 181.7654, 5), Near(1, 2, -7654)} {
		if err := g.Validate(); err == nil || strings.Contains(err.Error(), "7654") {
			t.Errorf("%#v: error %v", g, err)
		}
	}
}

func TestGeoLocationString(t *testing.T) {
	for _, tt := range []struct {
		g    GeoLocation
		want string
	}{
		{GeoLocation{}, ""},
		{GeoLocation{0, math.Copysign(0, -1), 0}, ""},
		{Near(0, 0, 5), "0::0::5"},
		{Near(math.Copysign(0, -1), math.Copysign(0, -1), 5), "0::0::5"},
		{Near(52.520014, 13.373006, 50), "52.520014::13.373006::50"},
		{Near(-1e-9, 1e-21, 1e4), "-0.000000001::0.000000000000000000001::10000"},
		{Near(1e21, 0, -1), "1000000000000000000000::0::-1"},
		{Near(0.30000000000000004, 1, 1), "0.30000000000000004::1::1"},
		{Near(math.NaN(), math.Inf(1), math.Inf(-1)), "NaN::+Inf::-Inf"},
	} {
		if got := tt.g.String(); got != tt.want {
			t.Errorf("%#v: %q, want %q", tt.g, got, tt.want)
		}
	}
}

func TestGeoLocationText(t *testing.T) {
	type settings struct {
		Near GeoLocation `json:"near"`
	}
	for _, tt := range []struct {
		s    settings
		want string
	}{
		{settings{}, `{"near":""}`},
		{settings{Near(52.5, 13.4, 50)}, `{"near":"52.5::13.4::50"}`},
	} {
		b, err := json.Marshal(tt.s)
		if err != nil || string(b) != tt.want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", tt.s, b, err, tt.want)
		}
		back := settings{Near(1, 2, 3)}
		if err := json.Unmarshal(b, &back); err != nil || back != tt.s {
			t.Errorf("Unmarshal(%s) = %v, %v", b, back, err)
		}
	}

	_, err := Near(91, 0, 5).MarshalText()
	wantGeoError(t, "MarshalText", err, "latitude")

	g := Near(1, 2, 3)
	wantGeoError(t, "UnmarshalText", g.UnmarshalText([]byte("91::0::5")), "latitude")
	wantGeoError(t, "UnmarshalText", g.UnmarshalText([]byte("1")), "latitude::longitude::kilometres")
	if g != Near(1, 2, 3) {
		t.Errorf("a failed UnmarshalText leaves %v", g)
	}

	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.TextVar(&g, "near", GeoLocation{}, "")
	if !g.IsZero() {
		t.Errorf("default of the flag is %v", g)
	}
	if err := flags.Parse([]string{"-near=1::2::-3"}); err == nil || !strings.Contains(err.Error(), "radius") {
		t.Errorf("a bad flag gives %v", err)
	}
}

func TestDistanceKm(t *testing.T) {
	const quarter = math.Pi / 2 * earthRadiusKm
	for _, tt := range []struct {
		name       string
		a, b       GeoLocation
		want, fuzz float64
	}{
		{"same place", Near(52.52, 13.405, 50), Near(52.52, 13.405, 10), 0, 0},
		{"one degree of the equator", Near(0, 0, 1), Near(0, 1, 1), 111.195, 0.001},
		{"one degree of a meridian", Near(10, 20, 1), Near(11, 20, 1), 111.195, 0.001},
		{"one degree at 60 north", Near(60, 0, 1), Near(60, 1, 1), 55.597, 0.01},
		{"Berlin to Munich", Near(52.52, 13.405, 1), Near(48.137, 11.575, 1), 504.2, 0.5},
		{"London to New York", Near(51.5074, -0.1278, 1), Near(40.7128, -74.006, 1), 5570.2, 1},
		{"one metre", Near(52.5, 13.4, 1), Near(52.500009, 13.4, 1), 0.0010008, 1e-6},
		{"over the date line", Near(0, 179.5, 1), Near(0, -179.5, 1), 111.195, 0.001},
		{"the date line from both sides", Near(10, 180, 1), Near(10, -180, 1), 0, 1e-9},
		{"a pole is one place", Near(90, 10, 1), Near(90, -100, 1), 0, 1e-9},
		{"pole to equator", Near(-90, 0, 1), Near(0, 77, 1), quarter, 1e-6},
		{"pole to pole", Near(90, 0, 1), Near(-90, 0, 1), 2 * quarter, 1e-6},
		{"antipodes on the equator", Near(0, 0, 1), Near(0, 180, 1), 2 * quarter, 1e-6},
		{"antipodes elsewhere", Near(52.52, 13.405, 1), Near(-52.52, -166.595, 1), 2 * quarter, 1e-3},
		{"antipodes that round past the end", Near(53.351720698118186, 0, 1), Near(-53.351720698118186, 180, 1), 2 * quarter, 1e-3},
		{"the zero value is 0, 0", GeoLocation{}, Near(0, 90, 0), quarter, 1e-6},
	} {
		if got := DistanceKm(tt.a, tt.b); !(math.Abs(got-tt.want) <= tt.fuzz) {
			t.Errorf("%s: %v km, want %v", tt.name, got, tt.want)
		}
	}
	for _, g := range []GeoLocation{
		Near(math.NaN(), 0, 1), Near(0, math.NaN(), 1), Near(math.Inf(1), 0, 1), Near(0, math.Inf(-1), 1),
		Near(90.1, 0, 1), Near(0, -180.1, 1),
	} {
		if d := DistanceKm(g, Near(1, 1, 1)); !math.IsNaN(d) {
			t.Errorf("from %v: %v km, want NaN", g, d)
		}
		if d := DistanceKm(Near(1, 1, 1), g); !math.IsNaN(d) {
			t.Errorf("to %v: %v km, want NaN", g, d)
		}
	}
}

func TestLocationNear(t *testing.T) {
	berlin := Location{GeoLat: "52.520014", GeoLong: "13.373006"}
	if g, err := berlin.Near(50); err != nil || g != Near(52.520014, 13.373006, 50) {
		t.Errorf("Near(50) = %v, %v", g, err)
	}
	if g, err := (Location{GeoLat: "0", GeoLong: "0"}).Near(5); err != nil || g != Near(0, 0, 5) {
		t.Errorf("Near(5) of 0, 0 = %v, %v", g, err)
	}
	for _, tt := range []struct {
		location Location
		radius   float64
		says     string
	}{
		{Location{}, 50, "without usable coordinates"},
		{Location{GeoLat: "52.52"}, 50, "without usable coordinates"},
		{Location{GeoLat: "north", GeoLong: "13.4"}, 50, "without usable coordinates"},
		{berlin, 0, "radius"},
		{berlin, -1, "radius"},
		{berlin, math.NaN(), "radius"},
		{Location{GeoLat: "0", GeoLong: "0"}, 0, "radius"},
	} {
		g, err := tt.location.Near(tt.radius)
		if !g.IsZero() {
			t.Errorf("%v: %v beside an error", tt.location, g)
		}
		wantGeoError(t, tt.location, err, tt.says)
	}
}

func TestLocationDistanceKm(t *testing.T) {
	home := Near(52.52, 13.405, 50)
	munich := Location{GeoLat: "48.137", GeoLong: "11.575"}
	if d := munich.DistanceKm(home); d != DistanceKm(home, Near(48.137, 11.575, 0)) || math.Abs(d-504) > 1 {
		t.Errorf("Munich is %v km away", d)
	}
	if d := (Location{GeoCity: "Munich"}).DistanceKm(home); !math.IsInf(d, 1) {
		t.Errorf("a location without coordinates is %v km away", d)
	}
}

// checkGeoLocation holds whatever the numbers are.
func checkGeoLocation(t *testing.T, g GeoLocation) {
	t.Helper()
	text := g.String()
	if strings.ContainsAny(text, "eE") {
		t.Fatalf("%#v prints an exponent: %q", g, text)
	}
	if (text == "") != g.IsZero() {
		t.Fatalf("%#v prints %q", g, text)
	}
	var back GeoLocation
	err := back.UnmarshalText([]byte(text))
	if invalid := g.Validate(); (invalid == nil) != (err == nil) {
		t.Fatalf("Validate of %#v says %v, UnmarshalText of its text %v", g, invalid, err)
	}
	if err != nil {
		if !errors.Is(err, ErrInvalidInput) || !back.IsZero() {
			t.Fatalf("UnmarshalText(%q) = %#v, %v", text, back, err)
		}
		return
	}
	if back != g {
		t.Fatalf("%#v came back as %#v", g, back)
	}
	if d := DistanceKm(g, back); d != 0 {
		t.Fatalf("%#v is %v km from itself", g, d)
	}
}

// checkDistances holds for any three places on the globe.
func checkDistances(t *testing.T, a, b, c GeoLocation) {
	t.Helper()
	const farthest = math.Pi * earthRadiusKm
	// Close to its farthest point haversine is good to some decimetres.
	const slack = 1e-3
	ab, ba := DistanceKm(a, b), DistanceKm(b, a)
	ac, cb := DistanceKm(a, c), DistanceKm(c, b)
	switch {
	case ab != ba:
		t.Fatalf("%v to %v: %v km there, %v km back", a, b, ab, ba)
	case !(ab >= 0 && ab <= farthest):
		t.Fatalf("%v to %v: %v km", a, b, ab)
	case ab > ac+cb+slack:
		t.Fatalf("%v to %v: %v km is longer than by %v, %v km", a, b, ab, c, ac+cb)
	case ab < math.Abs(a.Latitude-b.Latitude)*farthest/180-slack:
		t.Fatalf("%v to %v: %v km is shorter than along the meridian", a, b, ab)
	}
	// The antipode of b is as far from a as is left of half the circle.
	opposite := Near(-b.Latitude, b.Longitude-180, 1)
	if b.Longitude < 0 {
		opposite.Longitude = b.Longitude + 180
	}
	if rest := DistanceKm(a, opposite); !(math.Abs(ab+rest-farthest) <= slack) {
		t.Fatalf("%v to %v: %v km, to its antipode %v km", a, b, ab, rest)
	}
}

func TestGeoLocationProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	place := func() GeoLocation {
		return Near(random.Float64()*180-90, random.Float64()*360-180, math.Ldexp(random.Float64(), random.IntN(14)))
	}
	for range 20_000 {
		checkDistances(t, place(), place(), place())
		checkGeoLocation(t, place())
		checkGeoLocation(t, Near(
			math.Float64frombits(random.Uint64()), math.Float64frombits(random.Uint64()), math.Float64frombits(random.Uint64()),
		))
		// Tiny numbers, which %v would print with an exponent.
		g := place()
		checkGeoLocation(t, Near(math.Ldexp(g.Latitude, -random.IntN(1100)), math.Ldexp(g.Longitude, -random.IntN(1100)), g.RadiusKm))
	}
}

func FuzzParseGeoLocation(f *testing.F) {
	for _, s := range []string{
		"", "52.520014::13.373006::50", "0::0::0", "-0::-0::5", "1e1::2::3", "90::180::20038", "1::2::3::4", "::::",
		"0x1p4::NaN::Inf", "00001.10::.5::5.",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g, err := ParseGeoLocation(s)
		if err != nil {
			if !g.IsZero() {
				t.Fatalf("%q: %#v beside an error", s, g)
			}
			wantGeoError(t, s, err, "")
			return
		}
		if g.IsZero() != (s == "") {
			t.Fatalf("%q means anywhere: %v", s, g.IsZero())
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("%q: accepted, but %v", s, err)
		}
		checkGeoLocation(t, g)
	})
}
