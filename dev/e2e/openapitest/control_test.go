package openapitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// loadControl returns the document of the mock server's control interface.
func loadControl(t *testing.T) *openapi3.T {
	t.Helper()
	data, err := os.ReadFile("../../../jobboardtest/control/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestControlDocument validates the document of the mock server's control
// interface.
func TestControlDocument(t *testing.T) {
	doc := loadControl(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.Paths.Value("/faults") == nil {
		t.Error("it does not describe faults")
	}
}

// TestControlConforms holds calls of the control interface and their answers against its
// document. The calls get every answer that the document promises.
func TestControlConforms(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	control.Mount(srv)
	doc := loadControl(t)
	doc.Servers = openapi3.Servers{{URL: srv.BaseURL + control.Path}}
	j, err := judgeOf(doc, srv.Transport())
	if err != nil {
		t.Fatal(err)
	}
	j.requests = true
	client := &http.Client{Transport: j}
	call := func(method, path, host, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, srv.BaseURL+control.Path+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = host; body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		rs, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = rs.Body.Close()
		return rs.StatusCode
	}

	if _, err := srv.Client().Get(srv.JobDBURL + "/jobdb/public/apply/external?jobid=1"); err != nil { // for the journal
		t.Fatal(err)
	}
	state, err := json.Marshal(srv.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	variants, err := json.Marshal(srv.Variants())
	if err != nil {
		t.Fatal(err)
	}
	d := srv.Demo
	open, other := fmt.Sprintf("/jobs/%d", d.OpenJob), fmt.Sprintf("/jobs/%d", d.AppliedJob)
	pair := fmt.Sprintf(`{"applicant_id":%d,"job_id":%d}`, d.Applicant, d.OpenJob)
	token := fmt.Sprintf(`{"token":%q}`, d.ApplicantToken)
	for _, c := range []struct {
		call, body string
		status     int
	}{
		{"GET /", "", 200},
		{"GET /page.css", "", 200},
		{"GET /page.js", "", 200},
		{"GET /board?q=berlin", "", 200},
		{"GET /places?q=berlin", "", 200},
		{"GET /openapi.json", "", 200},
		{"GET /info", "", 200},
		{"GET /news?after=1&open=1&find=404&revision=x&q=y", "", 200},

		{"POST /channels", `{"id":"1_extern"}`, 201},
		{"POST /companies", `{"name":"Lindenhof"}`, 201},
		{"POST /clients", `{"id":"77"}`, 201},
		{"POST /applicants", `{"username":"kim"}`, 201},
		{"POST /jobs", `{"title":"Cook"}`, 201},
		{"POST /postings", fmt.Sprintf(`{"job_id":%d,"channels":[%q],"title":"Cook"}`, d.OpenJob, d.Channel), 201},
		{"POST /publish", fmt.Sprintf(`{"channel":%q,"job":{"title":"Cook"}}`, d.Channel), 201},
		{"POST /applications", pair, 201},
		{"POST /applications", pair, 409},
		{"POST /applications/withdraw", pair, 204},
		{"POST /applications/withdraw", strings.Replace(pair, "_id\":", "_id\":9", 1), 404},
		{"GET /subscriptions", "", 200},

		{"GET " + open, "", 200},
		{"GET /jobs/99", "", 404},
		{"PATCH " + open, `{"title":"Baker"}`, 200},
		{"PATCH /jobs/99", `{"title":"Baker"}`, 404},
		{"POST " + open + "/deactivate", "", 204},
		{"POST /jobs/99/deactivate", "", 404},
		{"POST " + open + "/activate", "", 204},
		{"POST /jobs/99/activate", "", 404},
		{"POST " + other + "/unpublish", "", 204},
		{"POST /jobs/99/unpublish", "", 404},
		{"DELETE " + other, "", 204},
		{"DELETE /jobs/99", "", 404},
		{fmt.Sprintf("DELETE /postings/%d", srv.Snapshot().Postings[0].ID), "", 204},
		{"DELETE /postings/99", "", 404},

		{"POST /tokens", fmt.Sprintf(`{"kind":"user","applicant_id":%d}`, d.Applicant), 201},
		{"POST /tokens/narrow", token, 204},
		{"POST /tokens/narrow", `{"token":"none"}`, 404},
		{"POST /tokens/expire", token, 204},
		{"POST /tokens/expire", `{"token":"none"}`, 404},
		{"POST /codes", fmt.Sprintf(`{"client_id":%q,"applicant_id":%d}`, d.ConfidentialClient, d.Applicant), 201},

		{"GET /variants", "", 200},
		{"PUT /variants", string(variants), 200},
		{"PATCH /variants", `{"quoted_ids":true}`, 200},
		{"POST /faults", `{"status":503,"times":1}`, 201},
		{"GET /faults", "", 200},
		{"GET /faults/1", "", 200},
		{"GET /faults/99", "", 404},
		{"DELETE /faults/1", "", 204},
		{"DELETE /faults/99", "", 404},
		{"DELETE /faults", "", 204},

		{"GET /requests", "", 200},
		{"GET /requests/1", "", 200},
		{"GET /rows?q=jobdb", "", 200},
		{"GET /rows/1", "", 200},
		{"GET /requests.har", "", 200},
		{"GET /requests/wait?count=1", "", 200},
		{"GET /requests/wait?count=99&timeout=1ms", "", 409},
		{"GET /violations", "", 200},
		{"DELETE /requests", "", 204},

		{"GET /clock", "", 200},
		{"PUT /clock", `{"now":"2026-01-31T08:00:00Z","stopped":true}`, 200},
		{"POST /clock/advance", `{"by":"1.5s"}`, 200},
		{"DELETE /clock", "", 200},
		{"GET /state", "", 200},
		{"PUT /state", string(state), 204},
		{"POST /reset", "", 204},
	} {
		method, path, _ := strings.Cut(c.call, " ")
		if got := call(method, path, "", c.body); got != c.status {
			t.Errorf("%s %.80s: %d, want %d", c.call, c.body, got, c.status)
		}
	}
	// Whoever asks by a foreign name is refused.
	j.requests = false
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if got := call(method, strings.ReplaceAll(path, "{id}", "1"), "evil.example", ""); got != http.StatusForbidden {
				t.Errorf("%s %s by a foreign name: %d", method, path, got)
			}
		}
	}
	report(t, j)
	for _, promise := range slices.DeleteFunc(promises(doc), func(p string) bool { return j.kept[p] }) {
		t.Errorf("the document promises %q, and nothing answers so", promise)
	}
}
