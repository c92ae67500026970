package jobmirror_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// writeFeed writes a feed of jobs into a file.
func writeFeed(t *testing.T, path string, entries ...*jobfeed.Entry) {
	t.Helper()
	var b strings.Builder
	w := feedtest.NewWriter(&b, nil)
	for _, e := range entries {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, path, b.String())
}

// serve serves a mirror's Handler.
func serve(t *testing.T, m *jobmirror.Mirror) string {
	t.Helper()
	srv := httptest.NewServer(m.Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// answer returns what a mirror's Handler answers to a caller on this machine.
func answer(t *testing.T, m *jobmirror.Mirror, target string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	return w
}

const lookUpAt = "/jobdb/public/apply/external?jobid="

// The interface's rules for search and lookup hold for the mirror, while the
// board is down.
func TestHandlerKeepsTheInterfacesRules(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		var target conformance.Target
		if demo, err := json.Marshal(srv.Demo); err != nil {
			t.Fatal(err)
		} else if err := json.Unmarshal(demo, &target); err != nil {
			t.Fatal(err)
		}
		target.SearchText, target.Languages, target.Near = "nurse", []string{"en", "de"}, "52.520014::13.373006::50"
		_, posting := srv.Publish(target.Channel, jobboardtest.Job{
			Title: "Gardener", Language: "en",
			Location:            jobboardtest.Location{Lat: "50.110556", Long: "8.682222", City: "Frankfurt"},
			AdditionalLocations: []jobboardtest.Location{{Lat: "51.312711", Long: "9.479746", City: "Kassel"}},
		})
		target.AdditionalNear, target.AdditionalPosting = "51.312711::9.479746::5", posting.ID
		_, posting = srv.Publish(target.Channel, jobboardtest.Job{Title: "Travelling Salesperson", Language: "en"})
		target.UnlocatedPosting = posting.ID

		opts := optionsOf(srv)
		opts.Channels[0].Languages = []string{"en", "de"}
		older := filepath.Join(t.TempDir(), "older.xml") // names jobs that are gone by now
		writeFeed(t, older, &jobfeed.Entry{JobID: jobboard.JobID(srv.Demo.InactiveJob)}, &jobfeed.Entry{JobID: jobboard.JobID(srv.Demo.DeletedJob)},
			&jobfeed.Entry{JobID: jobboard.JobID(srv.Demo.UnpublishedJob)})
		opts.Feeds = append(opts.Feeds, jobmirror.Feed{Address: older})
		opts.Authorize = func(r *http.Request) error {
			user, _, basic := r.BasicAuth()
			bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			lookup := strings.HasPrefix(r.URL.Path, "/jobdb/")
			if lookup || basic && user == srv.Demo.ClientID || bearer == srv.Demo.ClientToken || bearer == srv.Demo.ApplicantToken {
				return nil
			}
			return errors.New("not known")
		}
		m := open(t, address, opts)
		refresh(t, m)
		refresh(t, m) // which believes that one is gone though a feed names it
		target.BaseURL = serve(t, m)
		target.JobDBURL = target.BaseURL
		srv.Close() // the board is down

		results, err := conformance.Check(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		judged := 0
		for _, r := range results {
			if !strings.HasPrefix(r.Name, "search/") && !strings.HasPrefix(r.Name, "lookup/") {
				continue
			}
			if r.Failed() {
				t.Error(r)
			}
			if r.Skipped == "" {
				judged++
			} else if r.Name != "search/failure" {
				t.Errorf("%s is not judged: %s", r.Name, r.Skipped)
			}
		}
		if judged < 35 {
			t.Errorf("only %d rules were judged", judged)
		}
	})
}

// A client of the handler answers as one of the board does, while that is away, and one over the transport, which asks nobody
// who may, as well: the handler with all postings, the transport with those that a visitor may see.
func TestHandlerAnswersTheSDK(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		m := open(t, address, opts)
		refresh(t, m)
		base := serve(t, m)
		closed := opts
		closed.Authorize = func(*http.Request) error { return errors.New("nobody is served") }
		clients := map[string]jobboard.Config{
			"the handler":   {BaseURL: base, JobDBURL: base, ClientID: "10"},
			"the transport": {BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", ClientID: "10", HTTPClient: &http.Client{Transport: open(t, address, closed).Transport()}},
		}
		board, err := jobboard.NewClient(opts.Config)
		if err != nil {
			t.Fatal(err)
		}
		channel, job := jobboard.ChannelID(srv.Demo.Channel), jobboard.JobID(srv.Demo.OpenJob)
		byBoard := map[string]*jobboard.JobSearchResult{}
		for _, language := range []string{"de", "en"} {
			if byBoard[language], err = board.Search(t.Context(), channel, jobboard.Query{Language: language}); err != nil {
				t.Fatal(err)
			}
			if _, n := all(t, m, jobmirror.Query{Language: language, All: true}); n != byBoard[language].TotalNumberOfJobs {
				t.Errorf("the copy has %d of %d postings", n, byBoard[language].TotalNumberOfJobs)
			}
		}
		want, err := board.JobInformation(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		srv.Fail(jobboardtest.Fault{Status: http.StatusServiceUnavailable, Optional: true})
		for name, config := range clients {
			mirror, err := jobboard.NewClient(config)
			if err != nil {
				t.Fatal(err)
			}
			for language, of := range byBoard {
				byMirror, err := mirror.Search(t.Context(), channel, jobboard.Query{Language: language})
				if err != nil {
					t.Fatal(err)
				}
				every := name == "the handler"
				shown, n := all(t, m, jobmirror.Query{Language: language, Order: jobmirror.Newest, All: every})
				if n == 0 || (n == of.TotalNumberOfJobs) != every || byMirror.TotalNumberOfJobs != n || len(byMirror.Results) != n {
					t.Fatalf("%s: %d postings of %d, %d of the board's %d are to be shown", name, len(byMirror.Results), byMirror.TotalNumberOfJobs, n, of.TotalNumberOfJobs)
				}
				for i, got := range byMirror.Results {
					at := slices.IndexFunc(of.Results, func(p jobboard.JobPosting) bool { return p.JobPostingID == got.JobPostingID })
					if at < 0 || got.JobPostingID != shown[i] || !got.Config.Equal(of.Results[at].Config) {
						t.Fatalf("%s has %+v, and %d should be there", name, got, shown[i])
					}
					w := of.Results[at]
					if got.Config, w.Config = (jobboard.PostingConfig{}), (jobboard.PostingConfig{}); !reflect.DeepEqual(got, w) {
						t.Errorf("%s has %+v, the board %+v", name, got, w)
					}
				}
			}
			got, err := mirror.JobInformation(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			had := *want
			if got.Timestamp, had.Timestamp = (jobboard.Timestamp{}), (jobboard.Timestamp{}); text(got) != text(&had) {
				t.Errorf("%s says %s\nthe board %s", name, text(got), text(&had))
			}
			if _, err := mirror.JobInformation(t.Context(), jobboard.JobID(srv.Demo.InactiveJob)); !errors.Is(err, jobboard.ErrJobInactive) {
				t.Errorf("%s of an inactive job: %v", name, err)
			}
			if _, err := mirror.JobInformation(t.Context(), 4711); !errors.Is(err, jobboard.ErrJobUnavailable) {
				t.Errorf("%s of an unknown job: %v", name, err)
			}
			if _, err := mirror.Applicant(jobboard.StaticToken("x")).HasApplied(t.Context(), 1); jobboard.HTTPStatus(err) != http.StatusBadGateway {
				t.Errorf("%s, the applied check: %v", name, err)
			}
		}
	})
}

func TestHandlerServesOnlyThisMachineWithoutAuthorize(t *testing.T) {
	t.Parallel()
	m := open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{})
	for from, want := range map[string]int{"192.0.2.1:5": http.StatusForbidden, "127.0.0.1:5": http.StatusOK, "[::1]:5": http.StatusOK} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mirror/live", http.NoBody)
		r.RemoteAddr, r.Host = from, "localhost"
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("from %s: %d, not %d", from, w.Code, want)
		}
		for _, header := range []string{
			"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-proto", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP",
		} {
			for _, spelled := range []string{header, http.CanonicalHeaderKey(header), strings.ToLower(header)} {
				r.Header = http.Header{spelled: {"192.0.2.1"}}
				w = httptest.NewRecorder()
				m.Handler().ServeHTTP(w, r)
				if w.Code != http.StatusForbidden {
					t.Errorf("from %s with %s: %d", from, spelled, w.Code)
				}
			}
		}
	}
}

// A page whose name leads to this machine reads nothing, whoever else may ask.
func TestHandlerServesItsOwnNamesAlone(t *testing.T) {
	t.Parallel()
	for _, authorize := range []func(*http.Request) error{nil, func(*http.Request) error { return nil }} {
		m := open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{Authorize: authorize, Hosts: []string{"jobs.internal", "jobs.bücher.example"}})
		for host, want := range map[string]int{
			"localhost": 200, "LOCALHOST:8080": 200, "mirror.localhost:80": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "192.0.2.7": 200,
			"jobs.internal": 200, "Jobs.Internal:8080": 200, "jobs.internal.": 200, "": 200,
			"jobs.xn--bcher-kva.example": 200, "jobs.xn--bcher-kva.example:8080": 200, "xn--bcher-kva.example": 403,
			"jobs.internal.example": 403, "evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403,
			"notlocalhost": 403, "[::1].evil.example": 403,
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mirror/live", http.NoBody)
			r.RemoteAddr, r.Host = "127.0.0.1:5", host
			w := httptest.NewRecorder()
			m.Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%q: %d, not %d", host, w.Code, want)
			}
		}
	}
}

// A reader that knows nothing but the stream has the rows of the tables, from
// the first row, from a cursor, and after a job was forgotten.
func TestStreamRebuildsTheTables(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the reader is in another language")
	}
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		base := serve(t, m)
		srv.UpdateJob(srv.Demo.AppliedJob, func(j *jobboardtest.Job) { j.Title = "Changed <b>" })
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "New"})
		refresh(t, m)
		if err := m.Forget(t.Context(), jobboard.JobID(srv.Demo.OpenJob)); err != nil {
			t.Fatal(err)
		}
		want, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		for name, query := range map[string]string{"rows": "", "the whole log": "?since=" + string(at[:strings.IndexByte(string(at), '-')]) + "-0-0"} {
			command := exec.CommandContext(t.Context(), python, "testdata/follow.py", base+"/mirror/changes"+query, string(at))
			out, err := command.Output()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var got map[string]json.RawMessage
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Errorf("%s: the reader has %d rows, the mirror %d", name, len(got), len(want))
			}
			for k, text := range want {
				if !sameJSON(t, []byte(text), got[k]) {
					t.Errorf("%s: %s: the reader has %s, the mirror %s", name, k, got[k], text)
				}
			}
		}
	})
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	if b == nil {
		return false
	}
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func TestStreamGoesOnAndRefusesCursors(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		base := serve(t, m)
		_, at, err := snapshot(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		stream := get(ctx, t, base+"/mirror/changes", string(at))
		defer stream.Body.Close()
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "A new one"})
		refresh(t, m)
		lines := bufio.NewScanner(stream.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") {
				if !strings.Contains(lines.Text(), "A new one") {
					t.Errorf("the first change is %s", lines.Text())
				}
				break
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		for _, bad := range []string{"0000-1", "x", string(at) + "0"} {
			rs := get(ctx, t, base+"/mirror/changes", bad)
			rs.Body.Close()
			if rs.StatusCode != http.StatusGone {
				t.Errorf("the cursor %q is answered with %s", bad, rs.Status)
			}
		}
	})
}

func get(ctx context.Context, t *testing.T, address, last string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", last)
	rs, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// A process is ready when what it copies itself was copied once: a channel that
// only another names, or named once, does not hold it up.
func TestReadyOnceItsOwnChannelsAreCopied(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		ready := func(opts jobmirror.Options, fill bool) int {
			t.Helper()
			m := open(t, address, opts)
			if fill {
				refresh(t, m)
			}
			return answer(t, m, "/mirror/ready").Code
		}
		misspelt := optionsOf(srv)
		misspelt.Channels = []jobmirror.Channel{{ID: "no_such_channel"}}
		if code := ready(misspelt, false); code != http.StatusServiceUnavailable {
			t.Errorf("before anything was copied: %d", code)
		}
		if code := ready(optionsOf(srv), true); code != http.StatusOK {
			t.Errorf("with its own channels copied: %d", code)
		}
		if code := ready(jobmirror.Options{ReadOnly: true}, false); code != http.StatusServiceUnavailable {
			t.Errorf("a reader of all channels: %d", code)
		}
	})
}
