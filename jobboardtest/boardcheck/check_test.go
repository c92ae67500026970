package boardcheck_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// demoBoard is a mock server with its demo data, and what a partner knows of it: both
// addresses, a channel, a public client, an applicant's token and the feed.
func demoBoard(tb testing.TB, opts ...jobboardtest.Option) (*jobboardtest.Server, boardcheck.Board) {
	tb.Helper()
	srv := jobboardtest.New(tb, append([]jobboardtest.Option{
		jobboardtest.WithDemo(), jobboardtest.WithoutSockets(), jobboardtest.WithStrict(false),
	}, opts...)...)
	return srv, boardOf(srv)
}

func boardOf(srv *jobboardtest.Server) boardcheck.Board {
	b := boardcheck.Board{FeedURL: srv.FeedURL}
	b.Target.BaseURL, b.Target.JobDBURL = srv.BaseURL, srv.JobDBURL
	b.Target.Channel, b.Target.ClientID, b.Target.ApplicantToken = "27828_extern", "10", srv.Demo.ApplicantToken
	b.Target.HTTPClient = &http.Client{Transport: srv.Client().Transport}
	return b
}

// knownDemo returns what a check of demoBoard knows, to compare and add to.
func knownDemo(t *testing.T) *boardcheck.Profile {
	t.Helper()
	demo.Do(func() {
		_, b := demoBoard(t)
		demo.profile = check(t, b).Profile
	})
	known := &boardcheck.Profile{}
	known.Merge(demo.profile)
	return known
}

var demo struct {
	sync.Once
	profile *boardcheck.Profile
}

// check checks a board in virtual time.
func check(t *testing.T, b boardcheck.Board) *boardcheck.Report {
	t.Helper()
	r, err := boardcheck.Check(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With both addresses, a channel, a client, an applicant and a feed, most rules are judged,
// and the plan holds.
func TestFindsWhatItNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, b := demoBoard(t)
		r := check(t, b)
		t.Log(r.Summary(), r.Found)
		for _, x := range r.Rules {
			if x.State != boardcheck.Kept {
				t.Logf("%s: %s %s %s", x.Name, x.State, x.Why, x.Quotes)
			}
			if x.State == boardcheck.Broken {
				t.Errorf("%s is broken: %q", x.Name, x.Problems)
			}
			if len(x.Requests) == 0 || x.Section == "" {
				t.Errorf("%s has no request or section", x.Name)
			}
		}
		if r.Requests > boardcheck.MaxRequests || r.Requests > srv.Count()+1 {
			t.Errorf("%d requests, of which %d came", r.Requests, srv.Count())
		}
		for _, q := range srv.Requests() {
			if q.Method != http.MethodGet || q.Status == http.StatusUnauthorized {
				t.Errorf("%s %s with %s: %d", q.Method, q.Path, q.Credential, q.Status)
			}
		}
		var out bytes.Buffer
		if err := r.Profile.Write(&out); err != nil {
			t.Fatal(err)
		}
		if testing.Verbose() {
			t.Log(out.String()[len(out.String())-2500:])
			data, _ := json.Marshal(slices.Sorted(maps.Keys(r.Profile.Answers)))
			t.Log(string(data))
		}
	})
}
