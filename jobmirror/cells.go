package jobmirror

import (
	"fmt"
	"math"

	"github.com/jobboard-sdk/jobboard-go"
)

// The text index knows places as cells of several grids over latitude and
// longitude, the finest first, so that it can leave out postings that are far
// away. What it keeps is then measured.
var grids = []float64{0.1, 0.4, 1.6, 6.4, 25.6} // degrees

// maxCells is how many cells a circle is looked up in at most.
const maxCells = 16

func cell(grid int, latitude, longitude float64) string {
	size := grids[grid]
	return fmt.Sprintf("_g%d_%d_%d", grid, int(math.Floor((latitude+90)/size)), int(math.Floor((longitude+180)/size)))
}

// cellsOf returns the cells of a place, one of each grid.
func cellsOf(place jobboard.GeoLocation) []string {
	out := make([]string, len(grids))
	for grid := range grids {
		out[grid] = cell(grid, place.Latitude, place.Longitude)
	}
	return out
}

// cellsAround returns the cells of the finest grid that cover a circle with no more
// than maxCells; nil where the circle is too large for any.
func cellsAround(circle jobboard.GeoLocation) []string {
	for grid := range grids {
		if cells := cover(grid, circle); cells != nil {
			return cells
		}
	}
	return nil
}

const kmPerDegree = 111.0 // a little less than it is, so that no place is missed

func cover(grid int, circle jobboard.GeoLocation) []string {
	size := grids[grid]
	high := circle.RadiusKm / kmPerDegree
	south, north := circle.Latitude-high, circle.Latitude+high
	if south < -89 || north > 89 {
		return nil // around a pole every longitude is near
	}
	// A circle is widest not at its centre's latitude but nearer to the pole.
	sine := math.Sin(min(math.Pi/2, high*math.Pi/180)) / math.Cos(circle.Latitude*math.Pi/180)
	wide := math.Asin(min(1, sine)) * 180 / math.Pi * 1.01
	rows := int(math.Floor((north+90)/size)) - int(math.Floor((south+90)/size)) + 1
	if high > 80 || rows*(int(2*wide/size)+1) > maxCells {
		return nil
	}
	var cells []string
	seen := map[string]bool{}
	for latitude := south; ; latitude = min(latitude+size, north) {
		for longitude := circle.Longitude - wide; ; longitude = min(longitude+size, circle.Longitude+wide) {
			wrapped := math.Mod(longitude+540, 360) - 180
			if c := cell(grid, latitude, wrapped); !seen[c] {
				seen[c] = true
				cells = append(cells, c)
			}
			// The last column of a grid is narrower than the others.
			c := cell(grid, latitude, min(wrapped+size, 180))
			if longitude < circle.Longitude+wide && wrapped+size > 180 && !seen[c] {
				seen[c] = true
				cells = append(cells, c)
			}
			if longitude == circle.Longitude+wide {
				break
			}
		}
		if latitude == north {
			break
		}
	}
	if len(cells) > maxCells+8 {
		return nil
	}
	return cells
}
