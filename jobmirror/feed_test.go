package jobmirror_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// feedStatus returns the status of a mirror's only source.
func feedStatus(t *testing.T, m *jobmirror.Mirror) jobmirror.SourceStatus {
	t.Helper()
	status, err := m.Status(t.Context())
	if err != nil || len(status.Sources) != 1 {
		t.Fatalf("%+v, %v", status, err)
	}
	return status.Sources[0]
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err) // memory
	}
	return b.String()
}

// A feed is read from a file and from an address, plain and compressed. One that
// is not whole takes nothing away, and the status says what is wrong with it.
func TestFeedsThatAreNotWhole(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		jobs := []int64{srv.Demo.OpenJob, srv.Demo.AppliedJob, srv.Demo.WithdrawnJob}
		path := filepath.Join(t.TempDir(), "feed.xml")
		read := func(jobs ...int64) string {
			t.Helper()
			feedOf(t, path, jobs, 0)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		whole, fewer := read(jobs...), read(jobs[0])
		served, status := "", http.StatusOK
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(served))
		}))
		defer web.Close()
		for name, source := range map[string]string{"a file": path, "an address": web.URL + "/feed.xml?key=hush"} {
			opts := optionsOf(srv)
			opts.Channels, opts.Feeds = nil, []jobmirror.Feed{{Name: "feed", Address: source}}
			opts.HoldMissing = -1 // the same feed loses entries twice in a short time
			m := open(t, address, opts)
			put := func(text string) {
				t.Helper()
				served = text
				replaceFile(t, path, text)
			}
			put(whole)
			refresh(t, m)
			if s := feedStatus(t, m); s.Rows != 3 || s.Complete.IsZero() || s.Problem != "" {
				t.Fatalf("%s: %+v", name, s)
			}
			put(zipped(whole))
			refresh(t, m)
			if s := feedStatus(t, m); s.Rows != 3 || s.Problem != "" {
				t.Errorf("%s, compressed: %+v", name, s)
			}
			broken := strings.Replace(fewer, jobboard.JobID(jobs[0]).String(), "no number", 1)
			if broken == fewer {
				t.Fatal("no entry is broken")
			}
			for what, bad := range map[string]string{
				"an entry is broken":  broken,
				"it is cut off":       whole[:len(whole)*2/3],
				"its gzip is cut off": zipped(whole)[:100],
				"it is a page":        "<!doctype html><html><body>Please sign in",
				"it is empty":         "",
			} {
				put(bad)
				_, _ = m.Refresh(t.Context())
				if s := feedStatus(t, m); s.Rows < 3 || s.Problem == "" || s.Failures == 0 || strings.Contains(s.Problem, "hush") {
					t.Errorf("%s, of which %s: %+v", name, what, s)
				}
			}
			if name == "an address" {
				put(fewer)
				status = http.StatusNotFound
				if _, err := m.Refresh(t.Context()); err == nil || strings.Contains(err.Error(), "hush") {
					t.Errorf("an address that is not there: %v", err)
				}
				status = http.StatusOK
				if s := feedStatus(t, m); s.Rows < 3 || !strings.Contains(s.Problem, "404") {
					t.Errorf("an address that is not there: %+v", s)
				}
			}
			put(fewer)
			refresh(t, m)
			if s := feedStatus(t, m); s.Rows != 1 || s.Problem != "" || s.Failures != 0 {
				t.Errorf("%s, whole and with one entry: %+v", name, s)
			}
			checkReplay(t, m)
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// feedBehind is the transport of a feed behind redirects. It notes when each
// request came.
type feedBehind struct {
	redirects int
	feed      string
	asked     []time.Time
	told      string // what requests said of the address before
}

func (f *feedBehind) RoundTrip(r *http.Request) (*http.Response, error) {
	f.asked = append(f.asked, time.Now())
	f.told += r.Header.Get("Referer") + r.Header.Get("Authorization")
	rs := httptest.NewRecorder()
	if len(f.asked) <= f.redirects {
		http.Redirect(rs, r, fmt.Sprintf("https://mirror%d.example/feed.xml", len(f.asked)), http.StatusFound)
	} else {
		rs.Body.WriteString(f.feed)
	}
	return rs.Result(), nil
}

// Each redirect on the way to a feed waits for a slot of the limit, however long
// that takes, as every request does. The client's own check of redirects holds, and
// the feed's address, with a key that it may hold, is told to nobody else.
func TestFeedRedirectsAreLimited(t *testing.T) {
	t.Parallel()
	const gap = 100 * time.Second // more than a feed may send nothing
	refused := errors.New("not this way")
	for name, test := range map[string]struct {
		redirects int
		check     func(*http.Request, []*http.Request) error
		deadline  time.Duration
		requests  int
		want      string // in the error
	}{
		"followed":             {redirects: 3, deadline: time.Hour, requests: 4},
		"followed by a check":  {redirects: 11, check: func(*http.Request, []*http.Request) error { return nil }, deadline: time.Hour, requests: 12},
		"too many":             {redirects: 11, deadline: time.Hour, requests: 10, want: "stopped after 10 redirects"},
		"refused":              {redirects: 3, check: func(*http.Request, []*http.Request) error { return refused }, deadline: time.Hour, requests: 1, want: refused.Error()},
		"given up in the wait": {redirects: 3, deadline: 3 * gap / 2, requests: 2, want: context.DeadlineExceeded.Error()},
	} {
		inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
			transport := &feedBehind{redirects: test.redirects, feed: "<Jobs/>"}
			opts := optionsOf(srv)
			opts.Channels, opts.Limit = nil, 1/gap.Seconds()
			opts.Feeds = []jobmirror.Feed{{Address: "https://feeds.example/?key=hush", HTTPClient: &http.Client{Transport: transport, CheckRedirect: test.check}}}
			m := open(t, path, opts)
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			defer cancel()
			_, err := m.Refresh(ctx)
			if said := fmt.Sprint(err); (err != nil) != (test.want != "") || !strings.Contains(said, test.want) {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
			if transport.told != "" {
				t.Errorf("%s: other hosts are told %q", name, transport.told)
			}
			if len(transport.asked) != test.requests {
				t.Errorf("%s: %d requests, want %d", name, len(transport.asked), test.requests)
			}
			for i := 1; i < len(transport.asked); i++ {
				if d := transport.asked[i].Sub(transport.asked[i-1]); d < gap {
					t.Errorf("%s: request %d comes %s after the one before", name, i, d)
				}
			}
		})
	}
}

// Nothing that opens the board or a feed is in the database's file, nor in what
// the mirror says when it fails.
func TestNoCredentialIsStored(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*jobboardtest.Fault{"all is well": nil, "the board refuses": {Status: http.StatusUnauthorized}} {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		feed := strings.Replace(srv.FeedURL, "http://", "http://hushuser:hushpassword@", 1) + "?key=hushkey#hushfragment"
		if fault != nil {
			srv.Fail(*fault)
		}
		path := filepath.Join(t.TempDir(), "jobs.db")
		opts := optionsOf(srv)
		opts.Config.ClientID, opts.Config.TokenSource = "", jobboard.StaticToken(srv.Demo.ClientToken)
		opts.Feeds = []jobmirror.Feed{{Address: feed}}
		var said strings.Builder
		opts.Logger = slogTo(&said)
		m := open(t, path, opts)
		_, err := m.Refresh(t.Context())
		if (err != nil) != (fault != nil) {
			t.Errorf("%s: %v", name, err)
		}
		status, statusErr := m.Status(t.Context())
		if statusErr != nil {
			t.Fatal(statusErr)
		}
		told := said.String() + text(status)
		if err != nil {
			told += err.Error()
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"hush", srv.Demo.ClientToken} {
			if strings.Contains(told, secret) {
				t.Errorf("%s: %q is told: %s", name, secret, told)
			}
			if bytes.Contains(file, []byte(secret)) {
				t.Errorf("%s: %q is in the database", name, secret)
			}
		}
	}
}

// No secret is printed with options, a feed or a mirror, in whatever form.
func TestPrintingTellsNoSecret(t *testing.T) {
	t.Parallel()
	opts := jobmirror.Options{
		Config: jobboard.Config{BaseURL: "https://board.example", JobDBURL: "https://board.example", ClientID: "hushclient"},
		Feeds: []jobmirror.Feed{
			{Name: "by name", Address: "https://hushuser:hushpassword@board.example/feed.xml?key=hushkey#hushfragment"},
			{Address: "https://hushuser:hush password@board.example/feed.xml"},
			{Address: "ftp://hushuser@board.example/feed.xml"},
			{Address: "feeds/jobs.xml"},
		},
	}
	m := open(t, filepath.Join(t.TempDir(), "hush.db"), jobmirror.Options{})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, value := range []any{opts, &opts, opts.Feeds, opts.Feeds[0], m, struct{ M *jobmirror.Mirror }{m}} {
			text := fmt.Sprintf(verb, value)
			if strings.Contains(text, "hush") || strings.Contains(text, "68757368") {
				t.Errorf("%s of a %T: %s", verb, value, text)
			}
		}
	}
	inJSON, err := json.Marshal(opts.Feeds)
	if err != nil || strings.Contains(string(inJSON), "hush") {
		t.Errorf("in JSON: %s, %v", inJSON, err)
	}
	for _, shown := range []string{"by name", "https://board.example/feed.xml", "feeds/jobs.xml"} {
		if !strings.Contains(fmt.Sprintf("%+v", opts), shown) || !strings.Contains(string(inJSON), shown) {
			t.Errorf("%s is not shown: %+v, %s", shown, opts, inJSON)
		}
	}
}
