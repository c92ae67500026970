package jobboardtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestSaveAndLoad(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	srv.SetVariants(jobboardtest.Variants{QuotedIDs: true, PageSize: 3})
	setNationalities(t, srv, "fr", []jobboardtest.Choice{{ID: "1", Label: "française"}})
	srv.Inside().AuthorizationCode("11", 7)
	do(t, srv, "POST", srv.BaseURL+"/jobabo?channel=27828_extern&types=rss", "", "")
	srv.RemovePosting(srv.AddPosting(jobboardtest.Posting{Title: "gone, and its identifier with it"}).ID)
	var file bytes.Buffer
	if err := srv.Snapshot().Write(&file); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"version", "last_id", "channels", "companies", "jobs", "postings", "clients", "applicants", "applications", "tokens", "codes", "subscriptions", "nationalities", "variants", "demo",
	} {
		if !strings.Contains(file.String(), "\n  \""+key+"\": ") {
			t.Errorf("no %s in the file", key)
		}
	}

	other := jobboardtest.New(t)
	in, err := jobboardtest.ReadState(bytes.NewReader(file.Bytes()))
	// A server that begins with a state answers as it says, unless it is told.
	told := jobboardtest.Variants{PageSize: 2}
	for want, options := range map[jobboardtest.Variants][]jobboardtest.Option{
		{QuotedIDs: true, PageSize: 3}: nil, told: {jobboardtest.WithVariants(told)},
	} {
		begun := jobboardtest.New(t, append(options, jobboardtest.WithState(in))...)
		if got := begun.Variants(); got != want {
			t.Errorf("it begins with %+v, want %+v", got, want)
		}
	}
	if err == nil {
		err = other.Restore(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, b := srv.Snapshot(), other.Snapshot()
	a.Demo, b.Demo = jobboardtest.DemoInfo{}, jobboardtest.DemoInfo{}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("saved  %+v\nloaded %+v", a, b)
	}
	for _, u := range []string{"/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=berlin"} {
		_, want := get(t, srv, srv.BaseURL+u, srv.Demo.ApplicantToken)
		if _, got := get(t, other, other.BaseURL+u, srv.Demo.ApplicantToken); !bytes.Equal(got, want) {
			t.Errorf("%s: %s, want %s", u, got, want)
		}
	}
	// New identifiers do not meet old ones.
	if j := other.AddJob(jobboardtest.Job{Title: "new"}); j.ID <= a.LastID {
		t.Errorf("a new job has the identifier %d, and %d was given", j.ID, a.LastID)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestLoadRefuses(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "kept"})
	load := func(text string) error {
		in, err := jobboardtest.ReadState(strings.NewReader(text))
		if err != nil {
			return err
		}
		return srv.Restore(in)
	}
	for bad, want := range map[string]string{
		``: "reading the state: EOF", `[]`: "reading the state: json: cannot unmarshal array", `{"chanels":[]}`: "chanels",
		`{"jobs":[{"id":1}`:        "reading the state: unexpected EOF",
		`{"jobs":[]`:               "reading the state: unexpected EOF",
		`{"version":`:              "reading the state: unexpected EOF",
		`{"jobs":5}`:               "cannot unmarshal number into Go struct field State.jobs of",
		`{} {}`:                    "reading the state: something follows the JSON value",
		`{"version":-1}`:           "state: version -1 is not known, only 1",
		`{"version":2}`:            "state: version 2 is not known, only 1",
		`{"variants":{"page":-1}}`: "variant page is -1, below 0",
		`{"jobs":[{"id":1,"status":"sleeping"}]}`:                                        `state: job 1 has the unknown status "sleeping"`,
		`{"jobs":[{"id":1},{"id":1}]}`:                                                   "state: job 1 is there twice",
		`{"postings":[{"id":1},{"id":1}]}`:                                               "state: posting 1 is there twice",
		`{"tokens":[{"value":"x","kind":"gold"}]}`:                                       `state: token 0 has the unknown kind "gold"`,
		`{"tokens":[{"value":"x","kind":"user","lifetime":"long"}]}`:                     `state: token 0: the lifetime "long" is not a duration such as 1h`,
		`{"tokens":[{"value":"x","kind":"user","lifetime":"-1ns"}]}`:                     `state: token 0: the lifetime "-1ns" is not a duration such as 1h`,
		`{"tokens":[{"kind":"user"}]}`:                                                   "state: token 0 has no identifier",
		`{"channels":[{}]}`:                                                              "state: channel 0 has no identifier",
		`{"companies":[{"id":"1"},{"name":"x"}]}`:                                        "state: company 1 has no identifier",
		`{"clients":[{}]}`:                                                               "state: client 0 has no identifier",
		`{"applicants":[{}]}`:                                                            "state: applicant 0 has no identifier",
		`{"codes":[{"client_id":"10"}]}`:                                                 "state: code 0 has no identifier",
		`{"subscriptions":[{"channel":"c"}]}`:                                            "state: subscription 0 has no identifier",
		`{"clients":[{"id":"9"},{"id":"10"},{"id":"10","secret":"x"}]}`:                  "state: client 2 has the identifier of client 1",
		`{"applications":[{"applicant_id":1,"job_id":1},{"applicant_id":1,"job_id":1}]}`: "state: applicant 1 has two applications to job 1 (section 8)",
		`{"applications":[{"id":"a","job_id":1},{"id":"a","job_id":2}]}`:                 `state: two applications have the identifier "a"`,
	} {
		if err := load(bad); err == nil || !strings.HasPrefix(err.Error(), "jobboardtest: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
	// A server that has issued many tokens saves them all, and begins with them again.
	many := `{"channels":[{}` + strings.Repeat(",{}", 1_000_000) + "]}"
	if err := load(many); err == nil || !strings.Contains(err.Error(), "channel 0 has no identifier") {
		t.Errorf("1 000 001 records: %v", err)
	}
	if err := srv.Restore(jobboardtest.State{Version: 2}); err == nil {
		t.Error("a state of another version is taken")
	}
	if _, err := jobboardtest.ReadState(iotest.ErrReader(io.ErrNoProgress)); !errors.Is(err, io.ErrNoProgress) || err.Error() != "jobboardtest: reading the state: "+io.ErrNoProgress.Error() {
		t.Errorf("reading in vain: %v", err)
	}
	if err := srv.Snapshot().Write(brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) || err.Error() != "jobboardtest: writing the state: "+io.ErrClosedPipe.Error() {
		t.Errorf("writing in vain: %v", err)
	}
	// What is given an identifier does not take one that comes later.
	if err := load(`{"jobs":[{"title":"a"},{"id":4711}],"postings":[{},{"id":4713,"version_id":4715}]}`); err != nil {
		t.Error(err)
	}
	if err := load(`{"channels":[{"id":"kept"}],"tokens":[{"value":"x","kind":"lookup","lifetime":"0s"},{"value":"y","kind":"lookup","lifetime":"1ns"}]}`); err != nil {
		t.Error(err)
	}
	if got := srv.Snapshot().Tokens; got[0].Lifetime != "" || got[1].Lifetime != "1ns" {
		t.Errorf("tokens live for %q and %q", got[0].Lifetime, got[1].Lifetime)
	}
	issued := srv.LookupToken()
	for _, token := range srv.Snapshot().Tokens {
		if token.Value == issued && token.Lifetime != "1h0m0s" {
			t.Errorf("a token that was issued lives for %q", token.Lifetime)
		}
	}
	if s := srv.Snapshot(); len(s.Channels) != 1 || s.Channels[0].ID != "kept" {
		t.Errorf("a refused load changed the state: %+v", s)
	}
	// The shortest file that is of use.
	err := load(`{"applicants":[{"id":7}],"applications":[{"applicant_id":7,"job_id":4711}],"tokens":[{"value":"hourly","kind":"user","applicant_id":7,"lifetime":"1h"}],"jobs":[{"id":4711,"title":"Nurse"}],"postings":[{"id":9,"job_id":4711,"channels":["c"],"title":"Nurse"}],"clients":[{"id":"10"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs", "10:"); postingIDs(t, body) != "9" {
		t.Errorf("%s", body)
	}
	if given := srv.Snapshot().Applications[0].ID; given == "" {
		t.Error("an application has no identifier, so that its lookup would answer with none")
	}
	for _, want := range []int{200, 401} {
		if res, _ := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs", "hourly"); res.StatusCode != want {
			t.Errorf("a token of an hour: %d, want %d", res.StatusCode, want)
		}
		srv.Advance(time.Hour)
	}
}

// readState reads a file that SaveTo wrote.
func readState(t *testing.T, file string) jobboardtest.State {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := jobboardtest.ReadState(f)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestSaveTo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	left := filepath.Join(filepath.Dir(file), ".board.json.123.tmp")
	if err := os.WriteFile(left, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := jobboardtest.NewServer(jobboardtest.WithDemo())
	if err := first.SaveTo(file); err != nil {
		t.Fatal(err)
	}
	before, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if _, err := first.Apply(first.Demo.Applicant, first.Demo.OpenJob); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if err := first.Inside().SaveError(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a killed process left is still there: %v", err)
	}

	// Whoever has the file open reads what it was.
	if old, err := jobboardtest.ReadState(before); err != nil || len(old.Applications) != len(readState(t, file).Applications)-1 {
		t.Errorf("a reader finds %d applications, %v", len(old.Applications), err)
	}

	second := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithState(readState(t, file)))
	defer second.Close()
	if second.Demo != first.Demo {
		t.Errorf("demo: %+v", second.Demo)
	}
	if _, err := second.Apply(second.Demo.Applicant, second.Demo.OpenJob); !errors.Is(err, jobboardtest.ErrAlreadyApplied) {
		t.Errorf("the application is lost: %v", err)
	}
	// Where another file cannot be written, the server saves no more.
	if err := errors.Join(second.SaveTo(file), second.SaveTo(filepath.Join(file, "below"))); err == nil || !strings.HasPrefix(err.Error(), "jobboardtest: saving the state: ") {
		t.Errorf("a place that cannot be written to: %v", err)
	}
	second.AddChannel(jobboardtest.Channel{ID: "later"})
	second.Close()
	if s := readState(t, file); slices.ContainsFunc(s.Channels, func(c jobboardtest.Channel) bool { return c.ID == "later" }) {
		t.Error("it writes to the file that it has left")
	}
}

// A change is in the file at once, those of a moment together, the last use of a token at the end.
func TestWhenItSaves(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	synctest.Test(t, func(t *testing.T) {
		read := func() (s jobboardtest.State) {
			b, err := os.ReadFile(file)
			if err != nil || json.Unmarshal(b, &s) != nil {
				t.Errorf("%v: %s", err, b)
			}
			return s
		}
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		if err := srv.SaveTo(file); err != nil {
			t.Fatal(err)
		}
		srv.AddApplicant(jobboardtest.Applicant{})
		synctest.Wait()
		if s := read(); len(s.Applicants) != 1 {
			t.Errorf("a change after a rest is not written at once: %+v", s)
		}
		token := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)
		synctest.Wait()
		if s := read(); len(s.Applicants) != 1 {
			t.Errorf("it writes at every change: %+v", s)
		}
		<-time.After(200*time.Millisecond - 1)
		if s := read(); len(s.Applicants) != 1 {
			t.Errorf("it writes before 200 ms: %+v", s)
		}
		<-time.After(1)
		synctest.Wait()
		if s := read(); len(s.Applicants) != 2 || len(s.Tokens) != 1 {
			t.Errorf("after 200 ms: %+v", s)
		}
		<-time.After(time.Second)
		srv.SetVariants(jobboardtest.Variants{PageSize: 7})
		synctest.Wait()
		if s := read(); s.Variants.PageSize != 7 {
			t.Errorf("the switches are not saved: %+v", s.Variants)
		}
		if f := fetch(t.Context(), srv.Transport(), srv.BaseURL+searchPath, token); f.status != 200 {
			t.Errorf("%+v", f)
		}
		used := time.Now()
		srv.Close()
		if s := read(); !s.Tokens[0].Since.Equal(used) {
			t.Errorf("last use %v, want %v", s.Tokens[0].Since, used)
		}
	})
}

// Of files that are given at the same moment one is kept up to date, by one writer.
func TestSaveToOneOfMany(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		defer srv.Close()
		var given sync.WaitGroup
		for _, name := range []string{"a", "b", "c", "d"} {
			given.Go(func() {
				if err := srv.SaveTo(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			})
		}
		given.Wait()
		for _, id := range []string{"1", "2"} { // the second comes while the writer rests
			srv.AddChannel(jobboardtest.Channel{ID: id})
			synctest.Wait()
		}
		channels := ""
		for _, name := range []string{"a", "b", "c", "d"} {
			for _, c := range readState(t, filepath.Join(dir, name)).Channels {
				channels += c.ID
			}
		}
		if channels != "1" {
			t.Errorf("written are %q", channels)
		}
	})
}

// A file that another program has written is left to it, and the server says so.
func TestSaveLeavesAnothersFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.json")
	first := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer first.Close()
	second := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	for _, srv := range []*jobboardtest.Server{first, second} {
		if err := srv.SaveTo(file); err != nil {
			t.Fatal(err)
		}
	}
	second.AddChannel(jobboardtest.Channel{ID: "second"})
	second.Close()
	if err := second.Inside().SaveError(); err != nil {
		t.Error(err)
	}
	first.AddChannel(jobboardtest.Channel{ID: "first"})
	if err := first.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "another program has written "+file) {
		t.Errorf("the first says %v", err)
	}
	if s := readState(t, file); len(s.Channels) != 1 || s.Channels[0].ID != "second" {
		t.Errorf("the file holds %+v", s.Channels)
	}

	// So is a posting changed in its place, or one with the same time that replaces it.
	for name, change := range map[string]func() error{
		"changed": func() error {
			return errors.Join(os.WriteFile(file, []byte("{}"), 0o600), os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)))
		},
		"replaced": func() error {
			info, err := os.Stat(file)
			other := file + ".other"
			return errors.Join(err, os.WriteFile(other, []byte("{}"), 0o600), os.Chtimes(other, info.ModTime(), info.ModTime()), os.Rename(other, file))
		},
	} {
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		if err := srv.SaveTo(file); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		srv.Close()
		if b, err := os.ReadFile(file); string(b) != "{}" || err != nil || srv.Inside().SaveError() == nil {
			t.Errorf("%s: the file holds %s, and the server says %v", name, b, srv.Inside().SaveError())
		}
	}

	// A file that is gone is nobody's.
	third := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	if err := errors.Join(third.SaveTo(file), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	third.Close()
	if s := readState(t, file); third.Inside().SaveError() != nil || len(s.Channels) != 0 {
		t.Errorf("%v, and the file holds %+v", third.Inside().SaveError(), s.Channels)
	}
}

func TestReset(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	before := srv.Snapshot()
	srv.DeactivateJob(srv.Demo.OpenJob)
	srv.SetVariants(jobboardtest.Variants{QuotedIDs: true})
	srv.Fail(jobboardtest.Fault{Status: 503})
	get(t, srv, appliedURL(srv), "")
	srv.Inside().Reset()
	if !reflect.DeepEqual(srv.Snapshot(), before) || len(srv.Inside().Faults()) != 0 || srv.Count() != 0 {
		t.Error("something stayed")
	}
}

func TestClock(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	srv := jobboardtest.New(t, jobboardtest.WithClock(func() time.Time { return at }))
	srv.Advance(time.Hour)
	if got := srv.Now(); !got.Equal(at.Add(time.Hour)) {
		t.Errorf("Now() = %v", got)
	}
	res, _ := get(t, srv, srv.BaseURL+searchPath, "")
	if got := res.Header.Get("Date"); got != "Wed, 02 Jan 2030 04:04:05 GMT" {
		t.Errorf("Date: %s", got)
	}
	for _, c := range []struct {
		by   []time.Duration
		want time.Time
	}{
		{[]time.Duration{time.Hour, -time.Hour, 0}, at},
		{[]time.Duration{math.MaxInt64, math.MaxInt64, 1}, at.Add(math.MaxInt64).Add(math.MaxInt64).Add(1)},
		{[]time.Duration{math.MinInt64, math.MinInt64, -1}, at.Add(math.MinInt64).Add(math.MinInt64).Add(-1)},
		{[]time.Duration{math.MaxInt64, math.MinInt64}, at.Add(-1)},
	} {
		srv.SetClock(func() time.Time { return at })
		for _, d := range c.by {
			srv.Advance(d)
		}
		if got := srv.Now(); !got.Equal(c.want) {
			t.Errorf("after %v it is %v, want %v", c.by, got, c.want)
		}
	}
	srv.SetClock(nil)
	if d := time.Since(srv.Now()); d < 0 || d > time.Minute {
		t.Errorf("Now() is off by %v", d)
	}
}

// UpdateJob changes a job that is there, and never its identifier.
func TestUpdateJob(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.Publish("c", jobboardtest.Job{ID: 4711, Title: "Nurse"})
	if srv.UpdateJob(4712, func(*jobboardtest.Job) { t.Error("called for a job that is not there") }) {
		t.Error("a job that is not there was changed")
	}
	if !srv.UpdateJob(4711, func(j *jobboardtest.Job) { j.ID, j.Title = 4712, "Chef" }) {
		t.Error("the job was not found")
	}
	job, ok := srv.Job(4711)
	if _, other := srv.Job(4712); !ok || other || job.ID != 4711 || job.Title != "Chef" || len(srv.Snapshot().Jobs) != 1 {
		t.Errorf("%+v, %t, another: %t", job, ok, other)
	}
}
