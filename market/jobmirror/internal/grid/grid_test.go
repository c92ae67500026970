package grid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// The cells of a place keep their names: they are in the text index of every database.
func TestNamesOfCells(t *testing.T) {
	for _, c := range []struct {
		latitude, longitude float64
		want                string
	}{
		{0, 0, "_g0_900_1800 _g1_225_450 _g2_56_112 _g3_14_28 _g4_3_7"},
		{-90, -180, "_g0_0_0 _g1_0_0 _g2_0_0 _g3_0_0 _g4_0_0"},
		{90, 180, "_g0_1800_3600 _g1_450_900 _g2_112_225 _g3_28_56 _g4_7_14"},
		{52.52, 13.37, "_g0_1425_1933 _g1_356_483 _g2_89_120 _g3_22_30 _g4_5_7"},
	} {
		got := strings.Join(Of(jobboard.GeoLocation{Latitude: c.latitude, Longitude: c.longitude}), " ")
		if got != c.want {
			t.Errorf("%g, %g is in %s, want %s", c.latitude, c.longitude, got, c.want)
		}
	}
}

// A circle is covered by the finest cells that cover it with sixteen at most, and by no cell
// that lies outside.
func TestCoverIsAsFineAsItMayBe(t *testing.T) {
	const degree = kmPerDegree
	for _, c := range []struct {
		circle jobboard.GeoLocation
		grid   string // empty: it is covered by no cells
		cells  int
	}{
		{jobboard.Near(0.05, 0.05, 0.001), "_g0_", 1},
		{jobboard.Near(0.05, 0.05, 0.04*degree), "_g0_", 1},
		{jobboard.Near(0.05, 0.05, 0.06*degree), "_g0_", 9},
		{jobboard.Near(0, 0, 0.09*degree), "_g0_", 4},
		{jobboard.Near(0, 0, 0.19*degree), "_g0_", 16},
		{jobboard.Near(0, 0, 0.21*degree), "_g1_", 4},
		{jobboard.Near(0, 0, 0.7*degree), "_g1_", 16},
		{jobboard.Near(0.8, 0.8, 0.9*degree), "_g2_", 4},
		{jobboard.Near(6.4, 0, 19*degree), "_g4_", 4},
		{jobboard.Near(0, 0, 60*degree), "", 0},
		{jobboard.Near(88.9, 0, 0.05*degree), "_g1_", 14}, // where a degree of longitude is short
		{jobboard.Near(89, 0, 0.05*degree), "", 0},
		{jobboard.Near(-88.9, 0, 0.2*degree), "", 0},
		{jobboard.Near(0, 180, 0.09*degree), "_g0_", 6}, // 180 has a column of its own
		{jobboard.Near(0, -180, 0.09*degree), "_g0_", 6},
	} {
		cells := Cover(c.circle)
		if c.grid == "" && cells != nil || c.grid != "" && (len(cells) == 0 || c.cells != 0 && len(cells) != c.cells) {
			t.Errorf("%s is covered by %q", c.circle, cells)
		}
		for _, one := range cells {
			if !strings.HasPrefix(one, c.grid) {
				t.Errorf("%s is covered by %s", c.circle, one)
			}
		}
		slices.Sort(cells)
		if n := len(slices.Compact(cells)); n != len(cells) {
			t.Errorf("%s: %d cells come again", c.circle, len(cells)-n)
		}
	}
	r := rand.New(rand.NewPCG(12, 13))
	for range 2000 {
		circle := jobboard.Near(120*r.Float64()-60, 340*r.Float64()-170, math.Exp(r.Float64()*math.Log(500)))
		for _, one := range Cover(circle) {
			var grid, row, column int
			if _, err := fmt.Sscanf(one, "_g%d_%d_%d", &grid, &row, &column); err != nil {
				t.Fatal(err)
			}
			// The nearest point to the circle's middle, or almost.
			size := grids[grid]
			nearest := jobboard.GeoLocation{
				Latitude:  max(float64(row)*size-90, min(float64(row+1)*size-90, circle.Latitude)),
				Longitude: max(float64(column)*size-180, min(float64(column+1)*size-180, circle.Longitude)),
			}
			if km := jobboard.DistanceKm(circle, nearest); km > 1.6*circle.RadiusKm { // the corner of a square around it
				t.Fatalf("%s is looked up in %s, which is %.1f km away", circle, one, km)
			}
		}
	}
}
