package jobsite_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// What a visitor sees of a form, opened and sent, in each state of the sign-in, of the
// job and of the board.
func TestForm(t *testing.T) {
	rules := prescreen.Rules{MaxText: 200, MaxTextArea: 2000}
	fault := func(op jobboardtest.Operation, status int) func(*rig) {
		return func(s *rig) { s.fake.Fail(jobboardtest.Fault{Operation: op, Status: status}) }
	}
	leave := func(s *rig) { s.send("POST", "/signout", url.Values{}) }
	some := url.Values{"q9": {"55.000"}}
	from := func(session string) url.Values { return url.Values{"q9": {"55.000"}, "session": {session}} }
	for _, test := range []struct {
		name      string
		sent      url.Values // nil: the form is opened
		change    func(*rig)
		situation jobsite.Situation
		status    int
		show      bool
		problems  bool
	}{
		{"opened", nil, nil, jobsite.MayApply, 200, true, false},
		{"some answers", some, nil, jobsite.MayApply, 422, true, true},
		{"nobody", nil, leave, jobsite.SignInFirst, 403, false, false},
		{"sent by nobody", some, leave, jobsite.SignInToSend, 403, true, false},
		{"sent with a new token that is refused", some, fault(jobboardtest.OpApplied, 401), jobsite.SignInRefused, 403, true, false},
		{"of another session", from("another"), nil, jobsite.SignedInAnew, 409, true, false},
		{"opened by nobody", from(""), nil, jobsite.SignedInAnew, 409, true, false},
		{"board down", nil, fault(jobboardtest.OpApplied, 503), jobsite.NotChecked, 502, true, false},
		{"sent, applied check down", some, func(s *rig) {
			fault(jobboardtest.OpApplied, 503)(s)
			fault(jobboardtest.OpApplication, 503)(s)
		}, jobsite.NotChecked, 502, true, false},
		{"sent, board busy", some, func(s *rig) {
			fault(jobboardtest.OpApplied, 429)(s)
			fault(jobboardtest.OpApplication, 429)(s)
		}, jobsite.Busy, 503, true, false},
		{"sent, board down", some, func(s *rig) { s.fake.Fail(jobboardtest.Fault{Status: 503}) }, jobsite.NotChecked, 502, false, false},
		{"sent, closed meanwhile", some, func(s *rig) { s.fake.DeactivateJob(s.fake.Demo.OpenJob) }, jobsite.Closed, 410, false, false},
		{"sent, applied meanwhile", some, func(s *rig) { _, _ = s.fake.Apply(s.fake.Demo.Applicant, s.fake.Demo.OpenJob) }, jobsite.AlreadyApplied, 200, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newRig(t)
			s.enter()
			if test.change != nil {
				test.change(s)
			}
			var p jobsite.FormPage
			s.page = func(w http.ResponseWriter, r *http.Request) {
				var err error
				if p, err = s.signIn.Form(r, jobboard.JobID(s.fake.Demo.OpenJob), jobsite.English(), rules); err != nil {
					t.Error(err)
				}
				p.WriteHeader(w)
			}
			method := "GET"
			if test.sent != nil {
				method = "POST"
			}
			status, _, _ := s.send(method, "/", test.sent)
			if p.Situation != test.situation || p.Text != jobsite.English().Situations[test.situation] || status != test.status ||
				p.Show != test.show || (p.Problems > 0) != test.problems || p.Complete {
				t.Errorf("%d %q %q, show %t, %d problems, complete %t", status, p.Situation, p.Text, p.Show, p.Problems, p.Complete)
			}
			if (p.Fields != nil) != test.show {
				t.Errorf("fields %v", p.Fields)
			}
			for _, f := range p.Fields {
				if f.Name == "q9" && f.Value != test.sent.Get("q9") {
					t.Errorf("the answer is %q now", f.Value)
				}
			}
			if test.problems && p.Checked.Values["9"] != "55.000" {
				t.Errorf("checked %v", p.Checked.Values)
			}
		})
	}
}

// After a sign-in has ended, the visitor can sign in again and then send the answers.
func TestFormTokenEnds(t *testing.T) {
	store := &agingStore{}
	s := newRig(t, func(c *jobsite.SignInConfig) { c.Store = store })
	s.enter()
	store.age(t, s)
	s.fake.Fail(jobboardtest.Fault{Operation: jobboardtest.OpApplied, Status: 401, Body: `{"error":"invalid_token"}`})
	var p jobsite.FormPage
	s.page = func(_ http.ResponseWriter, r *http.Request) {
		var err error
		if p, err = s.signIn.Form(r, jobboard.JobID(s.fake.Demo.OpenJob), jobsite.English(), prescreen.Rules{}); err != nil {
			t.Error(err)
		}
	}
	if s.send("POST", "/", url.Values{"q9": {"55.000"}}); p.Situation != jobsite.SignInToSend || !p.Show {
		t.Errorf("%q, show %t", p.Situation, p.Show)
	}
}

// A whole form is complete, with its session; a body that is no form gets an error with
// its status.
func TestFormComplete(t *testing.T) {
	s := newRig(t)
	s.enter()
	var p jobsite.FormPage
	var failed error
	s.page = func(_ http.ResponseWriter, r *http.Request) {
		p, failed = s.signIn.Form(r, jobboard.JobID(s.fake.Demo.OpenJob), jobsite.German(), prescreen.Rules{})
	}
	s.get("/")
	if p.Session == "" || len(p.Fields) == 0 || failed != nil {
		t.Fatalf("%+v, %v", p, failed)
	}
	answers := url.Values{"session": {p.Session}}
	for _, f := range p.Fields {
		if answers.Set(f.Name, "55000"); len(f.Choices) > 0 {
			answers.Set(f.Name, f.Choices[0].ID)
		}
		if f.Label == "" || f.Nationality != (f.Label == jobsite.German().Nationality) {
			t.Errorf("the label of %s is %q", f.Name, f.Label)
		}
	}
	if s.send("POST", "/", answers); !p.Complete || p.Status != 200 || len(p.Checked.Values) != len(p.Fields)-1 || p.Checked.Nationality == "" || failed != nil {
		t.Errorf("%+v, %v", p, failed)
	}
	// Neither passes for a form without answers.
	for _, kind := range []string{"multipart/form-data; boundary=x", "application/json", ""} {
		resp, err := s.Post(s.origin+"/", kind, strings.NewReader("q9=55000"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := jobboard.HTTPStatus(failed); got != 400 || p.Show {
			t.Errorf("%q: %d, %v", kind, got, failed)
		}
	}
	for body, want := range map[string]int{
		"q9=%zz": 400, "q9=" + strings.Repeat("x", 65_533): 200, "q9=" + strings.Repeat("x", 65_534): 413, "q9=" + strings.Repeat("x", 1<<18): 413,
	} {
		resp, err := s.Post(s.origin+"/", "application/x-www-form-urlencoded", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := jobboard.HTTPStatus(failed); got != want {
			t.Errorf("%.10s of %d bytes: %d, %v", body, len(body), got, failed)
		}
	}
	s.fake.DeactivateJob(s.fake.Demo.OpenJob)
	s.send("POST", "/signout", url.Values{})
	if s.send("POST", "/", answers); jobboard.HTTPStatus(failed) != 410 {
		t.Errorf("a closed job, and nobody is signed in: %v", failed)
	}
}

// Answers that somebody else has typed are not the visitor's, also where the board could
// not be asked the first time that they were sent.
func TestFormOfAnother(t *testing.T) {
	s := newRig(t)
	s.enter()
	var p jobsite.FormPage
	s.page = func(w http.ResponseWriter, r *http.Request) {
		var err error
		if p, err = s.signIn.Form(r, jobboard.JobID(s.fake.Demo.OpenJob), jobsite.English(), prescreen.Rules{}); err != nil {
			t.Error(err)
		}
		p.WriteHeader(w)
	}
	s.get("/")
	opened := p.Session
	again := func(session string, want jobsite.Situation) {
		t.Helper()
		s.send("POST", "/", url.Values{"q9": {"55.000"}, "session": {session}})
		if p.Situation != want || !p.Show || len(p.Checked.Values) > 0 {
			t.Errorf("%q, checked %v, not %q", p.Situation, p.Checked.Values, want)
		}
	}
	for _, op := range []jobboardtest.Operation{jobboardtest.OpApplied, jobboardtest.OpApplication} {
		s.fake.Fail(jobboardtest.Fault{Operation: op, Status: 503})
	}
	if again(opened, jobsite.NotChecked); p.Session != opened {
		t.Errorf("the visitor's own form is of session %q, not %q", p.Session, opened)
	}
	s.send("GET", s.begin("/", s.fake.Demo.InternalApplicant), nil)
	again(opened, jobsite.NotChecked)
	s.fake.LiftFaults()
	again(p.Session, jobsite.SignedInAnew)
}

// The answers of a form are told in its own words, without questions that have none.
func TestFormAnswers(t *testing.T) {
	yes := []jobboard.IDLabel{{ID: "1", Label: "Ja"}, {ID: "2", Label: "Nein"}}
	form := jobsite.FormPage{Fields: []prescreen.Field{
		{Label: "Führerschein?", Choices: yes, Value: "2"}, {Label: "Gehalt", Value: "55000"}, {Label: "Seit wann?"},
	}}
	if got, want := form.Answers(), []jobsite.FormAnswer{{"Führerschein?", "Nein"}, {"Gehalt", "55000"}}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
