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
	inside, err := t.measure("SELECT document, name, latitude, longitude FROM places WHERE document IN @ids", store.IDs(list), q)
	outside := func(row int64) bool {
		_, found := slices.BinarySearch(inside, row)
		return !found
	}
	return slices.DeleteFunc(slices.Clone(list), outside), err
}

// inside measures every document that the text index finds, and returns those in a query's
// circle, in the order of their rows.
func (t *tx) inside(all textindex.Question, q Query) ([]int64, error) {
	return t.measure("SELECT h.id, l.name, l.latitude, l.longitude FROM "+t.text.Table+
		" JOIN places l ON l.document = h.id", string(all), q)
}

// measure reads documents and their places by a statement, and returns the rows of those that are in a
// query's circle, in ascending order: if a document's places include one that the query names, that
// place must be in the circle, otherwise any place.
func (t *tx) measure(statement, arg string, q Query) (inside []int64, err error) {
	var names []string
	for _, tag := range q.Tags {
		if tag.Kind == PlaceKind {
			names = append(names, tag.Value)
		}
	}
	// Documents with a place of such a name inside the circle, and documents with one outside it.
	var named, outside map[int64]bool
	if len(names) > 0 {
		named, outside = map[int64]bool{}, map[int64]bool{}
	}
	err = t.Rows(statement, []any{arg}, func(scan func(...any) error) error {
		var (
			row   int64
			place Place
		)
		if err := scan(&row, &place.Name, &place.Latitude, &place.Longitude); err != nil {
			return err
		}
		within := place.isIn(q.Near)
		if within {
			inside = append(inside, row)
		}
		if slices.Contains(names, place.Name) {
			if within {
				named[row] = true
			} else {
				outside[row] = true
			}
		}
		return nil
	})
	slices.Sort(inside)
	inside = slices.Compact(inside) // a document may have several places in the circle
	return slices.DeleteFunc(inside, func(row int64) bool { return outside[row] && !named[row] }), err
}

func (p Place) isIn(circle jobboard.GeoLocation) bool {
	return jobboard.DistanceKm(circle, p.point()) <= circle.RadiusKm
}

// Placed counts the documents that are somewhere.
func (x *Index) Placed(t *store.Tx) (int, error) {
	return store.Value[int](t, "SELECT count(DISTINCT document) FROM places")
}
