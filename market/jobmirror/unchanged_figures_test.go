package jobmirror_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// boardChild serves a channel of so many postings of natural size, and a feed with an entry
// for each, until the process is killed. It prints its address. One in a hundred postings
// has another title whenever it is asked for "/change", and one in a hundred jobs, none of
// which has a posting with another title, ends or is open again whenever it is asked for
// "/end": its entry in the feed changes, and the answer of its lookup.
func boardChild(postings int) error {
	board := wordyBoard{postings: postings}.handler()
	answer := httptest.NewRecorder()
	const channel = "/board/api/rest/v2/frontend/jobboards/1_all/jobs"
	board.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodGet, channel, http.NoBody))
	feed, err := wordyFeed(postings, 0)
	if err != nil {
		return err
	}
	serve := func(contentType string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(body)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", board)
	var shown atomic.Value
	shown.Store(answer.Body.Bytes())
	mux.HandleFunc("GET "+channel, func(w http.ResponseWriter, r *http.Request) {
		serve("application/json", shown.Load().([]byte))(w, r)
	})
	var changes atomic.Int64
	mux.HandleFunc("GET /change", func(http.ResponseWriter, *http.Request) {
		changed := fmt.Appendf(nil, `00,"title":"%d `, 2000+changes.Add(1)) // another word each time
		shown.Store(bytes.ReplaceAll(shown.Load().([]byte), []byte(`00,"title":"`), changed))
	})
	var shownFeed atomic.Value
	shownFeed.Store(feed)
	var ends atomic.Int64
	mux.HandleFunc("GET /feed.xml", func(w http.ResponseWriter, r *http.Request) {
		serve("application/xml", shownFeed.Load().([]byte))(w, r)
	})
	mux.HandleFunc("GET /end", func(w http.ResponseWriter, _ *http.Request) {
		feed, err := wordyFeed(postings, int(ends.Add(1)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		shownFeed.Store(feed)
	})
	mux.HandleFunc("GET /jobdb/public/apply/external", func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		board.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if strings.HasSuffix(r.URL.Query().Get("jobid"), endingJobs) && ends.Load()%2 == 1 {
			body = bytes.Replace(body, []byte(`"applyPossible":true`), []byte(`"applyPossible":false`), 1)
		}
		serve("application/json", body)(w, r)
	})
	fmt.Println(httptest.NewServer(mux).URL)
	select {}
}

// endingJobs ends the numbers of the jobs that "/end" changes. They have postings.
const endingJobs = "48"

// wordyFeed returns a feed of so many jobs, in which the entries of some changed so many times.
func wordyFeed(jobs, changes int) ([]byte, error) {
	var feed bytes.Buffer
	entries := feedtest.NewWriter(&feed, nil)
	for i := range jobs {
		entry := jobfeed.Entry{JobID: jobboard.JobID(10_000_000 + i), Title: "Job", Company: "Example"}
		if changes > 0 && strings.HasSuffix(strconv.FormatInt(int64(entry.JobID), 10), endingJobs) {
			entry.Title = fmt.Sprintf("Job %d", changes)
		}
		if err := entries.Write(&entry); err != nil {
			return nil, err
		}
	}
	err := entries.Close()
	return feed.Bytes(), err
}

// startBoard starts a process with such a board, and returns its address.
func startBoard(t *testing.T, postings int) string {
	t.Helper()
	command := childCommand(t.Context(), t, childOptions{Board: postings})
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	address, err := bufio.NewReader(io.LimitReader(out, 100)).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

func fetch(t *testing.T, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
}

// What a refresh costs in which nothing changed, on its second run and later. The board is a
// process of its own.
func TestCostOfAnUnchangedRefresh(t *testing.T) {
	onEachMeasured(t, func(t *testing.T, address string) {
		n := size(100, 10_000)
		board := startBoard(t, n)
		m := open(t, address, jobmirror.Options{
			Config:   jobboard.Config{BaseURL: board + "/board", JobDBURL: board, ClientID: "10", MaxBodyBytes: 1 << 30},
			Channels: []jobmirror.Channel{{ID: "1_all", Languages: []string{"de"}}},
			Feeds:    []jobmirror.Feed{{Name: "feed", Address: board + "/feed.xml"}}, Limit: -1, Concurrency: 32,
		})
		least := time.Hour
		for i := range size(2, 6) {
			cpu := cpuTime(t)
			if out, err := jobmirror.RefreshedStatus(t.Context(), m); err != nil || len(out.Partial) > 0 {
				t.Fatal(out, err)
			}
			if i == 0 {
				continue
			}
			least = min(least, cpuTime(t)-cpu)
		}
		t.Logf("figure: a refresh of %d postings and as many entries of a feed in which nothing changed: %s of a processor a posting",
			n, least/time.Duration(n))
		status, err := m.Status(t.Context())
		if err != nil || status.Postings != n || status.Jobs[jobmirror.StateOpen] != n {
			t.Errorf("%+v, %v; there are %d postings", status, err, n)
		}
		if !strings.HasPrefix(address, "postgres") {
			return
		}
		if _, err := openSQL(t, address).ExecContext(t.Context(), "CHECKPOINT"); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ what, path string }{
			{"postings has another title", "/change"},
			{"jobs ends", "/end"},
		} {
			for range 3 { // from the second time on few pages are written whole
				fetch(t, board+c.path)
				const written = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
				before := query[int64](t, address, written)
				if out, err := jobmirror.RefreshedStatus(t.Context(), m); err != nil || len(out.Partial) > 0 {
					t.Fatal(out, err)
				}
				if err := m.AcceptRemovals(t.Context()); err != nil { // a hundred jobs that end at once are not believed
					t.Fatal(err)
				}
				t.Logf("figure: one in a hundred %s: %d bytes of log each",
					c.what, (query[int64](t, address, written)-before)/int64(max(1, n/100)))
			}
			status, err := m.Status(t.Context())
			if ended := status.Jobs[jobmirror.StateClosed]; err != nil || c.path == "/end" && ended != n/100 {
				t.Errorf("%+v, %v", status, err)
			}
		}
	})
}
