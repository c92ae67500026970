package jobmirror_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func TestRefreshCopiesChannelAndFeed(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)

		info, err := m.JobInformation(t.Context(), jobboard.JobID(srv.Demo.OpenJob))
		if err != nil || !info.ApplyPossible || len(info.Nationalities) == 0 || len(info.Questions) == 0 {
			t.Errorf("the open job: %+v, %v", info, err)
		}
		if _, err := m.JobInformation(t.Context(), 1); !errors.Is(err, jobmirror.ErrUnknown) {
			t.Errorf("a job that the mirror does not hold: %v", err)
		}
		checkReplay(t, m)

		// Nothing changed: nothing is written, nothing is looked up again.
		records, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		ads := 0 // records have hashes in place of advertisements
		for _, record := range records {
			_, ad, has := strings.Cut(record, `_internalAdText":["`)
			if has {
				ads++
			}
			if has && !strings.HasPrefix(ad, "sha256:") {
				t.Errorf("a record has an advertisement: %s", record)
			}
		}
		if ads == 0 {
			t.Error("no posting has an advertisement")
		}
		lookups := srv.Count(jobboardtest.OpJobInformation)
		refresh(t, m)
		for change, err := range m.Changes(t.Context(), at) {
			t.Errorf("a change without cause: %+v, %v", change, err)
		}
		if n := srv.Count(jobboardtest.OpJobInformation); n != lookups {
			t.Errorf("%d jobs are looked up again before they are due", n-lookups)
		}
	})
}

// What a refresh is writing while its job is forgotten is forgotten as well.
func TestForgetWaitsForARefresh(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		forgotten := make(chan error, 1)
		posting := &jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", ApplyOnlineLink: "https://jobs.example/job/7/x"}
		err := jobmirror.CopyOne(t.Context(), m, posting, func() {
			go func() { forgotten <- m.Forget(t.Context(), 7) }()
			select {
			case err := <-forgotten: // before what is being written can be seen
				forgotten <- err
			case <-time.After(time.Second):
			}
		})
		if err := errors.Join(err, <-forgotten); err != nil {
			t.Fatal(err)
		}
		if found, err := m.Postings(t.Context(), 7); err != nil || len(found) != 0 {
			t.Errorf("the copy has %+v, %v", found, err)
		}
		if _, err := m.Job(t.Context(), 7); !errors.Is(err, jobmirror.ErrUnknown) {
			t.Errorf("the job is there: %v", err)
		}
	})
}

// The answer about a job that stays closed is given for as long as its lookups may lie apart;
// an answer that applying is possible expires earlier.
func TestClosedAnswersLastUntilTheyAreAskedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, feedOnly(t, srv, srv.Demo.OpenJob, srv.Demo.ClosedJob, srv.Demo.InactiveJob, srv.Demo.DeletedJob))
		refresh(t, m)
		refresh(t, m) // which believes that one is gone though the feed names it
		aged := func(days, streak int) {
			t.Helper()
			at := time.Now().Add(-time.Duration(days) * 24 * time.Hour).UnixMilli()
			set := fmt.Sprintf("UPDATE jobs SET looked_up = %d, streak = %d", at, streak)
			if err := jobmirror.Exec(t.Context(), m, set); err != nil {
				t.Fatal(err)
			}
		}
		check := func(job int64, status int, want error) {
			t.Helper()
			w := answer(t, m, lookUpAt+strconv.FormatInt(job, 10))
			if age := w.Header().Get("Age"); w.Code != status || (age == "") != (status == http.StatusServiceUnavailable) {
				t.Errorf("job %d: %d, Age %q; want %d", job, w.Code, age, status)
			}
			if _, err := m.JobInformation(t.Context(), jobboard.JobID(job)); !errors.Is(err, want) {
				t.Errorf("job %d: %v; want %v", job, err, want)
			}
		}
		aged(3, 0)
		check(srv.Demo.InactiveJob, http.StatusServiceUnavailable, jobmirror.ErrStale) // it is asked about each day
		aged(60, 99)
		check(srv.Demo.InactiveJob, http.StatusGone, jobboard.ErrJobInactive)
		check(srv.Demo.DeletedJob, http.StatusNotFound, jobboard.ErrJobUnavailable)
		check(srv.Demo.ClosedJob, http.StatusOK, nil)
		check(srv.Demo.OpenJob, http.StatusServiceUnavailable, jobmirror.ErrStale)
		aged(65, 99)
		check(srv.Demo.InactiveJob, http.StatusServiceUnavailable, jobmirror.ErrStale)
	})
}

// A source that one process retires and another names anew is the same for a third that has
// named it all along: the third refreshes the source, and does not retire it.
func TestRetiredSourceIsNamedAnew(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		srv.AddChannel(jobboardtest.Channel{ID: "2_other"})
		srv.Publish("2_other", jobboardtest.Job{Title: "Glassblower", Language: "en"})
		both, one := optionsOf(srv), optionsOf(srv)
		both.Channels = append(both.Channels, jobmirror.Channel{ID: "2_other", Languages: []string{"en"}})
		retiring := open(t, address, one)
		old := open(t, address, both)
		runs := open(t, address, both)
		refresh(t, old)
		check := func(what string, want int) {
			t.Helper()
			if n := len(find(t, old, jobmirror.Query{Text: "glassblower"})); n != want {
				t.Errorf("%s: %d postings, not %d", what, n, want)
			}
			s, err := old.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if sources := 3 + want; len(s.Sources) != sources {
				t.Errorf("%s: %d sources, not %d", what, len(s.Sources), sources)
			}
		}
		retire := func(m *jobmirror.Mirror) {
			t.Helper()
			if err := m.RemoveSources(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		check("copied", 1)
		retire(retiring)
		check("retired", 0)
		refresh(t, open(t, address, both))
		check("named anew", 1)
		retire(old)
		check("not retired by who names it", 1)
		refresh(t, old)
		check("refreshed by who has named it all along", 1)

		retire(retiring)
		open(t, address, both) // enters it, and does no more
		run(t, runs)
		until(t, 30*time.Second, "run by who has named it all along", func() bool {
			return len(find(t, runs, jobmirror.Query{Text: "glassblower"})) == 1
		})
		checkReplay(t, old)
	})
}

// A posting tells where its job is, and a job what its lookup answered, without
// another question.
func TestPostingsHaveLocationsAndJobsTheirAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		_, posting := srv.Publish(srv.Demo.Channel, jobboardtest.Job{
			Title: "Gardener", Language: "en",
			Location:            jobboardtest.Location{Lat: "50.110556", Long: "8.682222", City: "Frankfurt"},
			AdditionalLocations: []jobboardtest.Location{{Lat: "51.312711", Long: "9.479746", City: "Kassel"}},
		})
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		hits := find(t, m, jobmirror.Query{Text: "gardener", Language: "en"})
		if len(hits) != 1 {
			t.Fatalf("%+v", hits)
		}
		hit := hits[0]
		if len(hit.Locations) != 2 || hit.Locations[0].GeoCity != "Frankfurt" || hit.Locations[1].GeoCity != "Kassel" {
			t.Errorf("the posting's locations are %+v", hit.Locations)
		}
		postings, err := m.Postings(t.Context(), hit.Job)
		if err != nil || len(postings) != 2 || int64(postings[0].Posting.JobPostingID) != posting.ID || len(postings[0].Locations) != 2 {
			t.Errorf("the job's postings: %+v, %v", postings, err)
		}
		for _, p := range postings {
			if p.TextLanguage != "en" { // the German posting counts as well, though nobody has translated it
				t.Errorf("asked for in %s, the posting is in %q", p.Language, p.TextLanguage)
			}
		}
		want, err := m.JobInformation(t.Context(), hit.Job)
		if err != nil {
			t.Fatal(err)
		}
		j, err := m.Job(t.Context(), hit.Job)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := j.Answer(); err != nil || text(got) != text(want) || len(got.Nationalities) == 0 {
			t.Errorf("the job's answer is %s, %v, not %s", text(got), err, text(want))
		}

		opts := optionsOf(srv)
		opts.MaxAge = time.Nanosecond
		stale := open(t, address, opts)
		if j, _ = stale.Job(t.Context(), hit.Job); j == nil {
			t.Fatal("a stale job is not returned")
		}
		if got, err := j.Answer(); !errors.Is(err, jobmirror.ErrStale) || got != nil {
			t.Errorf("a stale job's answer is %+v, %v", got, err)
		}
	})
}
