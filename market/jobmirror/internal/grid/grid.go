// Package grid divides the Earth into cells of several grids over latitude and longitude, so
// that a text index can leave out what is far from a circle: a place in the circle shares a
// cell with it. Places outside the circle may share a cell as well, so the distance of each
// place found is then measured.
package grid

import (
	"fmt"
	"math"

	"github.com/jobboard-sdk/jobboard-go"
)

// grids has the sizes of the cells, the finest first.
var grids = []float64{0.1, 0.4, 1.6, 6.4, 25.6} // degrees

// maxCells bounds the cells that cover a circle.
const maxCells = 16

// cell returns the token of a cell. No piece of a word, which begins with _g too, has another
// underscore.
func cell(grid, row, column int) string { return fmt.Sprintf("_g%d_%d_%d", grid, row, column) }

// cellAt returns the row or column of a place that is so many degrees from the edge of
// the first one.
func cellAt(degrees, size float64) int { return int(math.Floor(degrees / size)) }

// Of returns the cells of a place, one cell of each grid.
func Of(place jobboard.GeoLocation) []string {
	out := make([]string, len(grids))
	for grid, size := range grids {
		out[grid] = cell(grid, cellAt(place.Latitude+90, size), cellAt(place.Longitude+180, size))
	}
	return out
}

// Cover returns the cells of the finest grid that cover a circle with few cells; nil if the
// circle is too large even for the coarsest grid.
func Cover(circle jobboard.GeoLocation) []string {
	for grid := range grids {
		if cells := cover(grid, circle); cells != nil {
			return cells
		}
	}
	return nil
}

const kmPerDegree = 111.0 // rounded down, so that no place in the circle is missed

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
	rows := cellAt(north+90, size) - cellAt(south+90, size) + 1
	if high > 80 || rows*(int(2*wide/size)+1) > maxCells {
		return nil
	}
	west, east := circle.Longitude-wide, circle.Longitude+wide
	spans := [][2]float64{{west, east}}
	switch { // across the date line, on each side of it
	case west <= -180:
		spans = [][2]float64{{-180, east}, {west + 360, 180}}
	case east >= 180:
		spans = [][2]float64{{west, 180}, {-180, east - 360}}
	}
	var cells []string
	for row := cellAt(south+90, size); row <= cellAt(north+90, size); row++ {
		for _, span := range spans {
			for column := cellAt(span[0]+180, size); column <= cellAt(span[1]+180, size); column++ {
				cells = append(cells, cell(grid, row, column))
			}
		}
	}
	return cells
}
