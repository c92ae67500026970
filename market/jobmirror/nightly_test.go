package jobmirror_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A timer that refreshes once a night, some minutes earlier or later, for 30 nights: no answer
// about an open job is older than 25 hours, though a pass takes more than a minute.
func TestNightlyTimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, nights := 150, 7
		if testenv.Whole() {
			nights = 30
		}
		board := newShelf(n)
		opts := board.options()
		opts.Limit, opts.LookupEvery = 2, 20*time.Hour // a pass takes more than a minute
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
		began, oldest, asked := time.Now(), time.Duration(0), 0
		for night := range nights {
			late := time.Duration(night*7%20) * time.Minute
			time.Sleep(time.Until(began.Add(time.Duration(night)*24*time.Hour + late)))
			for _, job := range upTo(n) {
				j, err := m.Job(t.Context(), jobboard.JobID(job))
				switch {
				case night == 0 && errors.Is(err, jobmirror.ErrIncomplete):
				case err != nil || j.State != jobmirror.StateOpen:
					t.Fatalf("night %d: %+v, %v", night, j, err)
				default:
					oldest = max(oldest, j.Age)
				}
			}
			board.tell(upTo(n), "open", map[int]string{})
			if err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, most := board.lookups()
			if asked += all; all != n || most != 1 {
				t.Errorf("night %d: %d lookups, up to %d of one job", night, all, most)
			}
		}
		t.Logf("figure: the oldest answer about an open job is %s old, after %d lookups", oldest, asked)
		if oldest > 25*time.Hour {
			t.Errorf("an answer about an open job is %s old", oldest)
		}
	})
}
