package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The pieces of SQLite's text index are put together, what is found stays, and the largest piece is not written again for
// each few small ones.
func TestIndexIsPutTogether(t *testing.T) {
	x := newIndex(t)
	r := rand.New(rand.NewPCG(1, 2))
	some := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("wort%c%c", 'a'+r.IntN(26), 'a'+r.IntN(26))
		}
		return strings.Join(list, " ")
	}
	var documents []Document
	for i := range 1000 {
		documents = append(documents, Document{Row: int64(i + 1), Title: some(3), Other: []string{some(150)}, Languages: []string{"de"}})
	}
	for part := range slices.Chunk(documents, 250) {
		x.put(t, part...)
	}
	ask := func(query string) (n int64) {
		t.Helper()
		x.do(t, func(in *tx) (err error) { n, err = store.Value[int64](in.Tx, query); return err })
		return n
	}
	const pieces, largest = "SELECT count(DISTINCT segid) FROM search_idx", "SELECT segid FROM search_idx GROUP BY segid ORDER BY max(pgno) DESC LIMIT 1"
	found := func() (all [][]int64) {
		for first := 'a'; first <= 'z'; first++ {
			x.do(t, func(in *tx) error {
				page, err := x.Find(in.Tx, Query{Text: "wort" + string(first) + "b"}, Position{}, 1000)
				var rows []int64
				for _, hit := range page.Hits {
					rows = append(rows, hit.Row)
				}
				all = append(all, rows)
				return err
			})
		}
		return all
	}
	if err := x.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, rewritten := found(), 0
	for round := range 3 {
		before := ask(largest)
		for i := range 5 { // each in a piece of its own
			x.put(t, documents[5*round+i])
		}
		had := ask(pieces)
		if err := x.Merge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := ask(pieces); had < 3 || n > 4 || n >= had {
			t.Errorf("%d pieces are put together to %d", had, n)
		}
		if ask(largest) != before {
			rewritten++
		}
	}
	if rewritten > 1 {
		t.Errorf("the largest piece is written again %d times of 3", rewritten)
	}
	if got := found(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("it finds %v, and found %v", got, want)
	}
}
