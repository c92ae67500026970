package boardcheck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// positions are values of each switch but the zero value.
var positions = map[string][]any{
	"PlainErrors":                 {"as-json", "json-string"},
	"NotFount":                    {true},
	"CodedErrors":                 {"as-text", "code-word"},
	"ApplicationID":               {"quoted", "newline"},
	"ErrorStatus":                 {200, 400, 410, 422},
	"ErrorShape":                  {"json-string", "text"},
	"ErrorField":                  {"code", "error.code", "errors.0.code", "0"},
	"AuthErrors":                  {"body", "both"},
	"InvalidTokenSpace":           {true},
	"BasicNeedsColon":             {true},
	"ConfidentialBasic":           {true},
	"Compress":                    {true},
	"QuotedIDs":                   {true},
	"Dates":                       {"iso-z", "iso-colon", "iso-plain"},
	"Missing":                     {"null", "absent"},
	"EmptyServerErrors":           {true},
	"UnknownChannel":              {400, 404},
	"PageSize":                    {7, 25},
	"Page":                        {1},
	"Links":                       {"plain", "relative", "opaque"},
	"Feed":                        {"namespace", "prefix", "lower-case"},
	"FeedUnnamed":                 {true},
	"FeedUnlinked":                {true},
	"SubscriptionsNeedCredential": {true},
	"SubscriptionLists":           {true},
	"TokenSeconds":                {60, 86400},
}

// notObservable are the switches that a read-only check cannot tell, and why.
var notObservable = map[string]string{
	"EmptyServerErrors":           "no search fails",
	"SubscriptionsNeedCredential": "it changes nothing",
	"SubscriptionLists":           "it changes nothing",
}

func setSwitch(v *jobboardtest.Variants, name string, value any) {
	field := reflect.ValueOf(v).Elem().FieldByName(name)
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

// profileOf checks a mock server as a public client with wrong credentials allowed, and as a
// confidential one.
func profileOf(t *testing.T, srv *jobboardtest.Server) *boardcheck.Report {
	t.Helper()
	b := boardOf(srv)
	b.WrongCredentials = true
	b.Target.UnpublishedJob, b.Target.AppliedJob = srv.Demo.UnpublishedJob, srv.Demo.AppliedJob
	b.Target.InactiveJob, b.Target.InternalJob = srv.Demo.InactiveJob, srv.Demo.InternalJob
	b.Target.OpenJob, b.Target.ClosedJob = srv.Demo.OpenJob, srv.Demo.ClosedJob
	r := check(t, b)
	var c boardcheck.Board
	c.Target.BaseURL, c.Target.Channel = srv.BaseURL, b.Target.Channel
	c.Target.ClientID, c.ClientSecret = srv.Demo.ConfidentialClient, srv.Demo.ConfidentialSecret
	c.Target.HTTPClient = &http.Client{Transport: srv.Client().Transport}
	c.WrongCredentials = true
	r.Profile.Merge(check(t, c).Profile)
	return r
}

// TestSwitchesKnown fails when a switch is new.
func TestSwitchesKnown(t *testing.T) {
	v := reflect.TypeFor[jobboardtest.Variants]()
	named := map[string]bool{}
	l := (&boardcheck.Profile{}).Like()
	for _, u := range l.NotObservable {
		named[u.Name] = true
	}
	for i := range v.NumField() {
		name, _, _ := bytes.Cut([]byte(v.Field(i).Tag.Get("json")), []byte(","))
		if !named[string(name)] || len(positions[v.Field(i).Name]) == 0 {
			t.Errorf("the switch %s is not known", name)
		}
	}
	if len(named) != v.NumField() {
		t.Errorf("%d switches are known, of %d", len(named), v.NumField())
	}
}

// likeness checks a mock server with switches and one that is made like it, and returns the
// profile of the first.
func likeness(t *testing.T, v jobboardtest.Variants) (like boardcheck.Like) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv, _ := demoBoard(t, jobboardtest.WithVariants(v))
		board := profileOf(t, srv)
		file := filepath.Join(t.TempDir(), "board.json")
		if err := board.Profile.Save(file); err != nil {
			t.Fatal(err)
		}
		other, _ := demoBoard(t, jobboardtest.Like(file))
		standIn := profileOf(t, other)
		like = board.Profile.Like()
		if got := standIn.Profile.Like(); !reflect.DeepEqual(got, like) {
			t.Errorf("%+v:\nthe board is like %+v\nthe mock server %+v", v, like, got)
		}
		for _, c := range slices.Concat(board.Profile.Compare(standIn.Profile), standIn.Profile.Compare(board.Profile)) {
			t.Errorf("%+v: %s", v, c)
		}
		board.Profile.Merge(&boardcheck.Profile{})
		if !reflect.DeepEqual(board.Profile.Answers, standIn.Profile.Answers) {
			for kind, a := range board.Profile.Answers {
				b := standIn.Profile.Answers[kind]
				for path, m := range a.Members {
					if b == nil || !reflect.DeepEqual(m, b.Members[path]) {
						t.Errorf("%+v: %s %s differs", v, kind, path)
					}
				}
			}
			t.Errorf("%+v: the profiles differ", v)
		}
	})
	return like
}

// Each switch alone is named by a profile, or listed as not observable, and the mock server that
// is started with what is named has the board's profile. Without JOBBOARD_TESTS=night six
// positions are tried.
func TestEachSwitch(t *testing.T) {
	type position struct {
		name  string
		value any
	}
	var all []position
	for _, name := range slices.Sorted(maps.Keys(positions)) {
		for _, value := range positions[name] {
			all = append(all, position{name, value})
		}
	}
	var plain jobboardtest.Variants
	for _, i := range share(t, len(all), 6) {
		name := all[i].name
		t.Run(fmt.Sprintf("%s=%v", name, all[i].value), func(t *testing.T) {
			v := plain
			if name == "Page" {
				v.PageSize = 7 // without it there is one page
			}
			setSwitch(&v, name, all[i].value)
			want := v
			if notObservable[name] != "" {
				want = plain
			}
			l := likeness(t, v)
			var got jobboardtest.Variants
			if err := json.Unmarshal(l.JSON(), &got); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("got %s, want %+v", l.JSON(), want)
			}
			told := slices.ContainsFunc(l.NotObservable, func(u boardcheck.Unobserved) bool { return u.Why != "" && fieldOf(u.Name) == name })
			if told != (notObservable[name] != "") {
				t.Errorf("not observable are %v", l.NotObservable)
			}
		})
	}
}

// fieldOf returns the field of a switch.
func fieldOf(name string) string {
	v := reflect.TypeFor[jobboardtest.Variants]()
	for i := range v.NumField() {
		if tag, _, _ := bytes.Cut([]byte(v.Field(i).Tag.Get("json")), []byte(",")); string(tag) == name {
			return v.Field(i).Name
		}
	}
	return ""
}

// share returns which of a number of cases are tried: all, or n of them without
// JOBBOARD_TESTS=night, chosen by testenv.Seed.
func share(t *testing.T, of, n int) []int {
	t.Helper()
	if testenv.Night() {
		n = of
	}
	tried := rand.New(rand.NewPCG(testenv.Seed(t), 0)).Perm(of)[:n]
	slices.Sort(tried)
	return tried
}

// 100 pairs of switches drawn by a seed: the profile tells everything that can be observed
// about both. Three of them without JOBBOARD_TESTS=night.
func TestPairsOfSwitches(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 1))
	names := slices.Sorted(maps.Keys(positions))
	const pairs = 100
	tried := share(t, pairs, 3)
	for n := range pairs {
		var v, want jobboardtest.Variants
		for _, i := range random.Perm(len(names))[:2] {
			name := names[i]
			value := positions[name][random.IntN(len(positions[name]))]
			setSwitch(&v, name, value)
			if notObservable[name] == "" {
				setSwitch(&want, name, value)
			}
		}
		switch {
		case v.ErrorShape != "": // the code stands in no member
			want.ErrorField = ""
		case v.PageSize == 0: // there is one page
			want.Page = 0
		}
		if v.PageSize == 0 {
			want.Page = 0
		}
		if v.FeedUnlinked && v.Links == jobboardtest.LinksRelative { // which only a link in the feed shows
			want.Links = ""
		}
		if !slices.Contains(tried, n) {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			l := likeness(t, v)
			var got jobboardtest.Variants
			if err := json.Unmarshal(l.JSON(), &got); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%+v: got %s, want %+v", v, l.JSON(), want)
			}
		})
	}
}

// With a channel whose search fails, named by FailingChannel, the rule about it is judged and the
// mock server's 500 is as empty as the board's; without the name nothing asks for it.
func TestFailingChannel(t *testing.T) {
	for _, empty := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			srv, b := demoBoard(t)
			fails := func(empty bool) {
				f := jobboardtest.Fault{Path: "/api/rest/v2/frontend/jobboards/broken/jobs", Status: http.StatusInternalServerError}
				if !empty {
					f.Body = "an error while processing"
				}
				srv.LiftFaults()
				srv.Fail(f)
			}
			fails(empty)
			known := check(t, b).Profile
			b.Target.FailingChannel = "broken"
			r := check(t, b)
			if i := slices.IndexFunc(r.Rules, func(x boardcheck.Rule) bool { return x.Name == "search/failure" }); r.Rules[i].State != boardcheck.Kept {
				t.Errorf("the rule is %+v", r.Rules[i])
			}
			if len(r.Troubles) > 0 {
				t.Errorf("told as an outage: %q", r.Troubles)
			}
			unobserved := func(l boardcheck.Like) bool {
				return slices.ContainsFunc(l.NotObservable, func(u boardcheck.Unobserved) bool { return u.Name == "empty_server_errors" })
			}
			l := r.Profile.Like()
			var got jobboardtest.Variants
			if err := json.Unmarshal(l.JSON(), &got); err != nil {
				t.Fatal(err)
			}
			if got.EmptyServerErrors != empty || unobserved(l) || !unobserved(known.Like()) {
				t.Errorf("empty %v: %s, not observable are %v", empty, l.JSON(), l.NotObservable)
			}
			fails(!empty)
			later := check(t, b)
			later.Since(r.Profile)
			if i := slices.IndexFunc(later.Changes, func(c boardcheck.Change) bool { return c.Where == "search, failure" }); i < 0 || !later.Changed() {
				t.Errorf("a 500 of another form: %v", later.Changes)
			}
		})
	}
}
