package jobmirror

import (
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
)

// within returns those of some rows that are in a circle, in their order; all where there
// is no circle.
func (t *tx) within(list []int64, near jobboard.GeoLocation) ([]int64, error) {
	if near.IsZero() {
		return list, nil
	}
	inside := map[int64]bool{}
	err := t.Rows("SELECT p.id, l.latitude, l.longitude FROM postings p JOIN places l ON l.job = p.job WHERE p.id IN @ids",
		[]any{store.IDs(list)}, func(scan func(...any) error) error {
			id, km, err := measure(scan, near)
			if km <= near.RadiusKm {
				inside[id] = true
			}
			return err
		})
	return slices.DeleteFunc(slices.Clone(list), func(id int64) bool { return !inside[id] }), err
}

// inside measures every row that the text index finds, and returns those in a
// circle.
func (t *tx) inside(text string, near jobboard.GeoLocation) (found []int64, err error) {
	err = t.Rows("SELECT h.id, l.latitude, l.longitude FROM "+matcherOf(t.db).from+
		" JOIN postings p ON p.id = h.id JOIN places l ON l.job = p.job", []any{text}, func(scan func(...any) error) error {
		id, distance, err := measure(scan, near)
		if distance <= near.RadiusKm {
			found = append(found, id)
		}
		return err
	})
	slices.Sort(found)
	return slices.Compact(found), err // a job may have several places in the circle
}

// measure reads a row's identifier and one of its places.
func measure(scan func(...any) error, near jobboard.GeoLocation) (id int64, km float64, err error) {
	var place jobboard.GeoLocation
	err = scan(&id, &place.Latitude, &place.Longitude)
	return id, jobboard.DistanceKm(near, place), err
}
