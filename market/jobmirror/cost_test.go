package jobmirror_test

import (
	"math/rand/v2"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Leaving out what a visitor may not see costs a search next to nothing. Each search runs with
// Query.All and without it by turns, and the shortest processor times are compared.
func TestCostOfLeavingOutHiddenPostings(t *testing.T) {
	onEachMeasured(t, func(t *testing.T, address string) {
		b := wordyBoard{postings: size(300, 20_000), hidden: 20}
		board := httptest.NewServer(b.handler())
		defer board.Close()
		m := open(t, address, jobmirror.Options{
			Config:      jobboard.Config{BaseURL: board.URL + "/board", ClientID: "10", MaxBodyBytes: 4 << 30},
			LookupEvery: -1,
			Channels:    []jobmirror.Channel{{ID: "1_all", Languages: []string{"de"}}}, Limit: -1,
		})
		refresh(t, m)
		if _, shown := all(t, m, jobmirror.Query{Limit: 1000}); shown != b.postings-b.postings/b.hidden {
			t.Errorf("%d of %d postings are shown", shown, b.postings)
		}
		r := rand.New(rand.NewPCG(3, 4))
		var sum [2]time.Duration
		for _, c := range []struct {
			what string
			next func() jobmirror.Query
		}{
			{"no text", func() jobmirror.Query { return jobmirror.Query{Language: "de"} }},
			{"a word", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 1)} }},
			{"two words in a circle", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 2), Near: jobboard.Near(50, 10, 200)} }},
			{"a word with facets", func() jobmirror.Query { return jobmirror.Query{Text: b.some(r, 1), Facets: true} }},
			{"no text with facets", func() jobmirror.Query { return jobmirror.Query{Facets: true} }},
		} {
			var of [2]time.Duration
			for range size(3, 40) {
				q := c.next()
				least := [2]time.Duration{time.Hour, time.Hour}
				for i := range 2 * size(2, 8) {
					q.All = i%2 == 1
					there, here := serverTime(), cpuTime(t)
					if _, err := m.Search(t.Context(), q); err != nil {
						t.Fatal(err)
					}
					if used := cpuTime(t) - here + serverTime() - there; used > 0 { // below 0 where a process of the server ended
						least[i%2] = min(least[i%2], used)
					}
				}
				of[0], of[1] = of[0]+least[0], of[1]+least[1]
			}
			sum[0], sum[1] = sum[0]+of[0], sum[1]+of[1]
			t.Logf("figure: %s: %s, of all postings %s: %.3f of it", c.what, of[0], of[1], float64(of[0])/float64(of[1]))
		}
		ratio := float64(sum[0]) / float64(sum[1])
		t.Logf("figure: in all %.3f of the time", ratio)
		if long() && ratio > 1.05 {
			t.Errorf("leaving out hidden postings takes %.3f of the time of a search of all", ratio)
		}
	})
}
