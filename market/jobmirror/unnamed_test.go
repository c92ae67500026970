package jobmirror_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Twenty generations of 20 jobs, each shown for 30 days: with KeepJobs the copy has the jobs of the
// last four months, and no job that went is looked up. Without it all stay.
func TestGenerationsOfJobs(t *testing.T) {
	t.Parallel()
	generations := 7
	if testenv.Whole() {
		generations = 20
	}
	for _, test := range []struct {
		keep       time.Duration
		rows, most int // in the end; lookups
	}{{0, 80, generations * 20 * 40}, {-1, generations * 20, generations * 20 * 60}} {
		synctest.Test(t, func(t *testing.T) {
			board := newShelf(0)
			opts := board.options()
			opts.KeepJobs, opts.KeepChanges = test.keep, 3*365*24*time.Hour
			m := open(t, filepath.Join(t.TempDir(), "jobs.db"), opts)
			rows := func() (n int) {
				s, err := m.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, jobs := range s.Jobs {
					n += jobs
				}
				return n
			}
			lookups, byGeneration := 0, []int{}
			for generation := range generations {
				shown, states := []int{}, map[int]string{}
				for i := range 20 {
					shown = append(shown, generation*20+i+1)
					states[shown[i]] = "open"
				}
				board.tell(shown, unavailable, states)
				for range 15 {
					if err := m.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(48 * time.Hour)
				}
				all, _ := board.lookups()
				lookups += all
				byGeneration = append(byGeneration, all)
				if generation == 5 {
					t.Logf("figure: KeepJobs %s: %d rows after six generations of 20 jobs", test.keep, rows())
				}
			}
			n := rows()
			t.Logf("figure: KeepJobs %s: %d rows after %d generations, %d lookups, %v by generation", test.keep, n, generations, lookups, byGeneration)
			if n > test.rows || test.keep < 0 && n != test.rows || lookups > test.most {
				t.Errorf("KeepJobs %s: %d rows, not %d; %d lookups", test.keep, n, test.rows, lookups)
			}
			checkReplay(t, m)
		})
	}
}

// passes lets time pass for what the daily pass looks at, but for when sources were complete.
func passes(t *testing.T, m *jobmirror.Mirror, d time.Duration) {
	t.Helper()
	for _, column := range []string{"jobs SET unnamed", "catalogues SET used", "passes SET began"} {
		_, name, _ := strings.Cut(column, "SET ")
		if err := jobmirror.Exec(t.Context(), m, fmt.Sprintf("UPDATE %s = %s - %d WHERE %s > 0", column, name, d.Milliseconds(), name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A job named while the pass removes it exists in the end: in either order.
func TestNamedWhileItIsRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(20)
		m := open(t, address, board.options())
		refresh(t, m)
		other := m
		if strings.HasPrefix(address, "postgres") {
			other = open(t, address, board.options())
		}
		for i := range size(8, 40) {
			board.tell(upTo(17), inactive, map[int]string{20: inactive})
			refresh(t, m)
			passes(t, m, 24*time.Hour)
			refresh(t, m)
			passes(t, m, 100*24*time.Hour)
			board.tell(upTo(20), "open", nil)
			var running sync.WaitGroup
			for _, m := range []*jobmirror.Mirror{m, other} {
				running.Go(func() {
					time.Sleep(time.Duration(i) * time.Millisecond)
					if err := m.Refresh(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			running.Wait()
			refresh(t, m)
			for _, job := range []jobboard.JobID{18, 19, 20} {
				if j, err := m.Job(t.Context(), job); j == nil || len(j.Postings) != 1 {
					t.Fatalf("turn %d: job %d: %+v, %v", i, job, j, err)
				}
			}
			checkReplay(t, m)
			passes(t, m, 24*time.Hour)
		}
	})
}
