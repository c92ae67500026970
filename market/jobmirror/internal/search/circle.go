package search

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

// within returns those of some rows that are in a query's circle, in their order; all where there
// is no circle.
func (t *tx) within(list []int64, q Query) ([]int64, error) {
	if q.Near.IsZero() {
		return list, nil
	}
	inside, err := t.measure("SELECT document, latitude, longitude FROM places WHERE document IN @ids", store.IDs(list), q.Near)
	outside := func(row int64) bool {
		_, found := slices.BinarySearch(inside, row)
		return !found
	}
	return slices.DeleteFunc(slices.Clone(list), outside), err
}

// inside measures every document that the text index finds, and returns those in a query's
// circle, in the order of their rows.
func (t *tx) inside(all textindex.Question, q Query) ([]int64, error) {
	return t.measure("SELECT h.id, l.latitude, l.longitude FROM "+t.text.Table+
		" JOIN places l ON l.document = h.id", string(all), q.Near)
}

// measure reads documents and their places by a query, and returns the rows of those that have a
// place in a circle, in ascending order.
func (t *tx) measure(query, arg string, near jobboard.GeoLocation) (inside []int64, err error) {
	err = t.Rows(query, []any{arg}, func(scan func(...any) error) error {
		var (
			row   int64
			place jobboard.GeoLocation
		)
		err := scan(&row, &place.Latitude, &place.Longitude)
		if err == nil && jobboard.DistanceKm(near, place) <= near.RadiusKm {
			inside = append(inside, row)
		}
		return err
	})
	slices.Sort(inside)
	return slices.Compact(inside), err // a document may have several places in the circle
}

// Placed counts the documents that are somewhere.
func (x *Index) Placed(t *store.Tx) (int, error) {
	return store.Value[int](t, "SELECT count(DISTINCT document) FROM places")
}
