package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// Every place in a circle is in one of the cells that the circle is looked up in:
// at the equator and near the poles, across the date line, for circles of a metre
// and of half the Earth.
func TestCellsCoverTheirCircle(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	inside, covered := 0, 0
	for range 20_000 {
		near := jobboard.GeoLocation{
			Latitude: 180*r.Float64() - 90, Longitude: 360*r.Float64() - 180,
			RadiusKm: math.Exp(r.Float64()*math.Log(20_000_000)) / 1000,
		}
		cells := Cover(near)
		if len(cells) > maxCells+8 {
			t.Fatalf("%s is looked up in %d cells", near, len(cells))
		}
		if cells == nil {
			continue // not looked up by cells at all
		}
		covered++
		for range 20 {
			// Most are near the edge, where a cell would be missing.
			high := near.RadiusKm / 111 * (1 - 0.02*r.Float64())
			angle := 2 * math.Pi * r.Float64()
			place := jobboard.GeoLocation{
				Latitude:  near.Latitude + high*math.Sin(angle),
				Longitude: near.Longitude + high*math.Cos(angle)/math.Cos(near.Latitude*math.Pi/180),
			}
			place.Longitude = math.Mod(place.Longitude+540, 360) - 180
			if math.Abs(place.Latitude) > 90 || math.Abs(place.Longitude) > 180 || jobboard.DistanceKm(near, place) > near.RadiusKm {
				continue
			}
			inside++
			if !slices.ContainsFunc(Of(place), func(c string) bool { return slices.Contains(cells, c) }) {
				t.Fatalf("%s, %.1f km from the middle of %s, is in none of %q", place, jobboard.DistanceKm(near, place), near, cells)
			}
		}
	}
	if covered < 10_000 || inside < 100_000 {
		t.Errorf("only %d circles and %d places were looked at", covered, inside)
	}
}
