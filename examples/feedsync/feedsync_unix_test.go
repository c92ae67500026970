//go:build unix

package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFeed syncs a feed of 100 000 jobs, FEEDSYNC_JOBS says another
// number, from a service that takes 5 ms for an answer and has none in one of
// fifty. It holds the whole program, feed and database included, against the
// bulk lookup alone of the same jobs, each in a process of its own; and again
// with a kill in the middle. Run it with -benchtime 1x.
func BenchmarkFeed(b *testing.B) {
	jobs := 100_000
	if s := os.Getenv("FEEDSYNC_JOBS"); s != "" {
		var err error
		if jobs, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	service := program(b.Context(), "service", strconv.Itoa(jobs))
	hold, err := service.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	said, err := service.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := service.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = hold.Close(); _ = service.Wait() }()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	var sv served
	if _, err := fmt.Sscan(line, &sv.jobDB, &sv.feed, &sv.answered); err != nil {
		b.Fatalf("%q: %v", line, err)
	}

	for b.Loop() {
		for _, concurrency := range []int{16, 64} {
			for _, kill := range []bool{false, true} {
				how := "through"
				if kill {
					how = "with a kill in the middle"
				}
				alone := sv.bulkRate(b, concurrency, jobs) // each time, as machines are not equally fast all the time
				r := sv.syncOnce(b, concurrency, jobs, kill)
				rate := float64(r.done) / r.took.Seconds()
				fmt.Printf("figure: %d jobs, %d at once, %s: bulk alone %.0f/s, sync %.0f/s, %.1f %%; peak memory %.0f MB; %d rows, %d lost, %d twice; %d looked up again\n",
					jobs, concurrency, how, alone, rate, 100*rate/alone, float64(r.peak)/1e6, r.rows, jobs-r.distinct, r.rows-r.distinct, r.answered-jobs)
				again := 0
				if kill {
					again = concurrency + 2*500
				}
				if r.distinct != jobs || r.rows != jobs || r.answered < jobs || r.answered > jobs+again {
					b.Errorf("%d rows and %d answers of %d jobs", r.rows, r.answered, jobs)
				}
				if !kill {
					b.ReportMetric(100*rate/alone, fmt.Sprintf("%%-of-bulk-%d", concurrency))
					b.ReportMetric(float64(r.peak)/1e6, fmt.Sprintf("MB-peak-%d", concurrency))
				}
			}
		}
	}
}

// served is where the service is.
type served struct{ jobDB, feed, answered string }

// answers is how many lookups the service had an answer for.
func (s *served) answers(b *testing.B) (n int) {
	b.Helper()
	resp, err := http.Get(s.answered)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := fmt.Fscan(resp.Body, &n); err != nil {
		b.Fatal(err)
	}
	return n
}

func (s *served) bulkRate(b *testing.B, concurrency, jobs int) float64 {
	b.Helper()
	cmd := program(b.Context(), "bulk", s.feed, strconv.Itoa(concurrency))
	cmd.Env = append(cmd.Env, "JOBBOARD_JOBDB_URL="+s.jobDB)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var n, took int
	if _, err := fmt.Sscan(string(out), &n, &took); err != nil || n != jobs {
		b.Fatalf("%q, %v", out, err)
	}
	return float64(n) / time.Duration(took).Seconds()
}

type synced struct {
	took           time.Duration
	peak           int64 // bytes, of the larger process
	done           int   // looked up in took
	answered       int   // lookups in all
	rows, distinct int
}

// syncOnce is a whole sync into a new database. With a kill, what is timed is
// the run after it.
func (s *served) syncOnce(b *testing.B, concurrency, jobs int, kill bool) (r synced) {
	b.Helper()
	db := filepath.Join(b.TempDir(), "jobs.db")
	before := s.answers(b)
	var out strings.Builder
	start := func() (*exec.Cmd, io.Reader) {
		cmd := program(b.Context(), "program", "-feed", s.feed, "-db", db, "-concurrency", strconv.Itoa(concurrency))
		cmd.Env = append(cmd.Env, "JOBBOARD_JOBDB_URL="+s.jobDB)
		cmd.Stdout = &out
		status, err := cmd.StderrPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		return cmd, status
	}
	end := func(cmd *exec.Cmd) error {
		err := cmd.Wait()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			unit := int64(1024)
			if runtime.GOOS == "darwin" {
				unit = 1
			}
			r.peak = max(r.peak, int64(usage.Maxrss)*unit) //nolint:unconvert // of 32 bits on some systems
		}
		return err
	}
	if kill {
		cmd, status := start()
		lines, n := bufio.NewScanner(status), 0
		for n < jobs/2 && lines.Scan() {
			if _, err := fmt.Sscanf(lines.Text(), "%d jobs done", &n); err != nil {
				b.Fatal(lines.Text())
			}
		}
		_ = cmd.Process.Kill()
		if err := end(cmd); err == nil {
			b.Fatal("it was done before it was killed")
		}
	}
	began := time.Now()
	cmd, status := start()
	said, _ := io.ReadAll(status)
	if err := end(cmd); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
	r.took = time.Since(began)
	r.answered = s.answers(b) - before
	if _, err := fmt.Sscanf(out.String(), "%d jobs looked up", &r.done); err != nil {
		b.Fatalf("%v\n%s", err, &out)
	}

	table, err := sql.Open("sqlite", db)
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	err = table.QueryRowContext(b.Context(), `SELECT count(*), count(DISTINCT job_id) FROM jobs WHERE outcome = 'open' AND in_feed = 1`).Scan(&r.rows, &r.distinct)
	if err != nil {
		b.Fatal(err)
	}
	return r
}
