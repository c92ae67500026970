package jobpublish

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// withAd returns a job with an advertisement.
func withAd(n int, ad string) Job {
	job := numbered(n)
	job.URL += "/x"
	posting := *job.Posting
	posting.Config = jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {ad}})
	job.Posting = &posting
	return job
}

// Over random changes each file is, byte for byte, the one that is made without any file before.
func TestKeptAdvertisementsChangeNothing(t *testing.T) {
	handlers := map[string]func(*Feeds) http.Handler{"Atom": func(f *Feeds) http.Handler { return f.Atom("/x") }}
	for name, of := range streams {
		handlers[name] = of
	}
	for name, of := range handlers {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			ads := []string{"", "<p>", "<p>Wool", "<a href=/flock>Our flock</a>", "<h1>Sheep & </script> goats</h1>\r\n\x00", "plain\nlines\n\n- one"}
			some := func() string { return ads[r.IntN(len(ads))] + fmt.Sprint(r.IntN(9)) }
			var jobs []Job
			for i := range 60 {
				jobs = append(jobs, withAd(i+1, some()))
			}
			h := of(newFeeds(t, list(&jobs)))
			for step := range 60 {
				for range r.IntN(4) {
					i := r.IntN(len(jobs))
					switch r.IntN(4) {
					case 0:
						jobs[i] = withAd(int(jobs[i].ID()), some())
					case 1:
						jobs = slices.Delete(jobs, i, min(i+1+r.IntN(5), len(jobs)-1))
					case 2:
						jobs = slices.Insert(jobs, i, withAd(100+step, some()))
					case 3:
						posting := *jobs[i].Posting
						posting.ApplyOnlineLink = fmt.Sprintf("https://board%d.example/", r.IntN(3))
						jobs[i].Posting = &posting
					}
				}
				got, want := get(h, "/x"), get(of(newFeeds(t, list(&jobs))), "/x")
				if got.Code != 200 || got.Body.String() != want.Body.String() {
					t.Fatalf("%s, step %d: %s\n%s", name, step, got.Body, want.Body)
				}
				time.Sleep(2 * time.Minute)
			}
		})
	}
}

// Advertisements that did not change are not cleaned again, whatever else comes and goes, also in files with
// more jobs than are looked at in memory.
func TestUnchangedAdvertisementsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3*keptAround + 17
		var jobs []Job
		for i := range n {
			jobs = append(jobs, withAd(i+1, fmt.Sprintf("<p>Flock %d", i)))
		}
		cleaned := 0
		feeds := newFeeds(t, list(&jobs))
		h := feeds.handler("/x", "text/plain", func(f *file, _ *handler, jobs iter.Seq2[Job, error]) error {
			f.begin()
			for job, err := range jobs {
				if err != nil {
					return err
				}
				text, key := f.ad(job, func(ad string) []byte {
					cleaned++
					return []byte(ad)
				})
				if string(text) != job.ad() {
					t.Fatalf("job %d has %q", job.ID(), text)
				}
				if err := f.writeAd(text, key); err != nil {
					return err
				}
			}
			f.end()
			return nil
		})
		for _, step := range []struct {
			what   string
			change func()
			want   int
		}{
			{"at first", func() {}, n},
			{"unchanged", func() {}, 0},
			{"other titles", func() {
				for i := range jobs {
					jobs[i].Information = &jobboard.JobInformation{JobID: jobboard.JobID(i + 1), JobTitle: "x", ApplyPossible: true}
				}
			}, 0},
			{"one is new", func() { jobs = slices.Insert(jobs, 7, withAd(n+1, "<p>New")) }, 1},
			{"a thousand are gone", func() { jobs = slices.Delete(jobs, 3000, 4000) }, 0},
			{"one in ten changed", func() {
				for i := 0; i < len(jobs); i += 10 {
					jobs[i] = withAd(int(jobs[i].ID()), fmt.Sprintf("<p>Herd %d", i))
				}
			}, (len(jobs)-1000)/10 + 1},
			{"neighbours changed places", func() {
				for i := 0; i+500 < len(jobs); i += 1000 {
					jobs[i], jobs[i+500] = jobs[i+500], jobs[i]
				}
			}, 0},
		} {
			step.change()
			cleaned = 0
			if w := get(h, "/x"); w.Code != 200 || cleaned != step.want {
				t.Errorf("%s: %d, %d advertisements are cleaned, not %d", step.what, w.Code, cleaned, step.want)
			}
			time.Sleep(2 * time.Minute)
		}
	})
}

// An advertisement is cleaned again when anything changed that it is made of.
func TestKeyOfAnAdvertisement(t *testing.T) {
	one := withAd(1, "<p>Wool")
	for what, c := range map[string]struct {
		change func(p *jobboard.JobPosting)
		same   bool
	}{
		"nothing":  {func(*jobboard.JobPosting) {}, true},
		"title":    {func(p *jobboard.JobPosting) { p.Title = "x" }, true},
		"the ad":   {func(p *jobboard.JobPosting) { *p = *withAd(1, "<p>Wool ").Posting }, false},
		"its link": {func(p *jobboard.JobPosting) { p.ApplyOnlineLink += "x" }, false},
		"the border of link and ad": {func(p *jobboard.JobPosting) {
			*p = *withAd(1, "p>Wool").Posting
			p.ApplyOnlineLink += "<"
		}, false},
		"the key of another product": {func(p *jobboard.JobPosting) {
			p.Config = jobboard.NewPostingConfig(map[string][]string{"other_internalAdText": {"<p>Wool"}})
		}, true},
	} {
		other := one
		posting := *one.Posting
		c.change(&posting)
		other.Posting = &posting
		if same := adKey(one) == adKey(other); same != c.same {
			t.Errorf("%s: the same key: %t", what, same)
		}
	}
}
