package jobsite

import (
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A session is found until it expires, and what has expired is removed once a minute.
func TestSessionsInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{sessions: map[string]remembered{}}
		began := time.Now()
		if err := m.Commit("a", []byte("A"), began.Add(10*time.Second)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			at    time.Duration
			found bool
			kept  int
		}{
			{0, true, 2},
			{10*time.Second - 1, true, 2},
			{10 * time.Second, false, 2},
			{time.Minute - 1, false, 2},
			{time.Minute, false, 1},
			{2*time.Minute - 1, false, 1},
		} {
			time.Sleep(step.at - time.Since(began))
			data, found, err := m.Find("a")
			if err := m.Commit("b", nil, began.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if found != step.found || found && string(data) != "A" || err != nil || len(m.sessions) != step.kept {
				t.Errorf("after %s: found %t, %v, %d are kept", step.at, found, err, len(m.sessions))
			}
		}
		if err := m.Delete("b"); err != nil || len(m.sessions) > 0 {
			t.Errorf("%v, %d are kept", err, len(m.sessions))
		}
	})
}

// A page asks to come back later where it has an error's status.
func TestOutcomeAsksToComeBack(t *testing.T) {
	for status, want := range map[int]string{403: "", 410: "", 499: "", 500: "7", 503: "7"} {
		w := httptest.NewRecorder()
		Outcome{Status: status, Err: &jobboard.Error{RetryAfter: 7 * time.Second}}.WriteHeader(w)
		if got := w.Header().Get("Retry-After"); w.Code != status || got != want {
			t.Errorf("%d: %d, Retry-After %q", status, w.Code, got)
		}
	}
}

// ownStatus is an error that has a status of its own.
type ownStatus int

func (ownStatus) Error() string     { return "with a status" }
func (s ownStatus) HTTPStatus() int { return int(s) }

// What no visitor can help is never told as the visitor's mistake, and keeps a status that
// says more than 502.
func TestStatusOfFailuresOfTheSite(t *testing.T) {
	for err, want := range map[error]int{
		ownStatus(404): 502, ownStatus(499): 502, ownStatus(500): 500, ownStatus(501): 501, ownStatus(503): 503,
		errors.New("any other"): 500, jobboard.ErrTimeout: 504, jobboard.ErrUnauthorized: 502, jobboard.ErrNotFound: 502, nil: 502,
		jobboard.ErrForbidden: 502, jobboard.ErrServer: 502, &jobboard.Error{StatusCode: 400}: 502, jobmirror.ErrIncomplete: 503,
	} {
		if got := siteStatus(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}
