package boardcheck_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// A check sends what its plan says, of each kind no more, whatever the board tells: also
// where every field of the target is given.
func TestPlanHolds(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			srv, b := demoBoard(t)
			d := srv.Demo
			b.WrongCredentials = wrong
			tt := &b.Target
			tt.ClientToken, tt.InternalToken, tt.ExpiredToken = d.ClientToken, d.InternalToken, d.ExpiredToken
			tt.OpenJob, tt.AppliedJob, tt.WithdrawnJob, tt.InactiveJob = d.OpenJob, d.AppliedJob, d.WithdrawnJob, d.InactiveJob
			tt.DeletedJob, tt.UnpublishedJob, tt.InternalJob = d.DeletedJob, d.UnpublishedJob, d.InternalJob
			tt.OtherCompanyJob, tt.ClosedJob, tt.ApplicationID = d.OtherCompanyJob, d.ClosedJob, d.ApplicationID
			tt.FailingChannel = "none"
			steps, err := b.Plan()
			if err != nil {
				t.Fatal(err)
			}
			if srv.Count() > 0 {
				t.Fatal("the plan was sent")
			}
			plan, total := map[string]int{}, 0
			for _, s := range steps {
				plan[s.Request] += s.AtMost
				total += s.AtMost
				if s.Wrong && !wrong {
					t.Errorf("%+v is planned", s)
				}
			}
			if total > boardcheck.MaxRequests {
				t.Errorf("%d are planned", total)
			}
			r := check(t, b)
			sent := map[string]int{"GET {feed_url}": 1}
			for _, q := range srv.Requests() {
				line := q.Method + " {" + q.Address + "}" + q.Template
				if q.Address == "jobdb_url" {
					line += "?jobid"
				}
				sent[line]++
				if !wrong && q.Status == http.StatusUnauthorized {
					t.Errorf("%s is refused: %s", q.Path, q.Credential)
				}
			}
			n := 0
			for line, count := range sent {
				n += count
				if count > plan[line] {
					t.Errorf("%d of %s, and %d are planned", count, line, plan[line])
				}
			}
			if n != r.Requests {
				t.Errorf("%d came, and it says %d", n, r.Requests)
			}
			t.Log(r.Summary(), sent, plan)
			kept := 0
			for _, x := range r.Rules {
				if x.State == boardcheck.Kept {
					kept++
				}
			}
			if want := map[bool]int{false: 56, true: 70}[wrong]; kept < want {
				t.Errorf("%d rules are kept, want %d at least", kept, want)
			}
		})
	}
}

// Without its flags a check of what a partner has judges most rules, and a board that lacks
// something is told so before anything is sent.
func TestMistakes(t *testing.T) {
	for name, b := range map[string]boardcheck.Board{
		"neither":          {},
		"FeedURL":          {FeedURL: "feed.xml"},
		"without a user":   {FeedURL: "https://u:p@x.example/feed"},
		"without ClientID": {ClientSecret: "x"},
		"http or https":    {TokenURL: "ftp://x.example"},
	} {
		if name != "neither" {
			b.Target.BaseURL = "https://jobs.example"
		}
		if _, err := b.Plan(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := boardcheck.Check(t.Context(), b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b := boardcheck.Board{ClientSecret: "s3cret"}
	b.Target.ClientToken = "t0ken"
	if s := b.String() + b.GoString(); strings.Contains(s, "s3cret") || strings.Contains(s, "t0ken") {
		t.Error(s)
	}
}
