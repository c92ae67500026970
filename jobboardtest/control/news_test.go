package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// tell asks for the news as the page does.
func tell(t *testing.T, srv *jobboardtest.Server, query string) (n news) {
	t.Helper()
	status, text := send(t, srv, "GET /news"+query)
	if err := json.Unmarshal([]byte(text), &n); err != nil || status != "200" {
		t.Fatalf("%s: %s %v %s", query, status, err, text)
	}
	return n
}

// numbers returns the numbers of the rows.
func (n news) numbers() (all []int) {
	for _, r := range n.Rows {
		all = append(all, r.Number)
	}
	return all
}

// The page is told of requests once, and of those that were under way again, with their answer.
func TestNewsOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		if n := tell(t, srv, ""); n.First != 1 || n.Last != 0 || n.Kept != 0 || n.Fit != 0 || n.Rows == nil || n.Open == nil {
			t.Errorf("of nothing: %+v", n)
		}
		srv.Fail(jobboardtest.Fault{Delay: time.Second, Skip: 1, Times: 1})
		srv.Fail(jobboardtest.Fault{Path: "/lost", Break: jobboardtest.ResetBefore})
		send(t, srv, "GET base_url/x")
		slow := make(chan struct{})
		go func() {
			defer close(slow)
			send(t, srv, "GET base_url/slow")
		}()
		synctest.Wait()
		n := tell(t, srv, "?after=0")
		if fmt.Sprint(n.numbers(), n.Open, n.First, n.Last, n.Kept, n.Fit) != "[1 2] [2] 1 2 2 2" {
			t.Errorf("one is under way: %v %+v", n.numbers(), n)
		}
		if n = tell(t, srv, "?after=2&open=2"); len(n.Rows) != 0 || fmt.Sprint(n.Open) != "[2]" || n.Last != 2 || n.Fit != 0 {
			t.Errorf("it is still under way: %+v", n)
		}
		<-slow
		send(t, srv, "GET base_url/y")
		if n = tell(t, srv, "?after=2&open=2"); fmt.Sprint(n.numbers(), n.Open, n.Last, n.Fit) != "[2 3] [] 3 1" || !strings.Contains(n.Rows[0].HTML, "404") {
			t.Errorf("it has its answer: %+v", n)
		}
		// What will never have an answer is asked for as long as it is kept.
		lost, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.BaseURL+"/lost", http.NoBody) // a GET would be sent again
		if res, err := srv.Client().Transport.RoundTrip(lost); err == nil {
			res.Body.Close()
			t.Fatal("the request has an answer")
		}
		if n = tell(t, srv, "?after=3"); fmt.Sprint(n.numbers(), n.Open) != "[4] [4]" {
			t.Errorf("it is lost: %+v", n)
		}
		for range maxRows + 1 {
			send(t, srv, "GET base_url/crowd")
		}
		n = tell(t, srv, "?after=4&open=4")
		if len(n.Rows) != maxRows || n.Rows[0].Number != 6 || n.Fit != maxRows+1 || n.Last != maxRows+5 {
			t.Errorf("a crowd: %d rows, %d fit, the last is %d", len(n.Rows), n.Fit, n.Last)
		}
		srv.ClearRequests() // by a test in Go, of which no call tells
		if n = tell(t, srv, "?after=205&open=4"); n.First != 206 || n.Kept != 0 || n.Last != 205 || len(n.Open)+len(n.Rows) != 0 {
			t.Errorf("cleared: %+v", n)
		}
		for _, wrong := range []string{"?after=x", "?open=1,x", "?open=-1"} {
			wantStatus(t, srv, "GET /news"+wrong, "400")
		}
	})
}

// The page gets the state when it is another than it knows, whoever changed it: a call, a request
// of a subscriber, or a test in Go.
func TestNewsOfTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		n := tell(t, srv, "")
		if !strings.Contains(n.Board, fmt.Sprint(srv.Demo.OpenJob)) || !strings.Contains(n.Switches, "quoted_ids") || n.Instance == "" || n.Clock.Now.IsZero() {
			t.Errorf("the first time: %+v", n)
		}
		for _, change := range []func(){
			func() { send(t, srv, `POST /channels {"id":"x"}`) },
			func() { send(t, srv, `PATCH /variants {"page_size":3}`) },
			func() { send(t, srv, "POST base_url/jobabo?channel=c&types=rss Bearer "+srv.Demo.ClientToken) },
			func() { srv.DeactivateJob(srv.Demo.OpenJob) },
			func() { send(t, srv, "POST /reset") },
		} {
			known := fmt.Sprintf("?revision=%d&q=nobody", n.Revision)
			if same := tell(t, srv, known); same.Board != "" || same.Switches != "" || same.Revision != n.Revision {
				t.Errorf("nothing happened: %+v", same)
			}
			change()
			next := tell(t, srv, known)
			if !strings.Contains(next.Board, "No job fits the filter") || next.Switches == "" || next.Revision == n.Revision {
				t.Errorf("after a change: %+v", next)
			}
			n = next
		}
		send(t, srv, "POST /channels {}")
		send(t, srv, `POST /faults {"status":500}`)
		send(t, srv, `POST /clock/advance {"by":"1h"}`)
		now := tell(t, srv, fmt.Sprintf("?revision=%d", n.Revision))
		if now.Board != "" || !strings.Contains(now.Faults, "status 500") || strings.Contains(n.Faults, "status 500") || !now.Clock.Now.After(n.Clock.Now) {
			t.Errorf("a refused change, a fault and an hour: %+v", now)
		}
	})
}

// The filter finds statuses by their three digits, and anything else in the row and in the answer,
// but for what the journal masks.
func TestFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		d := srv.Demo
		applied := "GET base_url/api/rest/v3/frontend/jobs/"
		srv.Fail(jobboardtest.Fault{Status: 503, Path: "/503"})
		srv.Fail(jobboardtest.Fault{Name: "storm 503", Delay: time.Second, Path: "/slow"})
		srv.Fail(jobboardtest.Fault{Path: "/leak", Status: 200, Body: `{"seen": "Zebra", "token": "` + d.ApplicantToken + `"}`})
		send(t, srv, fmt.Sprintf(applied+"%d/applied Bearer %s", d.InactiveJob, d.ApplicantToken)) // 1
		send(t, srv, "GET base_url/503")                                                           // 2
		send(t, srv, "GET base_url/slow")                                                          // 3
		send(t, srv, "GET base_url/leak")                                                          // 4
		for find, want := range map[string]string{
			"":                              "[1 2 3 4]",
			"503":                           "[2]", // no path and no fault of that name
			"404":                           "[3]",
			"410 inactive":                  "[1]",
			"INACTIVE":                      "[1]", // the answer says so
			"zebra":                         "[4]",
			"Zebra get":                     "[4]",
			"zebra 404":                     "[]",
			"storm":                         "[3]",
			"applicant 7":                   "[1]",
			"/slow":                         "[3]",
			d.ApplicantToken:                "[]",
			"nothing of it":                 "[]",
			"  503\t":                       "[2]",
			"503 404":                       "[]",
			strings.ToUpper("application/"): "[]", // of an answer's header
		} {
			query := "?find=" + strings.NewReplacer(" ", "+", "\t", "%09").Replace(find)
			n := tell(t, srv, query)
			if got := fmt.Sprint(n.numbers()); got != want || n.Fit != len(n.Rows) {
				t.Errorf("%q finds %s, %d fit, want %s", find, got, n.Fit, want)
			}
		}
	})
}
