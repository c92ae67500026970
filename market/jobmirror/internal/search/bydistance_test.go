package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// A page by distance measures the documents once, looks for typing errors only where it is not full, and reads
// documents again only for words in quotes, and no more than it takes to fill the page.
func TestNearestReadsNoMoreThanItNeeds(t *testing.T) {
	x := newIndex(t)
	var documents []Document
	for i := range 3 * readPart {
		documents = append(documents, Document{
			Row: int64(i + 1), Title: "Kellner", Languages: []string{"de"},
			Places: []Place{{Name: "Berlin", Latitude: 52 + float64(i)/10_000, Longitude: 13}},
		})
	}
	x.put(t, documents...)
	read, plain := 0, x.read
	x.read = func(t *store.Tx, rows []int64) ([]Document, error) {
		read += len(rows)
		return plain(t, rows)
	}
	for _, c := range []struct {
		text                   string
		limit                  int
		hits                   int
		measured, words, again int // statements that measure, that read the vocabulary; documents that are read again
	}{
		{"kellner", 10, 10, 1, 0, 0},
		{"kellner", 1000, 3 * readPart, 1, 0, 0},
		{"kelner", 10, 10, 2, 1, 0},
		{"kellner OR kelner", 10, 10, 1, 0, 0},
		{`"kellner"`, 10, 10, 1, 0, readPart},
		{`"kellner"`, readPart, readPart, 1, 0, 2 * readPart}, // one more tells that there is a next page
		{`"kellner"`, 1000, 3 * readPart, 1, 0, 3 * readPart},
	} {
		t.Run(fmt.Sprint(c.text, c.limit), func(t *testing.T) {
			read = 0
			measured, words := 0, 0
			x.db.Fail = func(query string) error {
				if strings.Contains(query, "JOIN places") {
					measured++
				}
				if strings.Contains(query, "FROM vocabulary") {
					words++
				}
				return nil
			}
			defer func() { x.db.Fail = nil }()
			x.do(t, func(in *tx) error {
				page, err := x.Find(in.Tx, Query{Text: c.text, Near: jobboard.Near(52, 13, 100), Order: Nearest}, Position{}, c.limit)
				if err == nil && len(page.Hits) != c.hits {
					t.Errorf("%d hits, want %d", len(page.Hits), c.hits)
				}
				return err
			})
			if measured != c.measured || words != c.words || read != c.again {
				t.Errorf("it measures %d times, reads the words %d times and %d documents, want %d, %d and %d",
					measured, words, read, c.measured, c.words, c.again)
			}
		})
	}
}

// A circle of any size finds the documents of which a place is inside, with words or without, as measuring each says.
func TestCirclesFindWhatIsInside(t *testing.T) {
	x := newIndex(t)
	r := rand.New(rand.NewPCG(1, 2))
	var documents []Document
	for i := range 400 {
		d := Document{Row: int64(i + 1), Title: []string{"Koch", "Kellner"}[i%2], Languages: []string{"de"}}
		for range r.IntN(3) {
			d.Places = append(d.Places, Place{Name: "Berlin", Latitude: 47 + 8*r.Float64(), Longitude: 6 + 9*r.Float64()})
		}
		documents = append(documents, d)
	}
	documents[0].Places = []Place{{Name: "Suva", Latitude: -17, Longitude: 179.9}} // near the date line
	x.put(t, documents...)
	for _, near := range []jobboard.GeoLocation{
		jobboard.Near(52.52, 13.37, 50), jobboard.Near(48.1, 11.6, 5), jobboard.Near(50, 8, 400), jobboard.Near(50, 8, 0.001),
		jobboard.Near(0, 0, 20000), jobboard.Near(-17, -179.9, 50), jobboard.Near(89, 0, 4000),
	} {
		for _, text := range []string{"", "koch"} {
			var want []int64
			for _, d := range documents {
				inside := slices.ContainsFunc(d.Places, func(p Place) bool {
					at := jobboard.Location{GeoLat: fmt.Sprint(p.Latitude), GeoLong: fmt.Sprint(p.Longitude)}
					return at.DistanceKm(near) <= near.RadiusKm
				})
				if inside && (text == "" || d.Title == "Koch") {
					want = append(want, d.Row)
				}
			}
			x.do(t, func(in *tx) error {
				page, err := x.Find(in.Tx, Query{Text: text, Near: near, Order: Oldest}, Position{}, 1000)
				if err != nil {
					return err
				}
				var got []int64
				for _, hit := range page.Hits {
					got = append(got, hit.Row)
				}
				facets, err := page.Facets()
				if err == nil && (!slices.Equal(got, want) || facets.Total != len(want)) {
					t.Errorf("%q within %v: %d, and %d in all, want %d", text, near, got, facets.Total, want)
				}
				return err
			})
		}
	}
}
