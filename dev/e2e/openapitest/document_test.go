package openapitest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

const (
	mark        = "x-beyond-interface"
	eventStream = "text/event-stream"
)

// tree is the document as JSON, to be changed before it is used.
type tree = map[string]any

func load(tb testing.TB) tree {
	tb.Helper()
	data, err := os.ReadFile("../../../api/openapi.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		tb.Fatal(err)
	}
	if data, err = doc.MarshalJSON(); err != nil {
		tb.Fatal(err)
	}
	var t tree
	if err := json.Unmarshal(data, &t); err != nil {
		tb.Fatal(err)
	}
	return t
}

// compile makes a document of a tree again, and checks that it is one.
func compile(t tree) (*openapi3.T, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
}

// strip takes out what is marked as beyond the interface.
func strip(v any) any {
	switch v := v.(type) {
	case tree:
		for k, e := range v {
			if marked(e) {
				delete(v, k)
			} else {
				v[k] = strip(e)
			}
		}
	case []any:
		kept := []any{}
		for _, e := range v {
			if !marked(e) {
				kept = append(kept, strip(e))
			}
		}
		return kept
	}
	return v
}

func marked(v any) bool {
	o, ok := v.(tree)
	return ok && o[mark] == true
}

// at finds a part of the tree by its keys.
func at(tb testing.TB, t tree, path ...string) tree {
	tb.Helper()
	for _, p := range path {
		next, ok := t[p].(tree)
		if !ok {
			tb.Fatalf("the document has no %s", strings.Join(path, " > "))
		}
		t = next
	}
	return t
}

// closed are the objects whose members are listed in full. Services may send
// more; the mock server does not, so that a misspelt member is seen.
var closed = []string{"JobSearchResult", "JobPosting", "JobInformation", "Question", "IdLabel", "Location", "CodedError", "TokenError"}

func closeObjects(tb testing.TB, t tree) {
	for _, name := range closed {
		if schemas := at(tb, t, "components", "schemas"); schemas[name] != nil {
			at(tb, schemas, name)["additionalProperties"] = false
		}
	}
}

// judge is an http.RoundTripper that holds what goes through it against a
// document.
type judge struct {
	next     http.RoundTripper
	router   routers.Router
	requests bool // holds requests against it too

	tokenError *openapi3.Schema // of the JSON body of a 401; nil: it may have any

	mu       sync.Mutex
	problems []string
	seen     map[string]int   // operation and status
	kept     map[string]bool  // promises of the document, see promises
	verdicts map[string]error // cached by answer, because answers repeat
	answers  func(operation string, status int, body []byte)
}

func init() {
	for _, kind := range []string{"text/html", "text/css", "text/javascript"} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.RegisteredBodyDecoder("text/plain"))
	}
}

// newJudge puts the two addresses in the place of the placeholders.
func newJudge(t tree, base, jobDB string, next http.RoundTripper) (*judge, error) {
	doc, err := compileAt(t, base, jobDB)
	if err != nil {
		return nil, err
	}
	return judgeOf(doc, next)
}

// compileAt compiles a document and gives it the addresses of its servers.
func compileAt(t tree, base, jobDB string) (*openapi3.T, error) {
	doc, err := compile(t)
	if err != nil {
		return nil, err
	}
	doc.Servers = openapi3.Servers{{URL: base}}
	doc.Paths.Value("/jobdb/public/apply/external").Servers = openapi3.Servers{{URL: jobDB}}
	return doc, nil
}

// judgeOf returns the judge of a document that has the addresses of its servers.
func judgeOf(doc *openapi3.T, next http.RoundTripper) (*judge, error) {
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	j := &judge{next: next, router: router, seen: map[string]int{}, kept: map[string]bool{}, verdicts: map[string]error{}}
	if ref := doc.Components.Schemas["TokenError"]; ref != nil {
		j.tokenError = ref.Value
	}
	return j, nil
}

func (j *judge) problemf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.problems = append(j.problems, fmt.Sprintf(format, args...))
}

func (j *judge) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	rs, err := j.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var body []byte
	if rs.Header.Get("Content-Type") != eventStream { // which does not end
		body, err = io.ReadAll(rs.Body)
	}
	_ = rs.Body.Close()
	if err != nil {
		return nil, err
	}
	rs.Body = io.NopCloser(bytes.NewReader(body))
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(sent))
	j.hold(again, rs.StatusCode, rs.Header, body)
	return rs, nil
}

func (j *judge) hold(r *http.Request, status int, header http.Header, body []byte) {
	what := r.Method + " " + r.URL.RequestURI()
	route, params, err := j.router.FindRoute(r)
	if err != nil {
		j.problemf("%s: %v", what, err)
		return
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: authenticate, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true},
	}
	if j.requests {
		j.holdRequest(what, in)
	}
	if status != 0 {
		j.holdAnswer(what, in, status, header, body)
	}
}

func (j *judge) holdRequest(what string, in *openapi3filter.RequestValidationInput) {
	if err := openapi3filter.ValidateRequest(in.Request.Context(), in); err != nil {
		j.problemf("%s: the request: %v", what, err)
	}
	j.undocumented(what, in.Request, in.Route)
}

func (j *judge) holdAnswer(what string, in *openapi3filter.RequestValidationInput, status int, header http.Header, body []byte) {
	operation := in.Route.Operation.OperationID
	if j.answers != nil {
		j.answers(operation, status, body)
	}
	lasting := header.Clone()
	lasting.Del("Date")
	key := fmt.Sprintf("%s %d %q %s", operation, status, lasting, body)
	j.mu.Lock()
	j.seen[fmt.Sprintf("%s %d", operation, status)]++
	j.kept[keptPromise(in.Route.Operation, status, header)] = true
	err, known := j.verdicts[key]
	j.mu.Unlock()
	if !known {
		err = openapi3filter.ValidateResponse(in.Request.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: in, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
			Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: header.Get("Content-Type") == eventStream},
		})
		if err == nil && j.tokenError != nil && status == http.StatusUnauthorized && header.Get("Content-Type") == "application/json" {
			err = validJSON(j.tokenError, body) // it promises no body; its description says of what form a body is
		}
		j.mu.Lock()
		j.verdicts[key] = err
		j.mu.Unlock()
	}
	if err != nil {
		j.problemf("%s: status %d %.300q: %v", what, status, body, err)
	}
}

// validJSON holds a JSON body against a schema.
func validJSON(schema *openapi3.Schema, body []byte) error {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	return schema.VisitJSON(v)
}

// promises lists the answers that a document promises: of each operation each status,
// with each kind of body that it lists there.
func promises(doc *openapi3.T) []string {
	var out []string
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				if len(response.Value.Content) == 0 {
					out = append(out, op.OperationID+" "+status)
				}
				for kind := range response.Value.Content {
					out = append(out, op.OperationID+" "+status+" "+kind)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// keptPromise returns the promise that an answer keeps, in the words of promises.
func keptPromise(op *openapi3.Operation, status int, header http.Header) string {
	for _, word := range []string{strconv.Itoa(status), fmt.Sprintf("%dXX", status/100), "default"} {
		response := op.Responses.Value(word)
		switch {
		case response == nil:
			continue
		case len(response.Value.Content) == 0:
			return op.OperationID + " " + word
		}
		kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
		return op.OperationID + " " + word + " " + kind
	}
	return ""
}

// undocumented looks for query parameters and credentials that the document
// does not have, which the library lets through.
func (j *judge) undocumented(what string, r *http.Request, route *routers.Route) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		j.problemf("%s: %v", what, err)
	}
	for name, values := range query {
		if route.Operation.Parameters.GetByInAndName("query", name) == nil {
			j.problemf("%s: the query parameter %s is not in the document", what, name)
		}
		if len(values) != 1 {
			j.problemf("%s: the query parameter %s came %d times", what, name, len(values))
		}
	}
	if s := route.Operation.Security; s != nil && len(*s) == 0 && r.Header.Get("Authorization") != "" {
		j.problemf("%s: a credential was sent, and the document has none", what)
	}
}

// authenticate checks the form of a credential, by its scheme.
func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	scheme, value, _ := strings.Cut(in.RequestValidationInput.Request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, in.SecurityScheme.Scheme) {
		return fmt.Errorf("%s wants the scheme %s, not %q", in.SecuritySchemeName, in.SecurityScheme.Scheme, scheme)
	}
	if in.SecuritySchemeName == "clientIdentifier" {
		raw, err := base64.StdEncoding.DecodeString(value)
		if err != nil || len(raw) < 2 || bytes.IndexByte(raw, ':') != len(raw)-1 {
			return errors.New("Basic is the client identifier, a colon, and no password")
		}
	}
	return nil
}

func TestDocument(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(tree)
	}{
		{"as it is", func(tree) {}},
		{"without what is beyond the interface", func(d tree) { strip(d) }},
		{"with closed objects", func(d tree) { closeObjects(t, d) }},
	} {
		d := load(t)
		c.change(d)
		doc, err := compile(d)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if doc.OpenAPI != "3.1.0" {
			t.Errorf("%s: it is OpenAPI %s", c.name, doc.OpenAPI)
		}
	}
}

// TestOperations holds the paths against sections 4 and 9.
func TestOperations(t *testing.T) {
	d := load(t)
	strip(d)
	var got []string
	for path, item := range at(t, d, "paths") {
		for key := range item.(tree) {
			if m := strings.ToUpper(key); m == "GET" || m == "POST" || m == "PUT" || m == "DELETE" || m == "PATCH" {
				got = append(got, m+" "+path)
			}
		}
	}
	want := []string{
		"GET /api/rest/v2/frontend/jobboards/{channelID}/jobs",
		"GET /api/rest/v3/frontend/jobs/{jobDbId}/applied",
		"GET /api/rest/v3/frontend/jobs/{jobDbId}/application",
		"GET /jobdb/public/apply/external",
		"POST /jobabo",
		"PUT /jobabo/{aboId}",
		"DELETE /jobabo/{aboId}",
	}
	if diff := difference(got, want); diff != "" {
		t.Error(diff)
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), `"`+mark+`":`) {
		t.Errorf("%s has another value than true somewhere", mark)
	}
}

// TestServersArePlaceholders keeps addresses of services out.
func TestServersArePlaceholders(t *testing.T) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case tree:
			if u, ok := v["url"].(string); ok && u != "{base_url}" && u != "{jobdb_url}" {
				t.Errorf("the document has the address %q", u)
			}
			if d, ok := v["default"].(string); ok && strings.Contains(d, "://") && !strings.HasSuffix(d, ".example") {
				t.Errorf("the document has the address %q", d)
			}
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(load(t))
}

func difference(got, want []string) string {
	in := func(list []string, s string) bool {
		for _, e := range list {
			if e == s {
				return true
			}
		}
		return false
	}
	var out []string
	for _, s := range want {
		if !in(got, s) {
			out = append(out, "missing: "+s)
		}
	}
	for _, s := range got {
		if !in(want, s) {
			out = append(out, "not expected: "+s)
		}
	}
	return strings.Join(out, "\n")
}
