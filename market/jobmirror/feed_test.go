package jobmirror_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
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

// Each job of an opening with several records is copied once, stays while the opening does, and goes
// with it.
func TestOpeningsWithSeveralRecords(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		path := filepath.Join(t.TempDir(), "feed.xml")
		opening := func(ids ...int64) string {
			text := "<PositionOpening>"
			for _, id := range ids {
				text += fmt.Sprintf("<PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo>", id)
			}
			return text + "</PositionOpening>"
		}
		opts := optionsOf(srv)
		opts.Channels, opts.Feeds = nil, []jobmirror.Feed{{Name: "feed", Address: path}}
		opts.HoldMissing = -1
		d := srv.Demo
		replaceFile(t, path, "<Jobs>"+opening(d.OpenJob, d.AppliedJob, d.WithdrawnJob)+"</Jobs>")
		m := open(t, address, opts)
		for range 3 {
			refresh(t, m)
			s := feedStatus(t, m)
			if s.Rows != 3 || s.Problem != "" {
				t.Fatalf("%+v", s)
			}
			for _, id := range []int64{d.OpenJob, d.AppliedJob, d.WithdrawnJob} {
				if j, err := m.Job(t.Context(), jobboard.JobID(id)); err != nil {
					t.Fatalf("job %d: %+v, %v", id, j, err)
				}
			}
		}
		replaceFile(t, path, "<Jobs>"+opening(d.OpenJob, d.AppliedJob)+"</Jobs>")
		refresh(t, m)
		if s := feedStatus(t, m); s.Rows != 2 || s.Problem != "" {
			t.Errorf("one of three is gone: %+v", s)
		}
	})
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
				"it is a SOAP fault":  "<env:Envelope xmlns:env='e'><env:Body><env:Fault/></env:Body></env:Envelope>",
				"it is another's":     "<source><job><referencenumber>1001</referencenumber></job></source>",
			} {
				put(bad)
				err := m.Refresh(t.Context())
				s := feedStatus(t, m)
				if strings.HasSuffix(what, "fault") && !strings.Contains(s.Problem, `not a job feed: its root is "Envelope"`) {
					t.Errorf("%s, of which %s: %+v, %v", name, what, s, err)
				}
				if s.Rows < 3 || s.Problem == "" || s.Failures == 0 || strings.Contains(s.Problem, "hush") {
					t.Errorf("%s, of which %s: %+v", name, what, s)
				}
			}
			if name == "an address" {
				put(fewer)
				status = http.StatusNotFound
				if err := m.Refresh(t.Context()); err == nil || strings.Contains(err.Error(), "hush") {
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
			err := m.Refresh(ctx)
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
		err := m.Refresh(t.Context())
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
	defer func() { // Open would refuse the feeds, so the mirror that prints has them later
		*jobmirror.OptionsOf(m) = jobmirror.Options{Logger: slog.New(slog.DiscardHandler)}
	}()
	*jobmirror.OptionsOf(m) = opts
	feed := &opts.Feeds[0]
	values := []any{opts, opts.Feeds, *feed, m, struct{ M *jobmirror.Mirror }{m}, struct{ m *jobmirror.Mirror }{m}}
	for _, one := range []any{&opts, feed, m} {
		values = append(values, one, []any{one}, map[string]any{"x": one}, struct{ X any }{one}, &struct{ X any }{one})
	}
	values = append(values, []*jobmirror.Options{&opts}, map[int]*jobmirror.Options{1: &opts}, struct{ O *jobmirror.Options }{&opts},
		[]jobmirror.Options{opts}, map[int]jobmirror.Options{1: opts}, struct{ O jobmirror.Options }{opts}, [1]*jobmirror.Options{&opts},
		[]*jobmirror.Feed{feed}, map[string]*jobmirror.Feed{"f": feed}, []struct{ F *jobmirror.Feed }{{feed}},
		[]*jobmirror.Mirror{m}, map[string]*jobmirror.Mirror{"m": m}, []struct{ M *jobmirror.Mirror }{{m}})
	for _, value := range values {
		for how, text := range rig.Formats(value) {
			if strings.Contains(text, "hush") || strings.Contains(text, "68757368") || strings.Contains(text, "68 75 73 68") {
				t.Errorf("%s of a %T: %s", how, value, text)
			}
		}
	}
	for how, text := range rig.Formats(opts) {
		if strings.HasPrefix(how, "%") && how != "%+v" && how != "%v" {
			continue
		}
		for _, shown := range []string{"by name", "https://board.example/feed.xml", "jobs.xml"} {
			if !strings.Contains(text, shown) {
				t.Errorf("%s does not show %s: %s", how, shown, text)
			}
		}
	}
}

// typingErrors are addresses of a feed with a password, each with one typing error.
var typingErrors = []string{
	"htps://hushuser:hushword@feeds.example/x", "https:/hushuser:hushword@feeds.example/x", " https://hushuser:hushword@feeds.example/x",
	`"https://hushuser:hushword@feeds.example/x"`, "https://hushuser:hushword@feeds.example/%zz", "https://hushuser:hushword@feeds.example:99999/x",
	"https://hushuser:hushword@feeds.example:x/", "ftp://hushuser:hushword@feeds.example/x", "hushuser:hushword@feeds.example/x",
	"https:///x?key=hushkey", "https://:80/x?key=hushkey", "feeds.example/x?key=hushkey", "https//hushuser:hushword@feeds.example",
	"https:hushuser:hushword@feeds.example", "HTTPS:hush", "https:hush", "file:///hushuser@x", "//hushuser:hushword@feeds.example/x",
	"https://hushuser:1/hushword@feeds.example/x", "https://hushuser:1?hushword@feeds.example/x", "https://hushuser:1#hushword@feeds.example/x",
	"https://hushuser:1/a?hushword@feeds.example/x", "https://hush/word@feeds.example/x", "https://hushuser:a/b@feeds.example/x", "http://hushuser:0/",
	"https://hushuser:hush word@feeds.example/x", "x\x00hush@", "hush\x00",
}

// A mistyped address of a feed is refused when the mirror is opened, and nothing of it is told;
// a process that only reads refuses it, too.
func TestMistypedFeedAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, address := range append([]string{"", "none/x.xml", ".", "x.xml/y.xml"}, typingErrors...) {
		for _, readOnly := range []bool{false, true} {
			if readOnly && slices.Contains([]string{"none/x.xml", ".", "x.xml/y.xml"}, address) {
				continue // another machine may have it
			}
			replaceFile(t, "x.xml", "<PositionOpenings/>")
			feed := jobmirror.Feed{Address: address}
			_, err := jobmirror.Open(t.Context(), "hush.db", jobmirror.Options{
				Config: jobboard.Config{JobDBURL: "http://127.0.0.1:1"}, ReadOnly: readOnly,
				Feeds: []jobmirror.Feed{{Address: "x.xml"}, feed},
			})
			if !errors.Is(err, jobboard.ErrInvalidInput) || !strings.Contains(err.Error(), "Options.Feeds[1]") || strings.Contains(err.Error(), "hush") {
				t.Errorf("%q, to read only %t: %v", address, readOnly, err)
			}
			for how, text := range rig.Formats(feed) {
				if strings.Contains(strings.ToLower(text), "hush") || strings.Contains(strings.ToLower(text), "68757368") {
					t.Errorf("%q, printed with %s: %s", address, how, text)
				}
			}
			if _, err := os.Stat("hush.db"); err == nil {
				t.Fatalf("%q: the database was made", address)
			}
		}
	}
	for name, feeds := range map[string][]jobmirror.Feed{
		"a name with a password": {{Name: "https://hushuser:hushword@feeds.example/", Address: "x.xml"}},
		"a name with a key":      {{Name: "htps://feeds.example/?hush", Address: "x.xml"}},
		"files of one name":      {{Address: "x.xml"}, {Address: "./x.xml"}},
		"addresses of one name":  {{Address: "https://feeds.example/?key=hush"}, {Address: "https://feeds.example/?key=hushhush"}},
		"one name":               {{Name: "x", Address: "https://feeds.example/"}, {Name: "x", Address: "x.xml"}},
	} {
		_, err := jobmirror.Open(t.Context(), "hush.db", jobmirror.Options{Config: jobboard.Config{JobDBURL: "http://127.0.0.1:1"}, Feeds: feeds})
		if !errors.Is(err, jobboard.ErrInvalidInput) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is an address of a feed is taken, and of it are stored and shown host and path, or the
// last element of a path.
func TestNamesOfFeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("hushfolder", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"there.xml", "th@re.xml", "https:", "what?.xml"} {
		replaceFile(t, file, "")
	}
	for _, test := range []struct {
		address, name string
		readOnly      bool // accepted only by a process that reads
	}{
		{"https://hushuser:hushword@127.0.0.1:1/feed.xml?key=hushkey#hushfragment", "https://127.0.0.1:1/feed.xml", false},
		{"HTTP://hushuser@127.0.0.1:1?", "http://127.0.0.1:1", false},
		{"http://127.0.0.1/%40x/feed.xml?mail=hush@x", "http://127.0.0.1/%40x/feed.xml", false},
		{"https://hushuser:hush%40w%2Frd@127.0.0.1:1/", "https://127.0.0.1:1/", false},
		{"https://hushuser:hush@127.0.0.1:1/x?hush=a@b", "https://127.0.0.1:1/x", false},
		{"http://[::1]:1/x", "http://[::1]:1/x", false},
		{"http://127.0.0.1:1/a b.xml", "http://127.0.0.1:1/a%20b.xml", false},
		{"hushfolder/later.xml", "later.xml", false},
		{"later.xml", "later.xml", false},
		{"hushfolder/../there.xml", "there.xml", false},
		{"th@re.xml", "th@re.xml", false},
		{"what?.xml", "what?.xml", false},
		{"https:", "https:", false},
		{"hush/nofolder.xml", "nofolder.xml", true},
	} {
		opts := jobmirror.Options{
			Config: jobboard.Config{JobDBURL: "http://127.0.0.1:1"}, Feeds: []jobmirror.Feed{{Address: test.address}}, Limit: -1,
		}
		path := filepath.Join(t.TempDir(), "jobs.db")
		if test.readOnly {
			if err := jobmirror.Migrate(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			opts.ReadOnly = true
			open(t, path, opts)
			continue
		}
		var said strings.Builder
		opts.Logger = slogTo(&said)
		m := open(t, path, opts)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err := m.Refresh(ctx)
		cancel()
		status := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/mirror/status", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		m.Handler().ServeHTTP(status, r)
		if name := feedStatus(t, m).Name; name != test.name || !strings.Contains(status.Body.String(), `"feed"`) {
			t.Errorf("%s is named %s, want %s: %s", test.address, name, test.name, status.Body)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		file, readErr := os.ReadFile(path)
		if told := fmt.Sprint(err, said.String(), status.Body, readErr) + string(file); err == nil || strings.Contains(told, "hush") {
			t.Errorf("%s: it is told or stored: %v, %s, %s", test.address, err, said.String(), status.Body)
		}
	}
}
