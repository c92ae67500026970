package jobmirror_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// reindexChild is a process that builds the index anew, again and again until it is killed.
func reindexChild(ctx context.Context, o childOptions) error {
	m, err := jobmirror.Open(ctx, o.Database, jobmirror.Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	for err == nil {
		err = m.Reindex(ctx)
	}
	return err
}

// startReindexing starts such a process, and returns once it has begun.
func startReindexing(t *testing.T, address string) *exec.Cmd {
	t.Helper()
	command := childCommand(context.WithoutCancel(t.Context()), t, childOptions{Database: address, Reindexes: true})
	said, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		t.Errorf("the process does not begin: %q, %v", line, err)
	}
	return command
}

// Over kill -9 of the process that builds the index anew, at any moment, every search is answered as before, and
// the index holds what it should, while another process writes. A Reindex that comes to its end after that leaves
// a right index, and mends a damaged one.
func TestReindexThroughKills(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		const n = 250 // three steps
		m, srv, jobs := searchableBy(t, address, n, 1)
		r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		began := time.Now()
		if err := m.Reindex(t.Context()); err != nil {
			t.Fatal(err)
		}
		lasts := time.Since(began)

		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		searches := 0
		running.Go(func() {
			for ; ctx.Err() == nil; searches++ {
				page, err := reader.Search(t.Context(), jobmirror.Query{Text: "nurse", Limit: n + 1, Facets: true})
				if err != nil || page.Facets.Total != n || len(page.Postings) != n {
					t.Errorf("search %d finds %d of %d, %+v, %v", searches, len(page.Postings), n, page.Facets, err)
					return
				}
				select { // others are to get on
				case <-time.After(20 * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
		db := openSQL(t, address)
		betweenSteps := func() (is bool) {
			t.Helper()
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) > 0 FROM search_state WHERE name = 'rebuilt' AND value > 0").Scan(&is); err != nil {
				t.Fatal(err)
			}
			return is
		}
		midway, kills := 0, size(6, 200)
		for kill := range kills {
			reindexing := startReindexing(t, address)
			if kill%2 == 1 { // so also before the last Reindex
				until(t, time.Minute, "a step is done", betweenSteps)
				<-time.After(time.Duration(r.Int64N(int64(lasts) / 10)))
			} else {
				<-time.After(time.Duration(r.Int64N(int64(lasts) * 3 / 2)))
			}
			if err := reindexing.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = reindexing.Wait()
			if betweenSteps() {
				midway++
			}
			job := jobs[r.IntN(n)]
			srv.UpdateJob(job, func(j *jobboardtest.Job) { j.Location.City = fmt.Sprintf("Town %d", kill) })
			if err := jobmirror.Exec(t.Context(), m, fmt.Sprintf("UPDATE jobs SET next_due = 1 WHERE job = %d", job)); err != nil {
				t.Fatal(err)
			}
			refresh(t, m)
			// The server may still be about to notice that the process is gone, whose rows wait then.
			if found := checkIndex(t, m); found.Damaged() || found.Postings+found.Waiting != n {
				t.Errorf("after kill %d: %+v", kill, found)
			}
		}
		stop()
		running.Wait()
		t.Logf("figure: %d processes are killed that build the index anew, %d of them between two steps; %d searches meanwhile", kills, midway, searches)
		if searches == 0 || midway == 0 {
			t.Error("nobody searched, or no process was killed between two steps")
		}
		for _, damage := range []string{"UPDATE search_state SET value = value", "DELETE FROM facets WHERE document = (SELECT max(id) FROM postings)"} {
			if err := jobmirror.Exec(t.Context(), m, damage); err != nil {
				t.Fatal(err)
			}
			if err := m.Reindex(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := checkIndex(t, m); found.Damaged() || found.Postings != n {
				t.Errorf("after Reindex: %+v", found)
			}
		}
		if left := count(t, address, "SELECT count(*) FROM search_state WHERE name = 'rebuilt'"); left != 0 {
			t.Error("a Reindex that has ended is still noted")
		}
		checkReplay(t, m)
	})
}
