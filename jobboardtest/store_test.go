package jobboardtest_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
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
		if _, got := get(t, other, other.BaseURL+u, srv.Demo.ApplicantToken); !bytes.Equal(bytes.ReplaceAll(got, []byte(other.BaseURL), []byte(srv.BaseURL)), want) {
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
