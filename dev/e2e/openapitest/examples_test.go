package openapitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestExamples sends what a tool makes of the document's examples: one request of each
// operation, with every parameter and member that has an example. The mock server with its
// demonstration answers each with a success, or sends an applicant back who signed in.
func TestExamples(t *testing.T) {
	doc, err := compile(load(t))
	if err != nil {
		t.Fatal(err)
	}
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			req := exampleRequest(t, srv, method, path, append(item.Parameters, op.Parameters...), op)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			signedIn := strings.Contains(resp.Header.Get("Location"), "code=")
			if resp.StatusCode != http.StatusOK && !signedIn {
				t.Errorf("%s %s: %s", method, req.URL, resp.Status)
			}
		}
	}
}

// exampleRequest returns the request of an operation's examples, with a credential of
// the demonstration.
func exampleRequest(
	t *testing.T, srv *jobboardtest.Server, method, path string, params openapi3.Parameters, op *openapi3.Operation,
) *http.Request {
	t.Helper()
	base, query := srv.BaseURL, url.Values{}
	if strings.HasPrefix(path, "/jobdb/") {
		base = srv.JobDBURL
	}
	for _, p := range params {
		switch example := p.Value.Example; {
		case p.Value.In == openapi3.ParameterInPath && example != nil:
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", url.PathEscape(text(example)))
		case p.Value.In == openapi3.ParameterInQuery && example != nil:
			query.Set(p.Value.Name, text(example))
		case p.Value.Required:
			t.Errorf("%s %s: %s has no example", method, path, p.Value.Name)
		}
	}
	body, kind := "", ""
	if op.RequestBody != nil {
		for media, content := range op.RequestBody.Value.Content {
			kind = media
			if media != "application/x-www-form-urlencoded" {
				data, err := json.Marshal(content.Example)
				if err != nil {
					t.Fatal(err)
				}
				body = string(data)
				continue
			}
			form := url.Values{}
			for name, member := range content.Schema.Value.Properties {
				if member.Value.Example != nil {
					form.Set(name, text(member.Value.Example))
				}
			}
			body = form.Encode()
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, base+path+"?"+query.Encode(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	switch {
	case strings.HasSuffix(path, "/token"):
		req.SetBasicAuth(srv.Demo.ConfidentialClient, srv.Demo.ConfidentialSecret)
	case op.Security != nil && len(*op.Security) > 0:
		req.Header.Set("Authorization", "Bearer "+srv.Demo.ApplicantToken)
	}
	return req
}

// text returns an example as it is written in an address or a form.
func text(example any) string {
	if number, ok := example.(float64); ok {
		return fmt.Sprintf("%.0f", number)
	}
	return fmt.Sprint(example)
}
