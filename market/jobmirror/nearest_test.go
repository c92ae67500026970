package jobmirror

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// In the order Nearest the nearest job comes first, whichever of its locations that is, and of equally near ones
// the newest; what a corrected text finds comes after the rest. The pages of any size follow one another.
func TestNearestFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		at := func(km float64) jobboard.Location {
			return jobboard.Location{GeoCity: "Berlin", GeoLat: fmt.Sprint(52 + km/111.2), GeoLong: "13"}
		}
		turn := beginTurn(t, m, m.sources[0])
		for i, job := range []struct {
			title string
			km    []float64
		}{
			{"Kellner A", []float64{30}},
			{"Kellner B", []float64{40, 5}},
			{"Kellner C", []float64{20}},
			{"Kellners D", []float64{10}},
			{"Kellner E", []float64{20}},
			{"Kellner F", []float64{60}},
			{"Arzt G", []float64{1}},
			{"Der Kellner H", []float64{0}},
			{"Kellner I", nil},
		} {
			id := int64(i + 1)
			save(t, m, m.sources[0], turn, &jobboard.JobPosting{
				JobPostingID: jobboard.JobPostingID(id), Title: job.title, ApplyOnlineLink: fmt.Sprintf("https://jobs.example/job/%d/x", id),
			})
			info := &jobboard.JobInformation{JobID: jobboard.JobID(id), JobTitle: job.title, ApplyPossible: true}
			for _, km := range job.km {
				info.AdditionalLocations = append(info.AdditionalLocations, at(km))
			}
			number := nextAnswer(t, m)
			do(t, m, func(t *tx) error {
				return t.answering(m).saveAnswers([]lookedUp{{job: id, answer: number, info: info}})
			})
		}
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			q    Query
			want string
		}{
			{Query{}, "H G B D E C A"},
			{Query{Text: "kellner"}, "H B D E C A"},
			{Query{Text: `"kellner"`}, "H B E C A"},
			{Query{Text: "kelner"}, "H B D E C A"},
			{Query{Text: "kelner OR arzt"}, "G H B D E C A"}, // the word as typed comes first
			{Query{Text: "kellner", Place: "Ulm"}, ""},
		} {
			c.q.Near, c.q.Order = jobboard.Near(52, 13, 50), Nearest
			for _, limit := range []int{20, 1, 2, 3, 5, 7} {
				q := c.q
				q.Limit, q.Facets = limit, true
				var found []string
				for pages := 0; ; pages++ {
					page, err := m.Search(t.Context(), q)
					if err != nil || pages > 10 {
						t.Fatalf("page %d of %+v: %v", pages, q, err)
					}
					for _, p := range page.Postings {
						found = append(found, p.Posting.Title[len(p.Posting.Title)-1:])
					}
					if all := len(strings.Fields(c.want)); page.Facets.Total != all {
						t.Errorf("%q: %d in all, not %d", q.Text, page.Facets.Total, all)
					}
					if q.After = page.Next; q.After == "" {
						break
					}
				}
				if got := strings.Join(found, " "); got != c.want {
					t.Errorf("%q, pages of %d: %s, want %s", q.Text, limit, got, c.want)
				}
			}
		}
		// Without a circle it is the order by age.
		nearest, err := m.Search(t.Context(), Query{Order: Nearest})
		if err != nil {
			t.Fatal(err)
		}
		newest, err := m.Search(t.Context(), Query{Order: Newest})
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b Posting) bool { return a.Posting.JobPostingID == b.Posting.JobPostingID }
		if !slices.EqualFunc(nearest.Postings, newest.Postings, same) || len(nearest.Postings) != 9 {
			t.Errorf("without a circle: %d postings, not %d in the order Newest", len(nearest.Postings), len(newest.Postings))
		}
	})
}
