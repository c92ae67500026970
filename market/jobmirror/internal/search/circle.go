package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

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
func (t *tx) inside(all textindex.Question, near jobboard.GeoLocation) ([]int64, error) {
	return t.measure("SELECT h.id, l.latitude, l.longitude FROM "+t.db.index.Table+
		" JOIN postings p ON p.id = h.id JOIN places l ON l.job = p.job", string(all), near)
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
