package openapitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

const brokenChannel = "27830_broken"

// fake is the mock server with the demo data and a channel whose search fails.
func fake(tb testing.TB) *jobboardtest.Server {
	tb.Helper()
	srv := jobboardtest.New(tb, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError, Body: "Error while processing the request", Path: "/api/rest/v2/frontend/jobboards/" + brokenChannel + "/jobs"})
	return srv
}

// ofTypes are the rules that some switches break on purpose.
var ofTypes = []string{
	"search/posting-fields", "search/timestamps", "search/config", "application/plain-string", "lookup/fields", "lookup/questions",
}

// drive asks the mock server for everything it has: each rule of the conformance suite
// with all its credentials and rows, each job, and the tokens.
func drive(tb testing.TB, srv *jobboardtest.Server, j *judge) {
	tb.Helper()
	client := &http.Client{Transport: j}
	d := srv.Demo
	target := conformance.Target{
		BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, HTTPClient: client,
		FailingChannel: brokenChannel, SearchText: "nurse", Near: "52.520014::13.373006::50", Languages: []string{"en", "de"},
		Subscription: conformance.Subscription{
			Query:    url.Values{"channel": {d.Channel}, "types": {"rss::email::fax"}, "email": {"jana.beispiel@example.com"}},
			Body:     `{"jobcategory":["3001"],"audience":"STUDENT"}`,
			IDMember: "rss", ConfirmBody: "null",
		},
	}
	demo, err := json.Marshal(d)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(demo, &target); err != nil {
		tb.Fatal(err)
	}
	results, err := conformance.Check(tb.Context(), target)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range results {
		if r.Failed() && !slices.Contains(ofTypes, r.Name) {
			tb.Error(r)
		}
	}
	get := func(address, auth string) {
		tb.Helper()
		r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			tb.Fatal(err)
		}
		if auth != "" {
			r.Header.Set("Authorization", auth)
		}
		send(tb, client, r)
	}
	for _, job := range srv.Snapshot().Jobs {
		get(fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, job.ID), "")
		for _, token := range []string{d.ApplicantToken, d.InternalToken, d.NarrowToken} {
			for _, op := range []string{"applied", "application"} {
				get(fmt.Sprintf("%s/api/rest/v3/frontend/jobs/%d/%s", srv.BaseURL, job.ID, op), "Bearer "+token)
			}
		}
	}
	search := srv.BaseURL + "/api/rest/v2/frontend/jobboards/27829_intern/jobs"
	get(search, "Bearer "+d.InternalToken)
	get(search, "Bearer "+d.NarrowToken)
}

// driveTokens asks for tokens.
func driveTokens(tb testing.TB, srv *jobboardtest.Server, client *http.Client) {
	tb.Helper()
	d := srv.Demo
	state := srv.Snapshot()
	state.Codes = append(state.Codes, jobboardtest.Code{Value: "code", ClientID: d.ConfidentialClient, ApplicantID: d.Applicant})
	if err := srv.Restore(state); err != nil {
		tb.Fatal(err)
	}
	for _, form := range []url.Values{
		{"grant_type": {"client_credentials"}},
		{"grant_type": {"password"}, "username": {d.Username}, "password": {d.Password}},
		{"grant_type": {"password"}, "username": {d.Username}, "password": {"wrong"}},
		{"grant_type": {"authorization_code"}, "code": {"code"}},
	} {
		r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, srv.BaseURL+"/api/rest/oauth/frontend/token", strings.NewReader(form.Encode()))
		if err != nil {
			tb.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(d.ConfidentialClient, d.ConfidentialSecret)
		send(tb, client, r)
	}
}

// driveSignIn asks for the page on which an applicant signs in, and presses its buttons.
func driveSignIn(tb testing.TB, srv *jobboardtest.Server, client *http.Client) {
	tb.Helper()
	query := url.Values{
		"response_type": {"code"}, "client_id": {srv.Demo.ClientID}, "redirect_uri": {"http://127.0.0.1/"}, "state": {"s"},
		"code_challenge": {"x"}, "code_challenge_method": {"S256"},
	}
	for _, c := range []struct {
		method, parameter, value string // what differs from query; the value "" leaves it out
		form                     url.Values
		status                   int
		sentBack                 string // a parameter of the address that the browser is sent to
	}{
		{method: http.MethodGet, status: 200},
		{method: http.MethodGet, parameter: "response_type", value: "token", status: 303, sentBack: "error"},
		{method: http.MethodGet, parameter: "client_id", value: "nobody", status: 400},
		{method: http.MethodGet, parameter: "redirect_uri", value: "https://elsewhere.example/", status: 400},
		{method: http.MethodPost, form: url.Values{"applicant": {fmt.Sprint(srv.Demo.Applicant)}}, status: 303, sentBack: "code"},
		{method: http.MethodPost, form: url.Values{"applicant": {""}}, status: 303, sentBack: "error"},
		{method: http.MethodPost, form: url.Values{"applicant": {"none"}}, status: 400},
		{method: http.MethodPost, form: url.Values{"applicant": {""}}, status: 500},
	} {
		if c.status == http.StatusInternalServerError {
			srv.Fail(jobboardtest.Fault{Status: c.status, Times: 1})
		}
		changed := maps.Clone(query)
		if c.value == "" {
			changed.Del(c.parameter)
		} else {
			changed.Set(c.parameter, c.value)
		}
		r, err := http.NewRequestWithContext(tb.Context(), c.method, srv.AuthURL+"?"+changed.Encode(), strings.NewReader(c.form.Encode()))
		if err != nil {
			tb.Fatal(err)
		}
		if c.form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		rs, err := client.Transport.RoundTrip(r) // a redirect is not followed
		if err != nil {
			tb.Fatal(err)
		}
		_ = rs.Body.Close()
		to, err := rs.Location()
		if rs.StatusCode != c.status || c.sentBack != "" && (err != nil || !to.Query().Has(c.sentBack)) {
			tb.Errorf("%+v: %s, sent to %v", c, rs.Status, to)
		}
	}
}

// driveSubscriptions asks for subscriptions at one of their places.
func driveSubscriptions(tb testing.TB, srv *jobboardtest.Server, client *http.Client, place string) {
	tb.Helper()
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, "?channel=" + srv.Demo.Channel + "&types=email&email=jana%40example.com", `{"jobcategory":["3001"]}`},
		{http.MethodPut, "/nobody", "null"},
		{http.MethodDelete, "/nobody", ""},
	} {
		r, err := http.NewRequestWithContext(tb.Context(), c.method, srv.BaseURL+place+c.path, strings.NewReader(c.body))
		if err != nil {
			tb.Fatal(err)
		}
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		send(tb, client, r)
	}
}

// The two places of the subscription calls.
const (
	subscriptions            = "/jobabo"
	subscriptionsWithVersion = "/api/rest/v2/frontend/jobabo"
)

func send(tb testing.TB, client *http.Client, r *http.Request) {
	tb.Helper()
	rs, err := client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	_ = rs.Body.Close()
}

// rowsOfTheFake lists the rows that driving it must reach, so that none goes unjudged.
var rowsOfTheFake = []string{
	"searchJobs 200", "searchJobs 401", "searchJobs 403", "searchJobs 500",
	"hasApplied 200", "hasApplied 401", "hasApplied 403", "hasApplied 404", "hasApplied 410",
	"applicationId 200", "applicationId 401", "applicationId 403", "applicationId 404", "applicationId 410",
	"jobInformation 200", "jobInformation 404",
	"subscribe 200", "confirmSubscription 200", "unsubscribe 200",
}

func TestFakeConforms(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(tree)
		beyond bool
	}{
		{"to the document", func(d tree) { closeObjects(t, d) }, true},
		{"to the interface alone", func(d tree) { strip(d); closeObjects(t, d) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := fake(t)
			d := load(t)
			c.change(d)
			j, err := newJudge(d, srv.BaseURL, srv.JobDBURL, srv.Transport())
			if err != nil {
				t.Fatal(err)
			}
			drive(t, srv, j)
			if c.beyond {
				j.requests = true // these ones are all in order
				client := &http.Client{Transport: j}
				driveTokens(t, srv, client)
				driveSubscriptions(t, srv, client, subscriptionsWithVersion)
			}
			report(t, j)
			for _, row := range rowsOfTheFake {
				if j.seen[row] == 0 {
					t.Errorf("the fake was not made to answer %q", row)
				}
			}
		})
	}
}

func report(tb testing.TB, j *judge) {
	tb.Helper()
	for i, p := range j.problems {
		if i == 5 {
			tb.Errorf("and %d more", len(j.problems)-i)
			break
		}
		tb.Error(p)
	}
}

// switchPositions has each switch in each position that changes an answer.
var switchPositions = []jobboardtest.Variants{
	{PlainErrors: jobboardtest.PlainAsJSONString}, // "as-json" labels a bare text as JSON, and no schema can say so
	{NotFount: true},
	{CodedErrors: jobboardtest.CodedAsText},
	{CodedErrors: jobboardtest.CodedAsWord},
	{ApplicationID: jobboardtest.ApplicationIDQuoted},
	{ApplicationID: jobboardtest.ApplicationIDNewline},
	{ErrorStatus: 200},
	{ErrorStatus: 410},
	{ErrorStatus: 503},
	{ErrorShape: jobboardtest.ErrorAsJSONString},
	{ErrorShape: jobboardtest.ErrorAsText},
	{ErrorShape: jobboardtest.ErrorAsText, ErrorStatus: 200},
	{ErrorShape: jobboardtest.ErrorAsText, ErrorStatus: 503},
	{ErrorField: "error.code"},
	{ErrorField: "0"},
	{AuthErrors: jobboardtest.AuthInBody},
	{AuthErrors: jobboardtest.AuthInBoth, InvalidTokenSpace: true},
	{BasicNeedsColon: true},
	{QuotedIDs: true},
	{Dates: jobboardtest.DatesISOZ},
	{Dates: jobboardtest.DatesISOColon},
	{Dates: jobboardtest.DatesISOPlain},
	{Missing: jobboardtest.MissingNull},
	{Missing: jobboardtest.MissingAbsent},
	{EmptyServerErrors: true},
	{Compress: true},
	{UnknownChannel: 400},
	{UnknownChannel: 404},
	{PageSize: 3},
	{PageSize: 3, Page: 2},
	{Links: jobboardtest.LinksPlain, ConfidentialBasic: true, Feed: jobboardtest.FeedPrefix, FeedUnnamed: true, FeedUnlinked: true}, // this document sees none of these but Links
	{Links: jobboardtest.LinksRelative, Feed: jobboardtest.FeedNamespace},
	{Links: jobboardtest.LinksOpaque, Feed: jobboardtest.FeedLowerCase},
	{SubscriptionsNeedCredential: true},
	{SubscriptionLists: true},
	{TokenSeconds: 60},
}

// TestSwitchesKnown fails when a switch, or a word of one, is new.
func TestSwitchesKnown(t *testing.T) {
	v := reflect.TypeFor[jobboardtest.Variants]()
	for i := range v.NumField() {
		name, words := v.Field(i).Name, map[string]bool{}
		for _, p := range switchPositions {
			if f := reflect.ValueOf(p).Field(i); !f.IsZero() {
				words[fmt.Sprint(f)] = true
			}
		}
		if len(words) == 0 {
			t.Errorf("the switch %s is in no position", name)
		}
		if name == "PlainErrors" {
			words["as-json"] = true
		}
		// Check names the words it knows; a switch without words takes any.
		x := reflect.New(v).Elem()
		if f := x.Field(i); f.Kind() == reflect.String {
			f.SetString("no such word")
		}
		err := x.Interface().(jobboardtest.Variants).Check()
		if err == nil {
			continue
		}
		_, list, _ := strings.Cut(err.Error(), ", only ")
		for _, quoted := range strings.Fields(strings.Trim(list, "[]")) {
			word, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: the words cannot be read of %q", name, list)
			}
			if word != "" && !words[word] {
				t.Errorf("the switch %s is not in the position %q", name, word)
			}
		}
	}
}

// TestEverySwitchPosition holds the forms beyond the interface against the parts
// of the document that are marked. All positions together give every answer that the
// document promises.
func TestEverySwitchPosition(t *testing.T) {
	srv := fake(t)
	d := load(t)
	closeObjects(t, d)
	doc, err := compileAt(d, srv.BaseURL, srv.JobDBURL)
	if err != nil {
		t.Fatal(err)
	}
	broken := promises(doc)
	for _, v := range append([]jobboardtest.Variants{{}}, switchPositions...) {
		t.Run(position(v), func(t *testing.T) {
			srv.SetVariants(v)
			j, err := judgeOf(doc, srv.Transport())
			if err != nil {
				t.Fatal(err)
			}
			drive(t, srv, j)
			client := &http.Client{Transport: j}
			driveTokens(t, srv, client)
			driveSignIn(t, srv, client)
			for _, place := range []string{subscriptions, subscriptionsWithVersion} {
				driveSubscriptions(t, srv, client, place)
				srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError, Times: 3})
				driveSubscriptions(t, srv, client, place)
			}
			report(t, j)
			broken = slices.DeleteFunc(broken, func(promise string) bool { return j.kept[promise] })
		})
	}
	for _, promise := range broken {
		t.Errorf("the document promises %q, and nothing answers so", promise)
	}
}

// position names the switches that are set.
func position(v jobboardtest.Variants) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestEveryFieldIsAnswered finds names that only the document has.
func TestEveryFieldIsAnswered(t *testing.T) {
	srv := fake(t)
	d := load(t)
	seen := map[string]map[string]bool{}
	note := func(schema string, v any) {
		if seen[schema] == nil {
			seen[schema] = map[string]bool{}
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, e := range list {
			o, _ := e.(tree)
			for k := range o {
				seen[schema][k] = true
			}
		}
	}
	each := func(v any, f func(tree)) {
		list, _ := v.([]any)
		for _, e := range list {
			f(e.(tree))
		}
	}
	j, err := newJudge(d, srv.BaseURL, srv.JobDBURL, srv.Transport())
	if err != nil {
		t.Fatal(err)
	}
	j.answers = func(operation string, status int, body []byte) {
		var o tree
		if status != http.StatusOK || json.Unmarshal(body, &o) != nil {
			return
		}
		switch operation {
		case "searchJobs":
			note("JobSearchResult", o)
			note("JobPosting", o["results"])
			each(o["results"], func(p tree) { note("PostingConfig", p["config"]) })
		case "jobInformation":
			note("JobInformation", o)
			note("Location", o["location"])
			note("IdLabel", o["nationalities"])
			note("Question", o["questions"])
		}
	}
	drive(t, srv, j)
	for _, name := range []string{"JobSearchResult", "JobPosting", "PostingConfig", "JobInformation", "Question", "IdLabel", "Location"} {
		for field := range at(t, d, "components", "schemas", name, "properties") {
			if !seen[name][field] {
				t.Errorf("no %s of the fake has %s", name, field)
			}
		}
	}
}

// TestClientConforms holds each request of the client, in its different forms,
// against the document, and each answer it gets.
func TestClientConforms(t *testing.T) {
	j := clientJudge(t, func(tree) {})
	report(t, j)
	want := []string{
		"searchJobs 200", "hasApplied 200", "applicationId 200", "jobInformation 200", "subscribe 200", "confirmSubscription 200", "unsubscribe 200",
		"subscribeWithVersion 200", "confirmSubscriptionWithVersion 200", "unsubscribeWithVersion 200",
	}
	for _, row := range want {
		if j.seen[row] == 0 {
			t.Errorf("the client did not get %q", row)
		}
	}
}

// TestClientConformsToTheInterface uses the document without the marked parts. It leaves out
// subscriptions, whose payloads the interface does not show.
func TestClientConformsToTheInterface(t *testing.T) {
	j := clientJudge(t, func(d tree) { strip(d) })
	subscriptions := len(j.problems)
	j.problems = slices.DeleteFunc(j.problems, func(p string) bool { return strings.Contains(p, "/jobabo") })
	if subscriptions -= len(j.problems); subscriptions == 0 {
		t.Error("payloads of subscriptions are taken, which the interface does not show")
	}
	report(t, j)
}

// clientJudge drives the client's seven operations past a changed document.
func clientJudge(t *testing.T, change func(tree)) *judge {
	t.Helper()
	srv := fake(t)
	d := load(t)
	change(d)
	j, err := newJudge(d, srv.BaseURL, srv.JobDBURL, srv.Transport())
	if err != nil {
		t.Fatal(err)
	}
	j.requests = true
	demo := srv.Demo
	for _, cfg := range []jobboard.Config{
		{ClientID: demo.ClientID}, // Basic
		{TokenSource: jobboard.StaticToken(demo.ClientToken), Language: "de", SubscriptionPath: "/api/rest/v2/frontend/jobabo"},
	} {
		cfg.BaseURL, cfg.JobDBURL, cfg.HTTPClient = srv.BaseURL, srv.JobDBURL, &http.Client{Transport: j}
		cfg.Retry.MaxAttempts = 1
		client, err := jobboard.NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		useClient(t, srv, client)
	}
	return j
}

func useClient(t *testing.T, srv *jobboardtest.Server, client *jobboard.Client) {
	t.Helper()
	ctx, demo := t.Context(), srv.Demo
	channel := jobboard.ChannelID(demo.Channel)
	applicant := client.Applicant(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: demo.ApplicantToken}))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	for _, q := range []jobboard.Query{
		{},
		{Text: "nurse"},
		{Text: "Pflege & Co: 50 % + mehr"},
		{Near: jobboard.Near(52.520014, 13.373006, 50)},
		{Near: jobboard.Near(-33.86, 151.2, 0.5), Text: "nurse", Language: "en"},
		{Near: jobboard.Near(0.0000001, -0.0000001, 20000), Language: "de-AT"},
	} {
		_, err := client.Search(ctx, channel, q)
		must(err)
		_, err = applicant.Search(ctx, channel, q)
		must(err)
		for _, err := range client.Postings(ctx, channel, q) {
			must(err)
		}
	}
	_, err := client.Search(ctx, brokenChannel, jobboard.Query{})
	if !errors.Is(err, jobboard.ErrServer) {
		t.Errorf("the broken channel: %v", err)
	}
	for _, job := range []int64{
		demo.OpenJob, demo.AppliedJob, demo.WithdrawnJob, demo.InactiveJob, demo.DeletedJob, demo.UnknownJob, demo.UnpublishedJob,
		demo.InternalJob, demo.OtherCompanyJob, demo.ClosedJob,
	} {
		id := jobboard.JobID(job)
		good := slices.Contains([]int64{demo.AppliedJob, demo.WithdrawnJob}, job)
		if _, err := applicant.HasApplied(ctx, id); good || job == demo.OpenJob {
			must(err)
		}
		if _, err := applicant.ApplicationID(ctx, id); good {
			must(err)
		}
		if _, err := client.JobInformation(ctx, id); good || job == demo.OpenJob {
			must(err)
		}
	}
	answer, err := client.Subscribe(ctx, jobboard.SubscriptionRequest{
		Query: url.Values{"channel": {demo.Channel}, "types": {"rss"}},
		Body:  map[string][]string{"jobcategory": {"3001"}},
	})
	must(err)
	var result map[string]string
	must(json.Unmarshal(answer, &result))
	id := jobboard.SubscriptionID(result["rss"])
	_, err = client.ConfirmSubscription(ctx, id, nil)
	must(err)
	_, err = client.ConfirmSubscription(ctx, id, json.RawMessage("null"))
	must(err)
	_, err = client.Unsubscribe(ctx, id)
	must(err)
}
