package openapitest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	base  = "https://jobs.example/board"
	jobDB = "https://jobdb.example/info"

	searchCall      = "GET " + base + "/api/rest/v2/frontend/jobboards/27828_extern/jobs"
	appliedCall     = "GET " + base + "/api/rest/v3/frontend/jobs/4711/applied"
	applicationCall = "GET " + base + "/api/rest/v3/frontend/jobs/4711/application"
	lookupCall      = "GET " + jobDB + "/jobdb/public/apply/external?jobid=4711"
	subscribeCall   = "POST " + base + "/jobabo"
	confirmCall     = "PUT " + base + "/jobabo/17"
	stopCall        = "DELETE " + base + "/jobabo/17"
	tokenCall       = "POST " + base + "/api/rest/oauth/frontend/token"
)

// bench is a judge without a service: its tests make request and answer.
func bench(t *testing.T, change func(tree)) *judge {
	t.Helper()
	d := load(t)
	change(d)
	j, err := newJudge(d, base, jobDB, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// call makes a request of a method and an address.
func call(t *testing.T, what, body string) *http.Request {
	t.Helper()
	method, address, _ := strings.Cut(what, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// blames gives what the judge has found since it was asked last.
func (j *judge) blames() string {
	said := strings.Join(j.problems, "\n")
	j.problems = nil
	return said
}

const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"
)

// TestHandTypedBodies holds the bodies that were typed from the tables of the
// interface against the document. The client reads them and the mock server writes
// them, so that nobody's mistake is everybody's.
func TestHandTypedBodies(t *testing.T) {
	whole := bench(t, func(d tree) { closeObjects(t, d) })
	interfaceAlone := bench(t, func(d tree) { strip(d); closeObjects(t, d) })
	open := bench(t, func(tree) {})
	for _, c := range []struct {
		judge        *judge
		call         string
		status       int
		label, files string
	}{
		{interfaceAlone, searchCall, 200, jsonType, "search.json search_empty.json"},
		{interfaceAlone, appliedCall, 200, jsonType, "applied_true.json applied_false.json"},
		{interfaceAlone, applicationCall, 200, textType, "application_bare.txt application_digits.txt"},
		{interfaceAlone, lookupCall, 200, jsonType, "jobinfo.json"},
		{interfaceAlone, searchCall, 500, textType, "errors/500_processing.txt errors/500_empty.txt"},
		{interfaceAlone, appliedCall, 401, textType, "errors/401_no_token.txt"},
		{interfaceAlone, appliedCall, 404, textType, "errors/404_posting_not_found.txt"},
		{interfaceAlone, appliedCall, 404, jsonType, "errors/404_project_not_available.json errors/404_project_not_accessible.json"},
		{interfaceAlone, appliedCall, 403, textType, "errors/403_posting_not_accessible.txt errors/403_empty.txt"},
		{interfaceAlone, appliedCall, 410, textType, "errors/410_posting_inactive.txt"},
		{interfaceAlone, applicationCall, 404, textType, "errors/404_posting_not_found.txt"},
		{interfaceAlone, applicationCall, 404, jsonType, "errors/404_project_not_available.json errors/404_application_not_found.json"},
		{interfaceAlone, applicationCall, 403, textType, "errors/403_posting_not_accessible.txt"},
		{interfaceAlone, applicationCall, 410, textType, "errors/410_posting_inactive.txt"},
		{open, searchCall, 200, jsonType, "search_open.json"},
		{whole, searchCall, 200, jsonType, "search_results_null.json"},
		{whole, applicationCall, 200, jsonType, "application_quoted.json"},
		{whole, appliedCall, 401, jsonType, "errors/401_invalid_token.json errors/401_invalid_token_spaced.json errors/401_user_token_required.json"},
		{whole, appliedCall, 403, jsonType, "errors/403_insufficient_scope.json errors/403_posting_not_accessible_quoted.json"},
		{whole, appliedCall, 404, jsonType, "errors/404_posting_not_found_quoted.json"},
		{whole, appliedCall, 410, jsonType, "errors/410_posting_inactive_quoted.json"},
		{whole, applicationCall, 404, textType, "errors/404_application_not_found_bare.txt errors/404_posting_not_found_misspelt.txt"},
		{whole, lookupCall, 404, textType, "errors/lookup_job_inactive.txt errors/lookup_job_unavailable.txt errors/lookup_posting_unavailable.txt"},
		{whole, lookupCall, 200, jsonType, "errors/lookup_job_inactive.json errors/lookup_job_inactive_field.json errors/lookup_job_inactive_quoted.json"},
		{whole, lookupCall, 410, jsonType, "errors/lookup_job_unavailable.json errors/lookup_posting_unavailable_field.json errors/lookup_posting_unavailable_quoted.json"},
		{whole, subscribeCall, 200, jsonType, "subscription_created.json subscription_created_lists.json subscription_partly_failed.json"},
		{whole, confirmCall, 200, jsonType, "subscription_confirmed.json subscription_unknown.json"},
		{whole, stopCall, 200, jsonType, "subscription_confirmed.json subscription_unknown.json"},
	} {
		for name := range strings.FieldsSeq(c.files) {
			body := read(t, name)
			c.judge.hold(call(t, c.call, ""), c.status, http.Header{"Content-Type": {c.label}}, body)
			if said := c.judge.blames(); said != "" {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBrokenAnswers breaks good answers in one place at a time.
func TestBrokenAnswers(t *testing.T) {
	j := bench(t, func(d tree) { closeObjects(t, d) })
	posting := func(f func(tree)) func(tree) {
		return func(o tree) { f(o["results"].([]any)[0].(tree)) }
	}
	question := func(kind string, f func(tree)) func(tree) {
		return func(o tree) {
			for _, q := range o["questions"].([]any) {
				if q := q.(tree); q["type"] == kind {
					f(q)
					return
				}
			}
			t.Fatalf("no %s question", kind)
		}
	}
	misspell := func(from, to string) func(tree) {
		return func(o tree) {
			v, ok := o[from]
			if !ok {
				t.Fatalf("no member %s", from)
			}
			delete(o, from)
			o[to] = v
		}
	}
	set := func(name string, value any) func(tree) {
		return func(o tree) {
			if _, ok := o[name]; !ok {
				t.Fatalf("no member %s", name)
			}
			o[name] = value
		}
	}
	for _, c := range []struct {
		name, call string
		file       string // a good answer, and how it is broken
		harm       func(tree)
		says       string
	}{
		{"a counter left out", searchCall, "search.json", func(o tree) { delete(o, "totalNumberOfJobs") }, "totalNumberOfJobs"},
		{"a counter in quotes", searchCall, "search.json", set("numPages", "1"), "numPages"},
		{"a counter with a fraction", searchCall, "search.json", set("offset", 0.5), "offset"},
		{"a misspelt counter", searchCall, "search.json", misspell("actualPage", "currentPage"), "actualPage"},
		{"one posting for a list", searchCall, "search.json", func(o tree) { o["results"] = o["results"].([]any)[0] }, "results"},
		{"a posting without identifier", searchCall, "search.json", posting(func(p tree) { delete(p, "jobPostingId") }), "jobPostingId"},
		{"a posting's identifier as a word", searchCall, "search.json", posting(set("jobPostingId", "first")), "jobPostingId"},
		{"a misspelt link", searchCall, "search.json", posting(misspell("applyOnlineLink", "applyonlineLink")), "applyonlineLink"},
		{"a link that is none", searchCall, "search.json", posting(set("applyOnlineLink", "apply here")), "applyOnlineLink"},
		{"a date that is true", searchCall, "search.json", posting(set("jobStartDate", true)), "jobStartDate"},
		{"a config value that is no list", searchCall, "search.json", posting(func(p tree) { p["config"].(tree)["audience"] = "STUDENT" }), "audience"},
		{"a config value of numbers", searchCall, "search.json", posting(func(p tree) { p["config"].(tree)["anything"] = []any{1} }), "anything"},
		{"a listing date in words", searchCall, "search.json", posting(func(p tree) { p["config"].(tree)["listingStartDate"] = []any{"today"} }), "listingStartDate"},

		{"no job identifier", lookupCall, "jobinfo.json", func(o tree) { delete(o, "jobId") }, "jobId"},
		{"a misspelt job identifier", lookupCall, "jobinfo.json", misspell("jobId", "jobID"), "jobID"},
		{"applyPossible in quotes", lookupCall, "jobinfo.json", set("applyPossible", "true"), "applyPossible"},
		{"a misspelt member", lookupCall, "jobinfo.json", misspell("dataSecurityLink", "dataSecuritylink"), "dataSecuritylink"},
		{"a link that is none", lookupCall, "jobinfo.json", set("dataSecurityLink", "no such link"), "dataSecurityLink"},
		{"a company that is no UUID", lookupCall, "jobinfo.json", set("companyId", "4711"), "companyId"},
		{"a timestamp without milliseconds", lookupCall, "jobinfo.json", set("timestamp", "2026-01-05T08:00:00Z"), "timestamp"},
		{"a timestamp elsewhere", lookupCall, "jobinfo.json", set("timestamp", "2026-01-05T08:00:00.000+01:00"), "timestamp"},
		{"a location of numbers", lookupCall, "jobinfo.json", func(o tree) { o["location"].(tree)["geoLat"] = 52.5 }, "geoLat"},
		{"a misspelt location", lookupCall, "jobinfo.json", func(o tree) { misspell("geoLong", "geoLng")(o["location"].(tree)) }, "geoLng"},
		{"a nationality without label", lookupCall, "jobinfo.json", func(o tree) { delete(o["nationalities"].([]any)[0].(tree), "label") }, "label"},
		{"a question's identifier as a number", lookupCall, "jobinfo.json", question("YESNO", set("id", 8)), "questions"},
		{"a question's identifier as a word", lookupCall, "jobinfo.json", question("YESNO", set("id", "eight")), "questions"},
		{"a question without type", lookupCall, "jobinfo.json", question("CATALOG", func(q tree) { delete(q, "type") }), "type"},
		{"answers to a TEXT question", lookupCall, "jobinfo.json", question("TEXT", func(q tree) { q["answers"] = []any{} }), "answers"},
		{"answers to a TEXTAREA question", lookupCall, "jobinfo.json", question("TEXTAREA", func(q tree) { q["answers"] = []any{} }), "answers"},
		{"no answers to a YESNO question", lookupCall, "jobinfo.json", question("YESNO", func(q tree) { delete(q, "answers") }), "answers"},
		{"an answer that is a word", lookupCall, "jobinfo.json", question("CATALOG", func(q tree) { q["answers"].([]any)[0].(tree)["id"] = "first" }), "answers"},
		{"no answers to a CATALOG question", lookupCall, "jobinfo.json", question("CATALOG", func(q tree) { delete(q, "answers") }), "answers"},
	} {
		var o tree
		if err := json.Unmarshal(read(t, c.file), &o); err != nil {
			t.Fatal(err)
		}
		c.harm(o)
		body, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		j.hold(call(t, c.call, ""), 200, http.Header{"Content-Type": {jsonType}}, body)
		if said := j.blames(); !strings.Contains(said, c.says) {
			t.Errorf("%s: what is said does not speak of %q: %.1000s", c.name, c.says, said)
		}
	}
	for _, c := range []struct {
		name, call  string
		status      int
		label, body string
	}{
		{"a page", searchCall, 200, "text/html", "<html>Log in</html>"},
		{"nothing", searchCall, 200, jsonType, ""},
		{"half", searchCall, 200, jsonType, `{"itemsPerPage":`},
		{"a redirect", searchCall, 302, textType, ""},
		{"a boolean in quotes", appliedCall, 200, jsonType, `"true"`},
		{"a boolean in an object", appliedCall, 200, jsonType, `{"applied":true}`},
		{"a number for a boolean", appliedCall, 200, jsonType, `1`},
		{"a 401 with its reason in another member", appliedCall, 401, jsonType, `{"code":"invalid_token"}`},
		{"a row of the other call", appliedCall, 404, jsonType, `{"code":"get_application_error","message":"No application"}`},
		{"another code", appliedCall, 404, jsonType, `{"code":"project_error","message":"Project for jobId 4711 not available"}`},
		{"a code in another member", appliedCall, 404, jsonType, `{"error":"get_project_error","message":"Project for jobId 4711 not available"}`},
		{"a code without message", applicationCall, 404, jsonType, `{"code":"get_application_error"}`},
		{"a plain message that is empty", appliedCall, 404, textType, ""},
		{"a 410 as an object", appliedCall, 410, jsonType, `{"message":"JobPosting inactive for jobId 4711"}`},
		{"another status", applicationCall, 409, textType, "JobPosting inactive for jobId 4711"},
		{"an empty identifier", applicationCall, 200, textType, ""},
		{"an identifier in an object", applicationCall, 200, jsonType, `{"id":"f76297d07f000002610484aa8202875a"}`},
		{"an identifier in a sentence", applicationCall, 200, textType, "The application is f76297d07f000002610484aa8202875a"},
		{"another lookup code", lookupCall, 404, jsonType, `{"errorCode":"ERROR_JOB_GONE"}`},
		{"another bare lookup code", lookupCall, 404, textType, "ERROR_JOB_GONE"},
		{"a page for a lookup code", lookupCall, 404, "text/html", "<html>Not found</html>"},
		{"half a job information", lookupCall, 200, jsonType, `{"jobTitle":"Cook","applyPossible":true}`},
		{"a list for a subscription", subscribeCall, 200, jsonType, `["rss"]`},
		{"a word for a confirmation", confirmCall, 200, jsonType, `"ok"`},
		{"an object for a stop", stopCall, 200, jsonType, `{"stopped":true}`},
		{"no token", tokenCall, 200, jsonType, `{"token_type":"Bearer","expires_in":3600}`},
		{"another kind of token", tokenCall, 200, jsonType, `{"access_token":"a","token_type":"MAC"}`},
		{"no reason", tokenCall, 400, jsonType, `{"error_description":"unknown"}`},
	} {
		j.hold(call(t, c.call, ""), c.status, http.Header{"Content-Type": {c.label}}, []byte(c.body))
		if j.blames() == "" {
			t.Errorf("%s is not blamed: %s answered %d, %s, %q", c.name, c.call, c.status, c.label, c.body)
		}
	}
}

// TestBrokenRequests breaks good requests in one place at a time.
func TestBrokenRequests(t *testing.T) {
	j := bench(t, func(tree) {})
	j.requests = true
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	const bearer, form = "Bearer token", "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, call, auth, label, body string
		says                          string // "": the request is good
	}{
		{"a search", searchCall, bearer, jsonType, "", ""},
		{"a search with Basic", searchCall, basic("10:"), "", "", ""},
		{"empty parameters", searchCall + "?search=&geoLocation=", bearer, "", "", ""},
		{"both parameters", searchCall + "?search=nurse&geoLocation=-33.86%3A%3A151.2::0.5", bearer, "", "", ""},
		{"another version", strings.Replace(searchCall, "v2", "v1", 1), bearer, "", "", "no matching operation"},
		{"another prefix", strings.Replace(searchCall, "/api/rest", "/api/rest/api/rest", 1), bearer, "", "", "no matching operation"},
		{"another method", strings.Replace(searchCall, "GET", "POST", 1), bearer, "", "", "method not allowed"},
		{"no channel", strings.Replace(searchCall, "27828_extern", "", 1), bearer, "", "", "no matching operation"},
		{"a page number", searchCall + "?page=2", bearer, "", "", "page is not in the document"},
		{"a parameter twice", searchCall + "?search=a&search=b", bearer, "", "", "2 times"},
		{"a circle with commas", searchCall + "?geoLocation=52.5,13.3,50", bearer, "", "", "geoLocation"},
		{"a circle with single colons", searchCall + "?geoLocation=52.5:13.3:50", bearer, "", "", "geoLocation"},
		{"a circle without distance", searchCall + "?geoLocation=52.5::13.3", bearer, "", "", "geoLocation"},
		{"a circle with an exponent", searchCall + "?geoLocation=1e-07::13.3::50", bearer, "", "", "geoLocation"},
		{"a circle below nothing", searchCall + "?geoLocation=52.5::13.3::-50", bearer, "", "", "geoLocation"},
		{"no credential", searchCall, "", "", "", "security requirements failed"},
		{"Basic without colon", searchCall, basic("10"), "", "", "a colon, and no password"},
		{"Basic with password", searchCall, basic("10:secret"), "", "", "a colon, and no password"},
		{"Basic without identifier", searchCall, basic(":"), "", "", "a colon, and no password"},

		{"an applied check", appliedCall, bearer, "", "", ""},
		{"an applied check with Basic", appliedCall, basic("10:"), "", "", "wants the scheme bearer"},
		{"an applied check with a parameter", appliedCall + "?job=1", bearer, "", "", "job is not in the document"},
		{"an applied check of a word", strings.Replace(appliedCall, "4711", "nurse", 1), bearer, "", "", "jobDbId"},
		{"an application", applicationCall, bearer, "", "", ""},
		{"an application without credential", applicationCall, "", "", "", "security requirements failed"},

		{"a lookup", lookupCall, "", "", "", ""},
		{"a lookup of nothing", strings.TrimSuffix(lookupCall, "?jobid=4711"), "", "", "", "jobid"},
		{"a lookup with another letter", strings.Replace(lookupCall, "jobid", "jobId", 1), "", "", "", "jobid"},
		{"a lookup of a word", strings.Replace(lookupCall, "4711", "nurse", 1), "", "", "", "jobid"},
		{"a lookup with a credential", lookupCall, bearer, "", "", "a credential was sent"},
		{"a lookup at the other address", strings.Replace(lookupCall, jobDB, base, 1), "", "", "", "no matching operation"},
		{"a search at the other address", strings.Replace(searchCall, base, jobDB, 1), bearer, "", "", "no matching operation"},

		{"a subscription", subscribeCall + "?channel=1&types=rss", bearer, jsonType, `{"2901":["Berlin"]}`, ""},
		{"a subscription of a list", subscribeCall, bearer, jsonType, `["Berlin"]`, "must be an object"},
		{"a subscription in half", subscribeCall, bearer, jsonType, `{"2901":`, "request body"},
		{"a subscription in words", subscribeCall, bearer, "text/plain", "Berlin", "Content-Type"},
		{"a confirmation", confirmCall, "", jsonType, "null", ""},
		{"a confirmation of nothing", strings.TrimSuffix(confirmCall, "/17"), bearer, "", "", "method not allowed"},
		{"a stop", stopCall, "", "", "", ""},

		{"a token", tokenCall, basic("11:secret"), form, "grant_type=client_credentials", ""},
		{"another grant", tokenCall, basic("11:secret"), form, "grant_type=implicit", "grant_type"},
		{"no grant", tokenCall, basic("11:secret"), form, "username=jana", "grant_type"},
		{"a grant in JSON", tokenCall, basic("11:secret"), jsonType, `{"grant_type":"client_credentials"}`, "Content-Type"},
	} {
		r := call(t, c.call, c.body)
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		if c.label != "" {
			r.Header.Set("Content-Type", c.label)
		}
		if c.body == "" {
			r.Body = http.NoBody
		}
		j.hold(r, 0, nil, nil)
		said := j.blames()
		if c.says == "" && said != "" || !strings.Contains(said, c.says) {
			t.Errorf("%s: it should be blamed for %q, and is for %q", c.name, c.says, said)
		}
	}
}
