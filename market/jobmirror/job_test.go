package jobmirror_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// All jobs are each of them: what Jobs yields is what Job and Postings return.
func TestJobs(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		for i := range 200 { // more than one part, with the demo's jobs
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: fmt.Sprint("Job ", i), Language: "de"})
		}
		m := open(t, address, optionsOf(srv))
		for _, err := range m.Jobs(t.Context()) {
			if !errors.Is(err, jobmirror.ErrIncomplete) {
				t.Fatalf("before the first copy: %v", err)
			}
		}
		refresh(t, m)
		compare := func(stale bool) {
			t.Helper()
			n, postings, last := 0, 0, int64(0)
			for all, err := range m.Jobs(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				id := all.Job.JobRecord.Job
				if int64(id) <= last {
					t.Fatalf("job %d comes after %d", id, last)
				}
				n, postings, last = n+1, postings+len(all.Postings), int64(id)
				job, failed := m.Job(t.Context(), id)
				if errors.Is(failed, jobmirror.ErrStale) != stale {
					t.Fatalf("job %d: %v", id, failed)
				}
				if _, answered := all.Job.Answer(); errors.Is(answered, jobmirror.ErrStale) != stale {
					t.Errorf("job %d: %v", id, answered)
				}
				job.Nationalities, job.Postings, job.Age, all.Job.Age = nil, nil, 0, 0
				job.FirstSeen, job.ShownAgain = time.Time{}, 0 // are those of the postings
				if !reflect.DeepEqual(all.Job, job) {
					t.Errorf("job %d is %+v, not %+v", id, all.Job, job)
				}
				own, err := m.Postings(t.Context(), id)
				if err != nil || !reflect.DeepEqual(all.Postings, own) {
					t.Errorf("the postings of %d are %+v, not %+v, %v", id, all.Postings, own, err)
				}
			}
			if n < 220 || postings <= n {
				t.Errorf("%d jobs with %d postings", n, postings)
			}
		}
		compare(false)
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET looked_up = 1"); err != nil {
			t.Fatal(err)
		}
		compare(true)
	})
}
