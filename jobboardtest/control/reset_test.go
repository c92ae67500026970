package control

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func wantStatus(t *testing.T, srv *jobboardtest.Server, what, want string) {
	t.Helper()
	if status, text := send(t, srv, what); status != want {
		t.Errorf("%s: %s %s, want %s", what, status, text, want)
	}
}

// A reset goes back to the state, the switches and the clock of the start, lifts the faults and
// empties the journal; a clock that was set before the control interface came stays.
func TestReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		before := srv.Snapshot()
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook"})
		wantStatus(t, srv, `PATCH /variants {"page_size":3}`, "200")
		wantStatus(t, srv, `POST /faults {"status":503,"times":2}`, "201")
		wantStatus(t, srv, `PUT /clock {"now":"2031-01-31T08:30:00Z","stopped":true}`, "200")
		send(t, srv, "GET base_url/x")
		wantStatus(t, srv, "POST /reset", "204")
		if after := srv.Snapshot(); !reflect.DeepEqual(after, before) {
			t.Errorf("the state is another: %+v\nbefore: %+v", after, before)
		}
		if srv.Count() != 0 || len(srv.Requests()) != 0 || len(reach(srv).Faults()) != 0 {
			t.Errorf("%d requests, %d faults", srv.Count(), len(reach(srv).Faults()))
		}
		if status, text := send(t, srv, "GET /clock"); status != "200" || strings.Contains(text, "2031") || !strings.Contains(text, `"stopped":false`) {
			t.Errorf("%s %s", status, text)
		}
		srv.SetClock(func() time.Time { return time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC) })
		wantStatus(t, srv, "POST /reset", "204")
		if year := srv.Now().Year(); year != 2040 {
			t.Errorf("it is %d", year)
		}
	})
}

// What is deleted is gone, and gone once.
func TestDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		job, posting := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook"})
		srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: "Chef", Channels: []string{srv.Demo.Channel}})
		before := len(srv.Snapshot().Postings)
		for _, c := range []struct {
			what string
			left int // postings
		}{
			{fmt.Sprintf("DELETE /postings/%d", posting.ID), before - 1},
			{fmt.Sprintf("POST /jobs/%d/unpublish", job.ID), before - 2},
		} {
			wantStatus(t, srv, c.what, "204")
			if left := len(srv.Snapshot().Postings); left != c.left {
				t.Errorf("%s left %d postings, want %d", c.what, left, c.left)
			}
			wantStatus(t, srv, c.what, "404")
		}
		wantStatus(t, srv, fmt.Sprintf("DELETE /jobs/%d", job.ID), "204")
		if j, _ := srv.Job(job.ID); j.Status != jobboardtest.Deleted {
			t.Errorf("the job is %q", j.Status)
		}
		wantStatus(t, srv, "DELETE /jobs/1", "404")
	})
}

// The filter asks the whole journal, says how many there are, and has the older ones.
func TestFindsRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		srv.Fail(jobboardtest.Fault{Status: 503, Path: "/odd", Name: "Storm"})
		const n = 3*maxRows + 7
		for i := range n {
			path := "/even"
			if i%2 == 1 {
				path = "/odd"
			}
			send(t, srv, "GET base_url"+path)
		}
		ask := func(query string) (found foundRows) {
			t.Helper()
			status, text := send(t, srv, "GET /rows"+query)
			if err := json.Unmarshal([]byte(text), &found); err != nil || status != "200" || found.Kept != n {
				t.Fatalf("%s: %s %v, %d kept", query, status, err, found.Kept)
			}
			return found
		}
		for query, fit := range map[string]int{
			"": n, "?q=/ODD": n / 2, "?q=503+get": n / 2, "?q=storm": n / 2, "?q=get+/board/even": n/2 + 1, "?q=nothing": 0, "?q=nothing+/even": 0, "?q=404+/odd": 0,
		} {
			if found := ask(query); found.Fit != fit || len(found.Rows) != min(fit, maxRows) {
				t.Errorf("%q: %d fit, %d rows, want %d", query, found.Fit, len(found.Rows), fit)
			}
		}
		var seen []int
		for before := n + 1; ; {
			found := ask(fmt.Sprintf("?q=/odd&before=%d", before))
			if len(found.Rows) == 0 {
				break
			}
			for _, row := range found.Rows {
				seen = append(seen, row.Number)
			}
			before = seen[len(seen)-1]
		}
		if len(seen) != n/2 || seen[0] != n-1 || seen[len(seen)-1] != 2 {
			t.Errorf("%d rows, from %v", len(seen), seen)
		}
		wantStatus(t, srv, "GET /rows?before=x", "400")
	})
}

// A place is found by the name that is offered for it, and an unknown one is not.
func TestPlaceAsOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		if _, text := send(t, srv, "GET /places?q=Berlin,+DE"); !strings.HasPrefix(text, `{"places":[{"name":"Berlin, DE","location":`) {
			t.Errorf("as it is offered: %s", text)
		}
		if _, text := send(t, srv, "GET /places?q=Qwertzuiop"); text != `{"places":[]}` {
			t.Error(text)
		}
	})
}

// Faults that hit no call are told with what came instead, until they are lifted.
func TestUnmet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		wantStatus(t, srv, `POST /faults {"status":503,"operation":"job_information"}`, "201")
		wantStatus(t, srv, `POST /faults {"status":500,"operation":"token","optional":true}`, "201")
		wantStatus(t, srv, `POST /faults {"status":500,"operation":"unknown"}`, "201")
		send(t, srv, "GET base_url/x")
		const want = `{"unmet":[{"id":1,"hits":0,"description":"status 503","fault":{"operation":"job_information","status":503},"instead":"1 call of unknown, none of job information"}]}`
		if status, text := send(t, srv, "GET /unmet"); status != "200" || text != want {
			t.Errorf("%s %s", status, text)
		}
		wantStatus(t, srv, "DELETE /faults/1", "204")
		if _, text := send(t, srv, "GET /unmet"); text != `{"unmet":[]}` {
			t.Errorf("lifted: %s", text)
		}
	})
}
