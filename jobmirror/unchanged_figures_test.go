package jobmirror_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// boardChild serves a channel of so many postings of natural size, and a feed with an entry
// for each, until the process is killed. It prints its address. One in a hundred postings
// has another title whenever it is asked for "/change".
func boardChild(postings int) error {
	board := wordyBoard{postings}.handler()
	answer, feed := httptest.NewRecorder(), new(bytes.Buffer)
	const channel = "/board/api/rest/v2/frontend/jobboards/1_all/jobs"
	board.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodGet, channel, http.NoBody))
	entries := jobfeed.NewWriter(feed, nil)
	for i := range postings {
		if err := entries.Write(&jobfeed.Entry{JobID: jobboard.JobID(10_000_000 + i), Title: "Job", Company: "Example"}); err != nil {
			return err
		}
	}
	if err := entries.Close(); err != nil {
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
	mux.HandleFunc("GET /change", func(http.ResponseWriter, *http.Request) {
		shown.Store(bytes.ReplaceAll(shown.Load().([]byte), []byte(`00,"title":"`), []byte(`00,"title":"Neu `)))
	})
	mux.Handle("GET /feed.xml", serve("application/xml", feed.Bytes()))
	fmt.Println(httptest.NewServer(mux).URL)
	select {}
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
			if out, err := m.Refresh(t.Context()); err != nil || len(out.Partial) > 0 {
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
		for range 2 { // the second time no page is written whole, and no word is new
			fetch(t, board+"/change")
			const written = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
			before := query[int64](t, address, written)
			if out, err := m.Refresh(t.Context()); err != nil || len(out.Partial) > 0 {
				t.Fatal(out, err)
			}
			t.Logf("figure: one in a hundred postings has another title: %d bytes of log a posting",
				(query[int64](t, address, written)-before)/int64(max(1, n/100)))
		}
	})
}
