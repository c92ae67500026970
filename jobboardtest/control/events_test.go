package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// patience records how long its writer may take.
type patience struct {
	*httptest.ResponseRecorder
	left time.Duration
}

func (p *patience) SetWriteDeadline(t time.Time) error {
	p.left = time.Until(t)
	return nil
}

// A page that has stopped reading is let go after a minute.
func TestPageThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		handler := New(jobboardtest.New(t, jobboardtest.WithoutSockets()))
		w := &patience{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/events", http.NoBody))
		}()
		synctest.Wait()
		leave()
		<-done
		if w.Code != http.StatusOK || w.left != time.Minute {
			t.Errorf("%d, and it waits %v for a page that does not read: %.200s", w.Code, w.left, w.Body)
		}
	})
}

// TestEvents holds what pages are told and when, while things happen.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		auth := " Bearer " + srv.Demo.ApplicantToken
		ask := func(path string) { send(t, srv, "GET base_url"+path+auth) }
		var told strings.Builder
		for _, page := range []struct {
			name, query, last string
			happens           []func() // a second passes after each, and a while after the last
		}{
			{"a page of the beginning", "?after=0&revision=0", "", []func(){
				func() { ask("/1") },
				func() { send(t, srv, "DELETE /requests") },
				func() { send(t, srv, `POST /channels {"id":"x"}`) },
				func() { send(t, srv, `POST /faults {"status":500,"delay":"400ms","times":2}`) },
				func() { ask("/2") },
				func() { send(t, srv, "DELETE /faults") },
				func() { send(t, srv, "POST base_url/jobabo?channel=c&types=rss Bearer "+srv.Demo.ClientToken) },
				func() { send(t, srv, "PUT base_url/jobabo/x"+auth) },
				func() { send(t, srv, "POST /channels {}") },
				func() { send(t, srv, "DELETE base_url/jobabo/x"+auth) },
				func() { send(t, srv, "POST /clock/advance {\"by\":\"1h\"}") },
				func() { send(t, srv, "POST /reset") },
				func() { time.Sleep(31 * time.Second) },
			}},
			{"a page that has seen all but the last", "?after=4&revision=3", "", nil},
			{"a page that lost its connection", "?after=0&revision=3", "5", nil},
			{"a page that says nothing", "", "", nil},
			{"a page of another state", "?after=5&revision=x", "", nil},
			{"a crowd", "?after=5&revision=3", "", []func(){func() {
				for range maxRows + 1 {
					ask("/crowd")
				}
			}}},
			{"a crowd before", "?after=5&revision=3", "", nil},
		} {
			fmt.Fprintf(&told, "# %s\n", page.name)
			ctx, leave := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.BaseURL+Path+"/events"+page.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			if page.last != "" {
				req.Header.Set("Last-Event-ID", page.last)
			}
			res, err := srv.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			heard := make(chan string)
			go func() {
				var b strings.Builder
				lines := bufio.NewScanner(res.Body)
				lines.Buffer(nil, 1<<20)
				for lines.Scan() {
					if line := lines.Text(); line != "" {
						fmt.Fprintf(&b, "%v %s\n", time.Since(began), brief(line))
					}
				}
				heard <- b.String()
			}()
			time.Sleep(tick / 2) // nothing happens at the time of a tick
			for _, f := range page.happens {
				time.Sleep(time.Second)
				f()
			}
			time.Sleep(time.Second)
			leave()
			told.WriteString(made.ReplaceAllString(<-heard, "[made]"))
			res.Body.Close()
		}
		golden.Compare(t, "testdata/events.txt", told.String())
	})
}

// brief shortens the switches, and rows that are many.
func brief(line string) string {
	if strings.HasPrefix(line, `data: "\u003cdiv class=\"switches`) {
		return "data: switches"
	}
	var rows []eventRow
	if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &rows) == nil && len(rows) > 2 {
		return fmt.Sprintf("data: %d rows, from %d to %d", len(rows), rows[0].Number, rows[len(rows)-1].Number)
	}
	return line
}

// A request that is under way when a page connects is drawn again with its
// answer, as far back as the page shows.
func TestFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t, jobboardtest.WithDemo())
		srv.Fail(jobboardtest.Fault{Delay: time.Second, Skip: 1, Times: 2 + maxRows})
		paths := make(chan string, 3+maxRows)
		for n := range 3 + maxRows {
			go func() {
				send(t, srv, fmt.Sprint("GET base_url/x", n))
				paths <- ""
			}()
			synctest.Wait()
		}
		late, early := follower{srv: srv.Inside(), open: map[int]struct{}{}}, follower{srv: srv.Inside(), open: map[int]struct{}{}}
		late.goOn(3 + maxRows)
		if rows, changes := late.news(); len(rows) > 0 || changes || len(late.open) != maxRows {
			t.Errorf("of what was drawn there are %d rows anew, and %d are waited for", len(rows), len(late.open))
		}
		early.goOn(0)
		if rows, _ := early.news(); len(rows) != maxRows || rows[0].Number != 4 || early.last != 3+maxRows || len(early.open) != maxRows {
			t.Errorf("%d rows, and %d are waited for", len(rows), len(early.open))
		}
		for range cap(paths) {
			<-paths
		}
		for name, f := range map[string]*follower{"late": &late, "early": &early} {
			if rows, _ := f.news(); len(rows) != maxRows || len(f.open) != 0 {
				t.Errorf("%s: %d rows have their answer now, and %d are waited for", name, len(rows), len(f.open))
			}
			if rows, _ := f.news(); len(rows) != 0 {
				t.Errorf("%s: %d rows are drawn again", name, len(rows))
			}
		}
	})
}
