package jobmirror

import (
	"errors"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// A job keeps the title, the category, the dates and the visibility of the posting that left it last, whether that
// went or became another job's, and nothing else of it; it is not told while the job has a posting. It is
// erased with the job, and a forgotten posting leaves nothing behind.
func TestLastPosting(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src := m.sources[0]
		post := func(id jobboard.JobPostingID, title, job string) *jobboard.JobPosting {
			return &jobboard.JobPosting{
				JobPostingID: id, Title: title, ApplyOnlineLink: "https://jobs.example/job/" + job + "/x", PostingVersionStartDate: 1000,
				Config: jobboard.NewPostingConfig(map[string][]string{
					"jobcategory": {"17"}, "boardvisibility": {"hidden"}, "listingStartDate": {"2000"},
					"platform_internalAdText": {"<p>Ask Jana Beispiel</p>"}, "ProjectNumber": {"Jana Beispiel"},
				}),
			}
		}
		show := func(postings ...*jobboard.JobPosting) {
			t.Helper()
			turn := beginTurn(t, m, src)
			save(t, m, src, turn, postings...)
			do(t, m, func(in *tx) error {
				rows, err := in.load("1 = 1")
				if err != nil {
					return err
				}
				for _, r := range rows {
					shown := false
					for _, p := range postings {
						shown = shown || p.JobPostingID == r.rec.Posting
					}
					if !shown {
						if err := in.Do("DELETE FROM listings WHERE posting = ?", r.id); err != nil {
							return err
						}
					}
				}
				return postingTx{in}.save(rows, "search")
			})
		}
		last := func(id jobboard.JobID) *Posting {
			t.Helper()
			j, err := m.Job(t.Context(), id)
			if j == nil {
				t.Fatal(err)
			}
			return j.LastPosting
		}
		show(post(1, "Stoker", "7"), post(2, "Baker", "8"))
		if p := last(7); p != nil {
			t.Errorf("a job with a posting has %+v", p)
		}
		show(post(1, "Stoker", "9")) // of another job; the baker's is gone
		for job, title := range map[jobboard.JobID]string{7: "Stoker", 8: "Baker"} {
			p := last(job)
			if p == nil {
				t.Errorf("job %d has no last posting", job)
				continue
			}
			categories := p.Posting.Config.JobCategories()
			listed := p.Posting.Config.ListingStartDate()
			if p.Posting.Title != title || p.Job != job || strings.Join(categories, "") != "17" || listed.UnixMilli() != 2000 ||
				p.Posting.Config.VisibleToAll() || p.Posting.PostingVersionStartDate != 1000 {
				t.Errorf("job %d: %+v", job, p)
			}
			var kept string
			do(t, m, func(in *tx) error {
				return in.Row("SELECT last_posting FROM jobs WHERE job = ?", []any{int64(job)}, &kept)
			})
			if strings.Contains(kept, "Jana") || strings.Contains(kept, "sha256") || !strings.Contains(kept, title) {
				t.Errorf("job %d keeps %s", job, kept)
			}
		}
		show(post(1, "Stoker", "9"), post(3, "Stoker again", "7"))
		if p := last(7); p != nil {
			t.Errorf("a job with a posting again has %+v", p)
		}
		if err := m.Forget(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Job(t.Context(), 8); !errors.Is(err, ErrUnknown) {
			t.Errorf("a forgotten job: %v", err)
		}
	})
}
