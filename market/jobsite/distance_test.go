package jobsite

import "testing"

func TestDistance(t *testing.T) {
	for km, want := range map[float64]string{0: "< 1 km", 0.99: "< 1 km", 1: "1 km", 2.4: "2 km", 2.6: "3 km"} {
		if got := distance(km); got != want {
			t.Errorf("%g: %s, want %s", km, got, want)
		}
	}
}
