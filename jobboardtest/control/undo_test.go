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

// undoOf makes a call that can be taken back, and returns its number.
func undoOf(t *testing.T, srv *jobboardtest.Server, what string) string {
	t.Helper()
	status, _ := send(t, srv, what)
	code, number, _ := strings.Cut(status, " Undo: ")
	if code != "204" || number == "" {
		t.Fatalf("%s: %s", what, status)
	}
	return number
}

func wantStatus(t *testing.T, srv *jobboardtest.Server, what, want string) {
	t.Helper()
	if status, text := send(t, srv, what); status != want {
		t.Errorf("%s: %s %s, want %s", what, status, text, want)
	}
}

// A reset is taken back with all that it took: the state, the switches, the faults, the clock
// and the journal, in which the requests that came since follow.
func TestUndoReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook"})
		token := srv.Demo.ApplicantToken
		applied := fmt.Sprintf("GET base_url/api/rest/v3/frontend/jobs/%d/applied Bearer ", srv.Demo.OpenJob)
		wantStatus(t, srv, applied+token, "200")
		send(t, srv, "GET base_url/x")
		wantStatus(t, srv, `PATCH /variants {"page_size":3}`, "200")
		wantStatus(t, srv, `POST /faults {"status":503,"times":2}`, "201")
		wantStatus(t, srv, `PUT /clock {"now":"2031-01-31T08:30:00Z","stopped":true}`, "200")
		send(t, srv, "GET base_url/y")
		before, requests, count := srv.Snapshot(), srv.Requests(), srv.Count()

		undo := undoOf(t, srv, "POST /reset")
		if _, ok := srv.Job(job.ID); ok || srv.Count() != 0 || len(srv.Inside().Faults()) != 0 || srv.Now().Year() == 2031 {
			t.Fatal("it was not reset")
		}
		send(t, srv, "GET base_url/since")
		time.Sleep(time.Hour)
		wantStatus(t, srv, "POST /undo/"+undo, "204")
		if after := srv.Snapshot(); !reflect.DeepEqual(after, before) {
			t.Errorf("the state is another: %+v\nbefore: %+v", after, before)
		}
		all := srv.Requests()
		if len(all) != len(requests)+1 || !reflect.DeepEqual(all[:len(requests)], requests) || !strings.HasSuffix(all[len(requests)].Path, "/since") || srv.Count() != count+1 {
			t.Errorf("the journal has %d requests, counts %d: %+v", len(all), srv.Count(), all)
		}
		if now := srv.Now().Format(time.RFC3339); now != "2031-01-31T08:30:00Z" {
			t.Errorf("the clock says %s", now)
		}
		if status, text := send(t, srv, "GET /clock"); status != "200" || !strings.Contains(text, `"stopped":true`) {
			t.Errorf("%s %s", status, text)
		}
		wantStatus(t, srv, applied+token, "503") // the fault is back, with the one hit that it had left
		wantStatus(t, srv, applied+token, "200")
		wantStatus(t, srv, "POST /undo/"+undo, "404")
	})
}

// What was deleted comes back as it was, and each change is taken back by itself.
func TestUndoDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		job, posting := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook"})
		srv.DeactivateJob(job.ID)
		further := srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: "Chef", Channels: []string{srv.Demo.Channel}})
		send(t, srv, "GET base_url/x")
		before, requests := srv.Snapshot(), srv.Requests()
		var undo []string
		for _, what := range []string{
			fmt.Sprintf("DELETE /postings/%d", posting.ID), fmt.Sprintf("POST /jobs/%d/unpublish", job.ID),
			fmt.Sprintf("DELETE /jobs/%d", job.ID), "DELETE /requests",
		} {
			undo = append(undo, undoOf(t, srv, what))
		}
		if j, _ := srv.Job(job.ID); j.Status != jobboardtest.Deleted || len(srv.Snapshot().Postings) != len(before.Postings)-2 || srv.Count() != 0 || further.ID == posting.ID {
			t.Fatal("nothing was deleted")
		}
		for _, number := range undo { // in any order
			wantStatus(t, srv, "POST /undo/"+number, "204")
		}
		if after := srv.Snapshot(); !reflect.DeepEqual(after, before) {
			t.Errorf("the state is another: %+v\nbefore: %+v", after, before)
		}
		if after := srv.Requests(); !reflect.DeepEqual(after, requests) {
			t.Errorf("the journal is another: %+v", after)
		}
		first := undoOf(t, srv, "DELETE /requests")
		for range maxUndo {
			undoOf(t, srv, "DELETE /requests")
		}
		wantStatus(t, srv, "POST /undo/"+first, "404")
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
			"": n, "?q=/ODD": n / 2, "?q=503+get": n / 2, "?q=storm": n / 2, "?q=get+/board/even": n/2 + 1, "?q=nothing": 0, "?q=no+credential+/even": 0,
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

// For an unknown town the error suggests a similar name.
func TestMeantPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		if _, text := send(t, srv, "GET /places?q=Berlin,+DE"); !strings.HasPrefix(text, `{"places":[{"name":"Berlin, DE","location":`) {
			t.Errorf("as it is offered: %s", text)
		}
		for typed, want := range map[string]string{"Berlni": `{"meant":"Berlin, DE","places":[]}`, "Qwertzuiop": `{"places":[]}`} {
			if _, text := send(t, srv, "GET /places?q="+typed); text != want {
				t.Errorf("%s: %s, want %s", typed, text, want)
			}
		}
	})
}
