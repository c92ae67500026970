package jobmirror_test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// logged keeps what is logged.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count returns how many lines have a text.
func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

const (
	beganToHold  = "the mass-outage guard is on"
	ceasedToHold = "the mass-outage guard is off"
)

// pagesOf counts the statuses by which a mirror answers for the jobs from 1 to n.
func pagesOf(t *testing.T, m *jobmirror.Mirror, n int) map[int]int {
	t.Helper()
	out := map[int]int{}
	for _, job := range upTo(n) {
		out[answer(t, m, lookUpAt+strconv.Itoa(job)).Code]++
	}
	return out
}

// arePages checks how many pages of a mirror have a status, of the jobs from 1 to n.
func arePages(t *testing.T, m *jobmirror.Mirror, what string, n int, want map[int]int) {
	t.Helper()
	if got := pagesOf(t, m, n); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: pages by their status: %v, not %v", what, got, want)
	}
}

// isUnconfirmed checks of how many jobs an end is noted and not believed.
func isUnconfirmed(t *testing.T, what string, out jobmirror.Refreshed, want int) {
	t.Helper()
	if out.Unconfirmed != want || out.Failing > 0 {
		t.Errorf("%s: %d are unconfirmed, not %d; %d fail", what, out.Unconfirmed, want, out.Failing)
	}
}

// If the board has said only that, the page answers 503 while the copy has a posting of the
// job, and otherwise 404.
func TestPageOfAPostingThatIsNotFound(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		board := newShelf(1)
		board.state = postingUnavailable
		m := open(t, address, asFeed(board.options()))
		refresh(t, m)
		is := func(what string, status int, known error) {
			t.Helper()
			w := answer(t, m, lookUpAt+"1")
			if w.Code != status || (w.Header().Get("Retry-After") == "60") != (status == 503) ||
				(status != 200) != strings.Contains(w.Body.String(), postingUnavailable) {
				t.Errorf("%s: %d %s %s, not %d", what, w.Code, w.Header(), w.Body, status)
			}
			_, err := m.JobInformation(t.Context(), 1)
			if !errors.Is(err, known) || known != nil && jobboard.HTTPStatus(err) != status {
				t.Errorf("%s: %v", what, err)
			}
			c, err := jobboard.NewClient(jobboard.Config{JobDBURL: "https://mirror.example", HTTPClient: &http.Client{Transport: m.Transport()}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.JobInformation(t.Context(), 1); errors.Is(err, jobboard.ErrPostingUnavailable) != (status != 200) {
				t.Errorf("%s: a client of the mirror: %v", what, err)
			}
		}
		is("a feed names the job", http.StatusNotFound, jobmirror.ErrUnknown)
		m = open(t, address, board.options())
		refresh(t, m)
		is("a channel shows its posting", http.StatusServiceUnavailable, jobmirror.ErrStale)
		board.tell(upTo(1), "open", nil)
		asks(t, m)
		is("found", http.StatusOK, nil)
	})
}

// That a job is unavailable which a source shows is believed once it was said twice: a Refresh asks about what an earlier
// one has noted. That its posting is unavailable says nothing. Neither is a failure.
func TestUnconfirmedEnds(t *testing.T) {
	onEachSource(t, 20, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		board.tell(upTo(20), "open", map[int]string{2: postingUnavailable, 3: unavailable, 4: inactive, 5: "closed"})
		isUnconfirmed(t, "said once", asks(t, m), 1)
		arePages(t, m, "said once", 20, map[int]int{200: 19, 410: 1})
		for job, why := range map[jobboard.JobID]string{2: "posting unavailable", 3: "is unavailable"} {
			j, err := m.Job(t.Context(), job)
			wait := time.Until(j.NextLookup)
			if err != nil || j.State != jobmirror.StateOpen || !strings.Contains(j.Problem, why) || j.Failures != 0 || wait < 14*time.Minute || wait > 16*time.Minute {
				t.Errorf("the next lookup of job %d in %s: %+v, %v", job, wait, j, err)
			}
		}
		board.tell(upTo(20), "open", map[int]string{3: unavailable})
		out, err := jobmirror.RefreshedStatus(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		isUnconfirmed(t, "said twice", out, 0)
		arePages(t, m, "said twice", 20, map[int]int{200: 18, 410: 1, 404: 1})
		if all, _ := board.lookups(); all != 1 {
			t.Errorf("the second refresh has asked about %d jobs", all)
		}
		// An answer between that says otherwise begins it anew.
		for _, state := range []string{unavailable, "open", unavailable} {
			board.tell(upTo(20), "open", map[int]string{6: state})
			isUnconfirmed(t, state, asks(t, m), map[bool]int{true: 1}[state == unavailable])
		}
	})
}

// Who runs asks once more after RefreshEvery.
func TestUnavailableIsAskedAboutAfterRefreshEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board := newShelf(20)
		m := open(t, filepath.Join(t.TempDir(), "jobs.db"), board.options())
		run(t, m)
		time.Sleep(time.Minute)
		board.tell(upTo(20), "open", map[int]string{3: unavailable})
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1 WHERE job = 3"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(14 * time.Minute)
		if j, err := m.Job(t.Context(), 3); err != nil || j.State != jobmirror.StateOpen || board.asked[3] != 1 {
			t.Errorf("after 14 minutes: %+v, %v, %d lookups", j, err, board.asked[3])
		}
		time.Sleep(2 * time.Minute)
		if j, err := m.Job(t.Context(), 3); err != nil || j.State != jobmirror.StateUnavailable || board.asked[3] != 2 {
			t.Errorf("after 16 minutes: %+v, %v, %d lookups", j, err, board.asked[3])
		}
	})
}

// While many answers end jobs that sources show, none is believed, and pages stay as they were. Each process
// counts by itself, and its log says once that it holds them, and once more that it does not any more.
func TestManyEndsAreHeld(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		for _, says := range []string{unavailable, "closed"} {
			board, log := newShelf(60), &logged{}
			opts := board.options()
			opts.Logger = slogTo(log)
			opts.Channels[0].ID = jobboard.ChannelID("of " + says)
			m := open(t, address, opts)
			refresh(t, m)
			arePages(t, m, says+", before", 60, map[int]int{200: 60})
			board.tell(upTo(60), says, nil)
			// Plain statements are believed until there are too many. If each answer is written by itself,
			// that takes eleven of the last 50.
			ended := asks(t, m).Unconfirmed
			if ended = 60 - ended; ended > 10 || ended > 0 && says == unavailable {
				t.Errorf("%s: %d jobs have ended", says, ended)
			}
			for i := range 3 {
				isUnconfirmed(t, fmt.Sprint(says, ", pass ", i), asks(t, m), 60-ended)
			}
			open := 0
			for _, job := range upTo(60) {
				j, err := m.Job(t.Context(), jobboard.JobID(job))
				if err == nil && j.State == jobmirror.StateOpen && j.Information.ApplyPossible && j.Problem != "" {
					open++
				}
			}
			if open != 60-ended {
				t.Errorf("%s: %d jobs are open as they were, not %d", says, open, 60-ended)
			}
			if n, over := log.count(beganToHold), log.count(ceasedToHold); n != 1 || over != 0 {
				t.Errorf("%s: %d lines say that it began, and %d that it is over", says, n, over)
			}
			board.tell(upTo(60), "open", nil)
			isUnconfirmed(t, says+", well again", asks(t, m), 0)
			if n, over := log.count(beganToHold), log.count(ceasedToHold); n != 1 || over != 1 {
				t.Errorf("%s: %d lines say that it began, and %d that it is over", says, n, over)
			}
			arePages(t, m, says+", after", 60, map[int]int{200: 60})
			checkReplay(t, m)
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// A process that begins in an outage has heard nothing: it believes at most the ends that come before it has heard of
// more than three, though another process has noted them.
func TestNewProcessInAnOutage(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		board := newShelf(60)
		m := open(t, address, board.options())
		refresh(t, m)
		board.tell(upTo(60), unavailable, nil)
		isUnconfirmed(t, "noted", asks(t, m), 60)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		m = open(t, address, board.options())
		if ended := 60 - asks(t, m).Unconfirmed; ended > 3 {
			t.Errorf("%d jobs have ended", ended)
		}
		board.tell(upTo(60), "open", nil)
		isUnconfirmed(t, "well again", asks(t, m), 0)
		arePages(t, m, "well again", 60, map[int]int{200: 60})
	})
}

// Ends are believed again once the sources do not show these jobs any more, and if a person accepts them, who
// empties the memory of the process.
func TestHeldEndsAreBelieved(t *testing.T) {
	onEachSource(t, 60, func(t *testing.T, board *shelf, m *jobmirror.Mirror) {
		states := map[int]string{}
		for job := range 30 {
			states[job+31] = unavailable
		}
		held := func(what string) {
			t.Helper()
			board.tell(upTo(60), "open", nil)
			isUnconfirmed(t, what+", before", asks(t, m), 0)
			isUnconfirmed(t, what+", before", asks(t, m), 0)
			arePages(t, m, what+", before", 60, map[int]int{200: 60})
			board.tell(upTo(60), "open", states)
			isUnconfirmed(t, what, asks(t, m), 30)
			isUnconfirmed(t, what+", again", asks(t, m), 30)
			arePages(t, m, what+", again", 60, map[int]int{200: 60})
		}
		held("not shown")
		board.tell(upTo(30), "open", merged(map[int]string{2: inactive}, states))
		if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1 WHERE job = 2"); err != nil {
			t.Fatal(err)
		}
		out, err := jobmirror.RefreshedStatus(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		isUnconfirmed(t, "not shown any more", out, 0)
		arePages(t, m, "not shown any more", 60, map[int]int{200: 29, 404: 30, 410: 1}) // also of one that is shown

		held("accepted, of one source")
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := m.AcceptRemovals(t.Context(), s.Sources[0].Name); err != nil {
			t.Fatal(err)
		}
		arePages(t, m, "accepted, of one source", 60, map[int]int{200: 30, 404: 30})
		j, err := m.Job(t.Context(), 31)
		if err != nil || j.State != jobmirror.StateUnavailable || j.Problem != "" || j.Age > time.Hour || j.LookedUp.After(time.Now().Add(time.Minute)) {
			t.Errorf("an accepted job: %+v, %v", j, err)
		}

		held("accepted")
		if err := m.AcceptRemovals(t.Context()); err != nil {
			t.Fatal(err)
		}
		arePages(t, m, "accepted", 60, map[int]int{200: 30, 404: 30})
		for job := range 3 { // three are never too many
			states[job+1] = inactive
		}
		board.tell(upTo(60), "open", states)
		isUnconfirmed(t, "accepted, and three more", asks(t, m), 0)
		arePages(t, m, "accepted, and three more", 60, map[int]int{200: 27, 404: 30, 410: 3})
	})
}
