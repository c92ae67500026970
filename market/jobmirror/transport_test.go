package jobmirror_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A client over the mirror's transport answers as one of the board does, in the
// process, with the board away and whatever Authorize says.
func TestClientOverTheMirror(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.Authorize = func(*http.Request) error { return errors.New("nobody is served") }
		m := open(t, address, opts)
		refresh(t, m)
		config := jobboard.Config{BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", ClientID: "10"}
		board, err := jobboard.NewClient(opts.Config)
		if err != nil {
			t.Fatal(err)
		}
		config.HTTPClient = &http.Client{Transport: m.Transport()}
		mirrored, err := jobboard.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		want, err := board.Search(t.Context(), jobboard.ChannelID(srv.Demo.Channel), jobboard.Query{Language: "de"})
		if err != nil {
			t.Fatal(err)
		}
		lookup := jobboard.JobID(srv.Demo.OpenJob)
		told, err := board.JobInformation(t.Context(), lookup)
		if err != nil {
			t.Fatal(err)
		}
		srv.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Optional: true})
		page, err := mirrored.Search(t.Context(), jobboard.ChannelID(srv.Demo.Channel), jobboard.Query{Language: "de"})
		if err != nil {
			t.Fatal(err)
		}
		// It finds what a visitor may see, of the board's postings and the copy's.
		visible, n := all(t, m, jobmirror.Query{Language: "de", Order: jobmirror.Newest})
		var given []jobboard.JobPostingID
		for _, p := range page.Results {
			given = append(given, p.JobPostingID)
		}
		if !slices.Equal(given, visible) || page.TotalNumberOfJobs != n || n == 0 || n >= want.TotalNumberOfJobs {
			t.Errorf("%v of %d, want %v of the board's %d", given, page.TotalNumberOfJobs, visible, want.TotalNumberOfJobs)
		}
		if _, all := all(t, m, jobmirror.Query{Language: "de", All: true}); all != want.TotalNumberOfJobs {
			t.Errorf("the copy has %d of %d postings", all, want.TotalNumberOfJobs)
		}
		info, err := mirrored.JobInformation(t.Context(), lookup)
		if err != nil || info.JobTitle != told.JobTitle || !info.ApplyPossible {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := mirrored.JobInformation(t.Context(), jobboard.JobID(srv.Demo.InactiveJob)); !errors.Is(err, jobboard.ErrJobInactive) {
			t.Errorf("an inactive job: %v", err)
		}
		if _, err := mirrored.JobInformation(t.Context(), 4711); !errors.Is(err, jobboard.ErrJobUnavailable) {
			t.Errorf("an unknown job: %v", err)
		}
	})
}

// A stream that a client of the transport follows comes as it is written, and ends with
// the request and with its body; so does a request whose answer nobody reads.
func TestTransportStreamsAndEnds(t *testing.T) {
	t.Parallel()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	m := open(t, jobmirror.Databases["sqlite"](t), optionsOf(srv))
	refresh(t, m)
	client := &http.Client{Transport: m.Transport()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	get := func(path string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://mirror.example"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	stream := get("/mirror/changes")
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK || stream.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %v", stream.Status, stream.Header)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(stream.Body, head); err != nil || string(head) != "event: ro" {
		t.Errorf("the stream begins with %q, %v", head, err)
	}
	unread := get("/api/rest/v2/frontend/jobboards/" + srv.Demo.Channel + "/jobs")
	if err := unread.Body.Close(); err != nil {
		t.Error(err)
	}
	missing := get("/nothing")
	text, err := io.ReadAll(missing.Body)
	if err != nil || missing.StatusCode != http.StatusNotFound || !strings.Contains(string(text), "not found") {
		t.Errorf("%s, %q, %v", missing.Status, text, err)
	}
	missing.Body.Close()
	ended := time.AfterFunc(time.Minute, func() { panic("the stream does not end with its request") })
	defer ended.Stop()
	cancel()
	if _, err := io.Copy(io.Discard, stream.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ends with %v", err)
	}
	if err := m.Close(); err != nil { // waits for what reads
		t.Error(err)
	}
}
