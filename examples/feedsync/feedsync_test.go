package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// The test binary is the program too, and the service of the benchmark.
func TestMain(m *testing.M) {
	switch os.Getenv("FEEDSYNC_TEST") {
	case "program":
		main()
		return
	case "bulk":
		bulkAlone()
		return
	case "service":
		serve()
		return
	}
	os.Exit(m.Run())
}

const channel = "27828_extern"

func feedFile(t *testing.T, ids ...jobboard.JobID) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "feed.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := writeFeed(f, ids...); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// A partner is a fake, and a database that is kept up to date with it.
type partner struct {
	t      *testing.T
	fake   *jobboardtest.Server
	board  board.Board
	db     string
	status strings.Builder
}

func newPartner(t *testing.T) *partner {
	fake := jobboardtest.New(t)
	return &partner{
		t: t, fake: fake, db: filepath.Join(t.TempDir(), "jobs.db"),
		board: board.Board{Config: jobboard.Config{JobDBURL: fake.JobDBURL, Retry: jobboard.RetryPolicy{MaxAttempts: 1}}},
	}
}

func (p *partner) run(feed string) (string, error) {
	p.t.Helper()
	var out strings.Builder
	p.status.Reset()
	err := run(p.t.Context(), &out, &p.status, &p.board, settings{feed: feed, db: p.db, batch: 10})
	return out.String(), err
}

func (p *partner) must(feed, want string) {
	p.t.Helper()
	if out, err := p.run(feed); err != nil || out != want {
		p.t.Errorf("%v\n%swant\n%s", err, out, want)
	}
}

// rows are the jobs in the database.
func (p *partner) rows() (rows []string) {
	p.t.Helper()
	db, err := sql.Open("sqlite", p.db)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	list, err := db.QueryContext(p.t.Context(), `SELECT job_id, outcome, title, language, city, questions, in_feed FROM jobs ORDER BY job_id`)
	if err != nil {
		p.t.Fatal(err)
	}
	defer list.Close()
	for list.Next() {
		var id, questions, inFeed int
		var outcome, title, language, city string
		if err := list.Scan(&id, &outcome, &title, &language, &city, &questions, &inFeed); err != nil {
			p.t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%d %s %q %s %s %d %d", id, outcome, title, language, city, questions, inFeed))
	}
	if err := list.Err(); err != nil {
		p.t.Fatal(err)
	}
	return rows
}

func (p *partner) expect(when string, want ...string) {
	p.t.Helper()
	if got := p.rows(); !slices.Equal(got, want) {
		p.t.Errorf("%s:\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDemo(t *testing.T) {
	board.ClearEnv(t)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var out strings.Builder
	if err := run(t.Context(), &out, io.Discard, &b, settings{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "44 jobs looked up\n") || !strings.Contains(out.String(), " 42 open\n") {
		t.Error(out.String())
	}
}

// The demo is the same in each run, so that it can be ended and go on.
func TestDemoGoesOn(t *testing.T) {
	board.ClearEnv(t)
	dir := t.TempDir()
	s := settings{
		db: filepath.Join(dir, "jobs.db"), checkpoint: filepath.Join(dir, "elsewhere"), batch: 10,
		demo: demo{jobs: 300, latency: time.Millisecond, failing: 0.05},
	}
	demoRun := func(end int) (string, error) {
		var b board.Board
		if err := b.Open(); err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			if b.Fake.Wait(ctx, end, jobboardtest.OpJobInformation) == nil {
				stop()
			}
		}()
		var out strings.Builder
		err := run(ctx, &out, io.Discard, &b, s)
		return out.String(), err
	}
	if out, err := demoRun(100); err == nil || !strings.Contains(err.Error(), "ended early") {
		t.Fatalf("%v\n%s", err, out)
	} else if strings.Contains(out, " failed\n") {
		t.Errorf("what was cut short did not fail:\n%s", out)
	}
	out, err := demoRun(1000)
	if err != nil {
		t.Fatal(err)
	}
	var lookedUp, before int
	if _, err := fmt.Sscanf(out, "%d jobs looked up, %d done before", &lookedUp, &before); err != nil || before < 50 || lookedUp+before != 300 {
		t.Error(out, err)
	}
	if _, err := os.Stat(s.checkpoint); err != nil {
		t.Error(err)
	}
	p := partner{t: t, db: s.db}
	if n := len(p.rows()); n != 300 {
		t.Errorf("%d rows", n)
	}
}

func TestSettings(t *testing.T) {
	board.ClearEnv(t)
	for _, tt := range []struct {
		jobDB string
		s     settings
		want  string
	}{
		{"http://127.0.0.1:1", settings{}, "name the feed"},
		{"http://127.0.0.1:1", settings{feed: "feed.xml", demo: demo{jobs: 1}}, "for the embedded fake"},
		{"", settings{demo: demo{jobs: -1}}, "at least 0"},
		{"", settings{demo: demo{latency: -1}}, "at least 0"},
		{"", settings{demo: demo{failing: 1}}, "below 1"},
		{"", settings{demo: demo{failing: math.NaN()}}, "below 1"},
	} {
		t.Setenv("JOBBOARD_JOBDB_URL", tt.jobDB)
		var b board.Board
		if err := b.Open(); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), io.Discard, io.Discard, &b, tt.s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.s, err, tt.want)
		}
		b.Close()
	}
}

func TestFeedChanges(t *testing.T) {
	p := newPartner(t)
	ids := publish(p.fake, channel, 4)
	p.must(feedFile(t, ids[0], ids[1], ids[1], ids[2]), "3 jobs looked up, 1 repeats in the feed\n      3 open\n")
	row := func(i int, outcome string, inFeed int) string {
		return fmt.Sprintf("%d %s \"Nurse %d\" de Berlin 1 %d", ids[i], outcome, i, inFeed)
	}
	p.expect("at first", row(0, "open", 1), row(1, "open", 1), row(2, "open", 1))

	p.fake.DeactivateJob(int64(ids[0]))
	p.fake.DeleteJob(int64(ids[1]))
	p.must(feedFile(t, ids[0], ids[1], ids[3]), "3 jobs looked up, 1 no longer in the feed\n      1 closed\n      1 gone\n      1 open\n")
	p.expect("a day later", row(0, "closed", 1), row(1, "gone", 1), row(2, "open", 0), row(3, "open", 1))
}

// An edition that was stored whole is not looked up again, unless it is for
// another database.
func TestSameEdition(t *testing.T) {
	p := newPartner(t)
	feed := feedFile(t, publish(p.fake, channel, 25)...)
	p.must(feed, "25 jobs looked up\n     25 open\n")
	p.must(feed, "0 jobs looked up, 25 done before\n")
	if n := p.fake.Count(jobboardtest.OpJobInformation); n != 25 {
		t.Errorf("%d lookups", n)
	}
	for _, file := range []string{p.db, p.db + "-wal", p.db + "-shm"} {
		_ = os.Remove(file)
	}
	p.must(feed, "25 jobs looked up\n     25 open\n")
	if n := len(p.rows()); n != 25 {
		t.Errorf("%d rows in the new database", n)
	}
}

func TestLookupFails(t *testing.T) {
	p := newPartner(t)
	ids := publish(p.fake, channel, 2)
	p.must(feedFile(t, ids...), "2 jobs looked up\n      2 open\n")
	before := p.rows()
	fault := p.fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable})
	feed := feedFile(t, ids...)
	out, err := p.run(feed)
	if err == nil || !strings.Contains(err.Error(), "2 jobs have no answer") || !strings.Contains(out, "2 failed\nsuch as: ") {
		t.Errorf("%v\n%s", err, out)
	}
	p.expect("after failures", before...)
	fault.Lift()
	p.must(feed, "2 jobs looked up\n      2 open\n")
}

// A batch that cannot be stored whole is not stored, and not recorded as done.
func TestStoreFails(t *testing.T) {
	p := newPartner(t)
	ids := publish(p.fake, channel, 10)
	p.must(feedFile(t), "0 jobs looked up\n")
	sqlite := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", p.db)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	sqlite(`CREATE TRIGGER full BEFORE INSERT ON jobs WHEN (SELECT count(*) FROM jobs) = 5 BEGIN SELECT RAISE(FAIL, 'no room'); END`)
	feed := feedFile(t, ids...)
	if out, err := p.run(feed); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("%v\n%s", err, out)
	}
	p.expect("no room")
	sqlite(`DROP TRIGGER full`)
	p.must(feed, "10 jobs looked up\n     10 open\n")
	if n := len(p.rows()); n != 10 {
		t.Errorf("%d rows", n)
	}
}

// A crash between a batch's commit and its record brings the batch a second
// time, to the rows that it has.
func TestStoredAndNotRecorded(t *testing.T) {
	p := newPartner(t)
	feed := feedFile(t, publish(p.fake, channel, 25)...)
	p.must(feed, "25 jobs looked up\n     25 open\n")
	before := p.rows()
	record, err := os.ReadFile(p.db + ".done")
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(record[:len(record)-1], '\n') + 1
	if err := os.WriteFile(p.db+".done", record[:last], 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(feed, "5 jobs looked up, 20 done before\n      5 open\n")
	p.expect("after the crash", before...)
}

// Half a feed looks like half of the jobs having gone.
func TestFeedBreaks(t *testing.T) {
	p := newPartner(t)
	ids := publish(p.fake, channel, 4)
	p.must(feedFile(t, ids...), "4 jobs looked up\n      4 open\n")
	before := p.rows()

	whole, err := os.ReadFile(feedFile(t, ids...))
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(t.TempDir(), "half.xml")
	if err := os.WriteFile(half, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := p.run(half); err == nil || !strings.Contains(err.Error(), "not read to its end") {
		t.Errorf("half a feed: %v\n%s", err, out)
	}
	p.expect("half a feed", before...)

	// A job whose entry cannot be read may still be there.
	broken := filepath.Join(t.TempDir(), "broken.xml")
	text := strings.Replace(string(whole), fmt.Sprint(ids[1]), "no number", 1)
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(broken, "3 jobs looked up, 1 broken entries\n      3 open\n")
	p.expect("a broken entry", before...)

	if _, err := p.run(filepath.Join(t.TempDir(), "nothing.xml")); err == nil {
		t.Error("no feed, and no error")
	}
}

func TestLines(t *testing.T) {
	p := newPartner(t)
	p.must(feedFile(t, publish(p.fake, channel, 2100)...), "2100 jobs looked up\n   2100 open\n")
	if got := p.status.String(); got != "1000 jobs done\n2000 jobs done\n" {
		t.Errorf("%q", got)
	}
}

// Ended in the middle, by a signal or by its power cord, the program goes on
// where it was: no job is lost, none has two rows, and few are looked up twice.
func TestEndedInTheMiddle(t *testing.T) {
	const jobs, batch, concurrency = 3000, 50, 16
	p := newPartner(t)
	ids := publish(p.fake, channel, jobs)
	p.fake.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Share: 0.02, Seed: 1})
	feed := feedFile(t, ids...)
	start := func(end func(*exec.Cmd, *bufio.Scanner)) error {
		cmd := program(t.Context(), "program", "-feed", feed, "-db", p.db, "-batch", strconv.Itoa(batch), "-concurrency", strconv.Itoa(concurrency))
		cmd.Env = append(cmd.Env, "JOBBOARD_JOBDB_URL="+p.fake.JobDBURL)
		status, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(status)
		end(cmd, lines)
		for lines.Scan() { // the rest, so that it does not wait for a reader
		}
		return cmd.Wait()
	}
	ended := 0
	for i, how := range []os.Signal{os.Kill, os.Interrupt} {
		err := start(func(cmd *exec.Cmd, lines *bufio.Scanner) {
			for n := 0; n < 1000*(i+1) && lines.Scan(); { // so many thousands
				if _, err := fmt.Sscanf(lines.Text(), "%d jobs done", &n); err != nil {
					t.Error(lines.Text())
				}
			}
			_ = cmd.Process.Signal(how)
		})
		if err != nil {
			ended++
		}
	}
	switch rows := len(p.rows()); {
	case rows < 2000:
		t.Fatalf("2000 jobs were said to be done, and %d are stored", rows)
	case ended != 2 || rows >= jobs:
		t.Fatalf("%d runs were ended, with %d rows; the test is about something else", ended, rows)
	}
	if err := start(func(*exec.Cmd, *bufio.Scanner) {}); err != nil {
		t.Fatal(err)
	}
	rows := p.rows()
	if len(rows) != jobs {
		t.Fatalf("%d rows of %d jobs", len(rows), jobs)
	}
	for i, id := range ids {
		if want := fmt.Sprintf("%d open \"Nurse %d\" de Berlin 1 1", id, i); rows[i] != want {
			t.Fatalf("%s, want %s", rows[i], want)
		}
	}
	answered := 0
	for _, r := range p.fake.Requests(jobboardtest.OpJobInformation) {
		if r.Status == http.StatusOK {
			answered++
		}
	}
	// Under way, being gathered and being stored, each of two times.
	if most := jobs + 2*(concurrency+2*batch); answered < jobs || answered > most {
		t.Errorf("%d lookups of %d jobs, at most %d wanted", answered, jobs, most)
	}
}

// program is the test binary as something else.
func program(ctx context.Context, as string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "JOBBOARD_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "FEEDSYNC_TEST="+as)
	return cmd
}

// serve is a service of its own: the fake with many jobs, some trouble, and
// their feed.
func serve() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fake := jobboardtest.NewServer()
	d := demo{jobs: n, latency: 5 * time.Millisecond, failing: 0.02}
	feed, err := serveFeed(fake, publish(fake, channel, d.jobs))
	if err != nil {
		log.Fatal(err)
	}
	busy := d.trouble(fake)
	fake.Mount("/answered", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, fake.Count(jobboardtest.OpJobInformation)-busy.Hits())
	}))
	fmt.Println(fake.JobDBURL, feed, fake.BaseURL+"/answered")
	_, _ = io.Copy(io.Discard, os.Stdin) // until who started it is gone
	fake.Close()
}

// bulkAlone looks up the jobs of a feed that is in memory, and stores nothing.
func bulkAlone() {
	resp, err := http.Get(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var ids []jobboard.JobID
	for id, err := range jobfeed.NewReader(resp.Body, nil).JobIDs() {
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, id)
	}
	client, err := jobboard.NewClient(jobboard.Config{JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL")})
	if err != nil {
		log.Fatal(err)
	}
	concurrency, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	began, n := time.Now(), 0
	for r := range client.BulkJobInformation(context.Background(), jobboard.Jobs(ids...), jobboard.BulkOptions{Concurrency: concurrency}) {
		if r.Err != nil {
			log.Fatal(r.Err)
		}
		n++
	}
	fmt.Println(n, time.Since(began).Nanoseconds())
}
