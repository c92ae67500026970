package search

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
)

// facetsOf counts the facets of what an index finds.
func facetsOf(t testing.TB, x *Index, text string) (facets Facets) {
	t.Helper()
	err := x.db.View(t.Context(), func(in *store.Tx) error {
		page, err := x.Find(in, Query{Text: text}, Position{}, 1)
		if err != nil {
			return err
		}
		counted, err := page.Facets()
		if err == nil {
			facets = *counted
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return facets
}

func cook(row int64, city string) Document {
	return Document{Row: row, Title: "Koch", Languages: []string{"de"}, Facets: []Tag{{PlaceKind, city}}}
}

// Facets that were counted before are those that would be counted now, whoever changed the index, and are
// counted once as long as nobody did.
func TestCountedFacets(t *testing.T) {
	x := newIndex(t)
	other := New(x.db, x.read) // another process
	x.StaleFor, other.StaleFor = 0, 0
	counting := 0
	x.db.Fail = func(query string) error {
		if strings.Contains(query, "group_concat") {
			counting++
		}
		return nil
	}
	place := map[int64]string{} // by row
	r := rand.New(rand.NewPCG(1, 2))
	for step := range 400 {
		row, city := int64(1+r.IntN(9)), fmt.Sprint("Stadt", r.IntN(3))
		changed := true
		switch at := []*Index{x.Index, other}[r.IntN(2)]; r.IntN(4) {
		case 0:
			delete(place, row)
			x.do(t, func(t *tx) error { return at.Remove(t.Tx, row) })
		case 1, 2:
			place[row] = city
			x.documents[row] = cook(row, city)
			x.do(t, func(t *tx) error { return at.Put(t.Tx, []Document{cook(row, city)}) })
		default:
			changed = false
		}
		want := map[Tag]int{}
		for _, city := range place {
			want[Tag{PlaceKind, city}]++
		}
		for i, at := range []*Index{x.Index, other, x.Index, other} {
			before := counting
			if got := facetsOf(t, at, "Koch"); got.Total != len(place) || !maps.Equal(got.Counts, want) {
				t.Fatalf("step %d: %d in all, %v; want %v", step, got.Total, got.Counts, want)
			}
			if (i > 1 || !changed && step > 0) && counting > before {
				t.Errorf("step %d: counted again", step)
			}
		}
	}
}

// keptFacets are facets that a test looks at.
type keptFacets struct{ countedFacets }

func (c *keptFacets) get(question textindex.Question, state int64) *Facets {
	facets, _ := c.countedFacets.get(question, state, 0)
	return facets
}

// Facets of a circle are kept too, each circle's its own.
func TestFacetsOfACircleAreKept(t *testing.T) {
	x := newIndex(t)
	for row, latitude := range []float64{50, 50.1, 50.5, 53} {
		d := cook(int64(row+1), "Stadt")
		d.Places = []Place{{Name: "Stadt", Latitude: latitude, Longitude: 10}}
		x.put(t, d)
	}
	counting := 0
	x.db.Fail = func(query string) error {
		if strings.Contains(query, "FROM facets") {
			counting++
		}
		return nil
	}
	for again := range 2 {
		for radius, want := range map[float64]int{5: 1, 11.11: 1, 11.13: 2, 100: 3} {
			before := counting
			err := x.db.View(t.Context(), func(in *store.Tx) error {
				page, err := x.Find(in, Query{Text: "Koch", Near: jobboard.Near(50, 10, radius)}, Position{}, 1)
				if err != nil {
					return err
				}
				facets, err := page.Facets()
				if facets.Total != want || facets.Counts[Tag{PlaceKind, "Stadt"}] != want {
					t.Errorf("%v km: %+v, want %d", radius, facets, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if (counting > before) != (again == 0) {
				t.Errorf("%v km, time %d: counted in %d statements", radius, again, counting-before)
			}
		}
	}
}

// For five seconds after a change was seen the facets of before are used, but for their total. Then one search counts,
// and others go on with those of before until it is done, or failed.
func TestFacetsAfterAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newIndex(t)
		x.put(t, cook(1, "Ulm"), cook(2, "Ulm"))
		var hook func() error
		x.db.Fail = func(query string) error {
			if strings.Contains(query, "group_concat") {
				return hook()
			}
			return nil
		}
		counting := 0
		hook = func() error { counting++; return nil }
		ask := func(what string, total, ulm, times int) {
			t.Helper()
			before := counting
			facets := facetsOf(t, x.Index, "Koch")
			if facets.Total != total || facets.Counts[Tag{PlaceKind, "Ulm"}] != ulm || counting-before != times {
				t.Errorf("%s: %+v, counted %d times", what, facets, counting-before)
			}
		}
		ask("at first", 2, 2, 1)
		time.Sleep(time.Hour)
		ask("an hour later", 2, 2, 0)
		x.put(t, cook(3, "Ulm"))
		time.Sleep(time.Minute)
		ask("when a change is seen", 3, 2, 0)
		x.put(t, cook(4, "Ulm"))
		time.Sleep(staleFor - time.Millisecond)
		ask("just before the time is over", 4, 2, 0)
		time.Sleep(time.Millisecond)

		broken := errors.New("broken")
		hook = func() error { return broken }
		err := x.db.View(t.Context(), func(in *store.Tx) error {
			page, err := x.Find(in, Query{Text: "Koch"}, Position{}, 1)
			if err == nil {
				_, err = page.Facets()
			}
			return err
		})
		if !errors.Is(err, broken) {
			t.Errorf("a count that fails: %v", err)
		}
		hook = func() error {
			counting++
			hook = func() error { counting += 100; return nil }
			ask("while another counts", 4, 2, 0)
			return nil
		}
		before := counting
		if facets := facetsOf(t, x.Index, "Koch"); facets.Total != 4 || facets.Counts[Tag{PlaceKind, "Ulm"}] != 4 || counting != before+1 {
			t.Errorf("once the time is over: %+v, counted %d times", facets, counting-before)
		}
		ask("afterwards", 4, 4, 0)
	})
}

// What is kept is bounded by its number and by its bytes; the questions that were asked last stay.
func TestKeptFacetsAreBounded(t *testing.T) {
	var c keptFacets
	of := func(n int) *Facets {
		counts := map[Tag]int{}
		for i := range n {
			counts[Tag{PlaceKind, fmt.Sprintf("%0936d", i)}] = 1 // 1000 bytes each
		}
		return &Facets{Total: n, Counts: counts}
	}
	for i := range 200 {
		c.keep("first", 0, of(1))
		question := fmt.Sprint(i)
		c.keep("", 0, of(0))
		c.get("first", 0)
		c.keep(textindex.Question(question), 0, of(1))
	}
	if len(c.kept) != maxCounted || c.get("first", 0) == nil || c.get("199", 0) == nil || c.get("3", 0) != nil {
		t.Errorf("%d are kept", len(c.kept))
	}
	for i := range 20 {
		c.keep(textindex.Question(fmt.Sprint("large ", i)), 0, of(1000))
	}
	c.keep("too large", 0, of(9000))
	bytes := 0
	for _, k := range c.kept {
		bytes += k.bytes
	}
	if bytes != c.bytes || bytes > maxCountedBytes || c.get("large 19", 0) == nil || c.get("too large", 0) != nil {
		t.Errorf("%d bytes are kept, by its own count %d", bytes, c.bytes)
	}
	if c.get("large 19", 1) != nil || c.get("large 19", 0) == nil {
		t.Error("what is kept of another state is given, or does not stay until it is counted")
	}
}
