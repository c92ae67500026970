package jobmirror

import (
	"fmt"
	"math"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// The text index knows places as cells of several grids over latitude and
// longitude, the finest first, so that it can leave out postings that are far
// away. What it keeps is then measured.
var grids = []float64{0.1, 0.4, 1.6, 6.4, 25.6} // degrees

// maxCells bounds the cells that a circle is looked up in.
const maxCells = 16

// cell returns the token of a cell. No piece of a word, which begins with _g too, has another
// underscore.
func cell(grid, row, column int) string { return fmt.Sprintf("_g%d_%d_%d", grid, row, column) }

// index returns the row or column of a place that is so many degrees from the edge of
// the first one.
func index(degrees, size float64) int { return int(math.Floor(degrees / size)) }

// cellsOf returns the cells of a place, one of each grid.
func cellsOf(place jobboard.GeoLocation) []string {
	out := make([]string, len(grids))
	for grid, size := range grids {
		out[grid] = cell(grid, index(place.Latitude+90, size), index(place.Longitude+180, size))
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
	rows := index(north+90, size) - index(south+90, size) + 1
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
	for row := index(south+90, size); row <= index(north+90, size); row++ {
		for _, span := range spans {
			for column := index(span[0]+180, size); column <= index(span[1]+180, size); column++ {
				cells = append(cells, cell(grid, row, column))
			}
		}
	}
	return cells
}

// within returns those of some rows that are in a circle, in their order; all where there
// is no circle.
func (t *tx) within(list []int64, near jobboard.GeoLocation) ([]int64, error) {
	if near.IsZero() {
		return list, nil
	}
	inside, err := t.measure("SELECT p.id, l.latitude, l.longitude FROM postings p JOIN places l ON l.job = p.job WHERE p.id IN @ids",
		store.IDs(list), near)
	outside := func(id int64) bool {
		_, found := slices.BinarySearch(inside, id)
		return !found
	}
	return slices.DeleteFunc(slices.Clone(list), outside), err
}

// inside measures every row that the text index finds, and returns those in a
// circle, in the order of their identifiers.
func (t *tx) inside(text string, near jobboard.GeoLocation) ([]int64, error) {
	return t.measure("SELECT h.id, l.latitude, l.longitude FROM "+matcherOf(t.db).from+
		" JOIN postings p ON p.id = h.id JOIN places l ON l.job = p.job", text, near)
}

// measure reads the identifiers of rows and their places by a query, and returns those rows
// that have a place in a circle, in the order of their identifiers.
func (t *tx) measure(query, arg string, near jobboard.GeoLocation) (inside []int64, err error) {
	err = t.Rows(query, []any{arg}, func(scan func(...any) error) error {
		var (
			id    int64
			place jobboard.GeoLocation
		)
		err := scan(&id, &place.Latitude, &place.Longitude)
		if err == nil && jobboard.DistanceKm(near, place) <= near.RadiusKm {
			inside = append(inside, id)
		}
		return err
	})
	slices.Sort(inside)
	return slices.Compact(inside), err // a row may have several places in the circle
}
