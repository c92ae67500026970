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
	measured, err := t.measureRows(list, q)
	outside := func(row int64) bool { return !measured[row].isIn() }
	return slices.DeleteFunc(slices.Clone(list), outside), err
}

// measureRows compares the places of documents with a query's circle.
func (t *tx) measureRows(rows []int64, q Query) (map[int64]measured, error) {
	return t.measure("SELECT document, name, latitude, longitude FROM places WHERE document IN @ids", store.IDs(rows), q)
}

// inside returns the documents that the text index finds and that are in a query's circle, in the
// order of their rows.
func (t *tx) inside(all textindex.Question, q Query) (inside []int64, err error) {
	measured, err := t.measureAll(all, q)
	for row, m := range measured {
		if m.isIn() {
			inside = append(inside, row)
		}
	}
	slices.Sort(inside)
	return inside, err
}

// measureAll measures every document that the text index finds.
func (t *tx) measureAll(all textindex.Question, q Query) (map[int64]measured, error) {
	return t.measure("SELECT h.id, l.name, l.latitude, l.longitude FROM "+t.text.Table+
		" JOIN places l ON l.document = h.id", string(all), q)
}

// measure reads documents and their places by a statement, and compares them with a query's circle.
func (t *tx) measure(statement, arg string, q Query) (map[int64]measured, error) {
	names, all := q.places(), map[int64]measured{}
	err := t.Rows(statement, []any{arg}, func(scan func(...any) error) error {
		var (
			row   int64
			place Place
		)
		if err := scan(&row, &place.Name, &place.Latitude, &place.Longitude); err != nil {
			return err
		}
		m := all[row]
		m.add(place, q.Near, names)
		all[row] = m
		return nil
	})
	return all, err
}

// places returns the names of the places that a query asks for.
func (q Query) places() (names []string) {
	for _, tag := range q.Tags {
		if tag.Kind == PlaceKind {
			names = append(names, tag.Value)
		}
	}
	return names
}

// measured says what is known of the places of a document: whether any lies in a circle, and how far the
// nearest of these is from its middle, whether one with a requested name does, and whether one with such a
// name lies outside.
type measured struct {
	inside, named, outside bool
	km                     float64
}

func (m *measured) add(place Place, circle jobboard.GeoLocation, names []string) {
	km := jobboard.DistanceKm(circle, place.point())
	within, named := km <= circle.RadiusKm, slices.Contains(names, place.Name)
	if within && (!m.inside || km < m.km) {
		m.km = km
	}
	m.inside = m.inside || within
	m.named = m.named || within && named
	m.outside = m.outside || !within && named
}

// isIn reports whether the document is in the circle: if its places include one with a requested
// name, that place must be inside, otherwise any place.
func (m measured) isIn() bool { return m.inside && (m.named || !m.outside) }

func (p Place) isIn(circle jobboard.GeoLocation) bool {
	return jobboard.DistanceKm(circle, p.point()) <= circle.RadiusKm
}

// Placed counts the documents that are somewhere.
func (x *Index) Placed(t *store.Tx) (int, error) {
	return store.Value[int](t, "SELECT count(DISTINCT document) FROM places")
}
