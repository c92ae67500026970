package lookups

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/evidence"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store/storetest"
)

// with has what the package reads of the tables of others.
var with = storetest.Tables{
	Add: []func(*store.Schema){changelog.AddTables, AddTables}, Counters: []string{Answers, batches},
	SQL: `
		CREATE TABLE forgotten (kind TEXT, id BIGINT);
		CREATE TABLE processes (id TEXT);
		CREATE TABLE sources (complete BIGINT);
		CREATE TABLE postings (id BIGINT, job BIGINT);
		CREATE TABLE listings (posting BIGINT, state TEXT);
		CREATE TABLE entries (job BIGINT, state TEXT);`,
}

// jobs is a database with the tables of jobs.
type jobs struct {
	*testing.T
	db    *store.DB
	log   *changelog.Log
	again func() *store.DB
	later time.Duration // by which the clock of transactions is ahead
}

func each(t *testing.T, test func(j *jobs)) {
	t.Helper()
	storetest.Each(t, with, func(t *testing.T, db *store.DB, again func() *store.DB) {
		test(&jobs{T: t, db: db, log: changelog.New(db), again: again})
	})
}

// do runs a transaction, and returns whether it may have made jobs due.
func (j *jobs) do(f func(w *Writer) error) (due bool) {
	j.Helper()
	err := j.db.Update(j.Context(), func(t *store.Tx) error {
		t.Now += j.later.Milliseconds()
		log := j.log.Writer(t)
		w := NewWriter(t, log)
		if err := f(w); err != nil {
			return err
		}
		due = w.Due
		return log.End()
	})
	if err != nil {
		j.Fatal(err)
	}
	return due
}

// exec runs statements.
func (j *jobs) exec(statements ...string) {
	j.Helper()
	j.do(func(w *Writer) error { return w.DoAll(nil, statements...) })
}

// read reads the one column of a query as numbers.
func (j *jobs) read(query string, args ...any) (list []int64) {
	j.Helper()
	j.do(func(w *Writer) (err error) {
		list, err = w.Numbers(query, args...)
		return err
	})
	return list
}

// wantRow compares columns of a job's row with a text.
func (j *jobs) wantRow(what string, job int64, columns, want string) {
	j.Helper()
	got := ""
	j.do(func(w *Writer) error {
		return w.Row("SELECT "+columns+" FROM jobs WHERE job = ?", []any{job}, &got)
	})
	if got != want {
		j.Errorf("%s: job %d has %s, want %s", what, job, got, want)
	}
}

func (j *jobs) take(n int, process string) (b Batch, due bool) {
	j.Helper()
	j.do(func(w *Writer) (err error) {
		b, due, err = w.Take(Round{}, n, process)
		slices.Sort(b.Jobs)
		return err
	})
	return b, due
}

// What puts a job on the list makes it due at once, a forgotten job never. Put has it asked anew, whatever a lookup that is
// under way says.
func TestWhatIsPutOnTheList(t *testing.T) {
	put := map[string]func(w *Writer, jobs []int64) error{
		"new": (*Writer).PutNew, "put": (*Writer).Put, "closed": (*Writer).PutClosed, "unnamed": (*Writer).PutUnnamed,
	}
	tests := []struct {
		put   string
		state string // of the job, which is due in a day; empty: it has no row
		other string // a statement before
		due   bool
		anew  bool // an answer is wanted with a number that is not given yet
	}{
		{put: "new", due: true},
		{put: "new", state: "open"},
		{put: "new", other: "INSERT INTO forgotten VALUES ('job', 7)"},
		{put: "new", other: "INSERT INTO forgotten VALUES ('posting', 7)", due: true},
		{put: "put", due: true, anew: true},
		{put: "put", state: "open", due: true, anew: true},
		{put: "put", other: "INSERT INTO forgotten VALUES ('job', 7)"},
		{put: "closed", state: "open"},
		{put: "closed", state: "unknown"},
		{put: "closed"},
		{put: "closed", state: "closed", due: true, anew: true},
		{put: "closed", state: "inactive", due: true, anew: true},
		{put: "closed", state: "unavailable", due: true, anew: true},
		{put: "unnamed", state: "open", due: true},
		{put: "unnamed", state: "open", other: "INSERT INTO entries VALUES (7, 0)"},
		{put: "unnamed"},
	}
	each(t, func(j *jobs) {
		for _, test := range tests {
			j.exec("DELETE FROM jobs", "DELETE FROM forgotten", "DELETE FROM entries")
			if test.other != "" {
				j.exec(test.other)
			}
			if test.state != "" {
				j.exec(fmt.Sprintf("INSERT INTO jobs (job, state, next_due, unnamed, answer) VALUES (7, '%s', %d, 1, 0)",
					test.state, time.Now().Add(24*time.Hour).UnixMilli()))
			}
			told := j.do(func(w *Writer) error { return put[test.put](w, []int64{7}) })
			if test.due && !told {
				j.Errorf("%+v: nobody is woken", test)
			}
			var due, anew []int64
			j.do(func(w *Writer) (err error) {
				due, err = w.Numbers("SELECT job FROM jobs WHERE next_due <= ?", w.Now)
				if err == nil {
					anew, err = w.Numbers("SELECT job FROM jobs WHERE wanted > answer")
				}
				return err
			})
			if slices.Contains(due, 7) != test.due || slices.Contains(anew, 7) != test.anew {
				j.Errorf("%+v: due %d, asked anew %d", test, due, anew)
			}
			if test.put != "unnamed" && test.due && len(j.read("SELECT job FROM jobs WHERE unnamed <> 0")) > 0 {
				j.Errorf("%+v: it still counts as named by nothing", test)
			}
		}
	})
}

// Jobs are taken by one process at a time, those first that have waited the longest. A lease that is renewed lasts,
// one that is given back, or not renewed, ends.
func TestBatches(t *testing.T) {
	each(t, func(j *jobs) {
		if b, due := j.take(10, "first"); due || len(b.Jobs) > 0 {
			j.Errorf("of nothing it takes %v, %t", b, due)
		}
		j.exec("INSERT INTO jobs (job, state, next_due) VALUES (1, 'open', 300), (2, 'open', 100), (3, 'open', 200), (4, 'open', 9000000000000)")
		one, _ := j.take(2, "first")
		if !slices.Equal(one.Jobs, []int64{2, 3}) {
			j.Errorf("the first takes %d", one.Jobs)
		}
		two, _ := j.take(2, "second")
		if !slices.Equal(two.Jobs, []int64{1}) || two.Number == one.Number {
			j.Errorf("the second takes %v", two)
		}
		if b, due := j.take(2, "third"); len(b.Jobs) > 0 || !due {
			j.Errorf("the third takes %d, due %t", b.Jobs, due)
		}
		var all []UnderWay
		j.do(func(w *Writer) (err error) { all, err = AllUnderWay(w.Tx); return err })
		if len(all) != 2 || all[0].Process != "first" || all[0].Jobs != 2 || all[1].Process != "second" || all[1].Since == 0 {
			j.Errorf("under way is %+v", all)
		}
		j.later = j.db.Lasting(Lease) - 5*time.Second
		j.do(func(w *Writer) error { return w.Renew(one) })
		j.later += 10 * time.Second
		three, _ := j.take(9, "third") // the second has not renewed it
		if !slices.Equal(three.Jobs, []int64{1}) {
			j.Errorf("after a lease it takes %d", three.Jobs)
		}
		j.do(func(w *Writer) error { return errors.Join(w.Renew(two), w.GiveBack(two)) })
		if b, _ := j.take(9, "fourth"); len(b.Jobs) > 0 {
			j.Errorf("the lease of another batch was given back: %d", b.Jobs)
		}
		j.do(func(w *Writer) error { return w.GiveBack(one) })
		if b, _ := j.take(9, "fourth"); !slices.Equal(b.Jobs, []int64{2, 3}) {
			j.Errorf("of what was given back it takes %d", b.Jobs)
		}
		j.do(func(w *Writer) error { return w.EndLeases() })
		if b, _ := j.take(9, "fifth"); len(b.Jobs) != 3 {
			j.Errorf("after all leases it takes %d", b.Jobs)
		}
	})
}

// A round takes each job that was due when it began, and later only a job that was put on the list since a
// number of before, once, however soon jobs become due again.
func TestRounds(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO jobs (job, state, next_due) VALUES (1, 'open', 100), (2, 'open', 200), (3, 'open', 9000000000000), (4, 'open', 300)")
		var (
			before, during int64
			round          Round
		)
		j.do(func(w *Writer) (err error) {
			before, err = w.Next(Answers)
			return err
		})
		j.do(func(w *Writer) error { return w.Put([]int64{1}) })
		j.do(func(w *Writer) (err error) {
			if during, err = w.Next(Answers); err == nil {
				round, err = w.BeginRound(before)
			}
			return err
		})
		j.later = time.Minute
		take := func(what string, due bool, want ...int64) {
			j.Helper()
			var b Batch
			got := false
			j.do(func(w *Writer) (err error) {
				b, got, err = w.Take(round, 10, "process")
				return err
			})
			slices.Sort(b.Jobs)
			if !slices.Equal(b.Jobs, want) || got != due {
				j.Errorf("%s: it takes %d, due %t", what, b.Jobs, got)
			}
			j.do(func(w *Writer) error { return w.GiveBack(b) })
		}
		take("all that are due", true, 1, 2, 4)
		again := time.Now().Add(time.Second).UnixMilli() // each is due again at once
		answer := func(job, number int64) {
			j.do(func(w *Writer) error { return w.Repeat(&Answer{Job: job, Number: number, Due: again}) })
		}
		answer(1, before) // another process sent it before the posting came
		answer(2, during+100)
		j.do(func(w *Writer) error { return w.Fail(4, "no answer", again) })
		j.exec(fmt.Sprint("UPDATE jobs SET next_due = ", again, " WHERE job = 3"))
		take("what a posting came to", true, 1)
		j.do(func(w *Writer) error { return w.Fail(1, "no answer", again) })
		take("after a failure", false)
		j.exec("UPDATE jobs SET failures = 0 WHERE job = 1")
		take("without one", true, 1)
		answer(1, during+101)
		j.do(func(w *Writer) error { return w.Put([]int64{2}) }) // for the next round
		take("once more", false)
		round = Round{}
		take("without a round", true, 1, 2, 3, 4)
	})
}

// Two processes of a server that take jobs at the same moment take different ones, and neither waits.
func TestBatchesAtOneMoment(t *testing.T) {
	each(t, func(j *jobs) {
		if !j.db.Shared {
			return // one process writes
		}
		j.exec("INSERT INTO jobs (job, state, next_due) VALUES (1, 'open', 1), (2, 'open', 2)")
		other := &jobs{T: t, db: j.again(), log: j.log}
		j.do(func(w *Writer) error {
			one, _, err := w.Take(Round{}, 1, "first")
			if two, _ := other.take(2, "second"); !slices.Equal(one.Jobs, []int64{1}) || !slices.Equal(two.Jobs, []int64{2}) {
				j.Errorf("they take %d and %d", one.Jobs, two.Jobs)
			}
			return err
		})
	})
}

// TakeOf takes the jobs of a condition, those first whose answer is the oldest, though they were not due.
func TestBatchOfACondition(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO jobs (job, state, next_due, answer) VALUES (1, 'open', 9000000000000, 8), (2, 'open', 5, 9), (3, 'open', 9000000000000, 7), (4, 'closed', 5, 1)")
		take := func(n int) (jobs []int64, left int) {
			j.do(func(w *Writer) error {
				b, n, err := w.TakeOf("state = ?", []any{"open"}, n, "process")
				jobs, left = b.Jobs, n
				slices.Sort(jobs)
				return err
			})
			return jobs, left
		}
		if jobs, left := take(2); !slices.Equal(jobs, []int64{1, 3}) || left != 3 {
			j.Errorf("it takes %d of %d", jobs, left)
		}
		if jobs, left := take(2); !slices.Equal(jobs, []int64{2}) || left != 3 {
			j.Errorf("then it takes %d of %d", jobs, left)
		}
		j.do(func(w *Writer) error { return w.EndLeases() })
		if b, _ := j.take(9, "another"); len(b.Jobs) != 4 {
			j.Errorf("due are %d", b.Jobs)
		}
	})
}

// What became of a lookup stands in the job's row: its lease ends, and a doubt or a failure with the next answer.
func TestWhatALookupLeaves(t *testing.T) {
	const columns = "state || ' ' || record || ' ' || said || ' ' || doubted || ' ' || failures || ' ' || problem || ' ' || answer || ' ' || " +
		"last_lookup || ' ' || next_due || ' ' || leased_until"
	answer := func(state, record string) *Answer {
		return &Answer{Job: 7, Number: 5, State: state, Record: record, LookedUp: 100, Due: 200}
	}
	tests := map[string]struct {
		write  func(w *Writer) error
		want   string
		logged bool
	}{
		"another answer": {func(w *Writer) error { return w.Save(answer("closed", "new"), "old") }, "closed new  0 0  5 3 200 0", true},
		"the same":       {func(w *Writer) error { return w.Repeat(answer("ignored", "ignored")) }, "open old  0 0  5 3 200 0", false},
		"none":           {func(w *Writer) error { return w.Fail(7, "no board", 300) }, "open old closed 50 3 no board 2 3 300 0", false},
		"a doubtful one": {
			func(w *Writer) error { return w.Doubt(7, 5, "unavailable", 60, "doubtful", 400) },
			"open old unavailable 60 0 doubtful 2 5 400 0", false,
		},
		"an earlier doubtful one": {
			func(w *Writer) error { return w.Doubt(7, 1, "unavailable", 60, "doubtful", 400) },
			"open old unavailable 60 0 doubtful 2 3 400 0", false,
		},
		"it was sent":         {func(w *Writer) error { return w.Sent("[7]", 6) }, "open old closed 50 2 why 2 6 900 5", false},
		"it was sent earlier": {func(w *Writer) error { return w.Sent("[7]", 1) }, "open old closed 50 2 why 2 3 900 5", false},
	}
	each(t, func(j *jobs) {
		var place changelog.Place
		for name, test := range tests {
			j.exec("DELETE FROM jobs")
			for _, job := range []int{7, 8} {
				j.exec(fmt.Sprintf(`INSERT INTO jobs (job, state, record, said, doubted, failures, problem, answer, last_lookup, next_due, leased_until)
					VALUES (%d, 'open', 'old', 'closed', 50, 2, 'why', 2, 3, 900, 5)`, job))
			}
			j.do(test.write)
			j.wantRow(name, 7, columns, test.want)
			j.wantRow("another job", 8, columns, "open old closed 50 2 why 2 3 900 5")
			read, last, err := j.log.After(t.Context(), place)
			if place = last; err != nil || len(read) > 0 != test.logged {
				j.Errorf("%s: the log has %+v, %v", name, read, err)
			}
			for _, e := range read {
				if e.ID != 7 || e.Job != 7 || e.Kind != ChangeKind || e.Cause != CauseLookup || e.Before != "old" || e.After != "new" {
					j.Errorf("%s: the log has %+v", name, e)
				}
			}
		}
	})
}

// What is kept of a posting that leaves takes the place of what was kept of an earlier one.
func TestPostingLeft(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO jobs (job, state, next_due) VALUES (7, 'open', 1), (8, 'open', 1)")
		for i, posting := range []string{"one", "another"} {
			j.do(func(w *Writer) error { return w.PostingLeft(7, int64(70+i), posting) })
			j.wantRow("it left", 7, "last_posting", posting)
		}
		j.wantRow("it left another", 8, "last_posting", "")
		j.do(func(w *Writer) error { return w.PostingLeft(8, 80, "other") })
		j.do(func(w *Writer) error { return w.ForgetPostings([]int64{70, 80}) })
		j.wantRow("another posting is forgotten", 7, "last_posting", "another")
		j.wantRow("it is forgotten", 8, "last_posting || last_posting_id", "0")
		j.do(func(w *Writer) error { return w.Forget(7) })
		if left := j.read("SELECT job FROM jobs"); !slices.Equal(left, []int64{8}) {
			j.Errorf("after 7 was forgotten %d are left", left)
		}
	})
}

// What is read of a job is what its row has, and others wait to change it.
func TestStored(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec(`INSERT INTO jobs (job, record, state, streak, answer, wanted, failures, service_time, made, said, doubted, next_due)
			VALUES (7, 'record', 'open', 1, 2, 3, 4, 5, 6, 'closed', 7, 8)`)
		j.do(func(w *Writer) error {
			got, err := w.Stored("[7, 9]")
			want := Job{"record", "open", 1, 2, 3, 4, 5, 6, "closed", 7}
			if len(got) != 1 || got[7] == nil || *got[7] != want {
				j.Errorf("stored are %+v", got)
			}
			return err
		})
	})
}

// A doubt of lately is brought forward once, so that a further answer settles it.
func TestDoubtsAreBroughtForward(t *testing.T) {
	each(t, func(j *jobs) {
		now := time.Now().UnixMilli()
		j.exec(fmt.Sprintf(`INSERT INTO jobs (job, state, said, doubted, next_due) VALUES
			(1, 'open', 'closed', %d, 9000000000000), (2, 'open', 'open', %[1]d, 9000000000000), (3, 'open', 'unavailable', 5, 9000000000000)`, now))
		forward := func() []int64 {
			j.do(func(w *Writer) error { return w.PutDoubted(time.Hour) })
			b, _ := j.take(9, "process")
			j.exec("UPDATE jobs SET next_due = 9000000000000, leased_until = 0")
			return b.Jobs
		}
		if jobs := forward(); !slices.Equal(jobs, []int64{1}) {
			j.Errorf("due are %d", jobs)
		}
		if since := j.read("SELECT doubted FROM jobs WHERE job = 1"); since[0] > now-time.Minute.Milliseconds() {
			j.Error("it counts as a doubt of just now")
		}
		if jobs := forward(); len(jobs) > 0 {
			j.Errorf("once more %d", jobs)
		}
	})
}

// A source shows a job by a posting of a channel or by an entry of a feed that is not missing.
func TestShown(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO postings VALUES (1, 10), (2, 20), (3, 20), (4, 30)",
			"INSERT INTO listings VALUES (1, 'shown'), (2, 'held'), (3, 'shown'), (4, 'held')",
			"INSERT INTO entries VALUES (40, 'shown'), (50, 'held'), (50, 'going'), (60, 'held'), (60, 'shown')")
		j.do(func(w *Writer) error {
			shown, err := Shown(w.Tx, "[10, 20, 30, 40, 50, 60, 70]")
			if jobs := slices.Sorted(maps.Keys(shown)); !slices.Equal(jobs, []int64{10, 20, 40, 60}) {
				j.Errorf("shown are %d", jobs)
			}
			return err
		})
	})
}

// passed goes on with the pass over all jobs until nothing is left of it.
func (j *jobs) passed() (removed int) {
	j.Helper()
	for more := true; more; {
		j.do(func(w *Writer) (err error) {
			n := 0
			n, more, err = w.Pass(evidence.Rules{Keep: 30 * 24 * time.Hour})
			removed += n
			return err
		})
	}
	return removed
}

// A job goes that nothing has named for long, with a change in the log. One that is looked up just now stays, so does
// each while a source was not copied for as long. A pass begins once in a day, and ends.
func TestPass(t *testing.T) {
	const day = 24 * time.Hour
	each(t, func(j *jobs) {
		const n = 2*jobsPart + 10
		j.do(func(w *Writer) error {
			for job := range int64(n) {
				err := w.Do("INSERT INTO jobs (job, state, next_due, record) VALUES (?, 'open', 1, ?)", job+1, fmt.Sprint("record ", job+1))
				if err != nil {
					return err
				}
			}
			return w.DoAll(nil, "INSERT INTO postings VALUES (1, 3)", "INSERT INTO entries VALUES (4, 5)", "INSERT INTO sources VALUES (0)",
				"UPDATE jobs SET record = '' WHERE job = 6")
		})
		if removed := j.passed(); removed > 0 {
			j.Errorf("at first %d go", removed)
		}
		if named := j.read("SELECT job FROM jobs WHERE unnamed = 0"); !slices.Equal(named, []int64{3, 4}) {
			j.Errorf("named are %d", named)
		}
		j.later = day
		j.exec("INSERT INTO entries VALUES (5, 0)")
		if removed := j.passed(); removed > 0 {
			j.Errorf("after a day %d go", removed)
		}
		j.later = 32 * day
		if removed := j.passed(); removed > 0 {
			j.Errorf("without a copy of the source %d go", removed)
		}
		j.exec(fmt.Sprint("UPDATE sources SET complete = ", time.Now().Add(j.later).UnixMilli()))
		if removed := j.passed(); removed > 0 {
			j.Errorf("a second pass on the same day removes %d", removed)
		}
		j.later += day
		j.do(func(w *Writer) error {
			_, err := w.Exec("UPDATE jobs SET leased_until = ? WHERE job = 8", w.Until(Lease))
			return err
		})
		if removed := j.passed(); removed != n-4 {
			j.Errorf("%d go", removed)
		}
		if left := j.read("SELECT job FROM jobs ORDER BY job"); !slices.Equal(left, []int64{3, 4, 5, 8}) {
			j.Errorf("left are %d", left)
		}
		read, _, err := j.log.After(t.Context(), changelog.Place{})
		if err != nil || len(read) == 0 || read[0].Before != "record 1" || read[0].After != "" || read[0].Cause != CauseUnnamed {
			j.Errorf("%v, the log begins with %+v", err, read[:min(len(read), 1)])
		}
		if len(j.read("SELECT number FROM changes WHERE id = 6")) > 0 {
			j.Error("the log has a job that was never told of")
		}
	})
}

// A catalogue is stored once, and goes when no job has had it for a pass.
func TestCatalogues(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO jobs (job, state, next_due, catalogue) VALUES (1, 'open', 1, 'a'), (2, 'open', 1, 'a')", "INSERT INTO postings VALUES (1, 1)")
		j.do(func(w *Writer) error {
			return errors.Join(w.Catalogue("a", "texts"), w.Catalogue("b", "other texts"), w.Catalogue("a", "never written"))
		})
		j.do(func(w *Writer) error {
			text, err := CatalogueOf(w.Tx, "a")
			if text != "texts" {
				j.Errorf("it has %q", text)
			}
			return err
		})
		for range 3 {
			j.passed()
			j.later += passEvery + time.Minute
		}
		if n := j.read("SELECT count(*) FROM catalogues WHERE hash = 'a'"); n[0] != 1 {
			j.Error("the one that jobs have is gone")
		}
		if n := j.read("SELECT count(*) FROM catalogues"); n[0] != 1 {
			j.Errorf("there are %d", n)
		}
	})
}

// After the clock was set back those jobs are due whose times are still to come, and whose last lookup failed or was
// never answered.
func TestClockSetBack(t *testing.T) {
	each(t, func(j *jobs) {
		past, future := time.Now().Add(-time.Hour).UnixMilli(), time.Now().Add(time.Hour).UnixMilli()
		j.exec(fmt.Sprintf(`INSERT INTO jobs (job, state, next_due, looked_up, failures, wanted, doubted) VALUES
			(1, 'open', %[2]d, %[1]d, 0, 0, 0), (2, 'open', %[2]d, %[2]d, 0, 0, 0), (3, 'unknown', %[2]d, 0, 0, 0, 0),
			(4, 'open', %[2]d, %[1]d, 1, 0, 0), (5, 'open', %[2]d, %[1]d, 0, 1, 0), (6, 'open', %[2]d, %[1]d, 0, 0, %[2]d)`, past, future))
		j.do(func(w *Writer) error { return w.ClockSetBack() })
		if b, _ := j.take(9, "process"); !slices.Equal(b.Jobs, []int64{2, 3, 4, 5, 6}) {
			j.Errorf("due are %d", b.Jobs)
		}
	})
}

// The batches of processes that are no more are removed, once they are old.
func TestBatchesOfProcessesThatAreGone(t *testing.T) {
	each(t, func(j *jobs) {
		j.exec("INSERT INTO processes VALUES ('works')",
			"INSERT INTO batches (number, process, since) VALUES (1, 'works', 5), (2, 'gone', 5), (3, 'gone', 50)")
		j.do(func(w *Writer) error { return w.RemoveBatches(10) })
		if left := j.read("SELECT number FROM batches ORDER BY number"); !slices.Equal(left, []int64{1, 3}) {
			j.Errorf("left are %d", left)
		}
	})
}
