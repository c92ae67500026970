package jobmirror_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// The tests of this file are the rows of the table "What a board may get wrong" of
// market/docs/promises.md that concern one answer.

// pageOf returns an answer of 4.1 with postings, of which it counts so many.
func pageOf(total int, postings ...string) jobboardtest.Fault {
	return jobboardtest.Fault{
		Operation: jobboardtest.OpSearch,
		Body: fmt.Sprintf(`{"itemsPerPage":%d,"numPages":1,"totalNumberOfJobs":%d,"results":[%s]}`,
			total, total, strings.Join(postings, ",")),
	}
}

// oneChannel copies a channel of the stand-in in one language, without a feed.
func oneChannel(srv *jobboardtest.Server) jobmirror.Options {
	opts := optionsOf(srv)
	opts.Feeds = nil
	opts.Channels = []jobmirror.Channel{{ID: "1_misled"}}
	opts.Config.Retry.MaxAttempts = 1
	srv.AddChannel(jobboardtest.Channel{ID: "1_misled"})
	return opts
}

func TestPostingOverItsBound(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := oneChannel(srv)
		opts.Config.MaxPostingBytes = 10_000
		posting := func(id, length int) string {
			empty := fmt.Sprintf(`{"jobPostingId":%d,"title":"Nurse %d","config":{"platform_internalAdText":[""]}}`, id, id)
			return strings.Replace(empty, `[""]`, `["`+strings.Repeat("x", length-len(empty))+`"]`, 1)
		}
		m := open(t, address, opts)
		show := func(lengths ...int) {
			var postings []string
			for i, length := range lengths {
				postings = append(postings, posting(i+1, length))
			}
			defer srv.Fail(pageOf(len(postings), postings...)).Lift()
			refresh(t, m)
			found := map[jobboard.JobPostingID]jobboard.JobPosting{}
			for _, p := range find(t, m, jobmirror.Query{Limit: 100}) {
				found[p.Posting.JobPostingID] = p.Posting
			}
			status, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			adless := 0
			for i, length := range lengths {
				p, ok := found[jobboard.JobPostingID(i+1)]
				text := p.Config.AdText()
				if length > 10_000 {
					adless++
				}
				if !ok || p.AdTooLarge != (length > 10_000) || (len(text) >= 1000) != (length <= 10_000) || length > 10_000 && text != "" {
					t.Errorf("posting %d, of %d bytes: %v, advertisement of %d bytes left out: %v", i+1, length, ok, len(text), p.AdTooLarge)
				}
			}
			if s := status.Sources[0]; s.Complete.IsZero() || s.Failures > 0 || s.Rows != len(lengths) || status.Adless != adless {
				t.Errorf("%d without their advertisement, not %d; the source: %+v", status.Adless, adless, s)
			}
		}
		show(2000, 10_000, 10_001, 3_000_000, 2000)
		show(20_000, 20_000, 10_000, 3_000_000, 2000) // two lose their advertisement, one gets it
		checkReplay(t, m)
	})
}

// Until every source was copied, the copy does not call a missing job gone.
func TestLookupBeforeAllWasCopied(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.Config.Retry.MaxAttempts = 1
		feed := filepath.Join(t.TempDir(), "feed.xml") // which is not there yet
		opts.Feeds = []jobmirror.Feed{{Name: "feed", Address: feed}}
		m := open(t, address, opts)
		reader := opts
		reader.ReadOnly = true
		ask := func(when string, job int64, status int, want error) {
			t.Helper()
			for name, m := range map[string]*jobmirror.Mirror{
				"who writes": m, "who reads": open(t, address, reader), "who serves alone": open(t, address, jobmirror.Options{ReadOnly: true}),
			} {
				_, err := m.Job(t.Context(), jobboard.JobID(job))
				_, same := m.JobInformation(t.Context(), jobboard.JobID(job))
				if !errors.Is(err, want) || !errors.Is(same, want) {
					t.Errorf("%s, %s: %v, %v", when, name, err, same)
				}
				answer, err := (&http.Client{Transport: m.Transport()}).Get(fmt.Sprintf("http://mirror/jobdb/public/apply/external?jobid=%d", job))
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != status || status == 503 && answer.Header.Get("Retry-After") == "" {
					t.Errorf("%s, %s: %s", when, name, answer.Status)
				}
			}
		}
		down := srv.Fail(jobboardtest.Fault{Status: http.StatusBadGateway})
		if err := m.Refresh(t.Context()); err == nil {
			t.Fatal("a board that is away is no error")
		}
		ask("before anything was copied", srv.Demo.OpenJob, 503, jobmirror.ErrIncomplete)
		down.Lift()
		if err := m.Refresh(t.Context()); err == nil {
			t.Fatal("a feed that is not there is no error")
		}
		if err := m.Ready(t.Context()); err != nil {
			t.Errorf("every channel was copied: %v", err)
		}
		ask("before the feed was copied", 1, 503, jobmirror.ErrIncomplete)
		if err := m.Forget(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		ask("before the feed was copied, a job that was forgotten", 2, 404, jobmirror.ErrUnknown)
		answer, err := srv.Client().Get(srv.FeedURL)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		content, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		replaceFile(t, feed, string(content))
		refresh(t, m)
		ask("once all was copied", 1, 404, jobmirror.ErrUnknown)
		ask("once all was copied", srv.Demo.OpenJob, 200, nil)
	})
}

// Of two caches before the board, which answer in turn and do not tell the age of what they keep, one has kept an
// earlier answer: refreshes change no more than the board did. A channel that goes on to show the lower version, as
// after a backup of the board was put back, is believed the second time.
func TestSearchesByTwoCaches(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, oneChannel(srv))
		at := jobmirror.Cursor("")
		shows := func(what string, version, changes int) {
			t.Helper()
			posting := func(id, version int) string {
				return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":"Nurse %d"}`, id, version, version)
			}
			fault := srv.Fail(pageOf(3, posting(1, version), posting(2, version), posting(3, 1)))
			err := m.Refresh(t.Context())
			fault.Lift()
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for change, err := range m.Changes(t.Context(), at) {
				if err != nil {
					t.Fatal(err)
				}
				if at = change.Cursor; change.Kind == jobmirror.ChangePosting {
					n++
				}
			}
			if n != changes {
				t.Errorf("%s: %d postings have changed, not %d", what, n, changes)
			}
		}
		shows("at first", 5, 3)
		for range 3 {
			shows("the cache that has kept an earlier answer", 4, 0)
			shows("the other one", 5, 0)
		}
		shows("the board has changed", 6, 2)
		for range 3 {
			shows("the cache that has kept an earlier answer", 5, 0)
			shows("the other one", 6, 0)
		}
		shows("the board was put back", 5, 0)
		shows("and shows that again", 5, 2)
		checkReplay(t, m)
	})
}

// sending is a function as a transport.
type sending func(*http.Request) (*http.Response, error)

func (f sending) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
