package jobmirror_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// savedOf returns saved searches as people make them: one word or two, many of them common, half with a
// circle, and some with a town, a category, a language or the channel.
func (b wordyBoard) savedOf(r *rand.Rand) (saved jobmirror.SavedSearch) {
	z := rand.NewZipf(r, 1.1, 50, uint64(b.postings))
	if r.IntN(10) > 0 {
		saved.Text = b.word(int(z.Uint64()))
		if r.IntN(2) == 0 {
			saved.Text += " " + b.word(int(z.Uint64()))
		}
	}
	switch r.IntN(8) {
	case 0, 1, 2, 3:
		saved.Near = jobboard.Near(47+float64(r.IntN(800))/100, 6+float64(r.IntN(900))/100, []float64{5, 10, 25, 50}[r.IntN(4)])
	case 4:
		saved.Place = b.word(100 + r.IntN(500))
	case 5:
		saved.Category = fmt.Sprint(r.IntN(40))
	case 6:
		saved.Language = "de"
	}
	if saved.Text == "" && saved.Near.IsZero() && saved.Place == "" {
		saved.Text = b.word(int(z.Uint64()))
	}
	return saved
}

// Many saved searches over a thousand jobs that are new take little of a processor.
func TestMatchesOfManySearches(t *testing.T) {
	onEachMeasured(t, func(t *testing.T, address string) {
		n, jobs := whole(1000, 10_000), whole(100, 1000)
		b := wordyBoard{postings: 4 * jobs} // every fourth has a job
		board := httptest.NewServer(b.handler())
		defer board.Close()
		m := open(t, address, jobmirror.Options{
			Config:   jobboard.Config{BaseURL: board.URL + "/board", JobDBURL: board.URL, ClientID: "10"},
			Channels: []jobmirror.Channel{{ID: "1_all", Languages: []string{"de"}}}, Limit: -1,
		})
		refresh(t, m)
		var (
			r        = rand.New(rand.NewPCG(3, 4))
			searches jobmirror.Searches
		)
		before := heapInUse()
		for i := range n {
			if err := searches.Set(fmt.Sprint(i), b.savedOf(r)); err != nil {
				t.Fatal(err)
			}
		}
		read := func() (told, matches int, took, server time.Duration) {
			at, served := cpuTime(t), serverTime()
			for match, err := range m.Matches(t.Context(), &searches, "") {
				if err != nil {
					t.Fatal(err)
				}
				matches++
				told += len(match.Searches)
			}
			return told, matches, cpuTime(t) - at, serverTime() - served
		}
		told, matches, first, server := read()
		_, _, again, _ := read()
		changes := count(t, address, "SELECT count(*) FROM changes")
		t.Logf("figure: %d searches over %d new jobs (%d changes in the log, %d matches, %d pairs): %s of a processor, %s of the server's, the second time %s; %d kB",
			n, jobs, changes, matches, told, first.Round(time.Millisecond), server.Round(time.Millisecond), again.Round(time.Millisecond), (heapInUse()-before)>>10)
		runtime.KeepAlive(&searches)
		if most := time.Duration(60*n/10_000) * time.Second; n == 10_000 && first+server > most || told == 0 {
			t.Errorf("%s is more than %s, or nothing was told", first, most)
		}
	})
}
