package jobmirror_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// counting adds members that the interface does not name to what a service answers,
// with another number in each refresh.
type counting struct {
	next http.RoundTripper
	seen atomic.Int64
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK || strings.HasSuffix(r.URL.Path, "feed.xml") {
		return resp, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	views := fmt.Sprintf(`"views":%d,`, c.seen.Load())
	for _, name := range []string{`"jobPostingId":`, `"jobId":`, `"geoLat":`, `"type":`} {
		b = bytes.ReplaceAll(b, []byte(name), []byte(views+name))
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// A member that the interface does not name is copied, but its change alone does not count: a
// counter of views would log every posting and job at every refresh. The next change of
// something else brings it along.
func TestUnknownMembersAlone(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, address string) {
		opts := optionsOf(srv)
		service := &counting{next: srv.Client().Transport}
		opts.Config.HTTPClient = &http.Client{Transport: service}
		m := open(t, address, opts)
		job := jobboard.JobID(srv.Demo.OpenJob)
		var cursor jobmirror.Cursor
		look := func(inPosting, inJob int) (changes int) {
			t.Helper()
			service.seen.Add(1)
			time.Sleep(48 * time.Hour) // every lookup is due
			refresh(t, m)
			for change, err := range m.Changes(t.Context(), cursor) {
				if err != nil {
					t.Fatal(err)
				}
				changes, cursor = changes+1, change.Cursor
			}
			want := fmt.Sprint(inJob)
			got, err := m.Job(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			info, err := m.JobInformation(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			postings, err := m.Postings(t.Context(), job)
			if err != nil || len(postings) == 0 {
				t.Fatal(len(postings), err)
			}
			if string(postings[0].Posting.Unknown["views"]) != fmt.Sprint(inPosting) || string(info.Unknown["views"]) != want ||
				string(info.Questions[0].Unknown["views"]) != want || string(info.Location.Unknown["views"]) != want ||
				string(got.Information.Unknown["views"]) != want {
				t.Errorf("posting %s, job %s, question %s, location %s; want %d and %s", postings[0].Posting.Unknown, info.Unknown,
					info.Questions[0].Unknown, info.Location.Unknown, inPosting, want)
			}
			return changes
		}
		if n := look(1, 1); n < 40 {
			t.Fatalf("%d changes at first", n)
		}
		if n := look(1, 1); n != 0 {
			t.Errorf("%d changes where only a counter changed", n)
		}
		srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) { j.Title += "!" })
		if n := look(1, 3); n == 0 {
			t.Error("no change where the job has another title, and its posting stays")
		}
	})
}
