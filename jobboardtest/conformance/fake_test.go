package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// fake is a mock server with something for every rule, and a target that says what
// it holds. The mock server is strict: the suite itself keeps to the interface.
func fake(tb testing.TB) (*jobboardtest.Server, conformance.Target) {
	tb.Helper()
	srv := jobboardtest.New(tb, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	var target conformance.Target
	demo, err := json.Marshal(srv.Demo)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(demo, &target); err != nil {
		tb.Fatal(err)
	}
	target.BaseURL, target.JobDBURL = srv.BaseURL, srv.JobDBURL
	target.HTTPClient = &http.Client{Transport: srv.Transport()}
	target.FailingChannel = "27830_broken"
	srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError, Path: "/api/rest/v2/frontend/jobboards/27830_broken/jobs", Optional: true})
	target.SearchText = "nurse"
	target.Languages = []string{"en", "de"}
	target.Near = "52.520014::13.373006::50"
	_, posting := srv.Publish(target.Channel, jobboardtest.Job{
		Title: "Gardener", Language: "en",
		Location:            jobboardtest.Location{Lat: "50.110556", Long: "8.682222", City: "Frankfurt"},
		AdditionalLocations: []jobboardtest.Location{{Lat: "51.312711", Long: "9.479746", City: "Kassel"}},
	})
	target.AdditionalNear, target.AdditionalPosting = "51.312711::9.479746::5", posting.ID
	_, posting = srv.Publish(target.Channel, jobboardtest.Job{Title: "Travelling Salesperson", Language: "en"})
	target.UnlocatedPosting = posting.ID
	open, _ := srv.Job(srv.Demo.OpenJob)
	spare, _ := srv.Publish(target.Channel, jobboardtest.Job{Title: "Florist", Language: "en", CompanyID: open.CompanyID})
	target.SpareJob = spare.ID
	target.Apply = func(_ context.Context, job int64) error {
		_, err := srv.Apply(srv.Demo.Applicant, job)
		return err
	}
	target.Withdraw = func(_ context.Context, job int64) error { return srv.Withdraw(srv.Demo.Applicant, job) }
	target.Subscription = conformance.Subscription{
		Query:       url.Values{"channel": {target.Channel}, "types": {"rss"}},
		Body:        `{"jobcategory":["3001"]}`,
		ConfirmBody: `{}`,
		IDMember:    "rss",
	}
	return srv, target
}

// TestNothingSkippedOnFake holds what is sent to a mock server that is not broken, too.
func TestNothingSkippedOnFake(t *testing.T) { synctest.Test(t, nothingSkippedOnFake) }

func nothingSkippedOnFake(t *testing.T) {
	srv, target := fake(t)
	before := len(srv.Requests())
	var applied, applying, together atomic.Int32
	apply := target.Apply
	target.Apply = func(ctx context.Context, job int64) error {
		applied.Add(1)
		together.Store(max(together.Load(), applying.Add(1)))
		defer applying.Add(-1)
		time.Sleep(time.Second)
		return apply(ctx, job)
	}
	target.HTTPClient.Transport = transport(func(r *http.Request) (*http.Response, error) {
		if applying.Load() > 0 {
			t.Errorf("%s %s while it applies", r.Method, r.URL)
		}
		return srv.Transport().RoundTrip(r)
	})
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(conformance.Checks()) {
		t.Errorf("%d results of %d rules", len(results), len(conformance.Checks()))
	}
	for _, r := range results {
		if r.Skipped != "" || r.Failed() {
			t.Error(r)
		}
	}
	var sent strings.Builder
	for _, r := range srv.Requests()[before:] {
		language, typ, agent := r.Header.Get("Accept-Language"), r.Header.Get("Content-Type"), r.Header.Get("User-Agent")
		fmt.Fprintf(&sent, "%s %s%s?%s [%s] %q %q %q %s\n", r.Method, r.Address, r.Path, r.Query.Encode(), r.Credential, language, typ, agent, r.Body)
	}
	if n, most := applied.Load(), together.Load(); n != 10 || most != 8 {
		t.Errorf("it applied %d times, %d at once, want once, eight at once, and once", n, most)
	}
	golden.Compare(t, "testdata/requests.txt", newID.ReplaceAllString(sent.String(), "[id]"))
}

// newID returns an identifier that differs in each run.
var newID = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

// positions are the values of each switch. A number that is free gets those that
// matter.
var positions = map[string][]any{
	"PlainErrors":                 {"", "as-json", "json-string"},
	"NotFount":                    {false, true},
	"CodedErrors":                 {"", "as-text", "code-word"},
	"ApplicationID":               {"", "quoted", "newline"},
	"ErrorStatus":                 {0, 200, 201, 302, 400, 401, 403, 404, 409, 410, 418, 422, 500, 503},
	"ErrorShape":                  {"", "json-string", "text"},
	"ErrorField":                  {"", "code", "message", "error.code", "errors.0.code", "0"},
	"AuthErrors":                  {"", "body", "both"},
	"InvalidTokenSpace":           {false, true},
	"BasicNeedsColon":             {false, true},
	"ConfidentialBasic":           {false, true},
	"Compress":                    {false, true},
	"QuotedIDs":                   {false, true},
	"Dates":                       {"", "iso-z", "iso-colon", "iso-plain"},
	"Missing":                     {"", "null", "absent"},
	"EmptyServerErrors":           {false, true},
	"UnknownChannel":              {0, 400, 404},
	"PageSize":                    {0, 1, 7, 1000},
	"Page":                        {0, 1},
	"Links":                       {"", "plain", "relative", "opaque"},
	"Feed":                        {"", "namespace", "prefix", "lower-case"},
	"FeedUnnamed":                 {false, true},
	"FeedUnlinked":                {false, true},
	"SubscriptionsNeedCredential": {false, true},
	"SubscriptionLists":           {false, true},
	"TokenSeconds":                {0, 1, 86400},
}

// TestSwitchesKnown fails when a switch, or a word of one, is new.
func TestSwitchesKnown(t *testing.T) {
	v := reflect.TypeFor[jobboardtest.Variants]()
	for i := range v.NumField() {
		f := v.Field(i)
		values, ok := positions[f.Name]
		if !ok {
			t.Errorf("the switch %s is not checked in its positions", f.Name)
			continue
		}
		// Check names the words it knows.
		x := reflect.New(v).Elem()
		if f.Type.Kind() != reflect.String || f.Name == "ErrorField" {
			continue
		}
		x.Field(i).SetString("no such word")
		err := x.Interface().(jobboardtest.Variants).Check()
		if err == nil {
			t.Errorf("%s takes any word", f.Name)
			continue
		}
		var words []string
		for _, w := range values {
			words = append(words, w.(string))
		}
		if want := fmt.Sprintf("only %q", words); !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v; checked here: %s", f.Name, err, want)
		}
	}
	if len(positions) != v.NumField() {
		t.Errorf("%d switches are checked, of %d", len(positions), v.NumField())
	}
}

// departures are rules that a switch breaks, as some services do against the interface.
var departures = map[string][]string{
	"ApplicationID=quoted": {"application/plain-string"},
	"QuotedIDs=true":       {"search/posting-fields", "lookup/fields"},
	"Dates=iso-z":          {"search/timestamps"},
	"Dates=iso-colon":      {"search/timestamps"},
	"Dates=iso-plain":      {"search/timestamps"},
	"Missing=null":         {"search/config", "lookup/fields", "lookup/questions"},
}

// checkVariants fails the test for each rule that the mock server breaks beyond its departures, or
// keeps in spite of them. Only rules that a small page hides may be skipped.
func checkVariants(t *testing.T, srv *jobboardtest.Server, target conformance.Target, v jobboardtest.Variants) {
	t.Helper()
	srv.SetVariants(v)
	results, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var breaks []string
	value := reflect.ValueOf(v)
	for i := range value.NumField() {
		breaks = append(breaks, departures[fmt.Sprintf("%s=%v", value.Type().Field(i).Name, value.Field(i).Interface())]...)
	}
	hidden := []string{"search/unlocated", "search/additional-locations"}
	if v.PageSize != 0 { // the differing postings may be on another page
		hidden = append(hidden, "search/posting-fields", "search/config", "search/timestamps")
	}
	for _, r := range results {
		departs := slices.Contains(breaks, r.Name)
		if r.Failed() != departs && !(departs && slices.Contains(hidden, r.Name)) ||
			r.Skipped != "" && (v.PageSize == 0 || !slices.Contains(hidden, r.Name)) {
			t.Errorf("%+v\n%s", v, r)
		}
	}
}

// setSwitch puts a switch into a position.
func setSwitch(v *jobboardtest.Variants, name string, value any) {
	field := reflect.ValueOf(v).Elem().FieldByName(name)
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

func TestFakeInEverySwitchPosition(t *testing.T) {
	srv, target := fake(t)
	for _, name := range slices.Sorted(maps.Keys(positions)) {
		for _, value := range positions[name] {
			t.Run(fmt.Sprintf("%s=%v", name, value), func(t *testing.T) {
				var v jobboardtest.Variants
				setSwitch(&v, name, value)
				checkVariants(t, srv, target, v)
			})
		}
	}
}

func TestFakeInRandomSwitchPositions(t *testing.T) {
	srv, target := fake(t)
	names := slices.Sorted(maps.Keys(positions))
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var v jobboardtest.Variants
		for _, name := range names {
			values := positions[name]
			setSwitch(&v, name, values[random.IntN(len(values))])
		}
		checkVariants(t, srv, target, v)
	}
}
