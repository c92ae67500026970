package jobmirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// inVirtualTime runs a test whose hours pass in no time: the board is in memory,
// and SQLite, which waits for nothing but the disk, asks the bubble's clock.
// PostgreSQL has a clock of its own.
func inVirtualTime(t *testing.T, f func(t *testing.T, srv *jobboardtest.Server, path string)) {
	synctest.Test(t, func(t *testing.T) {
		f(t, jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets()), filepath.Join(t.TempDir(), "jobs.db"))
	})
}

// run runs mirrors until the test ends, or stop is called, which waits for them.
func run(t *testing.T, mirrors ...*jobmirror.Mirror) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, len(mirrors))
	for _, m := range mirrors {
		go func() { ran <- m.Run(ctx) }()
	}
	stop = sync.OnceFunc(func() {
		cancel()
		for range mirrors {
			if err := <-ran; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
	t.Cleanup(stop)
	return stop
}

// ask is the transport of a board that fails in ways of its own for some jobs.
type ask struct {
	http.RoundTripper
	about func(job string) error // nil: the board answers
}

func (a ask) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := a.about(r.URL.Query().Get("jobid")); err != nil {
		return nil, err
	}
	return a.RoundTripper.RoundTrip(r)
}

// feedOnly are options for a mirror of the jobs that a feed in a file names.
func feedOnly(t *testing.T, srv *jobboardtest.Server, jobs ...int64) jobmirror.Options {
	path := filepath.Join(t.TempDir(), "feed.xml")
	feedOf(t, path, jobs, 0)
	opts := optionsOf(srv)
	opts.Channels, opts.Feeds = nil, []jobmirror.Feed{{Name: "feed", Address: path}}
	return opts
}

func nextLookup(t *testing.T, m *jobmirror.Mirror, job int64) time.Time {
	t.Helper()
	j, err := m.Job(t.Context(), jobboard.JobID(job))
	if j == nil {
		t.Fatalf("job %d: %v", job, err)
	}
	return j.NextLookup
}

// checkWait checks a wait against the wanted one, give or take a tenth.
func checkWait(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want*9/10-time.Second || got > want*11/10+time.Second {
		t.Errorf("%s: asked again after %s, not about %s", what, got, want)
	}
}

// Open jobs are asked about each day, not all at the same moment; closed and unavailable jobs
// are looked up more and more seldom, and daily once they are open again.
func TestLookupsAreDue(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		const day = 24 * time.Hour
		open1, open2, closed := srv.Demo.OpenJob, srv.Demo.AppliedJob, srv.Demo.ClosedJob
		m := open(t, path, feedOnly(t, srv, open1, open2, closed, srv.Demo.InactiveJob, srv.Demo.DeletedJob))
		refresh(t, m)
		refresh(t, m) // which believes that one is gone though the feed names it
		waits := map[int64][]time.Duration{}
		asked := map[int64]time.Time{}
		all := []int64{open1, open2, closed, srv.Demo.InactiveJob, srv.Demo.DeletedJob}
		for began := time.Now(); time.Since(began) < 140*day; {
			for _, job := range all {
				if _, err := m.Job(t.Context(), jobboard.JobID(job)); errors.Is(err, jobmirror.ErrStale) {
					t.Errorf("job %d, before its lookup: %v", job, err) // what is asked about in time is never too old
				}
			}
			refresh(t, m)
			next := time.Now().Add(day * 365)
			for _, job := range all {
				j, err := m.Job(t.Context(), jobboard.JobID(job))
				if j == nil {
					t.Fatal(err)
				}
				if last, again := asked[job]; again && !j.LookedUp.Equal(last) {
					waits[job] = append(waits[job], j.LookedUp.Sub(last))
				}
				asked[job] = j.LookedUp
				if due := nextLookup(t, m, job); due.Before(next) {
					next = due
				}
			}
			time.Sleep(time.Until(next) + time.Millisecond)
		}
		distinct := map[time.Duration]bool{}
		for _, job := range []int64{open1, open2} {
			for _, wait := range waits[job] {
				checkWait(t, "an open job", wait, day)
				distinct[wait] = true
			}
		}
		if len(waits[open1]) < 100 || len(distinct) < 100 {
			t.Errorf("open jobs were asked about %d times, after %d different waits", len(waits[open1]), len(distinct))
		}
		for name, job := range map[string]int64{"a closed job": closed, "an inactive one": srv.Demo.InactiveJob, "one that is gone": srv.Demo.DeletedJob} {
			if n := len(waits[job]); n < 7 {
				t.Fatalf("%s was asked about %d times in 140 days", name, n)
			}
			for i, wait := range waits[job] {
				checkWait(t, name, wait, day<<min(i, 5))
			}
		}
		srv.ActivateJob(srv.Demo.InactiveJob)
		for _, want := range []time.Duration{day, day} { // the first may be a month away
			time.Sleep(time.Until(nextLookup(t, m, srv.Demo.InactiveJob)) + time.Millisecond)
			refresh(t, m)
			checkWait(t, "one that is open again", time.Until(nextLookup(t, m, srv.Demo.InactiveJob)), want)
		}
	})
}

// A lookup that fails is tried again after 30 seconds, and twice as long each
// time, up to a day; an answer ends that.
func TestFailedLookupsBackOff(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		failing := true
		opts := feedOnly(t, srv, srv.Demo.OpenJob)
		opts.Config.Retry.MaxAttempts = 1
		opts.Config.HTTPClient = &http.Client{Transport: ask{srv.Client().Transport, func(string) error {
			if failing {
				return errors.New("no board today")
			}
			return nil
		}}}
		m := open(t, path, opts)
		for i := range 15 {
			refresh(t, m)
			due := nextLookup(t, m, srv.Demo.OpenJob)
			checkWait(t, "failure "+strconv.Itoa(i), time.Until(due), min(30*time.Second<<i, 24*time.Hour))
			j, _ := m.Job(t.Context(), jobboard.JobID(srv.Demo.OpenJob))
			if j.Failures != i+1 || j.Problem == "" || j.State != jobmirror.StateUnknown {
				t.Errorf("after failure %d: %+v", i, j)
			}
			time.Sleep(time.Until(due) + time.Millisecond)
		}
		failing = false
		refresh(t, m)
		j, err := m.Job(t.Context(), jobboard.JobID(srv.Demo.OpenJob))
		if err != nil || j.Failures != 0 || j.Problem != "" {
			t.Errorf("after an answer: %+v, %v", j, err)
		}
		checkWait(t, "an answer", time.Until(j.NextLookup), 24*time.Hour)
	})
}

// Lookups that take longer than the lease of their batch are not asked twice: it is
// renewed.
func TestSlowLookupsAreAskedOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		var asked atomic.Int64
		jobs := manyJobs(srv, 3)
		opts := feedOnly(t, srv, jobs...)
		opts.Config.Retry = jobboard.RetryPolicy{MaxAttempts: 1, AttemptTimeout: 10 * time.Minute, StallTimeout: 10 * time.Minute}
		opts.Config.HTTPClient = &http.Client{Transport: ask{srv.Client().Transport, func(string) error {
			asked.Add(1)
			time.Sleep(45 * time.Second)
			return nil
		}}}
		m := open(t, path, opts)
		run(t, m)
		time.Sleep(150 * time.Second)
		if n, known := asked.Load(), countOpen(t, m); n != 3 || known != 3 {
			j, _ := m.Job(t.Context(), jobboard.JobID(jobs[0]))
			t.Errorf("3 jobs were asked for %d times, and %d are known: %s", n, known, j.Problem)
		}
	})
}

// Lookups that never answer, as many as there are places but one, hold up
// neither those that were waiting with them nor those that come later.
func TestLookupsThatNeverAnswerHoldUpNobody(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		jobs := manyJobs(srv, 301)
		late := jobs[300]
		jobs = jobs[:300]
		stuck := map[string]bool{}
		for _, job := range jobs[:15] {
			stuck[strconv.FormatInt(job, 10)] = true
		}
		forever := make(chan struct{})
		defer close(forever)
		opts := feedOnly(t, srv, jobs...)
		opts.RefreshEvery = 10 * time.Second
		opts.Config.HTTPClient = &http.Client{Transport: ask{srv.Client().Transport, func(job string) error {
			if stuck[job] {
				<-forever // not even the end of its context ends it
			}
			return nil
		}}}
		m := open(t, path, opts)
		run(t, m)
		time.Sleep(10 * time.Second)
		answered := 0
		for _, job := range jobs[15:] {
			if j, _ := m.Job(t.Context(), jobboard.JobID(job)); j != nil && j.State == jobmirror.StateOpen {
				answered++
			}
		}
		if answered != 285 {
			t.Errorf("%d of 285 jobs are answered after 10 seconds", answered)
		}
		feedOf(t, opts.Feeds[0].Address, append(jobs, late), 0)
		time.Sleep(15 * time.Second)
		if j, err := m.Job(t.Context(), jobboard.JobID(late)); err != nil || j.State != jobmirror.StateOpen {
			t.Errorf("a job that came later: %+v, %v", j, err)
		}
	})
}

// However many jobs are due, no more than two batches are under way, also after many
// were completed.
func TestJobsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		const answered, size = 700, 512 // of a batch, with 64 at once
		jobs := manyJobs(srv, answered+1600)
		opts := feedOnly(t, srv, jobs[:answered]...)
		opts.Concurrency, opts.RefreshEvery = size/8, 10*time.Second
		opts.Config.Retry = jobboard.RetryPolicy{Budget: -1, MinWait: 50 * time.Second, MaxWait: 50 * time.Second}
		var lost atomic.Bool
		opts.Config.HTTPClient = &http.Client{Transport: ask{srv.Client().Transport, func(string) error {
			if lost.Load() {
				return io.EOF // and is repeated 25 to 50 s later
			}
			return nil
		}}}
		m := open(t, path, opts)
		run(t, m)
		time.Sleep(5 * time.Second)
		if known := countOpen(t, m); known != answered {
			t.Fatalf("%d jobs are known", known)
		}
		lost.Store(true)
		feedOf(t, opts.Feeds[0].Address, jobs, 0)
		time.Sleep(20 * time.Second)
		if claimed := count(t, path, "SELECT count(*) FROM jobs WHERE leased_until > 0"); claimed < size || claimed >= 3*size {
			t.Errorf("%d jobs are under way, want two batches of %d", claimed, size)
		}
	})
}

// The board is down for an hour. The copy is searched and answers, and tells its
// age; then everything that came due is asked for, never faster than the limit.
func TestAnHourWithoutTheBoard(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		const perSecond = 4
		for i := range 100 {
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Carpenter " + strconv.Itoa(i), Language: "en"})
		}
		opts := optionsOf(srv)
		opts.Limit, opts.LookupEvery = perSecond, 30*time.Minute
		m := open(t, path, opts)
		run(t, m)
		time.Sleep(5 * time.Minute)
		page, err := m.Search(t.Context(), jobmirror.Query{Text: "carpenter", Language: "en", Limit: 1000})
		if err != nil || len(page.Postings) != 100 || page.Age < 0 || page.Age > 6*time.Minute {
			t.Fatalf("before the outage: %d postings, age %s, %v", len(page.Postings), page.Age, err)
		}
		lookups := srv.Count(jobboardtest.OpJobInformation)

		down := srv.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable})
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Carpenter of the outage", Language: "en"})
		time.Sleep(time.Hour)
		page, err = m.Search(t.Context(), jobmirror.Query{Text: "carpenter", Language: "en", Limit: 1000})
		if err != nil || len(page.Postings) != 100 || page.Age < time.Hour || page.Age > 90*time.Minute {
			t.Errorf("after an hour: %d postings, age %s, %v", len(page.Postings), page.Age, err)
		}
		job := page.Postings[0].Job
		j, err := m.Job(t.Context(), job)
		if err != nil || j.State != jobmirror.StateOpen || j.Age < 30*time.Minute || j.Failures == 0 {
			t.Errorf("a job after an hour: %+v, %v", j, err)
		}
		status, err := m.Status(t.Context())
		if err != nil || status.Failing < 100 || status.Sources[0].Failures == 0 || status.Sources[0].Problem == "" {
			t.Errorf("the status after an hour: %+v, %v", status, err)
		}
		down.Lift()
		time.Sleep(40 * time.Minute) // as long as a job that failed an hour long may wait
		page, err = m.Search(t.Context(), jobmirror.Query{Text: "carpenter", Language: "en", Limit: 1000})
		if err != nil || len(page.Postings) != 101 || page.Age > 20*time.Minute {
			t.Errorf("after the outage: %d postings, age %s, %v", len(page.Postings), page.Age, err)
		}
		status, err = m.Status(t.Context())
		if err != nil || status.Failing != 0 || status.Due > 0 && time.Since(status.DueSince) > time.Minute {
			t.Errorf("the status after the outage: %+v, %v", status, err)
		}
		if n := srv.Count(jobboardtest.OpJobInformation) - lookups; n < 140 {
			t.Errorf("only %d lookups since", n)
		}
		checkRate(t, srv.Requests(), perSecond)
	})
}

// checkRate finds a second with more requests than the limit allows.
func checkRate(t *testing.T, requests []jobboardtest.Request, perSecond int) {
	t.Helper()
	for i := perSecond; i < len(requests); i++ {
		if d := requests[i].Time.Sub(requests[i-perSecond].Time); d < time.Second {
			t.Errorf("request %d came %s after the one %d before it", i, d, perSecond)
			return
		}
	}
}

// What is older than MaxAge is not given as an answer, and never says that
// applying is possible. It is not too old before the next lookup is due, however
// seldom these are.
func TestAnswersGrowOld(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for lookupEvery, maxAge := range map[time.Duration]time.Duration{0: 2 * day, 7 * day: 14 * day} {
		inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
			opts := optionsOf(srv)
			opts.LookupEvery = lookupEvery
			m := open(t, path, opts)
			refresh(t, m)
			id := jobboard.JobID(srv.Demo.OpenJob)
			time.Sleep(maxAge - time.Minute)
			if j, err := m.Job(t.Context(), id); err != nil || !j.Information.ApplyPossible || j.Age < maxAge-time.Hour {
				t.Errorf("just before %s: %+v, %v", maxAge, j, err)
			}
			w := answer(t, m, lookUpAt+id.String())
			age := strconv.Itoa(int(maxAge.Seconds()) - 60)
			if w.Code != http.StatusOK || w.Header().Get("Age") != age || !strings.Contains(w.Body.String(), `"applyPossible":true`) {
				t.Errorf("the handler just before %s: %d, Age %s", maxAge, w.Code, w.Header().Get("Age"))
			}
			time.Sleep(2 * time.Minute)
			j, err := m.Job(t.Context(), id)
			if !errors.Is(err, jobmirror.ErrStale) || j == nil || j.Information.ApplyPossible {
				t.Errorf("after %s: %+v, %v", maxAge, j, err)
			}
			if _, err := m.JobInformation(t.Context(), id); !errors.Is(err, jobmirror.ErrStale) {
				t.Errorf("the information after %s: %v", maxAge, err)
			}
			w = answer(t, m, lookUpAt+id.String())
			if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "applyPossible") {
				t.Errorf("the handler after %s: %d %s", maxAge, w.Code, w.Body)
			}
			page, err := m.Search(t.Context(), jobmirror.Query{All: true})
			if err != nil || len(page.Postings) == 0 || page.Age < maxAge {
				t.Errorf("a search after %s: %+v, %v", maxAge, page, err)
			}
		})
	}
}

// addYear runs statements that write the milliseconds of a year for %d: times as they were
// while the clock was a year ahead.
func addYear(t *testing.T, m *jobmirror.Mirror, statements ...string) {
	t.Helper()
	for _, set := range statements {
		if err := jobmirror.Exec(t.Context(), m, fmt.Sprintf(set, (365*24*time.Hour).Milliseconds())); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy that was made while the clock was a year ahead is as old as none, and is brought up to
// date at once: the mirror does not wait for the year to pass.
func TestClockSetBackByAYear(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		addYear(t, m,
			"UPDATE sources SET began = began + %d, complete = complete + %[1]d, next_due = next_due + %[1]d, leased_until = next_due + %[1]d",
			"UPDATE jobs SET looked_up = looked_up + %d, next_due = next_due + %[1]d, leased_until = next_due + %[1]d",
		)
		job := jobboard.JobID(srv.Demo.OpenJob)
		if j, err := m.Job(t.Context(), job); err != nil || j.Age != 0 {
			t.Errorf("%+v, %v", j, err)
		}
		if page, err := m.Search(t.Context(), jobmirror.Query{}); err != nil || page.Age != 0 {
			t.Errorf("%+v, %v", page, err)
		}
		for _, path := range []string{lookUpAt + job.String(), "/api/rest/v2/frontend/jobboards/" + srv.Demo.Channel + "/jobs"} {
			if w := answer(t, m, path); w.Code != http.StatusOK || w.Header().Get("Age") != "0" {
				t.Errorf("%s: %d, Age %s", path, w.Code, w.Header().Get("Age"))
			}
		}
		other := open(t, address, optionsOf(srv)) // a second mirror, beside the one whose clock was set back
		run(t, other)
		until(t, 30*time.Second, "all is asked again", func() bool {
			s, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			j, err := m.Job(t.Context(), job)
			for _, source := range s.Sources {
				if soon := time.Now().Add(time.Hour); source.Complete.After(soon) || source.NextDue.After(soon) {
					return false
				}
			}
			return err == nil && time.Until(j.LookedUp) < time.Minute && time.Until(j.NextLookup) < 48*time.Hour
		})
	})
}

// The log reaches back as far as Options.KeepChanges says; an older cursor is
// refused, and numbers are not used again.
func TestOldChangesGo(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		m := open(t, path, optionsOf(srv))
		refresh(t, m)
		var cursors []jobmirror.Cursor
		for change, err := range m.Changes(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			cursors = append(cursors, change.Cursor)
		}
		old, last := cursors[0], cursors[len(cursors)-1]
		time.Sleep(29 * 24 * time.Hour)
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Late", Language: "en"})
		refresh(t, m)
		kept, _, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * 24 * time.Hour)
		refresh(t, m)
		for name, cursor := range map[string]jobmirror.Cursor{"the beginning": "", "the first": old} {
			for change, err := range m.Changes(t.Context(), cursor) {
				if !errors.Is(err, jobmirror.ErrCursorTooOld) {
					t.Errorf("changes from %s: %+v, %v", name, change, err)
				}
				break
			}
		}
		n := 0
		for change, err := range m.Changes(t.Context(), last) {
			if n++; err != nil || n == 1 && change.Cursor <= last {
				t.Errorf("a change after %s: %+v, %v", last, change, err)
			}
		}
		if n == 0 {
			t.Error("the log has none of the last days' changes")
		}
		status, err := m.Status(t.Context())
		if err != nil || status.Oldest != last {
			t.Errorf("the log reaches back to %s, not %s: %v", status.Oldest, last, err)
		}
		// All rows and the later changes can still be read.
		now, at, err := snapshot(t.Context(), m)
		if err != nil || len(now) != len(kept) || at != status.Newest {
			t.Errorf("%d rows at %s, %v", len(now), at, err)
		}
	})
}

// Sources are read each quarter of an hour; one that fails sooner at first, and
// never more seldom than the others.
func TestSourcesAreDue(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		opts := optionsOf(srv)
		opts.Feeds = nil
		opts.Channels[0].Languages = []string{"en"}
		opts.Config.Retry.MaxAttempts = 1
		m := open(t, path, opts)
		due := func() time.Duration {
			_ = m.Refresh(t.Context())
			status, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return time.Until(status.Sources[0].NextDue)
		}
		checkWait(t, "a source", due(), 15*time.Minute)
		down := srv.Fail(jobboardtest.Fault{Status: http.StatusBadGateway, Operation: jobboardtest.OpSearch})
		for i := range 9 {
			checkWait(t, "a source that fails", due(), min(10*time.Second<<i, 15*time.Minute))
		}
		down.Lift()
		checkWait(t, "a source that works again", due(), 15*time.Minute)
	})
}

// What a source showed goes a week after the last process that named it, or at
// once by RemoveSources. A process that names no source at all takes nothing away.
func TestSourcesThatNobodyNamesGo(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		srv.AddChannel(jobboardtest.Channel{ID: "2_other"})
		_, posting := srv.Publish("2_other", jobboardtest.Job{Title: "Glassblower", Language: "en"})
		both := optionsOf(srv)
		both.Channels = append(both.Channels, jobmirror.Channel{ID: "2_other", Languages: []string{"en"}})
		one := optionsOf(srv)
		one.Feeds = nil
		step := func(when string, opts jobmirror.Options, wantFound int, wantEntries bool, what func(m *jobmirror.Mirror)) {
			t.Helper()
			m := open(t, path, opts)
			what(m)
			found, entries := len(find(t, m, jobmirror.Query{Text: "glassblower"})), 0
			status, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range status.Sources {
				if s.Kind == "feed" {
					entries = s.Rows
				}
			}
			checkReplay(t, m)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if found != wantFound || (entries > 0) != wantEntries {
				t.Errorf("%s: %d postings of the other channel, %d entries of the feed", when, found, entries)
			}
		}
		once := func(m *jobmirror.Mirror) { refresh(t, m) }
		step("with both", both, 1, true, once)
		time.Sleep(6 * 24 * time.Hour)
		step("6 days without", one, 1, true, once)
		time.Sleep(30 * time.Hour)
		step("a process without sources", jobmirror.Options{}, 1, true, once)
		forever := one
		forever.KeepSources = -1
		step("a process that keeps them for ever", forever, 1, true, once)
		step("after a week", one, 0, false, once)

		step("named again", both, 1, true, once)
		step("retired", one, 0, false, func(m *jobmirror.Mirror) {
			if err := m.RemoveSources(t.Context()); err != nil {
				t.Error(err)
			}
			refresh(t, m)
			gone := false
			for change, err := range m.Changes(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				gone = change.ID == posting.ID && change.After == nil && change.Cause == "channel 2_other en" || gone
			}
			if !gone {
				t.Error("the log does not say that the posting is gone")
			}
		})
		m := open(t, path, jobmirror.Options{})
		if err := m.RemoveSources(t.Context()); err == nil {
			t.Error("a mirror without sources retires all of them")
		}
		reader := open(t, path, jobmirror.Options{ReadOnly: true})
		if err := reader.RemoveSources(t.Context()); !errors.Is(err, jobmirror.ErrReadOnly) {
			t.Errorf("a reader retires: %v", err)
		}
	})
}
