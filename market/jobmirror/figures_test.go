package jobmirror_test

import (
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// long reports whether runs of full length were asked for.
func long() bool { return testenv.Night() }

// size returns the size of a test: small, or the whole in a
// long run.
func size(short, full int) int {
	if long() {
		return full
	}
	return short
}

// whole returns the number of things a test tries: a share, or all in .ci/run and at night.
func whole(share, all int) int {
	if testenv.Whole() {
		return all
	}
	return share
}

// manyJobs gives a board jobs.
func manyJobs(srv *jobboardtest.Server, n int) []int64 {
	jobs := make([]int64, n)
	for i := range jobs {
		job := srv.AddJob(jobboardtest.Job{
			Title: "Nurse " + strconv.Itoa(i), Language: "de", Location: jobboardtest.Location{City: "Berlin", Lat: "52.52", Long: "13.37"},
			Questions: []jobboardtest.Question{{Type: "TEXT", Label: "Why?"}},
		})
		srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: job.Title})
		jobs[i] = job.ID
	}
	return jobs
}

// boardOf is a board with jobs, and a file with a feed of them.
func boardOf(t *testing.T, n int) (srv *jobboardtest.Server, feed string, jobs []int64) {
	t.Helper()
	srv, feed = jobboardtest.New(t), filepath.Join(t.TempDir(), "feed.xml")
	jobs = manyJobs(srv, n)
	feedOf(t, feed, jobs, 0)
	return srv, feed, jobs
}

// answerSlowly lets each lookup take 5 ms, and 2 % of them end with 503.
func answerSlowly(srv *jobboardtest.Server) {
	delay := 5 * time.Millisecond
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Status: http.StatusServiceUnavailable, Share: 0.02, Seed: 1, Delay: delay})
	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Delay: delay})
}

// feedOf writes a feed of jobs into a file; the first of them, as many as changed, get another
// title.
func feedOf(t *testing.T, path string, jobs []int64, changed int) {
	t.Helper()
	var b strings.Builder
	w := feedtest.NewWriter(&b, nil)
	for i, job := range jobs {
		title := "Nurse"
		if i < changed {
			title = "Senior nurse"
		}
		if err := w.Write(&jobfeed.Entry{JobID: jobboard.JobID(job), Title: title, Company: "Example"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, path, b.String())
}

func TestFirstFillAndChangedFeed(t *testing.T) {
	onEachMeasured(t, func(t *testing.T, address string) {
		n := whole(1000, size(2000, 100_000))
		srv, feed, jobs := boardOf(t, n)
		answerSlowly(srv)
		m := open(t, address, feedOptions(srv, feed))
		began, cpu := time.Now(), cpuTime(t)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		cpu = cpuTime(t) - cpu
		perSecond, least := float64(n)/took.Seconds(), 1500.0
		if strings.HasPrefix(address, "postgres") {
			least = 1000
		}
		t.Logf("figure: first fill of %d jobs, 2 %% of 503, answers after 5 ms: %.0f jobs/s; of a processor, stand-in included, %s a job",
			n, perSecond, cpu/time.Duration(n))
		if long() && perSecond < least {
			t.Errorf("%.0f jobs/s, fewer than %.0f", perSecond, least)
		}
		status, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := status.Jobs[jobmirror.StateOpen]; got < n*999/1000 {
			t.Errorf("%d of %d jobs are known", got, n)
		}

		feedOf(t, feed, jobs, n/50)
		before := srv.Count(jobboardtest.OpJobInformation)
		began = time.Now()
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		took = time.Since(began)
		lookups := srv.Count(jobboardtest.OpJobInformation) - before
		t.Logf("figure: a feed of %d of which 2 %% changed: %d lookups, %s in all", n, lookups, took.Round(time.Millisecond))
		if long() && took > 10*time.Second {
			t.Errorf("it takes %s", took)
		}
		if lookups > n/50*11/10 {
			t.Errorf("%d lookups for %d changed jobs", lookups, n/50)
		}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		t.Logf("figure: %d MB of heap, stand-in included", memory.HeapInuse>>20)
	})
}

// Where answers take long, the mirror asks as fast as the client's bulk lookup
// alone: its own work is done beside the waiting. In virtual time that work costs
// nothing, so what is measured is only whether places stay empty; in a long run it
// is measured with everything.
func TestSlowAnswersAreAwaitedTogether(t *testing.T) {
	if !long() {
		t.Parallel()
	}
	run := func(t *testing.T, n int, opts ...jobboardtest.Option) {
		const atOnce = 128
		srv := jobboardtest.New(t, opts...)
		srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpJobInformation, Delay: 100 * time.Millisecond})
		jobs := manyJobs(srv, n)
		feed := filepath.Join(t.TempDir(), "feed.xml")
		feedOf(t, feed, jobs, 0)
		config := jobboard.Config{JobDBURL: srv.JobDBURL, HTTPClient: srv.Client()}
		client, err := jobboard.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		alone := func() time.Duration {
			began := time.Now()
			all := make([]jobboard.JobID, len(jobs))
			for i, job := range jobs {
				all[i] = jobboard.JobID(job)
			}
			for r := range client.BulkJobInformation(t.Context(), jobboard.Jobs(all...), jobboard.BulkOptions{Concurrency: atOnce}) {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
			}
			return time.Since(began)
		}
		mirrored := func() time.Duration {
			m := open(t, filepath.Join(t.TempDir(), "jobs.db"), jobmirror.Options{
				Config: config, Feeds: []jobmirror.Feed{{Name: "feed", Address: feed}}, Limit: -1, Concurrency: atOnce,
			})
			began := time.Now()
			if err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		var ratios []float64
		for range size(1, 3) {
			ratios = append(ratios, alone().Seconds()/mirrored().Seconds())
		}
		slices.Sort(ratios)
		t.Logf("figure: answers after 100 ms, %d at once, %d jobs: %.0f %% of the bulk lookup alone (%.2f)", atOnce, n, 100*ratios[len(ratios)/2], ratios)
		if ratios[len(ratios)/2] < 0.9 {
			t.Errorf("the mirror asks at %.0f %% of the client's speed, not 90 %%", 100*ratios[len(ratios)/2])
		}
	}
	if long() {
		run(t, 20_000)
		return
	}
	synctest.Test(t, func(t *testing.T) { run(t, 2000, jobboardtest.WithoutSockets()) })
}

var vocabulary = strings.Fields(`Pflege Krankenpflege Software Entwicklung Fahrer Lager Koch Küche Hotel Buchhaltung Vertrieb Leitung Technik Elektriker
	Ingenieur Erzieher Verkauf Beratung Projekt Planung Einkauf Recht Medizin Labor Forschung Reinigung Sicherheit Gärtner Maler Schreiner Metall Bau
	Straße Brücke Daten Analyse Support Verwaltung Personal Schulung Marketing Redaktion Grafik Druck Versand Zoll Luftfahrt Schiff Bahn Energie`)

// cpuTime returns the processor time that this process has used, which other
// processes on the machine do not lengthen.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
