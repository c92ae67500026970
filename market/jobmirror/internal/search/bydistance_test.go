package search

import (
	"fmt"
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
