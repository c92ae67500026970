package jobboard

import (
	"math"
	"testing"
)

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
