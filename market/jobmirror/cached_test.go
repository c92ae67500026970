package jobmirror

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// told writes what a lookup of job 7 found, in an answer that was made at a moment, by an
// information with a timestamp; 0: none.
func told(t *testing.T, m *Mirror, made int64, timestamp int64, open bool, err error) {
	t.Helper()
	r := lookedUp{job: 7, answer: nextAnswer(t, m), err: err, origin: origin{made, made}}
	if err == nil {
		r.info = &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse", ApplyPossible: open}
		if timestamp != 0 {
			r.info.Timestamp = jobboard.Timestamp{Time: time.UnixMilli(timestamp)}
		}
	}
	do(t, m, func(t *tx) error {
		return t.answering(m).saveAnswers([]lookedUp{r})
	})
}

// stateOf7 returns the state of job 7, and in how many milliseconds it is asked about.
func stateOf7(t *testing.T, m *Mirror) (state State, due int64) {
	t.Helper()
	do(t, m, func(t *tx) error {
		err := t.Row("SELECT state, next_due FROM jobs WHERE job = 7", nil, &state, &due)
		due -= t.Now
		return err
	})
	return state, due
}

func clock(t *testing.T, m *Mirror) (now int64) {
	t.Helper()
	do(t, m, func(t *tx) error { now = t.Now; return nil })
	return now
}

// A job that was closed is open again by an older information once that was told twice,
// and by a newer one at once.
func TestReopenedByAnOlderInformation(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		const hour = int64(time.Hour / time.Millisecond)
		want(t, m, 7)
		now := clock(t, m)
		for _, closed := range []error{nil, jobboard.ErrJobInactive} {
			is := func(what string, want State) {
				t.Helper()
				if state, _ := stateOf7(t, m); state != want {
					t.Errorf("after it was closed by %v: %s: %s, not %s", closed, what, state, want)
				}
			}
			now += hour // a time later than everything stored so far
			told(t, m, now, now, true, nil)
			is("open", StateOpen)
			told(t, m, now, now-1, false, closed)
			shut := StateClosed
			if closed != nil {
				shut = StateInactive
			}
			is("closed, by whatever information", shut)
			told(t, m, now, now-hour, true, nil)
			is("open by an older information", shut)
			every := m.opts.RefreshEvery.Milliseconds()
			if _, due := stateOf7(t, m); due < every-10_000 || due > every {
				t.Errorf("it is asked again in %d ms", due)
			}
			told(t, m, 1, now-hour, true, nil) // made before: out of the cache once more
			is("the same answer again", shut)
			// Made after the first was received.
			received := clock(t, m)
			told(t, m, max(received, now)+1, now-hour, true, nil)
			is("a second answer", StateOpen)
			// The doubt is over.
			told(t, m, now+2, now+2, false, nil)
			is("closed again", StateClosed)
			now += 2 * hour
			told(t, m, now, now-hour, true, nil)
			is("open by a newer information", StateOpen)
		}
		CheckReplay(t, m)
	})
}

// An answer that was made before the stored one was asked for changes nothing of a job.
func TestLookupOutOfACache(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		want(t, m, 7)
		now := clock(t, m)
		told(t, m, now, 0, false, nil)
		told(t, m, now-1000, 0, true, nil)
		if state, _ := stateOf7(t, m); state != StateClosed {
			t.Errorf("opened by yesterday's answer: %s", state)
		}
		if j, _ := m.Job(t.Context(), 7); j.Failures != 1 || j.Problem != outOfCache {
			t.Errorf("%d failures, %q", j.Failures, j.Problem)
		}
		told(t, m, now, 0, true, nil)
		if state, _ := stateOf7(t, m); state != StateOpen {
			t.Errorf("after an answer of now: %s", state)
		}
		// What was noted before the clock was set back holds up nothing.
		do(t, m, func(t *tx) error { _, err := t.Exec("UPDATE jobs SET made = ?", t.Now+1_000_000); return err })
		told(t, m, now+1, 0, false, nil)
		if state, _ := stateOf7(t, m); state != StateClosed {
			t.Errorf("after the clock was set back: %s", state)
		}
	})
}

// A lower version waits until its channel has told it twice; another channel lowers nothing
// while the first shows the posting.
func TestLowerVersions(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		whole, part := m.sources[0], m.sources[1]
		show := func(src *source, made int64, versions ...jobboard.PostingVersionID) turn {
			t.Helper()
			turn := beginTurn(t, m, src)
			turn.freshness.last = origin{made, made}
			turn.freshness.old()
			for i, v := range versions {
				save(t, m, src, turn, &jobboard.JobPosting{JobPostingID: jobboard.JobPostingID(i + 1), PostingVersionID: v, Title: "Nurse"})
			}
			return turn
		}
		complete := func(src *source, turn turn) {
			t.Helper()
			if err := (&refresher{m, src, turn}).finish(t.Context(), true, ""); err != nil {
				t.Fatal(err)
			}
		}
		is := func(when string, want int64) {
			t.Helper()
			var version, doubts int64
			do(t, m, func(t *tx) (err error) {
				if doubts, err = store.Value[int64](t, "SELECT count(*) FROM lower_versions"); err != nil {
					return err
				}
				version, err = store.Value[int64](t, "SELECT version FROM postings WHERE posting = 1")
				return err
			})
			if version != want {
				t.Errorf("%s: version %d, not %d (%d doubts)", when, version, want, doubts)
			}
		}
		later := func() int64 { return clock(t, m) + 60_000 }
		complete(whole, show(whole, later(), 5))
		is("at first", 5)
		complete(whole, show(whole, later(), 4))
		is("a lower version", 5)
		complete(whole, show(whole, 1, 4))
		is("a lower version out of a cache, twice", 5)
		complete(whole, show(whole, later(), 5))
		complete(whole, show(whole, later(), 4))
		is("a lower version, after the right one came in between", 5)
		complete(whole, show(whole, later(), 4))
		is("a lower version twice in a row", 4)

		complete(part, show(part, later(), 3))
		complete(part, show(part, later(), 3))
		complete(part, show(part, later(), 3))
		is("a lower version of another channel", 4)
		complete(part, show(part, later(), 6))
		is("a higher version of another channel", 6)
		complete(whole, show(whole, later(), 5))
		complete(whole, show(whole, later(), 5))
		is("a lower version of the first, while the other shows the higher", 6)
		// The other shows it no more.
		do(t, m, func(t *tx) error { _, err := t.Exec("DELETE FROM listings WHERE source = ?", part.ID); return err })
		complete(whole, show(whole, later(), 5))
		is("a lower version, once nobody shows the higher", 5)
		CheckReplay(t, m)
	})
}

func TestAgeOfAnswers(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "90": 90 * time.Second, "-90": 0, "1.5": 0, "soon": 0, "90, 80": 0, " 90": 0,
		"604800": mostAge, "604801": mostAge, "4294967296": mostAge, "18446744073709551615": mostAge, "99999999999999999999999": mostAge,
	} {
		if got := ageOf(http.Header{"Age": {text}}); got != want {
			t.Errorf("Age %q is %v, not %v", text, got, want)
		}
	}
}

// An answer is older than the stored one if it was certainly made before that was asked for,
// unless the clock was set back meanwhile.
func TestOriginsOfAnswers(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		name   string
		origin origin
		stored int64
		before bool
		kept   int64
	}{
		{"the first", origin{now, now - 10}, 0, false, now - 10},
		{"a later one", origin{now, now - 10}, now - 1000, false, now - 10},
		{"of the same moment", origin{5000, 4000}, 5000, false, 5000},
		{"a moment before", origin{4999, 3999}, 5000, true, 5000},
		{"of an unknown moment", origin{0, 0}, 5000, false, 5000},
		{"stored now", origin{4999, 3999}, now, true, now},
		{"stored in the future", origin{4999, 3999}, now + 1, false, 3999},
	} {
		if got := c.origin.before(c.stored, now); got != c.before {
			t.Errorf("%s: it is older: %t", c.name, got)
		}
		if got := c.origin.kept(c.stored, now); got != c.kept {
			t.Errorf("%s: %d is kept, want %d", c.name, got, c.kept)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		asked := requestTime{at: 50_000, local: time.Now()}
		time.Sleep(500 * time.Millisecond)
		for age, want := range map[time.Duration]origin{0: {50_500, 49_500}, 10 * time.Second: {40_500, 39_500}} {
			if got := asked.received(age); got != want {
				t.Errorf("of age %s: %+v, want %+v", age, got, want)
			}
		}
		h := &freshness{requestTime: asked, stored: 45_000}
		for age, old := range map[string]bool{"": false, "5": false, "6": true} {
			h.readHeader(nil, http.Header{"Age": {age}})
			if h.old() != old || h.read == old {
				t.Errorf("Age %q: old: %t, read: %t", age, h.old(), h.read)
			}
		}
		time.Sleep(5 * time.Second)
		if got, want := asked.received(0), (origin{55_500, 50_000}); got != want {
			t.Errorf("an answer that took long: %+v, want %+v", got, want)
		}
	})
}

// The lookups of a batch are given the ages of their own answers, once each.
func TestAgesOfLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lookingUp{}
		asked := requestTime{at: 50_000, local: time.Now()}
		l.readHeader(&url.URL{RawQuery: "jobid=7"}, http.Header{"Age": {"20"}})
		l.readHeader(&url.URL{RawQuery: "jobid=9"}, http.Header{"Age": {"0"}})
		l.readHeader(&url.URL{RawQuery: "jobid=x"}, http.Header{"Age": {"20"}})
		for _, c := range []struct {
			job  jobboard.JobID
			made int64
		}{{8, 50_000}, {9, 50_000}, {7, 30_000}, {7, 50_000}} {
			if got := l.origin(c.job, asked); got.made != c.made {
				t.Errorf("the answer of job %d is %+v, want it made at %d", c.job, got, c.made)
			}
		}
	})
}
