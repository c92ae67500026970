package jobsite_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// What a visitor sees of a job, in each state of the board and of the job.
func TestPrecheck(t *testing.T) {
	fault := func(op jobboardtest.Operation, status int) func(*rig) {
		return func(s *rig) {
			s.fake.Fail(jobboardtest.Fault{Operation: op, Status: status, Body: `{"error":"invalid_token"}`, Header: http.Header{"Retry-After": {"7"}}})
		}
	}
	both := func(status int) func(*rig) {
		return func(s *rig) { fault(jobboardtest.OpApplied, status)(s); fault(jobboardtest.OpApplication, status)(s) }
	}
	for _, test := range []struct {
		name      string
		job       func(jobboardtest.DemoInfo) int64
		change    func(*rig)
		situation jobsite.Situation
		status    int
		signedIn  bool // after it
	}{
		{"open", nil, nil, jobsite.MayApply, 200, true},
		{"nobody", nil, func(s *rig) { s.send("POST", "/signout", url.Values{}) }, jobsite.SignInFirst, 403, false},
		{"applied", func(d jobboardtest.DemoInfo) int64 { return d.AppliedJob }, nil, jobsite.AlreadyApplied, 200, true},
		{"withdrawn", func(d jobboardtest.DemoInfo) int64 { return d.WithdrawnJob }, nil, jobsite.AlreadyApplied, 200, true},
		{"no applications", func(d jobboardtest.DemoInfo) int64 { return d.ClosedJob }, nil, jobsite.Closed, 410, true},
		{"inactive", func(d jobboardtest.DemoInfo) int64 { return d.InactiveJob }, nil, jobsite.Closed, 410, true},
		{"internal", func(d jobboardtest.DemoInfo) int64 { return d.InternalJob }, nil, jobsite.NotVisible, 404, true},
		{"unknown", func(d jobboardtest.DemoInfo) int64 { return d.UnknownJob }, nil, jobsite.Gone, 404, true},
		{"token refused at once", nil, fault(jobboardtest.OpApplied, 401), jobsite.SignInRefused, 403, false},
		{"the site's credential refused", nil, fault(jobboardtest.OpJobInformation, 401), jobsite.AppliedUnknown, 200, true},
		{"busy", nil, both(429), jobsite.AppliedUnknown, 200, true},
		{"down", nil, both(503), jobsite.AppliedUnknown, 200, true},
		{"lookup down", nil, fault(jobboardtest.OpJobInformation, 500), jobsite.AppliedUnknown, 200, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newRig(t)
			s.enter()
			job := s.fake.Demo.OpenJob
			if test.job != nil {
				job = test.job(s.fake.Demo)
			}
			if test.change != nil {
				test.change(s)
			}
			var o jobsite.Outcome
			s.page = func(_ http.ResponseWriter, r *http.Request) {
				o = s.signIn.Precheck(r, jobboard.JobID(job), jobsite.German())
			}
			s.get("/")
			if o.Situation != test.situation || o.Status != test.status || o.Text != jobsite.German().Situations[test.situation] || o.MayApply() != (test.situation == jobsite.MayApply || test.situation == jobsite.AppliedUnknown) {
				t.Errorf("%+v", o)
			}
			if o.Situation == jobsite.MayApply && (o.Check.Information == nil || o.Err != nil) {
				t.Errorf("no form: %+v", o)
			}
			s.fake.LiftFaults()
			var signedIn bool
			s.page = func(_ http.ResponseWriter, r *http.Request) { _, signedIn = s.signIn.Visitor(r) }
			if s.get("/"); signedIn != test.signedIn {
				t.Errorf("signed in after it: %v", signedIn)
			}
		})
	}
}

// A token that ends after a while is no reason to give up: signing in again helps.
func TestTokenEnds(t *testing.T) {
	store := &agingStore{}
	s := newRig(t, func(c *jobsite.SignInConfig) { c.Store = store })
	s.enter()
	store.age(t, s)
	s.fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: 401, Body: `{"error":"invalid_token"}`})
	var o jobsite.Outcome
	s.page = func(_ http.ResponseWriter, r *http.Request) {
		o = s.signIn.Precheck(r, jobboard.JobID(s.fake.Demo.OpenJob), jobsite.English())
	}
	if s.get("/"); o.Situation != jobsite.SignInAgain || o.Status != 403 {
		t.Errorf("%+v", o)
	}
	if store.found != nil {
		t.Error("the session is still in the store")
	}
}

// agingStore keeps one session, which can be made older.
type agingStore struct{ found []byte }

func (s *agingStore) Delete(string) error                          { s.found = nil; return nil }
func (s *agingStore) Find(string) ([]byte, bool, error)            { return s.found, s.found != nil, nil }
func (s *agingStore) Commit(_ string, b []byte, _ time.Time) error { s.found = b; return nil }

func (s *agingStore) age(t *testing.T, r *rig) {
	t.Helper()
	aged, err := jobsite.Age(r.signIn, s.found, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.found = aged
}

// Nothing that a visitor can meet is without words, in either language.
func TestTexts(t *testing.T) {
	english, german := jobsite.English(), jobsite.German()
	if len(english.Situations) != 14 || len(german.Situations) != 14 {
		t.Errorf("%d and %d situations", len(english.Situations), len(german.Situations))
	}
	for situation := range english.Situations {
		if german.Situation(situation) == german.Other || german.Situation(situation) == english.Situation(situation) {
			t.Errorf("%s is %q", situation, german.Situation(situation))
		}
	}
	for reason := range english.Problems {
		if german.Problems[reason] == "" {
			t.Errorf("%s has no words in German", reason)
		}
	}
	tooLong := prescreen.Problem{Reason: prescreen.ReasonTooLong, Limit: 200, Length: 311}
	if got := german.Problem(tooLong); got != "Bitte höchstens 200 Zeichen; es sind 311." {
		t.Error(got)
	}
	if got := english.Problem(prescreen.Problem{Reason: "new"}); got != english.Other {
		t.Error(got)
	}
}

// A site whose pages say whether their visitor may apply.
func ExampleSignIn() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // a site has the board's addresses here
	defer fake.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		fmt.Println(err)
		return
	}
	// begin
	signIn, err := jobsite.NewSignIn(jobsite.SignInConfig{
		Client: client,
		URL:    "https://jobs.example",
		OAuth2: oauth2.Config{ClientID: fake.Demo.ClientID, Endpoint: oauth2.Endpoint{AuthURL: fake.AuthURL, TokenURL: fake.TokenURL}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/jobs/{job}/apply", func(w http.ResponseWriter, r *http.Request) {
		id, err := jobboard.ParseJobID(r.PathValue("job"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		form, err := signIn.Form(r, id, jobsite.English(), prescreen.Rules{MaxText: 200})
		if err != nil {
			http.Error(w, "no form", jobboard.HTTPStatus(err))
			return
		}
		form.WriteHeader(w)
		fmt.Fprintln(w, form.Text)
		for _, field := range form.Fields {
			fmt.Fprintln(w, field.Name, field.Control, field.Label, field.Value)
		}
	})
	site := signIn.Handler(mux) // for http.ListenAndServe
	// end
	fmt.Println(answer(site, fmt.Sprintf("/jobs/%d/apply", fake.Demo.OpenJob)))
	// Output:
	// 403 Sign in to see whether you may apply.
}
