package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/lookups"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// beside opens the file of a mirror once more, as another process does.
func beside(t *testing.T, m *Mirror, opts Options) *Mirror {
	t.Helper()
	return OpenFor(t, m.db.address, opts)
}

// due takes the jobs that are due.
func due(t *testing.T, m *Mirror) (jobs []int64) {
	t.Helper()
	do(t, m, func(t *tx) error {
		b, _, err := t.lookups.Take(lookups.Round{}, 100, "test")
		jobs = b.Jobs
		return err
	})
	return jobs
}

// A refresh beside a run of the same process neither lets other processes in when
// it ends, nor takes the run's work when it begins.
func TestRefreshBesideARun(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	other := beside(t, m, Options{Limit: 5, Config: m.opts.Config, Channels: m.opts.Channels})
	_, ended, err := m.start(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	for seen := false; !seen; { // until the run has said that it works
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen = len(s.Processes) > 0
	}
	beside(t, m, Options{Limit: 6, Config: m.opts.Config, Channels: m.opts.Channels})
	want(t, m, 7)
	if jobs := due(t, m); len(jobs) != 1 {
		t.Fatalf("%d jobs are due", len(jobs))
	}
	_, refreshed, err := m.start(t.Context(), "refresh")
	if err != nil {
		t.Fatal(err)
	}
	if jobs := due(t, m); len(jobs) != 0 {
		t.Error("a job that is being looked up is given out again")
	}
	refreshed()
	short, cancel := context.WithTimeout(t.Context(), time.Minute) // in vain only where it runs
	defer cancel()
	if err := other.Run(short); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a run another process gets %v", err)
	}
	if s, err := other.Status(t.Context()); err != nil || s.Limit != 20 {
		t.Errorf("who was refused has set the limit: %+v, %v", s, err)
	}
	ended()
	_, unlock, err := other.lock()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// Never is a long time, and not at once.
func TestLongestIntervals(t *testing.T) {
	onBoth(t, func(t *testing.T, m *Mirror) {
		m = beside(t, m, Options{
			Config: m.opts.Config, Channels: []Channel{{ID: "whole"}}, RefreshEvery: math.MaxInt64, LookupEvery: math.MaxInt64,
		})
		src := m.sources[0]
		turn := beginTurn(t, m, src)
		if err := (&refresher{m, src, turn}).finish(t.Context(), true, ""); err != nil {
			t.Fatal(err)
		}
		want(t, m, 7)
		for answer := range int64(8) { // the longer it is closed, the later it is asked about
			answered(t, m, 100+answer, nil, jobboard.ErrJobInactive)
			if j, err := m.Job(t.Context(), 7); err != nil || time.Until(j.NextLookup) < 24*time.Hour {
				t.Errorf("after answer %d the next lookup is at %v, %v", answer, j, err)
			}
		}
		s, err := m.Status(t.Context())
		if err != nil || time.Until(s.Sources[0].NextDue) < 24*time.Hour {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// The copy of a posting in a further language says nothing new of its job; another version,
// another job, and a changed member do.
func TestFurtherLanguageAsksNothingTwice(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		m = beside(t, m, Options{
			Config: m.opts.Config, Channels: []Channel{{ID: "board", Languages: []string{"de", "en", "fr"}}},
		})
		german, english, french := m.sources[0], m.sources[1], m.sources[2]
		show := func(src *source, version jobboard.PostingVersionID, title string, job string) {
			t.Helper()
			save(t, m, src, beginTurn(t, m, src), &jobboard.JobPosting{
				JobPostingID: 1, PostingVersionID: version, Title: title, ApplyOnlineLink: "https://jobs.example/job/" + job + "/x",
			})
		}
		asked := func(what string, want int) {
			t.Helper()
			if jobs := due(t, m); len(jobs) != want {
				t.Errorf("%s: %d jobs are due, not %d", what, len(jobs), want)
			}
			answered(t, m, nextAnswer(t, m), nurse, nil)
		}
		show(german, 1, "Pflegekraft", "7")
		asked("a new posting", 1)
		show(english, 1, "Nurse", "7")
		asked("the same in English", 0)
		show(english, 1, "Head nurse", "7")
		asked("a new title in English", 1)
		show(english, 2, "Head nurse", "7")
		asked("a new version in English", 1)
		show(french, 3, "Infirmière", "7")
		asked("a further version in French", 1)
		do(t, m, func(t *tx) error {
			rows, err := t.load("language = 'fr'")
			if err != nil {
				return err
			}
			return postingTx{t}.remove(rows[0], "test")
		})
		show(french, 2, "Infirmière", "8")
		asked("with another job in French", 1)
		show(german, 2, "Pflegeleitung", "7")
		asked("the version in German that English had", 0)
		show(german, 1, "Pflegekraft", "7")
		asked("an older version in German, told once", 0)
		CheckReplay(t, m)
	})
}

// The copies in other languages are found by the posting's number: all postings may share a job
// and lack a version.
func TestFurtherLanguageIsFoundByThePosting(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	do(t, m, func(t *tx) error {
		return t.Rows("EXPLAIN QUERY PLAN "+selectInOtherLanguages, []any{store.IDs([]int64{1})}, func(scan func(...any) error) error {
			var (
				skip any
				step string
			)
			err := scan(&skip, &skip, &skip, &step)
			if strings.Contains(step, "version=?") || strings.Contains(step, "job=?") {
				return fmt.Errorf("the plan has %s", step)
			}
			return err
		})
	})
}

// A posting that a feed says is one job's, and whose own link names another, falls
// back on that one when the feed's entry goes; the mirror then asks about it.
func TestJobOfALinkThatAFeedHid(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src, feed := m.sources[0], m.sources[2]
		saveEntries(t, m, feed, beginTurn(t, m, feed), feedItem{hash: 1, job: 9, postings: []int64{1}})
		savePosting(t, m, src, beginTurn(t, m, src), 1, "Nurse") // its link names job 7
		if _, err := m.Job(t.Context(), 7); !errors.Is(err, ErrIncomplete) {
			t.Fatalf("the job of the link: %v", err)
		}
		without := beginTurn(t, m, feed)
		saveEntries(t, m, feed, without, feedItem{hash: 2, job: 10})
		if err := (&refresher{m, feed, without}).sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found, err := m.Postings(t.Context(), 7); err != nil || len(found) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		if _, err := m.Job(t.Context(), 7); !errors.Is(err, ErrStale) { // not looked up yet
			t.Errorf("the posting's job: %v", err)
		}
		CheckReplay(t, m)
	})
}

// A refresh whose source another process retires meanwhile ends as one whose turn
// is over.
func TestRefreshOfARetiredSource(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		src := m.sources[0]
		turn := beginTurn(t, m, src)
		do(t, m, func(t *tx) error { _, err := t.Exec("DELETE FROM sources WHERE id = ?", src.ID); return err })
		savePosting(t, m, src, turn, 1, "Nurse")
		if err := (&refresher{m, src, turn}).sweep(t.Context()); err != nil {
			t.Error(err)
		}
		if err := (&refresher{m, src, turn}).finish(t.Context(), false, "the answer was not read to its end"); err != nil {
			t.Error(err)
		}
		if err := m.removeSource(t.Context(), &src.Source); err != nil {
			t.Errorf("retired twice: %v", err)
		}
		if got := titles(t, m); len(got) != 0 {
			t.Errorf("the copy has %q", got)
		}
	})
}

// An answer whose handler ends because the request did is broken off, and not at its end.
func TestAnswerWhoseRequestEndedIsBrokenOff(t *testing.T) {
	t.Parallel()
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		handler := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "a part")
			cancel()
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://mirror.example/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (transport{handler: http.HandlerFunc(handler)}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(answer.Body); string(text) != "a part" || !errors.Is(err, context.Canceled) {
			t.Fatalf("%q, %v", text, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A reader with the writer's options becomes ready when the channels are copied, and no
// earlier.
func TestReaderIsReadyWhenTheCopyIs(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	opts := *m.opts
	opts.ReadOnly = true
	reader := beside(t, m, opts)
	for _, src := range m.sources[:2] {
		for name, m := range map[string]*Mirror{"writer": m, "reader": reader} {
			if err := m.Ready(t.Context()); !errors.Is(err, ErrIncomplete) {
				t.Errorf("the %s, before %s was copied: %v", name, src.Cause(), err)
			}
		}
		if err := (&refresher{m, src, beginTurn(t, m, src)}).finish(t.Context(), true, ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, m := range map[string]*Mirror{"writer": m, "reader": reader} {
		if err := m.Ready(t.Context()); err != nil {
			t.Errorf("the %s, once all was copied: %v", name, err)
		}
	}
}
