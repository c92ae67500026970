package jobmirror

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// Each job comes once, at the place of its first posting in the whole search, whatever the size of a page, and in the
// preferred language where that matches too.
func TestOncePerJob(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		r := rand.New(rand.NewPCG(3, 4))
		turn := beginTurn(t, m, m.sources[0])
		for id := range 60 {
			title := []string{"Nurse", "Cook", "Nurse and cook", "Baker"}[r.IntN(4)]
			p := &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(id + 1), Title: title}
			if job := r.IntN(25); job > 5 { // else no job is known
				p.ApplyOnlineLink = fmt.Sprintf("https://jobs.example/job/%d/x", job)
			}
			save(t, m, m.sources[0], turn, p)
		}
		// Some are of another language, and so have identifiers twice.
		do(t, m, func(t *tx) error {
			rows, err := t.load("posting > 30")
			for _, r := range rows {
				r.rec.Posting, r.rec.Language = r.rec.Posting-30, "en"
				err = errors.Join(err, t.Do("UPDATE postings SET posting = ?, language = 'en', record = ? WHERE id = ?",
					int64(r.rec.Posting), encode(r.rec), r.id))
			}
			return errors.Join(err, t.unindexed.putAll())
		})
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		type key struct {
			job     jobboard.JobID
			posting jobboard.JobPostingID
		}
		keyOf := func(p Posting) key {
			if p.Job != 0 {
				return key{job: p.Job}
			}
			return key{posting: p.Posting.JobPostingID}
		}
		read := func(q Query) (list []Posting) {
			t.Helper()
			for {
				page, err := m.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, page.Postings...)
				if page.Next == "" {
					return list
				}
				if len(page.Postings) != q.Limit {
					t.Fatalf("%+v: a page has %d, and is not the last", q, len(page.Postings))
				}
				q.After = page.Next
			}
		}
		for _, text := range []string{"", "nurse OR cook", "nusre", `"nurse"`} {
			for _, order := range []Order{Relevance, Newest, Oldest} {
				every := read(Query{Text: text, Order: order, Limit: 1000})
				var want []key
				for _, p := range every {
					if !slices.Contains(want, keyOf(p)) {
						want = append(want, keyOf(p))
					}
				}
				if len(want) == len(every) || len(want) < 5 {
					t.Fatalf("%q: nothing is twice", text)
				}
				for _, limit := range []int{1, 7, 100} {
					for _, prefer := range []string{"", "en"} {
						var got []key
						for _, p := range read(Query{Text: text, Order: order, Limit: limit, OncePerJob: true, Prefer: prefer}) {
							got = append(got, keyOf(p))
							matches := func(other Posting) bool { return keyOf(other) == keyOf(p) && other.Language == "en" }
							if prefer != "" && p.Language != prefer && slices.ContainsFunc(every, matches) {
								t.Errorf("%q, order %d, %d on a page: %+v is shown in %q", text, order, limit, keyOf(p), p.Language)
							}
						}
						if !slices.Equal(got, want) {
							t.Errorf("%q, order %d, %d on a page, %q preferred: %v, want %v", text, order, limit, prefer, got, want)
						}
					}
				}
			}
		}
	})
}
