package jobmirror_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// notice is a posting of a noticeBoard, and what its job's lookup says.
type notice struct {
	job       int
	title, ad string
	category  string
	place     int    // of noticePlaces
	state     string // "open", "closed", or the code of a refusal; empty: the lookup fails
	begins    int64
	off       bool // the board does not show it
}

var noticePlaces = []struct{ name, latitude, longitude string }{{"Bonn", "50.73", "7.1"}, {"Berlin", "52.52", "13.4"}, {"Ulm", "48.4", "9.99"}}

// noticeBoard is a board with one channel, whose postings a test changes.
type noticeBoard struct {
	mu      sync.Mutex
	notices map[int]*notice // by posting
}

func (b *noticeBoard) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *noticeBoard) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	status, body := http.StatusOK, ""
	if job, _ := strconv.Atoi(r.URL.Query().Get("jobid")); job != 0 {
		status, body = b.lookup(job)
	} else {
		var results []string
		for id, n := range b.notices {
			if n.off {
				continue
			}
			results = append(results, fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":%d,"title":%q,"postingVersionStartDate":%d,`+
				`"applyOnlineLink":"https://jobs.example/job/%d/x","config":{"jobcategory":[%q],"platform_internalAdText":[%q]}}`,
				id, id, n.title, n.begins, n.job, n.category, n.ad))
		}
		body = fmt.Sprintf(`{"totalNumberOfJobs":%d,"numPages":1,"results":[%s]}`, len(results), strings.Join(results, ","))
	}
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status), ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func (b *noticeBoard) lookup(job int) (status int, body string) {
	for _, n := range b.notices {
		if n.job != job || n.state == "" {
			continue
		}
		if n.state != "open" && n.state != "closed" {
			return http.StatusNotFound, n.state
		}
		at := noticePlaces[n.place]
		return http.StatusOK, fmt.Sprintf(`{"jobId":%d,"jobTitle":%q,"jobLanguage":"de","applyPossible":%t,`+
			`"location":{"geoCity":%q,"geoLat":%q,"geoLong":%q}}`, job, n.title, n.state == "open", at.name, at.latitude, at.longitude)
	}
	return http.StatusServiceUnavailable, ""
}

func (b *noticeBoard) options() jobmirror.Options {
	return jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: b},
			Retry: jobboard.RetryPolicy{MaxAttempts: 1},
		},
		Channels: []jobmirror.Channel{{ID: "a", Languages: []string{"de"}}}, Limit: -1, KeepChanges: 365 * 24 * time.Hour,
	}
}

// lookUpAll has the next refresh look up every job.
func lookUpAll(t *testing.T, m *jobmirror.Mirror) {
	t.Helper()
	if err := jobmirror.Exec(t.Context(), m, "UPDATE jobs SET next_due = 1"); err != nil {
		t.Fatal(err)
	}
}

// noticed is a mirror of a noticeBoard, and a reader of matches that keeps its cursor.
type noticed struct {
	*testing.T
	*noticeBoard
	m        *jobmirror.Mirror
	searches jobmirror.Searches
	cursor   jobmirror.Cursor
}

func newNoticed(t *testing.T, address string) *noticed {
	b := &noticeBoard{notices: map[int]*notice{}}
	return &noticed{T: t, noticeBoard: b, m: open(t, address, b.options())}
}

// save saves a search.
func (n *noticed) save(key string, saved jobmirror.SavedSearch) {
	n.Helper()
	if err := n.searches.Set(key, saved); err != nil {
		n.Fatal(err)
	}
}

// tells refreshes the mirror after a change of the board, and compares what is told, such as
// "cook 7": a search and a job.
func (n *noticed) tells(what string, change func(), want ...string) {
	n.Helper()
	n.change(change)
	lookUpAll(n.T, n.m)
	_, _ = n.m.Refresh(n.Context()) // a lookup may fail on purpose
	var got []string
	for match, err := range n.m.Matches(n.Context(), &n.searches, n.cursor) {
		if err != nil {
			n.Fatal(err)
		}
		n.cursor = match.Cursor
		for _, key := range match.Searches {
			got = append(got, fmt.Sprint(key, " ", match.Posting.Job))
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		n.Errorf("%s: told are %q, want %q", what, got, want)
	}
}

// A saved search is told of a job when a change makes it find the job: once the job is known, not
// again for 30 days, and never for what a visitor does not see.
func TestMatches(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		n := newNoticed(t, address)
		first, second := &notice{job: 7, title: "Köchin", category: "31"}, &notice{job: 8, title: "Koch in Vollzeit", state: "open", place: 1, category: "32"}
		n.save("cook", jobmirror.SavedSearch{Text: "koch"})
		n.save("bonn", jobmirror.SavedSearch{Near: jobboard.Near(50.7, 7.1, 30)})
		n.save("berlin", jobmirror.SavedSearch{Place: "Berlin", Language: "de"})
		n.save("32", jobmirror.SavedSearch{Text: "vollzeit -lehre", Category: "32", Channel: "a"})
		n.save("mistyped", jobmirror.SavedSearch{Text: "kochh"})
		n.save("nobody", jobmirror.SavedSearch{Text: "Pilot"})
		n.save("docker", jobmirror.SavedSearch{Text: "docker"})
		n.tells("an empty board", func() {})
		n.tells("a job that is not known", func() { n.notices[1] = first })
		n.tells("it is known", func() { first.state = "open" }, "bonn 7", "cook 7")
		n.tells("a second one", func() { n.notices[2] = second }, "32 8", "berlin 8", "cook 8")
		n.tells("nothing", func() {})
		n.tells("another title", func() { first.title = "Koch" })
		n.tells("another text", func() { first.ad = "with Docker" }, "docker 7")
		n.tells("a third text", func() { first.ad = "Docker" }, "docker 7") // what the second one was nobody knows any more
		n.tells("closed", func() { first.state = "closed" })
		n.tells("open again", func() { first.state = "open" })
		n.tells("moved", func() { first.place = 1 }, "berlin 7")
		n.tells("back", func() { first.place = 0 })
		n.tells("gone", func() { second.off = true })
		// What its text was when it was gone nobody knows any more: it might have had the word that is left out.
		n.tells("back within 30 days", func() { second.off = false }, "32 8")
		n.tells("another posting of the job", func() {
			n.notices[3] = &notice{job: 8, title: "Koch in Vollzeit", state: "open", place: 1, category: "32"}
		})
		n.tells("a search that is new", func() { n.save("late", jobmirror.SavedSearch{Text: "koch"}) })
		n.tells("a third job", func() { n.notices[4] = &notice{job: 9, title: "Koch", state: "open", place: 2} }, "cook 9", "late 9")
		n.tells("a search that is removed", func() {
			n.searches.Remove("cook")
			n.notices[5] = &notice{job: 10, title: "Kochs", state: "open", place: 2}
		}, "late 10")
		n.tells("a search that is another", func() {
			n.save("late", jobmirror.SavedSearch{Text: "pilot"})
			n.notices[6] = &notice{job: 11, title: "Koch", state: "open", place: 2}
		})
		n.tells("hidden", func() { n.notices[12] = &notice{job: 12, title: "Pilot", state: "inactive", place: 2} })
		n.tells("gone for long", func() { n.notices[4].off, n.notices[4].title = true, "Pilotin" })
		if err := jobmirror.Exec(t.Context(), n.m, "UPDATE changes SET at = at - 2678400000"); err != nil { // 31 days
			t.Fatal(err)
		}
		n.save("cook", jobmirror.SavedSearch{Text: "koch"})
		n.tells("back after 31 days", func() { n.notices[4].off, n.notices[4].title = false, "Koch" }, "cook 9")
		n.tells("a change after 31 days", func() { first.title = "Koch und Köchin" })
	})
}

// Rows that are held change nothing: nobody is told of what is shown again.
func TestMatchesOfHeldRows(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		n := newNoticed(t, address)
		n.save("cook", jobmirror.SavedSearch{Text: "koch"})
		var want []string
		fill := func() {
			for i := range 20 {
				n.notices[i+1] = &notice{job: 10 + i, title: "Koch", state: "open"}
				want = append(want, fmt.Sprint("cook ", 10+i))
			}
		}
		n.change(fill)
		n.tells("twenty jobs", func() {}, want...)
		n.tells("an empty channel", func() {
			for _, notice := range n.notices {
				notice.off = true
			}
		})
		if found := find(t, n.m, jobmirror.Query{Text: "koch"}); len(found) != 20 {
			t.Errorf("%d rows are held, want 20", len(found))
		}
		n.tells("all is back", func() {
			for _, notice := range n.notices {
				notice.off = false
			}
		})
	})
}

// Who begins to see a posting on a date is told of it then.
func TestMatchesOfDates(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		n := newNoticed(t, address)
		n.save("cook", jobmirror.SavedSearch{Text: "koch"})
		const later = 99_999_999_999_999
		n.tells("before their dates", func() {
			n.notices[1] = &notice{job: 7, title: "Koch", state: "open", begins: later}
			n.notices[2] = &notice{job: 8, title: "Koch", state: "open", begins: later}
		})
		// As if the dates had come since: for one posting it is noted beside the work of a refresh, for
		// the other by a refresh that reads it again.
		come := func(posting int) {
			n.notices[posting].begins = 1
			err := jobmirror.Exec(t.Context(), n.m, fmt.Sprintf("UPDATE postings SET record = replace(record, '%s', '1'), visibility_due = 1 WHERE posting = %d", strconv.FormatInt(later, 10), posting))
			if err != nil {
				t.Fatal(err)
			}
		}
		come(1)
		if err := jobmirror.IndexNow(t.Context(), n.m); err != nil {
			t.Fatal(err)
		}
		n.tells("a date that has come", func() {}, "cook 7")
		n.tells("another one", func() { come(2) }, "cook 8")
		n.tells("after the dates", func() {})
	})
}
